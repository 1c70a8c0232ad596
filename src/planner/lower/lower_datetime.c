/*
 * lower_datetime.c
 *		date_trunc, extract of whole fields, and comparisons between types of time.
 *
 * Where a device need not know the time zone:
 *
 *	timestamptz against a date or timestamp that is a constant: that one is
 *	cast under the session's TimeZone when execution starts.
 *
 *	date_trunc('month', d) of a date d, which SQL resolves to timestamptz, as
 *	a group key: dates are truncated and grouped, and the executor casts the
 *	few keys.  Truncating days commutes with the cast as long as local
 *	midnight of every date is on that date.  That fails only where a zone
 *	skipped a whole day when it moved across the date line: in the tz database
 *	these are the days below.  So a runtime constant tests whether they exist
 *	in the session's TimeZone; if not, the query is left to PostgreSQL.
 *
 * Everything else of timestamptz is in lower_zone.c.
 *
 * Intervals are in lower_interval.c, seconds and their like in lower_epoch.c.
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
#include "utils/date.h"

/* Days that some zone of the time zone database skipped, since 2000-01-01 */
static const DateADT skipped_days[] = {
	-56613,						/* 1844-12-31: Asia/Manila, Pacific/Guam ... */
	-2324,						/* 1993-08-21: Pacific/Kwajalein */
	-1827,						/* 1994-12-31: Pacific/Kiritimati, Kanton */
	4381						/* 2011-12-30: Pacific/Apia, Fakaofo */
};

/*
 * A TimeZone with two offsets of its own, as AAA12BBB-12 or <a>12<b>-12, may skip
 * a day a year.  One offset, as <+0530>-05:30, skips none.
 */
#define OWN_OFFSETS "[0-9][^0-9:>].*[0-9]|>.*[0-9][^0-9:].*[0-9]"

#define IN_TRUNC GPUAGG_USE_TRUNC
#define IN_DATE GPUAGG_USE_DATE
#define IN_TIMESTAMP GPUAGG_USE_TIMESTAMP
#define WHOLE_DAYS GPUAGG_USE_DAYS

static const struct
{
	const char *name;
	GpuAggField field;
	int			use;
}			fields[] = {
	{"microsecond", GPUAGG_FIELD_MICROSECOND, IN_TRUNC},
	{"microseconds", GPUAGG_FIELD_MICROSECOND, IN_TRUNC},
	{"millisecond", GPUAGG_FIELD_MILLISECOND, IN_TRUNC},
	{"milliseconds", GPUAGG_FIELD_MILLISECOND, IN_TRUNC},
	{"second", GPUAGG_FIELD_SECOND, IN_TRUNC},
	{"seconds", GPUAGG_FIELD_SECOND, IN_TRUNC},
	{"minute", GPUAGG_FIELD_MINUTE, IN_TRUNC | IN_TIMESTAMP},
	{"minutes", GPUAGG_FIELD_MINUTE, IN_TRUNC | IN_TIMESTAMP},
	{"hour", GPUAGG_FIELD_HOUR, IN_TRUNC | IN_TIMESTAMP},
	{"hours", GPUAGG_FIELD_HOUR, IN_TRUNC | IN_TIMESTAMP},
	{"day", GPUAGG_FIELD_DAY, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"days", GPUAGG_FIELD_DAY, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"dow", GPUAGG_FIELD_DOW, IN_DATE | IN_TIMESTAMP},
	{"isodow", GPUAGG_FIELD_ISODOW, IN_DATE | IN_TIMESTAMP},
	{"doy", GPUAGG_FIELD_DOY, IN_DATE | IN_TIMESTAMP},
	{"week", GPUAGG_FIELD_WEEK, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"weeks", GPUAGG_FIELD_WEEK, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"month", GPUAGG_FIELD_MONTH, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"months", GPUAGG_FIELD_MONTH, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"quarter", GPUAGG_FIELD_QUARTER, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"year", GPUAGG_FIELD_YEAR, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"years", GPUAGG_FIELD_YEAR, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"isoyear", GPUAGG_FIELD_ISOYEAR, IN_DATE | IN_TIMESTAMP},
	{"decade", GPUAGG_FIELD_DECADE, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"decades", GPUAGG_FIELD_DECADE, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"century", GPUAGG_FIELD_CENTURY, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"centuries", GPUAGG_FIELD_CENTURY, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"millennium", GPUAGG_FIELD_MILLENNIUM, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS},
	{"millennia", GPUAGG_FIELD_MILLENNIUM, IN_TRUNC | IN_DATE | IN_TIMESTAMP | WHOLE_DAYS}
};

