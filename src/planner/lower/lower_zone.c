/*
 * lower_zone.c
 *		timestamptz, in the session's time zone or in one that is named.
 *
 * The program has the zone's table as a constant, filled in when execution starts
 * (planner/value/zone.h), so a plan follows a changed TimeZone.  One operation makes a local
 * timestamp of a timestamptz; what follows is that of timestamp.
 *
 * Back from local time, another operation looks for the offset as PostgreSQL does.  A
 * truncation to less than a day keeps the value's own.  One to whole days, as a group key,
 * is grouped by its date (lower_datetime.c).
 *
 * Does not handle: abbreviations of zones, zones that are not constant.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_datetime.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_zone.h"
#include "planner/value/args.h"
#include "utils/builtins.h"

/* Does a unit, or a field of extract(), follow from the month? */
static bool
is_of_months(GpuAggField field)
{
	switch (field)
	{
		case GPUAGG_FIELD_MONTH:
		case GPUAGG_FIELD_QUARTER:
		case GPUAGG_FIELD_YEAR:
		case GPUAGG_FIELD_DECADE:
		case GPUAGG_FIELD_CENTURY:
		case GPUAGG_FIELD_MILLENNIUM:
			return true;
		default:
			return false;
	}
}

static Expr *
session_zone(void)
{
	Const	   *name = makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
								 CStringGetTextDatum("TimeZone"), false, false);

	return (Expr *) makeFuncExpr(gpuagg_function_oid(GPUAGG_F_CURRENT_SETTING_TEXT), TEXTOID,
								 list_make1(name), C_COLLATION_OID, C_COLLATION_OID,
								 COERCE_EXPLICIT_CALL);
}

/* The local day of a timestamptz, cut to a unit of days; months are in the zone's table. */
static bool
lower_day(GpuAggLower *lw, const GpuAggLowered *utc, Expr *zone, GpuAggZoneName kind,
		  GpuAggField field, GpuAggLowered *out)
{
	GpuAggLowered table;

	if (!gpuagg_lower_zone(lw, zone, kind, &table))
		return false;
	if (!is_of_months(field))
		return gpuagg_lower_op(lw, GPUAGG_OP_ZONE_LOCAL, GPUAGG_T_TIMESTAMP, utc, &table, NULL, 0,
							   out) &&
			gpuagg_lower_cut_day(lw, out, true, field, out);
	return gpuagg_lower_op(lw, GPUAGG_OP_ZONE_MONTH, GPUAGG_T_DATE, utc, &table, NULL, 0, out) &&
		gpuagg_lower_cut_month(lw, out, field, out);
}

bool
gpuagg_lower_session_local(GpuAggLower *lw, const GpuAggLowered *utc, GpuAggLowered *out)
{
	GpuAggLowered table;

	return gpuagg_lower_zone(lw, session_zone(), GPUAGG_ZONE_SETTING, &table) &&
		gpuagg_lower_op(lw, GPUAGG_OP_ZONE_LOCAL, GPUAGG_T_TIMESTAMP, utc, &table, NULL, 0, out);
}

bool
gpuagg_lower_session_day(GpuAggLower *lw, const GpuAggLowered *utc, GpuAggField field,
						 GpuAggLowered *out)
{
	return lower_day(lw, utc, session_zone(), GPUAGG_ZONE_SETTING, field, out);
}

static bool
lower_utc(GpuAggLower *lw, const GpuAggLowered *local, Expr *zone, GpuAggZoneName kind,
		  GpuAggLowered *out)
{
	GpuAggLowered table;

	return gpuagg_lower_zone(lw, zone, kind, &table) &&
		gpuagg_lower_op(lw, GPUAGG_OP_ZONE_UTC, GPUAGG_T_TIMESTAMPTZ, local, &table, NULL, 0,
						out);
}

bool
gpuagg_lower_session_utc(GpuAggLower *lw, const GpuAggLowered *local, GpuAggLowered *out)
{
	return lower_utc(lw, local, session_zone(), GPUAGG_ZONE_SETTING, out);
}

