/*
 * lower_interval.c
 *		Intervals: with timestamps, compared, and their fields.
 *
 * An interval is three numbers, months, days and microseconds, each a value of its own:
 * constants of them, runtime constants that PostgreSQL computes when execution starts,
 * parts of a column's bytes, or parts of a span, which is what a difference of timestamps
 * is (device/ops/ops_interval.h).
 *
 * Months and days move a timestamptz by its local time.  One that is not moved by any keeps
 * its moment: the way to local time and back might not end there.
 *
 * Does not handle: products and sums of intervals, age(), justify_*(), infinite intervals.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_interval.h"
#include "planner/lower/lower_zone.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#define HOUR_USECS INT64CONST(3600000000)
#define MINUTE_USECS INT64CONST(60000000)

/* -------------------------------------------------------------- constants --- */

static bool
int8_constant(GpuAggLower *lw, int64 v, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(v),
														  false), out);
}

static Expr *
numeric_const(int64 v)
{
	return (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1,
							  NumericGetDatum(int64_to_numeric(v)), false, false);
}

/* extract(field from interval) * factor */
static Expr *
field_expr(const char *field, Expr *interval, int64 factor)
{
	Expr	   *name = (Expr *) makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
										  CStringGetTextDatum(field), false, false);
	Expr	   *value = gpuagg_call(GPUAGG_F_EXTRACT_TEXT_INTERVAL, list_make2(name, interval));

	return gpuagg_call(GPUAGG_F_NUMERIC_MUL, list_make2(value, numeric_const(factor)));
}

static Expr *
plus(Expr *a, Expr *b)
{
	return gpuagg_call(GPUAGG_F_NUMERIC_ADD, list_make2(a, b));
}

Expr *
gpuagg_interval_part_expr(Expr *interval, GpuAggIntervalPart part)
{
	Expr	   *value;

	switch (part)
	{
		case GPUAGG_PART_MONTHS:
			value = plus(field_expr("year", interval, 12), field_expr("month", interval, 1));
			break;
		case GPUAGG_PART_DAYS:
			value = field_expr("day", interval, 1);
			break;
		default:
			value = plus(plus(field_expr("hour", interval, HOUR_USECS),
							  field_expr("minute", interval, MINUTE_USECS)),
						 field_expr("microseconds", interval, 1));
			break;
	}
	return gpuagg_call(GPUAGG_F_INT8_NUMERIC, list_make1(value));
}

/* ------------------------------------------------------------------ parts --- */

/* Of a span */
static bool
span_part(GpuAggLower *lw, const GpuAggLowered *span, GpuAggIntervalPart part, GpuAggLowered *out)
{
	GpuAggLowered day;

	if (part == GPUAGG_PART_MONTHS)
		return int8_constant(lw, 0, out);
	return int8_constant(lw, USECS_PER_DAY, &day) &&
		gpuagg_lower_op(lw, part == GPUAGG_PART_DAYS ? GPUAGG_OP_INT8_DIV : GPUAGG_OP_INT_MOD,
						GPUAGG_T_INT8, span, &day, NULL, 0, out);
}

static bool
constant_parts(GpuAggLower *lw, const Interval *interval, GpuAggLowered *parts)
{
	return int8_constant(lw, interval->month, &parts[GPUAGG_PART_MONTHS]) &&
		int8_constant(lw, interval->day, &parts[GPUAGG_PART_DAYS]) &&
		int8_constant(lw, interval->time, &parts[GPUAGG_PART_TIME]);
}

bool
gpuagg_lower_interval_parts(GpuAggLower *lw, Expr *expr, GpuAggLowered *parts)
{
	static const uint8 operations[] = {
		[GPUAGG_PART_MONTHS] = GPUAGG_OP_INTERVAL_MONTHS,
		[GPUAGG_PART_DAYS] = GPUAGG_OP_INTERVAL_DAYS,
		[GPUAGG_PART_TIME] = GPUAGG_OP_INTERVAL_TIME
	};
	bool		constant = gpuagg_lower_is_constant(expr);
	GpuAggLowered value;

	if (IsA(expr, Const) && !((Const *) expr)->constisnull)
		return constant_parts(lw, DatumGetIntervalP(((Const *) expr)->constvalue), parts);
	if (!constant && !gpuagg_lower_expr(lw, expr, &value))
		return false;
	for (int part = 0; part < GPUAGG_INTERVAL_PARTS; part++)
	{
		bool		ok;

		if (constant)
			ok = gpuagg_lower_const_expr(lw, gpuagg_interval_part_expr(expr, part),
										 &parts[part]);
		else if (value.type == GPUAGG_T_SPAN)
			ok = span_part(lw, &value, part, &parts[part]);
		else
			ok = gpuagg_lower_op(lw, (GpuAggOp) operations[part], GPUAGG_T_INT8, &value, NULL,
								 NULL, 0, &parts[part]);
		if (!ok)
			return false;
	}
	return true;
}