static bool
find_field(Expr *unit, int use, GpuAggField *field)
{
	char	   *name;

	if (!IsA(unit, Const) || ((Const *) unit)->constisnull)
		return false;
	name = TextDatumGetCString(((Const *) unit)->constvalue);
	for (int i = 0; i < lengthof(fields); i++)
	{
		if ((fields[i].use & use) == use &&
			pg_strcasecmp(fields[i].name, name) == 0)
		{
			*field = fields[i].field;
			return true;
		}
	}
	return false;
}

bool
gpuagg_lower_field(Expr *unit, int use, GpuAggField *field)
{
	if (find_field(unit, use, field))
		return true;
	if (!IsA(unit, Const) || ((Const *) unit)->constisnull)
		return GPUAGG_REFUSE("date_trunc and extract need a constant field name");
	return GPUAGG_REFUSE("field \"%s\" of date_trunc or extract is not supported here",
						 TextDatumGetCString(((Const *) unit)->constvalue));
}

bool
gpuagg_lower_truncates_days(Expr *expr)
{
	FuncExpr   *trunc = (FuncExpr *) expr;
	GpuAggField field;

	return gpuagg_is_call(expr, GPUAGG_F_DATE_TRUNC_TEXT_TIMESTAMPTZ) &&
		find_field(gpuagg_arg(trunc->args, 0), IN_TRUNC | WHOLE_DAYS, &field);
}

bool
gpuagg_lower_by_truncated(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggField field;
	GpuAggLowered value;

	return gpuagg_lower_field(gpuagg_arg(call->args, 0), IN_TRUNC, &field) &&
		gpuagg_lower_expr(lw, gpuagg_arg(call->args, 1), &value) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_T_TIMESTAMP,
						&value, NULL, NULL, field, out);
}

bool
gpuagg_lower_by_extract(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const bool	date = call->function->args[1] == DATEOID;
	Expr	   *from = gpuagg_arg(call->args, 1);
	GpuAggField field;
	GpuAggLowered value;
	bool		handled;
	bool		ok = gpuagg_lower_fine_extract(lw, call, &handled, out);

	if (handled)
		return ok;
	if (!gpuagg_lower_field(gpuagg_arg(call->args, 0), date ? IN_DATE : IN_TIMESTAMP, &field))
		return false;
	ok = gpuagg_lower_local_month(lw, from, field, &handled, &value);
	if (!handled)
		ok = gpuagg_lower_expr(lw, from, &value);
	if (!ok ||
		!gpuagg_lower_op(lw, date || handled ? GPUAGG_OP_DATE_EXTRACT :
						 GPUAGG_OP_TIMESTAMP_EXTRACT, GPUAGG_T_NUMERIC, &value,
						 NULL, NULL, field, &value))
		return false;
	if (call->function->type == GPUAGG_T_FLOAT8)
		return gpuagg_lower_op(lw, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_T_FLOAT8,
							   &value, NULL, NULL, 0, out);
	*out = value;
	return true;
}

GpuAggFunctionId
gpuagg_lower_wider_time(Oid from, Oid to)
{
	if (from == DATEOID && to == TIMESTAMPOID)
		return GPUAGG_F_TIMESTAMP_DATE;
	if (from == DATEOID && to == TIMESTAMPTZOID)
		return GPUAGG_F_TIMESTAMPTZ_DATE;
	return from == TIMESTAMPOID && to == TIMESTAMPTZOID ? GPUAGG_F_TIMESTAMPTZ_TIMESTAMP :
		GPUAGG_F_NONE;
}

/* timestamptz against a type without time zone */
bool
gpuagg_lower_by_mixed_comparison(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const Oid  *types = call->function->args;
	const int	tz_arg = types[0] == TIMESTAMPTZOID ? 0 : 1;
	Expr	   *other = gpuagg_arg(call->args, 1 - tz_arg);
	Expr	   *cast = gpuagg_call(gpuagg_lower_wider_time(types[1 - tz_arg], TIMESTAMPTZOID),
								   list_make1(other));
	GpuAggLowered v[2];

	if (!gpuagg_lower_expr(lw, gpuagg_arg(call->args, tz_arg), &v[tz_arg]) ||
		!(gpuagg_lower_is_constant(other) ? gpuagg_lower_const_expr : gpuagg_lower_expr)
		(lw, cast, &v[1 - tz_arg]))
		return false;
	return gpuagg_lower_op(lw, (GpuAggOp) call->function->op, GPUAGG_T_BOOL, &v[0], &v[1], NULL, 0,
						   out);
}