/* The local time of a timestamptz, and that itself */
static bool
lower_local(GpuAggLower *lw, Expr *moment, Expr *zone, GpuAggZoneName kind,
			GpuAggLowered *utc, GpuAggLowered *local)
{
	GpuAggLowered table;

	return gpuagg_lower_expr(lw, moment, utc) && gpuagg_lower_zone(lw, zone, kind, &table) &&
		gpuagg_lower_op(lw, GPUAGG_OP_ZONE_LOCAL, GPUAGG_T_TIMESTAMP, utc, &table, NULL, 0,
						local);
}

static bool
lower_session(GpuAggLower *lw, Expr *moment, GpuAggLowered *utc, GpuAggLowered *local)
{
	return lower_local(lw, moment, session_zone(), GPUAGG_ZONE_SETTING, utc, local);
}

/* A constant that names a zone whose table can be had */
static bool
is_zone(const Expr *expr)
{
	const Const *zone = (const Const *) expr;

	return IsA(zone, Const) && !zone->constisnull &&
		gpuagg_zone_is_full_name(TextDatumGetCString(zone->constvalue));
}

/* timestamptz AT TIME ZONE 'name', or timestamp AT TIME ZONE 'name' */
bool
gpuagg_lower_by_at_zone(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const bool	local = call->function->args[1] == TIMESTAMPOID;
	Expr	   *zone = gpuagg_arg(call->args, 0);
	Expr	   *moment = gpuagg_arg(call->args, 1);
	GpuAggLowered value;

	if (!is_zone(zone))
		return GPUAGG_REFUSE(
			"AT TIME ZONE needs a constant full name of a time zone without leap seconds");
	if (local && gpuagg_lower_is_constant((Expr *) call->args))
		return GPUAGG_REFUSE("a moment without columns is computed once, if at all");
	if (!local)
		return lower_local(lw, moment, zone, GPUAGG_ZONE_ARGUMENT, &value, out);
	return gpuagg_lower_expr(lw, moment, &value) &&
		lower_utc(lw, &value, zone, GPUAGG_ZONE_ARGUMENT, out);
}

/* A field of the session's local time */
static bool
lower_extract(GpuAggLower *lw, const GpuAggLowered *utc, GpuAggField field, GpuAggLowered *out)
{
	const bool	of_months = is_of_months(field);

	return (of_months ? gpuagg_lower_session_day(lw, utc, GPUAGG_FIELD_MONTH, out) :
			gpuagg_lower_session_local(lw, utc, out)) &&
		gpuagg_lower_op(lw, of_months ? GPUAGG_OP_DATE_EXTRACT : GPUAGG_OP_TIMESTAMP_EXTRACT,
						GPUAGG_T_NUMERIC, out, NULL, NULL, field, out);
}

bool
gpuagg_lower_local_month(GpuAggLower *lw, Expr *local, GpuAggField field, bool *handled,
						 GpuAggLowered *out)
{
	FuncExpr   *call = (FuncExpr *) local;
	const bool	session = gpuagg_is_call(local, GPUAGG_F_TIMESTAMP_TIMESTAMPTZ);
	GpuAggLowered utc;

	*handled = is_of_months(field) &&
		(session || (gpuagg_is_call(local, GPUAGG_F_TIMEZONE_TEXT_TIMESTAMPTZ) &&
					 is_zone(gpuagg_arg(call->args, 0))));
	if (!*handled || !gpuagg_lower_expr(lw, gpuagg_arg(call->args, session ? 0 : 1), &utc))
		return false;
	return session ? gpuagg_lower_session_day(lw, &utc, GPUAGG_FIELD_MONTH, out) :
		lower_day(lw, &utc, gpuagg_arg(call->args, 0), GPUAGG_ZONE_ARGUMENT, GPUAGG_FIELD_MONTH,
				  out);
}

bool
gpuagg_lower_by_zoned_extract(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggField field;
	GpuAggLowered utc;
	bool		handled;
	bool		ok = gpuagg_lower_fine_extract(lw, call, &handled, out);

	if (handled)
		return ok;
	if (!gpuagg_lower_field(gpuagg_arg(call->args, 0), GPUAGG_USE_TIMESTAMP, &field) ||
		!gpuagg_lower_expr(lw, gpuagg_arg(call->args, 1), &utc) ||
		!lower_extract(lw, &utc, field, out))
		return false;
	return call->function->type != GPUAGG_T_FLOAT8 ||
		gpuagg_lower_op(lw, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_T_FLOAT8, out, NULL, NULL, 0, out);
}