/* In microseconds, as intervals are compared; false: that is more than 64 bits */
static bool
constant_total(const Interval *interval, int64 *total)
{
	int64		days = (int64) interval->month * 30 + interval->day;

	return !pg_mul_s64_overflow(days, USECS_PER_DAY, total) &&
		!pg_add_s64_overflow(*total, interval->time, total);
}

/* An expression without columns in microseconds, when execution starts */
static Expr *
total_expr(Expr *interval)
{
	static const int64 usecs[GPUAGG_INTERVAL_PARTS] = {
		[GPUAGG_PART_MONTHS] = 30 * USECS_PER_DAY,
		[GPUAGG_PART_DAYS] = USECS_PER_DAY,
		[GPUAGG_PART_TIME] = 1
	};
	Expr	   *parts[GPUAGG_INTERVAL_PARTS];

	for (int part = 0; part < GPUAGG_INTERVAL_PARTS; part++)
	{
		parts[part] = gpuagg_call(GPUAGG_F_NUMERIC_INT8,
								  list_make1(gpuagg_interval_part_expr(interval, part)));
		if (usecs[part] != 1)
			parts[part] = gpuagg_call(GPUAGG_F_NUMERIC_MUL,
									  list_make2(parts[part], numeric_const(usecs[part])));
	}
	return gpuagg_call(GPUAGG_F_INT8_NUMERIC,
					   list_make1(plus(plus(parts[GPUAGG_PART_MONTHS], parts[GPUAGG_PART_DAYS]),
									   parts[GPUAGG_PART_TIME])));
}

static bool
lower_total(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	int64		total;

	if (IsA(expr, Const) && !((Const *) expr)->constisnull)
	{
		if (!constant_total(DatumGetIntervalP(((Const *) expr)->constvalue), &total))
			return GPUAGG_REFUSE("an interval is longer than 64 bits hold");
		return int8_constant(lw, total, out);
	}
	if (gpuagg_lower_is_constant(expr))
		return gpuagg_lower_const_expr(lw, total_expr(expr), out);
	if (!gpuagg_lower_expr(lw, expr, out))
		return false;
	return out->type == GPUAGG_T_SPAN ||
		gpuagg_lower_op(lw, GPUAGG_OP_INTERVAL_TOTAL, GPUAGG_T_SPAN, out, NULL, NULL, 0, out);
}

/* A constant of no months, whose days are the whole days of it, or NULL */
static bool
constant_span(GpuAggLower *lw, GpuAggLowered *value)
{
	const GpuAggConstant *c = &lw->consts[value->reg & GPUAGG_VREG_NUMBER];
	const bool	isnull = c->value.state == GPUAGG_ST_NULL;
	GpuAggConstant span;
	Interval	interval;
	int64		total = 0;

	if ((value->reg & GPUAGG_VREG_KIND) != GPUAGG_VREG_CONST || c->value.runtime)
		return false;
	if (!isnull)
	{
		memcpy(&interval, c->bytes, sizeof(interval));
		if (interval.month != 0 || !constant_total(&interval, &total) ||
			interval.time != total % USECS_PER_DAY)
			return false;
	}
	span = gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(total), isnull);
	span.value.type = GPUAGG_T_SPAN;
	return gpuagg_lower_constant(lw, span, value);
}

bool
gpuagg_lower_spans(GpuAggLower *lw, GpuAggLowered *a, GpuAggLowered *b)
{
	if (a->type == GPUAGG_T_SPAN && b->type == GPUAGG_T_INTERVAL)
		return constant_span(lw, b);
	return a->type == GPUAGG_T_INTERVAL && b->type == GPUAGG_T_SPAN && constant_span(lw, a);
}

/* ------------------------------------------------------------- timestamps --- */

