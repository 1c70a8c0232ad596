/*
 * value_bound_function.c
 *		What functions make of the bounds of their arguments (value_bound_function.h).
 *
 * Moments, and numbers.  Whatever is monotone has a range of its own, so that functions
 * of functions have bounds, too: floor(extract(epoch FROM t) / 300).
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "parser/scansup.h"
#include "planner/estimate/value_bound_function.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#define YEAR_USECS (DAYS_PER_YEAR * USECS_PER_DAY)
#define MONTH_USECS ((double) DAYS_PER_MONTH * USECS_PER_DAY)
#define EPOCH_OF_2000 ((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (double) SECS_PER_DAY)

/* ---------------------------------------------------------------- ranges --- */

double
gpuagg_bound_steps(const GpuAggValueBound *b, double step)
{
	return b->ranged && step > 0 ?
		floor(b->high / step) - floor(b->low / step) + 1 : HUGE_VAL;
}

/* Of units that begin at their own times: months, say, which are not equally long */
static double
units_in_range(const GpuAggValueBound *b, double usecs)
{
	if (usecs <= USECS_PER_DAY)
		return gpuagg_bound_steps(b, usecs);
	return b->ranged ? floor((b->high - b->low) / usecs) + 2 : HUGE_VAL;
}

/* Unless it is beyond numbers: of round(x, 400), say */
static void
set_range(GpuAggValueBound *b, double one, double other)
{
	if (!isfinite(one) || !isfinite(other))
		return;
	b->ranged = true;
	b->low = Min(one, other);
	b->high = Max(one, other);
}

/* ----------------------------------------------------------------- times --- */

/* The unit or field that a constant names, DTK_...; -1: none */
static int
time_unit(Node *node)
{
	Const	   *c = (Const *) node;
	char	   *name;
	int			value;

	if (!IsA(node, Const) || c->constisnull || c->consttype != TEXTOID)
		return -1;
	name = TextDatumGetCString(c->constvalue);
	name = downcase_truncate_identifier(name, strlen(name), false);
	if (DecodeUnits(0, name, &value) != UNKNOWN_FIELD ||
		DecodeSpecial(0, name, &value) != UNKNOWN_FIELD)
		return value;
	return -1;
}

/* As long as one of these is at least; 0: no such unit */
static double
unit_usecs(int unit)
{
	switch (unit)
	{
		case DTK_MILLISEC:
			return 1000;
		case DTK_SECOND:
			return USECS_PER_SEC;
		case DTK_MINUTE:
			return USECS_PER_MINUTE;
		case DTK_HOUR:
			return (double) USECS_PER_HOUR;
		case DTK_DAY:
			return (double) USECS_PER_DAY;
		case DTK_WEEK:
			return 7.0 * USECS_PER_DAY;
		case DTK_MONTH:
			return YEAR_USECS / 12;
		case DTK_QUARTER:
			return YEAR_USECS / 4;
		case DTK_YEAR:
		case DTK_ISOYEAR:
			return YEAR_USECS;
		case DTK_DECADE:
			return 10 * YEAR_USECS;
		case DTK_CENTURY:
			return 100 * YEAR_USECS;
		case DTK_MILLENNIUM:
			return 1000 * YEAR_USECS;
		default:
			return 0;
	}
}

/* Values of a field that comes round again; HUGE_VAL: it does not */
static double
field_values(int field)
{
	switch (field)
	{
		case DTK_DOW:
		case DTK_ISODOW:
			return 7;
		case DTK_QUARTER:
			return 4;
		case DTK_MONTH:
			return 12;
		case DTK_HOUR:
			return 24;
		case DTK_DAY:
			return 31;
		case DTK_WEEK:
			return 53;
		case DTK_MINUTE:
			return 60;
		case DTK_DOY:
			return 366;
		default:
			return HUGE_VAL;
	}
}

/* Years and longer count on and on. */
static void
bound_extract(GpuAggValueBound *b, int field, const GpuAggValueBound *time)
{
	double		usecs = unit_usecs(field);

	b->values = Min(b->values, field_values(field));
	if (usecs >= YEAR_USECS)
		b->values = Min(b->values, units_in_range(time, usecs));
	if (field == DTK_EPOCH && time->ranged)
		set_range(b, time->low / USECS_PER_SEC + EPOCH_OF_2000,
				  time->high / USECS_PER_SEC + EPOCH_OF_2000);
}