/* The offset of a truncation to less than a day is the value's, else the day's. */
static bool
lower_zoned_trunc(GpuAggLower *lw, List *args, Expr *zone, GpuAggZoneName kind, GpuAggLowered *out)
{
	GpuAggField field;
	GpuAggLowered utc;
	GpuAggLowered local;
	GpuAggLowered offset;

	if (!gpuagg_lower_field(gpuagg_arg(args, 0), GPUAGG_USE_TRUNC, &field))
		return false;
	if (field >= GPUAGG_FIELD_DAY)
		return gpuagg_lower_expr(lw, gpuagg_arg(args, 1), &utc) &&
			lower_day(lw, &utc, zone, kind, field, &local) &&
			gpuagg_lower_op(lw, GPUAGG_OP_DATE_TO_TIMESTAMP, GPUAGG_T_TIMESTAMP, &local, NULL,
							NULL, 0, &local) &&
			lower_utc(lw, &local, zone, kind, out);
	return lower_local(lw, gpuagg_arg(args, 1), zone, kind, &utc, &local) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_SUB, GPUAGG_T_INT8, &local, &utc, NULL, 0,
						   &offset) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_T_TIMESTAMP, &local, NULL, NULL,
						field, &local) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_SUB, GPUAGG_T_TIMESTAMPTZ, &local, &offset, NULL, 0,
						out);
}

bool
gpuagg_lower_by_zoned_truncated(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	return lower_zoned_trunc(lw, call->args, session_zone(), GPUAGG_ZONE_SETTING, out);
}

bool
gpuagg_lower_by_named_zone_truncated(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	Expr	   *zone = gpuagg_arg(call->args, 2);

	if (gpuagg_lower_is_constant((Expr *) call->args) || !is_zone(zone))
		return GPUAGG_REFUSE(
			"date_trunc in a zone needs a constant full name of a time zone without leap seconds");
	return lower_zoned_trunc(lw, call->args, zone, GPUAGG_ZONE_ARGUMENT, out);
}

/* A date or timestamp as timestamptz */
bool
gpuagg_lower_by_utc(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	Expr	   *expr = gpuagg_arg(call->args, 0);

	if (gpuagg_lower_is_constant(expr))
		return GPUAGG_REFUSE("a cast to timestamptz is computed once, if at all");
	if (!gpuagg_lower_expr(lw, expr, out) ||
		(out->type == GPUAGG_T_DATE &&
		 !gpuagg_lower_op(lw, GPUAGG_OP_DATE_TO_TIMESTAMP, GPUAGG_T_TIMESTAMP, out, NULL, NULL, 0,
						  out)))
		return false;
	return gpuagg_lower_session_utc(lw, out, out);
}

bool
gpuagg_lower_zoned_day(GpuAggLower *lw, Expr *unit, Expr *moment, GpuAggLowered *out)
{
	GpuAggField field;
	GpuAggLowered utc;

	/* what the zone's table has is no time that truncating would be beyond */
	return gpuagg_lower_field(unit, GPUAGG_USE_TRUNC | GPUAGG_USE_DAYS, &field) &&
		gpuagg_lower_expr(lw, moment, &utc) && gpuagg_lower_session_day(lw, &utc, field, out);
}

bool
gpuagg_lower_by_local_time(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered utc;

	return lower_session(lw, gpuagg_arg(call->args, 0), &utc, out);
}

/* timestamptz::date; of date_trunc(unit of days, timestamptz) the day itself */
bool
gpuagg_lower_by_local_date(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	Expr	   *moment = gpuagg_arg(call->args, 0);
	FuncExpr   *trunc = (FuncExpr *) moment;
	GpuAggLowered utc;
	bool		handled;
	bool		ok = gpuagg_lower_day_of_trunc(lw, moment, &handled, out);

	if (handled)
		return ok;
	if (gpuagg_lower_truncates_days(moment))
		return gpuagg_lower_zoned_day(lw, gpuagg_arg(trunc->args, 0),
									  gpuagg_arg(trunc->args, 1), out) &&
			gpuagg_lower_guard_days(lw, out);
	return lower_session(lw, moment, &utc, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TO_DATE, GPUAGG_T_DATE, out, NULL, NULL, 0,
						out);
}