/* Is it surely a constant, and 0? */
static bool
is_zero(const GpuAggLower *lw, const GpuAggLowered *value)
{
	const GpuAggConst *c = &lw->consts[value->reg & GPUAGG_VREG_NUMBER].value;

	return (value->reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_CONST && !c->runtime &&
		c->state == GPUAGG_ST_VALUE && c->v.i == 0;
}

static bool
is_known(const GpuAggLower *lw, const GpuAggLowered *value)
{
	return (value->reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_CONST &&
		!lw->consts[value->reg & GPUAGG_VREG_NUMBER].value.runtime;
}

/* By months, or by days; of a timestamptz by its local time, unless there are none */
static bool
move_calendar(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *by, GpuAggLowered *moment)
{
	GpuAggLowered moved;
	GpuAggLowered zero;
	GpuAggLowered stays;

	if (is_zero(lw, by))
		return true;
	if (moment->type == GPUAGG_T_TIMESTAMP)
		return gpuagg_lower_op(lw, op, GPUAGG_T_TIMESTAMP, moment, by, NULL, 0, moment);
	if (!gpuagg_lower_session_local(lw, moment, &moved) ||
		!gpuagg_lower_op(lw, op, GPUAGG_T_TIMESTAMP, &moved, by, NULL, 0, &moved) ||
		!gpuagg_lower_session_utc(lw, &moved, &moved))
		return false;
	if (is_known(lw, by))
	{
		*moment = moved;
		return true;
	}
	return int8_constant(lw, 0, &zero) &&
		gpuagg_lower_op(lw, GPUAGG_OP_I64_EQ, GPUAGG_T_BOOL, by, &zero, NULL, 0, &stays) &&
		gpuagg_lower_op(lw, GPUAGG_OP_IS_NOT_FALSE, GPUAGG_T_BOOL, &stays, NULL, NULL, 0,
						&stays) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_TIMESTAMPTZ, &stays, moment, &moved, 0,
						moment);
}

/* moment + interval, or -, or interval + moment */
bool
gpuagg_lower_by_moved(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const int	first = (call->function->how & GPUAGG_HOW_SWAPPED) != 0;
	const bool	back = (call->function->how & GPUAGG_HOW_BACK) != 0;
	Expr	   *moment = gpuagg_arg(call->args, first);
	Expr	   *interval = gpuagg_arg(call->args, 1 - first);
	GpuAggLowered parts[GPUAGG_INTERVAL_PARTS];

	if (!gpuagg_lower_expr(lw, moment, out))
		return false;
	if (out->type == GPUAGG_T_DATE &&
		!gpuagg_lower_op(lw, GPUAGG_OP_DATE_TO_TIMESTAMP, GPUAGG_T_TIMESTAMP, out, NULL, NULL, 0,
						 out))
		return false;
	if (!gpuagg_lower_interval_parts(lw, interval, parts))
		return false;
	for (int part = 0; back && part < GPUAGG_INTERVAL_PARTS; part++)
	{
		if (!is_zero(lw, &parts[part]) &&
			!gpuagg_lower_op(lw, GPUAGG_OP_INT8_NEG, GPUAGG_T_INT8, &parts[part], NULL, NULL, 0,
							 &parts[part]))
			return false;
	}
	return move_calendar(lw, GPUAGG_OP_TIMESTAMP_ADD_MONTHS, &parts[GPUAGG_PART_MONTHS], out) &&
		move_calendar(lw, GPUAGG_OP_TIMESTAMP_ADD_DAYS, &parts[GPUAGG_PART_DAYS], out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_ADD_TIME, out->type, out,
						&parts[GPUAGG_PART_TIME], NULL, 0, out);
}

/* date_bin(stride, moment, origin), the first and the last constants */
bool
gpuagg_lower_by_binned(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const Const *stride = gpuagg_arg(call->args, 0);
	const Const *origin = gpuagg_arg(call->args, 2);
	const Interval *interval;
	GpuAggConstant c;
	GpuAggLowered bin;
	GpuAggLowered moment;
	int64	   *bytes = palloc(2 * sizeof(int64));

	if (!IsA(stride, Const) || stride->constisnull || !IsA(origin, Const) || origin->constisnull)
		return GPUAGG_REFUSE("date_bin needs a constant stride and origin");
	interval = DatumGetIntervalP(stride->constvalue);
	bytes[1] = DatumGetTimestamp(origin->constvalue);
	if (interval->month != 0 || !constant_total(interval, &bytes[0]) || bytes[0] <= 0 ||
		TIMESTAMP_NOT_FINITE(bytes[1]))
		return GPUAGG_REFUSE("this stride or origin of date_bin is not supported");
	memset(&c, 0, sizeof(c));
	c.value.type = GPUAGG_T_TEXT;
	c.value.len = 2 * sizeof(int64);
	c.bytes = (const char *) bytes;
	return gpuagg_lower_expr(lw, gpuagg_arg(call->args, 1), &moment) &&
		gpuagg_lower_constant(lw, c, &bin) &&
		gpuagg_lower_op(lw, GPUAGG_OP_DATE_BIN, moment.type, &moment, &bin, NULL, 0, out);
}

/* ------------------------------------------------------------- comparisons --- */

bool
gpuagg_lower_by_interval_comparison(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered a;
	GpuAggLowered b;

	return lower_total(lw, gpuagg_arg(call->args, 0), &a) &&
		lower_total(lw, gpuagg_arg(call->args, 1), &b) &&
		gpuagg_lower_op(lw, (GpuAggOp) call->function->op, GPUAGG_T_BOOL, &a, &b, NULL, 0, out);
}

/* ----------------------------------------------------------------- fields --- */

typedef struct IntervalField
{
	const char *name;
	GpuAggIntervalPart part;
	int64		unit;			/* of the part */
	int64		next;			/* the next longer field, or 0 */
	int			decimals;
} IntervalField;

static const IntervalField fields[] = {
	{"microsecond", GPUAGG_PART_TIME, 1, MINUTE_USECS, 0},
	{"microseconds", GPUAGG_PART_TIME, 1, MINUTE_USECS, 0},
	{"millisecond", GPUAGG_PART_TIME, 1, MINUTE_USECS, 3},
	{"milliseconds", GPUAGG_PART_TIME, 1, MINUTE_USECS, 3},
	{"second", GPUAGG_PART_TIME, 1, MINUTE_USECS, 6},
	{"seconds", GPUAGG_PART_TIME, 1, MINUTE_USECS, 6},
	{"minute", GPUAGG_PART_TIME, MINUTE_USECS, HOUR_USECS, 0},
	{"minutes", GPUAGG_PART_TIME, MINUTE_USECS, HOUR_USECS, 0},
	{"hour", GPUAGG_PART_TIME, HOUR_USECS, 0, 0},
	{"hours", GPUAGG_PART_TIME, HOUR_USECS, 0, 0},
	{"day", GPUAGG_PART_DAYS, 1, 0, 0},
	{"days", GPUAGG_PART_DAYS, 1, 0, 0},
	{"month", GPUAGG_PART_MONTHS, 1, 12, 0},
	{"months", GPUAGG_PART_MONTHS, 1, 12, 0},
	{"year", GPUAGG_PART_MONTHS, 12, 0, 0},
	{"years", GPUAGG_PART_MONTHS, 12, 0, 0}
};

static bool
by_number(GpuAggLower *lw, GpuAggOp op, int64 n, GpuAggLowered *value)
{
	GpuAggLowered by;

	return int8_constant(lw, n, &by) &&
		gpuagg_lower_op(lw, op, GPUAGG_T_NUMERIC, value, &by, NULL, 0, value);
}

/*
 * Seconds, with a year of 365.25 days: a quarter of a day's seconds, times 1461 years,
 * 120 months or 4 days.
 */
static bool
interval_epoch(GpuAggLower *lw, const GpuAggLowered *parts, GpuAggLowered *out)
{
	const int64 quarter = USECS_PER_DAY / 4;
	GpuAggLowered years = parts[GPUAGG_PART_MONTHS];
	GpuAggLowered months = parts[GPUAGG_PART_MONTHS];
	GpuAggLowered days = parts[GPUAGG_PART_DAYS];

	return by_number(lw, GPUAGG_OP_INT8_DIV, 12, &years) &&
		by_number(lw, GPUAGG_OP_INT8_MUL, 1461 * quarter, &years) &&
		by_number(lw, GPUAGG_OP_INT_MOD, 12, &months) &&
		by_number(lw, GPUAGG_OP_INT8_MUL, 120 * quarter, &months) &&
		by_number(lw, GPUAGG_OP_INT8_MUL, 4 * quarter, &days) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_ADD, GPUAGG_T_NUMERIC, &years, &months, NULL, 0, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_ADD, GPUAGG_T_NUMERIC, out, &days, NULL, 0, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_ADD, GPUAGG_T_NUMERIC, out,
						&parts[GPUAGG_PART_TIME], NULL, 0, out);
}