static void
bound_trunc(GpuAggValueBound *b, int unit, const GpuAggValueBound *time)
{
	double		usecs = unit_usecs(unit);

	if (usecs <= 0 || !time->ranged)
		return;
	b->ranged = true;
	b->low = floor(time->low / usecs) * usecs;
	b->high = time->high;
	b->values = Min(b->values, units_in_range(time, usecs));
}

/* About so many microseconds; false: no constant */
static bool
interval_usecs(Node *node, double *usecs)
{
	Const	   *c = (Const *) node;
	Interval   *i;

	if (!IsA(node, Const) || c->constisnull || c->consttype != INTERVALOID)
		return false;
	i = DatumGetIntervalP(c->constvalue);
	*usecs = i->time + i->day * (double) USECS_PER_DAY + i->month * MONTH_USECS;
	return true;
}

static void
bound_bin(GpuAggValueBound *b, Node *by, const GpuAggValueBound *time)
{
	double		stride;

	if (!interval_usecs(by, &stride) || stride <= 0 || !time->ranged)
		return;
	set_range(b, time->low - stride, time->high);
	b->values = Min(b->values, floor((time->high - time->low) / stride) + 2);
}

/*
 * The shortest unit that a pattern of to_char() may tell, in microseconds; 0: one below
 * a second.  Letters that tell nothing, of words, only make it shorter.
 */
static double
pattern_usecs(const char *pattern)
{
	static const struct
	{
		const char *letters;
		int			unit;
	}			fields[] = {
		{"US", DTK_MICROSEC}, {"MS", DTK_MICROSEC}, {"FF", DTK_MICROSEC},
		{"SS", DTK_SECOND}, {"MI", DTK_MINUTE}, {"HH", DTK_HOUR}, {"AM", DTK_HOUR},
		{"PM", DTK_HOUR}, {"A.M", DTK_HOUR}, {"P.M", DTK_HOUR}, {"TZ", DTK_HOUR},
		{"OF", DTK_HOUR}, {"D", DTK_DAY}, {"J", DTK_DAY}, {"W", DTK_WEEK},
		{"M", DTK_MONTH}, {"R", DTK_MONTH}, {"Q", DTK_QUARTER}
	};
	char	   *upper = pstrdup(pattern);
	int			unit = DTK_YEAR;

	for (char *p = upper; *p != '\0'; p++)
		*p = pg_toupper((unsigned char) *p);
	for (int i = lengthof(fields) - 1; i >= 0; i--)
		if (strstr(upper, fields[i].letters) != NULL)
			unit = fields[i].unit;
	pfree(upper);
	return unit_usecs(unit);
}

static void
bound_to_char(GpuAggValueBound *b, Node *pattern, const GpuAggValueBound *time)
{
	Const	   *c = (Const *) pattern;
	double		usecs;

	if (!IsA(pattern, Const) || c->constisnull)
		return;
	usecs = pattern_usecs(TextDatumGetCString(c->constvalue));
	if (usecs > 0)
		b->values = Min(b->values, units_in_range(time, usecs));
}

/* --------------------------------------------------------------- numbers --- */

static void
copy_range(GpuAggValueBound *b, const GpuAggValueBound *from)
{
	b->ranged = from->ranged;
	b->low = from->low;
	b->high = from->high;
}

static void
bound_shift(GpuAggValueBound *b, const GpuAggValueBound *from, double by)
{
	copy_range(b, from);
	b->low += by;
	b->high += by;
}

/* The sign of a remainder is that of the dividend. */
static void
bound_remainder(GpuAggValueBound *b, const GpuAggValueBound *dividend, double divisor)
{
	double		most = fabs(divisor) - 1;

	if (divisor == 0)
		return;
	b->ranged = true;
	b->low = dividend->ranged && dividend->low > -most ? Min(dividend->low, 0) : -most;
	b->high = dividend->ranged && dividend->high < most ? Max(dividend->high, 0) : most;
	b->values = Min(b->values, b->high - b->low + 1);
}