static Expr *
text_const(const char *value)
{
	return (Expr *) makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
							  CStringGetTextDatum(value), false, false);
}

static Expr *
float8_const(double value)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
							  Float8GetDatum(value), false,
							  FLOAT8PASSBYVAL);
}

/* Has the session's TimeZone no offsets of its own? */
static Expr *
zone_is_known(void)
{
	Expr	   *zone = gpuagg_call(GPUAGG_F_CURRENT_SETTING_TEXT,
								   list_make1(text_const("TimeZone")));

	return (Expr *) makeFuncExpr(gpuagg_function_oid(GPUAGG_F_TEXTREGEXNE), BOOLOID,
								 list_make2(zone, text_const(OWN_OFFSETS)), InvalidOid,
								 C_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

/*
 * 1.0 where every skipped day exists in the session's TimeZone, that is
 * survives the cast to timestamptz and back; -1.0 where one does not, or may
 * not.
 */
static Expr *
days_exist(void)
{
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);
	List	   *tests = list_make1(zone_is_known());

	for (int i = 0; i < lengthof(skipped_days); i++)
	{
		Expr	   *day = (Expr *) makeConst(DATEOID, -1, InvalidOid,
											 sizeof(DateADT),
											 DateADTGetDatum(skipped_days[i]),
											 false, true);
		Expr	   *instant = gpuagg_call(GPUAGG_F_TIMESTAMPTZ_DATE, list_make1(day));
		Expr	   *back = gpuagg_call(GPUAGG_F_DATE_TIMESTAMPTZ, list_make1(instant));

		tests = lappend(tests, gpuagg_call(GPUAGG_F_DATE_EQ, list_make2(back, day)));
	}
	when->expr = make_andclause(tests);
	when->result = float8_const(1.0);
	when->location = -1;
	choice->casetype = FLOAT8OID;
	choice->args = list_make1(when);
	choice->defresult = float8_const(-1.0);
	choice->location = -1;
	return (Expr *) choice;
}

/*
 * The value stays, but is left to PostgreSQL (the root of -1 is) where a day is missing.  These
 * casts of days in range cannot fail.
 */
bool
gpuagg_lower_guard_days(GpuAggLower *lw, GpuAggLowered *value)
{
	GpuAggLowered sign;
	GpuAggLowered root;

	return gpuagg_lower_runtime(lw, days_exist(), GPUAGG_T_FLOAT8, false,
								&sign) &&
		gpuagg_lower_op(lw, GPUAGG_OP_FLOAT_SQRT, GPUAGG_T_FLOAT8, &sign,
						NULL, NULL, 0, &root) &&
		gpuagg_lower_op(lw, GPUAGG_OP_F64_EQ, GPUAGG_T_BOOL, &root, &sign,
						NULL, 0, &root) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, value->type, &root, value,
						value, 0, value);
}

/* Is it date_trunc(unit of days, date::timestamptz)?  Then the date. */
static bool
is_date_trunc(Expr *expr, Expr **unit, Expr **date)
{
	FuncExpr   *trunc = (FuncExpr *) expr;
	FuncExpr   *cast;

	if (!gpuagg_is_call(expr, GPUAGG_F_DATE_TRUNC_TEXT_TIMESTAMPTZ))
		return false;
	cast = gpuagg_arg(trunc->args, 1);
	if (!gpuagg_is_call(cast, GPUAGG_F_TIMESTAMPTZ_DATE))
		return false;
	*unit = gpuagg_arg(trunc->args, 0);
	*date = gpuagg_arg(cast->args, 0);
	return true;
}

/*
 * A key date_trunc(unit of days, x) is grouped as a date, of a date cast to timestamptz
 * or of any timestamptz.  The row plan computes the same: the local date of the truncated
 * instant.
 */