static void
set_decimals(GpuAggLowered *value, int decimals)
{
	value->scale = gpuagg_scale(decimals);
	value->shown = decimals;
	value->shown_reg = GPUAGG_NO_REG;
}

static bool
interval_field(GpuAggLower *lw, const IntervalField *field, const GpuAggLowered *parts,
			   GpuAggLowered *out)
{
	*out = parts[field->part];
	if ((field->next > 0 && !by_number(lw, GPUAGG_OP_INT_MOD, field->next, out)) ||
		(field->unit > 1 && !by_number(lw, GPUAGG_OP_INT8_DIV, field->unit, out)))
		return false;
	out->type = GPUAGG_T_NUMERIC;
	set_decimals(out, field->decimals);
	return true;
}

bool
gpuagg_lower_by_interval_extract(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	Const	   *unit = gpuagg_arg(call->args, 0);
	Expr	   *interval = gpuagg_arg(call->args, 1);
	GpuAggLowered parts[GPUAGG_INTERVAL_PARTS];
	GpuAggLowered span;
	char	   *name;

	if (!IsA(unit, Const) || unit->constisnull)
		return GPUAGG_REFUSE("date_trunc and extract need a constant field name");
	name = TextDatumGetCString(unit->constvalue);
	if (pg_strcasecmp(name, "epoch") == 0)
	{
		if (!gpuagg_lower_expr(lw, interval, &span))
			return false;
		if (span.type == GPUAGG_T_SPAN)
			*out = span;
		else if (!gpuagg_lower_interval_parts(lw, interval, parts) ||
				 !interval_epoch(lw, parts, out))
			return false;
		out->type = GPUAGG_T_NUMERIC;
		set_decimals(out, 6);
		return true;
	}
	for (int i = 0; i < lengthof(fields); i++)
	{
		if (pg_strcasecmp(fields[i].name, name) == 0)
			return gpuagg_lower_interval_parts(lw, interval, parts) &&
				interval_field(lw, &fields[i], parts, out);
	}
	return GPUAGG_REFUSE("field \"%s\" of date_trunc or extract is not supported here", name);
}