static void
bound_quotient(GpuAggValueBound *b, const GpuAggValueBound *dividend, double divisor)
{
	double		one = trunc(dividend->low / divisor);
	double		other = trunc(dividend->high / divisor);

	if (divisor == 0 || !dividend->ranged)
		return;
	set_range(b, one, other);
	b->values = Min(b->values, b->high - b->low + 1);
}

/* Multiplied, or divided */
static void
bound_scale(GpuAggValueBound *b, const GpuAggValueBound *from, double by)
{
	if (from->ranged && isfinite(by))
		set_range(b, from->low * by, from->high * by);
}

/* Rounded one way or another to so many decimals */
static void
bound_rounded(GpuAggValueBound *b, const GpuAggValueBound *from, double decimals)
{
	double		step = pow(10, -decimals);

	if (!from->ranged)
		return;
	set_range(b, floor(from->low / step) * step, ceil(from->high / step) * step);
	b->values = Min(b->values, gpuagg_bound_steps(b, step));
}

static void
bound_logarithm(GpuAggValueBound *b, const GpuAggValueBound *from, double base)
{
	if (from->ranged && from->low > 0)
		set_range(b, log(from->low) / log(base), log(from->high) / log(base));
}

/* Two days apart */
static void
bound_days_between(GpuAggValueBound *b, const GpuAggValueBound *left, const GpuAggValueBound *right)
{
	if (!left->ranged || !right->ranged)
		return;
	set_range(b, (left->low - right->high) / USECS_PER_DAY, (left->high - right->low) / USECS_PER_DAY);
	b->values = Min(b->values, gpuagg_bound_steps(b, 1));
}

static bool
constant_scalar(Node *node, double *scalar)
{
	Const	   *c = (Const *) node;

	return IsA(node, Const) && !c->constisnull &&
		gpuagg_bound_scalar(c->consttype, c->constvalue, scalar);
}

/* ------------------------------------------------------------- functions --- */

/* One operation of all widths of integers */
#define INTEGER_CASES(operation) \
	case F_INT2##operation: \
	case F_INT4##operation: \
	case F_INT8##operation: \
	case F_INT24##operation: \
	case F_INT42##operation: \
	case F_INT28##operation: \
	case F_INT82##operation: \
	case F_INT48##operation: \
	case F_INT84##operation

/* What two arguments, the second one a number, make */
static void
bound_arithmetic(Oid funcid, GpuAggValueBound *b, const GpuAggValueBound *left, double right)
{
	switch (funcid)
	{
			INTEGER_CASES(PL):
		case F_NUMERIC_ADD:
		case F_FLOAT8PL:
			bound_shift(b, left, right);
			break;
			INTEGER_CASES(MI):
		case F_NUMERIC_SUB:
		case F_FLOAT8MI:
			bound_shift(b, left, -right);
			break;
			INTEGER_CASES(MUL):
		case F_NUMERIC_MUL:
		case F_FLOAT8MUL:
			bound_scale(b, left, right);
			break;
			INTEGER_CASES(DIV):
			bound_quotient(b, left, right);
			break;
		case F_NUMERIC_DIV:
		case F_FLOAT8DIV:
			bound_scale(b, left, 1 / right);
			break;
		case F_DATE_PLI:
			bound_shift(b, left, right * USECS_PER_DAY);
			break;
		case F_DATE_MII:
			bound_shift(b, left, -right * USECS_PER_DAY);
			break;
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			bound_rounded(b, left, right);
			break;
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
			bound_remainder(b, left, right);
			break;
		case F_INT2AND:
		case F_INT4AND:
		case F_INT8AND:
			if (right >= 0)
				b->values = Min(b->values, right + 1);
			break;
		default:
			break;
	}
}

/* Does it not matter which argument comes first? */
static bool
commutes(Oid funcid)
{
	switch (funcid)
	{
			INTEGER_CASES(PL):
			INTEGER_CASES(MUL):
		case F_NUMERIC_ADD:
		case F_NUMERIC_MUL:
		case F_FLOAT8PL:
		case F_FLOAT8MUL:
			return true;
		default:
			return false;
	}
}