bool
gpuagg_lower_date_tz_key(GpuAggLower *lw, Expr *expr, bool *handled,
						 Expr **row_expr, GpuAggLowered *out)
{
	FuncExpr   *trunc = (FuncExpr *) expr;
	GpuAggField field;
	Expr	   *unit;
	Expr	   *date;
	GpuAggLowered value;

	*handled = gpuagg_lower_truncates_days(expr);
	if (!*handled ||
		!gpuagg_lower_field(gpuagg_arg(trunc->args, 0), IN_TRUNC, &field))
		return false;
	if (is_date_trunc(expr, &unit, &date) ?
		!gpuagg_lower_expr(lw, date, &value) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_DATE_TRUNC, GPUAGG_T_DATE, &value, NULL,
						 NULL, field, &value) :
		!gpuagg_lower_zoned_day(lw, gpuagg_arg(trunc->args, 0),
								gpuagg_arg(trunc->args, 1), &value))
		return false;
	if (!gpuagg_lower_guard_days(lw, &value))
		return false;
	*row_expr = gpuagg_call(GPUAGG_F_DATE_TIMESTAMPTZ, list_make1(expr));
	*out = value;
	return true;
}

bool
gpuagg_lower_cut_day(GpuAggLower *lw, const GpuAggLowered *local, bool sure, GpuAggField field,
					 GpuAggLowered *out)
{
	GpuAggLowered day;

	if (!gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TO_DATE, GPUAGG_T_DATE, local, NULL, NULL, 0,
						 &day))
		return false;
	if (field != GPUAGG_FIELD_DAY || !sure)
		return gpuagg_lower_op(lw, GPUAGG_OP_DATE_TRUNC, GPUAGG_T_DATE, &day, NULL, NULL, field,
							   out);
	*out = day;
	return true;
}

bool
gpuagg_lower_cut_month(GpuAggLower *lw, const GpuAggLowered *month, GpuAggField field,
					   GpuAggLowered *out)
{
	if (field != GPUAGG_FIELD_MONTH)
		return gpuagg_lower_op(lw, GPUAGG_OP_DATE_TRUNC, GPUAGG_T_DATE, month, NULL, NULL, field,
							   out);
	*out = *month;
	return true;
}

/*
 * A key date_trunc(unit of days, x) of a timestamp is grouped as a date, which numbers groups: days
 * are few, microseconds are not.  The row plan computes the same.
 */
bool
gpuagg_lower_day_key(GpuAggLower *lw, Expr *expr, bool *handled, Expr **row_expr,
					 GpuAggLowered *out)
{
	FuncExpr   *trunc = (FuncExpr *) expr;
	GpuAggField field;
	GpuAggLowered value;
	bool		zoned;
	bool		ok;

	*handled = gpuagg_is_call(expr, GPUAGG_F_DATE_TRUNC_TEXT_TIMESTAMP) &&
		find_field(gpuagg_arg(trunc->args, 0), IN_TRUNC | WHOLE_DAYS, &field);
	if (!*handled)
		return false;
	*row_expr = gpuagg_call(GPUAGG_F_DATE_TIMESTAMP, list_make1(expr));
	ok = gpuagg_lower_local_month(lw, gpuagg_arg(trunc->args, 1), field, &zoned, &value);
	if (zoned)
		return ok && gpuagg_lower_cut_month(lw, &value, field, out);
	return gpuagg_lower_expr(lw, gpuagg_arg(trunc->args, 1), &value) &&
		gpuagg_lower_cut_day(lw, &value, (value.reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_COLUMN,
							 field, out);
}

/*
 * date_trunc(unit, date::timestamptz)::date.  The operator has the range errors of the
 * cast to timestamp, which PostgreSQL would report, too.
 */
static bool
lower_trunc_to_date(GpuAggLower *lw, Expr *unit, Expr *date, GpuAggLowered *out)
{
	GpuAggField field;
	GpuAggLowered value;

	if (!gpuagg_lower_field(unit, IN_TRUNC | WHOLE_DAYS, &field) ||
		!gpuagg_lower_expr(lw, date, &value) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_DATE_TRUNC, GPUAGG_T_DATE, &value, NULL, NULL, field,
						 &value) ||
		!gpuagg_lower_guard_days(lw, &value))
		return false;
	*out = value;
	return true;
}

bool
gpuagg_lower_day_of_trunc(GpuAggLower *lw, Expr *expr, bool *handled, GpuAggLowered *out)
{
	Expr	   *unit;
	Expr	   *date;

	*handled = is_date_trunc(expr, &unit, &date);
	return *handled && lower_trunc_to_date(lw, unit, date, out);
}