/* ------------------------------------------------------------------- keys --- */

bool
gpuagg_lower_interval_key(GpuAggLower *lw, Expr *expr, GpuAggLowered *value, int *code_index)
{
	GpuAggLowered code;

	if (!gpuagg_lower_op(lw, GPUAGG_OP_INTERVAL_CODE, GPUAGG_T_INTERVAL_CODE, value, NULL, NULL,
						 0, &code) ||
		!gpuagg_lower_transition(lw, GPUAGG_TRANS_MIN_I64, &code, expr, NULL, code_index))
		return false;
	return gpuagg_lower_op(lw, GPUAGG_OP_INTERVAL_TOTAL, GPUAGG_T_SPAN, value, NULL, NULL, 0,
						   value);
}

/* -------------------------------------------------------------- functions --- */

bool
gpuagg_lower_by_time_of_day(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	if (!gpuagg_lower_args(lw, call, out) ||
		(out->type == GPUAGG_T_TIMESTAMPTZ && !gpuagg_lower_session_local(lw, out, out)))
		return false;
	return gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TIME, GPUAGG_T_TIME, out, NULL, NULL, 0, out);
}

bool
gpuagg_lower_by_finite(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const bool	date = call->function->args[0] == DATEOID;
	const int64 ends[] = {date ? PG_INT32_MIN : PG_INT64_MIN, date ? PG_INT32_MAX : PG_INT64_MAX};
	GpuAggLowered value;
	GpuAggLowered end;
	GpuAggLowered differs[2];

	if (!gpuagg_lower_args(lw, call, &value))
		return false;
	for (int i = 0; i < 2; i++)
	{
		if (!int8_constant(lw, ends[i], &end) ||
			!gpuagg_lower_op(lw, GPUAGG_OP_I64_NE, GPUAGG_T_BOOL, &value, &end, NULL, 0,
							 &differs[i]))
			return false;
	}
	return gpuagg_lower_op(lw, GPUAGG_OP_AND, GPUAGG_T_BOOL, &differs[0], &differs[1], NULL, 0,
						   out);
}