/* Functions of moments; false: it is none */
static bool
bound_moment(Oid funcid, List *args, const GpuAggValueBound *bounds, GpuAggValueBound *b)
{
	double		usecs;

	switch (funcid)
	{
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			bound_extract(b, time_unit(gpuagg_arg(args, 0)), &bounds[1]);
			return true;
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			bound_trunc(b, time_unit(gpuagg_arg(args, 0)), &bounds[1]);
			return true;
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
			bound_trunc(b, DTK_DAY, &bounds[0]);
			return true;
		case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
		case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
			bound_bin(b, gpuagg_arg(args, 0), &bounds[1]);
			return true;
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			bound_to_char(b, gpuagg_arg(args, 1), &bounds[0]);
			return true;
		case F_TIMEZONE_TEXT_TIMESTAMP:
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			copy_range(b, &bounds[1]);
			return true;
		case F_TIMESTAMP_PL_INTERVAL:
		case F_TIMESTAMPTZ_PL_INTERVAL:
			if (interval_usecs(gpuagg_arg(args, 1), &usecs))
				bound_shift(b, &bounds[0], usecs);
			return true;
		case F_TIMESTAMP_MI_INTERVAL:
		case F_TIMESTAMPTZ_MI_INTERVAL:
			if (interval_usecs(gpuagg_arg(args, 1), &usecs))
				bound_shift(b, &bounds[0], -usecs);
			return true;
		case F_DATE_MI:
			bound_days_between(b, &bounds[0], &bounds[1]);
			return true;
		default:
			return false;
	}
}

/* Functions of one number, beside which constants may stand; false: it is none */
static bool
bound_number(Oid funcid, List *args, const GpuAggValueBound *bounds, GpuAggValueBound *b)
{
	double		number;

	switch (funcid)
	{
		case F_FLOOR_NUMERIC:
		case F_FLOOR_FLOAT8:
		case F_CEIL_NUMERIC:
		case F_CEIL_FLOAT8:
		case F_CEILING_NUMERIC:
		case F_CEILING_FLOAT8:
		case F_ROUND_NUMERIC:
		case F_ROUND_FLOAT8:
		case F_TRUNC_NUMERIC:
		case F_TRUNC_FLOAT8:
		case F_INT2_NUMERIC:
		case F_INT4_NUMERIC:
		case F_INT8_NUMERIC:
		case F_INT2_FLOAT8:
		case F_INT4_FLOAT8:
		case F_INT8_FLOAT8:
			bound_rounded(b, &bounds[0], 0);
			return true;
		case F_LOG_NUMERIC_NUMERIC:
			if (constant_scalar(gpuagg_arg(args, 0), &number) && number > 1)
				bound_logarithm(b, &bounds[1], number);
			return true;
		case F_LOG_FLOAT8:
		case F_LOG10_FLOAT8:
			bound_logarithm(b, &bounds[0], 10);
			return true;
		case F_LN_NUMERIC:
		case F_LN_FLOAT8:
			bound_logarithm(b, &bounds[0], M_E);
			return true;
		case F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4:
		case F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4:
			if (constant_scalar(gpuagg_arg(args, 3), &number))
				b->values = Min(b->values, number + 2);
			return true;
		default:
			return false;
	}
}

/* The same value of another type */
static bool
is_cast(Oid funcid)
{
	switch (funcid)
	{
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_TIMESTAMP:
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT2_INT4:
		case F_INT8_INT4:
		case F_INT2_INT8:
		case F_INT4_INT8:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_NUMERIC_FLOAT8:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_NUMERIC:
			return true;
		default:
			return false;
	}
}

void
gpuagg_bound_function(Oid funcid, List *args, const GpuAggValueBound *bounds,
					  GpuAggValueBound *b)
{
	double		number;

	if (bound_moment(funcid, args, bounds, b) || bound_number(funcid, args, bounds, b))
		return;
	if (is_cast(funcid))
		copy_range(b, &bounds[0]);
	else if (list_length(args) == 2 && constant_scalar(gpuagg_arg(args, 1), &number))
		bound_arithmetic(funcid, b, &bounds[0], number);
	else if (commutes(funcid) && constant_scalar(gpuagg_arg(args, 0), &number))
		bound_arithmetic(funcid, b, &bounds[1], number);
}
