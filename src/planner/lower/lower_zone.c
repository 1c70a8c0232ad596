/*
 * lower_zone.c
 *		timestamptz, in the session's time zone or in one that is named.
 *
 * The program has the zone's table as a constant, filled in when execution starts
 * (planner/zone.h), so a plan follows a changed TimeZone.  One operation makes a local
 * timestamp of a timestamptz; what follows is that of timestamp.
 *
 * Back from local time goes only what need not look for an offset: a truncation to less
 * than a day keeps the value's own.  PostgreSQL looks for the offset of a truncation to
 * whole days, so as a group key that is grouped by its date (lower_datetime.c).
 *
 * Does not handle: abbreviations of zones, zones that are not constant, timestamps as
 * timestamptz, fields that are not integers.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "planner/lower/lower.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

static Expr *
session_zone(void)
{
	Const	   *name = makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
								 CStringGetTextDatum("TimeZone"), false, false);

	return (Expr *) makeFuncExpr(F_CURRENT_SETTING_TEXT, TEXTOID, list_make1(name),
								 C_COLLATION_OID, C_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/* The local time of a timestamptz, and that itself */
static bool
lower_local(GpuAggLower *lw, Expr *moment, Expr *zone, GpuAggZoneName kind,
			GpuAggValue *utc, GpuAggValue *local)
{
	GpuAggValue table;

	return gpuagg_lower_expr(lw, moment, utc) && gpuagg_lower_zone(lw, zone, kind, &table) &&
		gpuagg_lower_op(lw, GPUAGG_OP_ZONE_LOCAL, GPUAGG_T_TIMESTAMP, utc, &table, NULL, 0,
						local);
}

static bool
lower_session(GpuAggLower *lw, Expr *moment, GpuAggValue *utc, GpuAggValue *local)
{
	return lower_local(lw, moment, session_zone(), GPUAGG_ZONE_SETTING, utc, local);
}

/* timestamptz AT TIME ZONE 'name' */
static bool
lower_at_zone(GpuAggLower *lw, List *args, GpuAggValue *out)
{
	Const	   *zone = (Const *) linitial(args);
	GpuAggValue utc;

	if (!IsA(zone, Const) || zone->constisnull ||
		!gpuagg_zone_is_full_name(TextDatumGetCString(zone->constvalue)))
		return GPUAGG_REFUSE("AT TIME ZONE needs a constant full name of a time zone");
	return lower_local(lw, (Expr *) lsecond(args), (Expr *) zone, GPUAGG_ZONE_ARGUMENT, &utc,
					   out);
}

static bool
lower_zoned_extract(GpuAggLower *lw, List *args, bool to_float, GpuAggValue *out)
{
	GpuAggField field;
	GpuAggValue utc;

	if (!gpuagg_lower_field((Expr *) linitial(args), GPUAGG_USE_TIMESTAMP, &field) ||
		!lower_session(lw, (Expr *) lsecond(args), &utc, out) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_EXTRACT, GPUAGG_T_NUMERIC, out, NULL, NULL,
						 field, out))
		return false;
	return !to_float ||
		gpuagg_lower_op(lw, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_T_FLOAT8, out, NULL, NULL, 0, out);
}

/* The offset of a truncation to less than a day is the value's. */
static bool
lower_zoned_trunc(GpuAggLower *lw, List *args, GpuAggValue *out)
{
	GpuAggField field;
	GpuAggValue utc;
	GpuAggValue local;
	GpuAggValue offset;

	if (!gpuagg_lower_field((Expr *) linitial(args), GPUAGG_USE_TRUNC, &field))
		return false;
	if (field >= GPUAGG_FIELD_DAY)
		return GPUAGG_REFUSE("date_trunc of timestamptz to days and longer is supported as a group key only");
	return lower_session(lw, (Expr *) lsecond(args), &utc, &local) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_SUB, GPUAGG_T_INT8, &local, &utc, NULL, 0,
						&offset) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_T_TIMESTAMP, &local, NULL, NULL,
						field, &local) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_SUB, GPUAGG_T_TIMESTAMPTZ, &local, &offset, NULL, 0,
						out);
}

bool
gpuagg_lower_zoned_day(GpuAggLower *lw, Expr *unit, Expr *moment, GpuAggValue *out)
{
	GpuAggField field;
	GpuAggValue utc;

	return gpuagg_lower_field(unit, GPUAGG_USE_TRUNC | GPUAGG_USE_DAYS, &field) &&
		lower_session(lw, moment, &utc, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_T_TIMESTAMP, out, NULL, NULL,
						field, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TO_DATE, GPUAGG_T_DATE, out, NULL, NULL, 0,
						out);
}

/* timestamptz::date; of date_trunc(unit of days, timestamptz) the day itself */
static bool
lower_local_date(GpuAggLower *lw, Expr *moment, GpuAggValue *out)
{
	FuncExpr   *trunc = (FuncExpr *) moment;
	GpuAggValue utc;

	if (gpuagg_lower_truncates_days(moment))
		return gpuagg_lower_zoned_day(lw, (Expr *) linitial(trunc->args),
									  (Expr *) lsecond(trunc->args), out) &&
			gpuagg_lower_guard_days(lw, out);
	return lower_session(lw, moment, &utc, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TO_DATE, GPUAGG_T_DATE, out, NULL, NULL, 0,
						out);
}

bool
gpuagg_lower_zoned(GpuAggLower *lw, Oid funcid, List *args, bool *handled,
				   GpuAggValue *out)
{
	GpuAggValue utc;

	*handled = true;
	switch (funcid)
	{
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
			return lower_zoned_trunc(lw, args, out);
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
			return lower_zoned_extract(lw, args, false, out);
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return lower_zoned_extract(lw, args, true, out);
		case F_DATE_TIMESTAMPTZ:
			return lower_local_date(lw, (Expr *) linitial(args), out);
		case F_TIMESTAMP_TIMESTAMPTZ:
			return lower_session(lw, (Expr *) linitial(args), &utc, out);
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			return lower_at_zone(lw, args, out);
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return GPUAGG_REFUSE("date_trunc in a zone that is named is not supported (AT TIME ZONE is)");
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
			return GPUAGG_REFUSE("casts to timestamptz from types without time zone depend on the time zone");
		default:
			*handled = false;
			return false;
	}
}
