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
#include "planner/catalogue/sql_function.h"
#include "planner/estimate/value_bound_function.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#define YEAR_USECS (DAYS_PER_YEAR * USECS_PER_DAY)
#define MONTH_USECS ((double) DAYS_PER_MONTH * USECS_PER_DAY)
#define EPOCH_OF_2000 ((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * (double) SECS_PER_DAY)

/* ---------------------------------------------------------------- ranges --- */

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
	set_range(b, (left->low - right->high) / USECS_PER_DAY,
			  (left->high - right->low) / USECS_PER_DAY);
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

/* What two arguments, the second one a number, make */
static void
bound_arithmetic(GpuAggBoundRule rule, GpuAggValueBound *b, const GpuAggValueBound *left,
				 double right)
{
	switch (rule)
	{
		case GPUAGG_BOUNDS_SUM:
			bound_shift(b, left, right);
			break;
		case GPUAGG_BOUNDS_DIFFERENCE:
			bound_shift(b, left, -right);
			break;
		case GPUAGG_BOUNDS_PRODUCT:
			bound_scale(b, left, right);
			break;
		case GPUAGG_BOUNDS_QUOTIENT:
			bound_quotient(b, left, right);
			break;
		case GPUAGG_BOUNDS_RATIO:
			bound_scale(b, left, 1 / right);
			break;
		case GPUAGG_BOUNDS_DAYS_LATER:
			bound_shift(b, left, right * USECS_PER_DAY);
			break;
		case GPUAGG_BOUNDS_DAYS_EARLIER:
			bound_shift(b, left, -right * USECS_PER_DAY);
			break;
		case GPUAGG_BOUNDS_DECIMALS:
			bound_rounded(b, left, right);
			break;
		case GPUAGG_BOUNDS_REMAINDER:
			bound_remainder(b, left, right);
			break;
		case GPUAGG_BOUNDS_MASK:
			if (right >= 0)
				b->values = Min(b->values, right + 1);
			break;
		default:
			break;
	}
}

/* Does it not matter which argument comes first? */
static bool
commutes(GpuAggBoundRule rule)
{
	return rule == GPUAGG_BOUNDS_SUM || rule == GPUAGG_BOUNDS_PRODUCT;
}

/* Functions of moments; false: it is none */
static bool
bound_moment(GpuAggBoundRule rule, List *args, const GpuAggValueBound *bounds,
			 GpuAggValueBound *b)
{
	double		usecs;

	switch (rule)
	{
		case GPUAGG_BOUNDS_FIELD:
			bound_extract(b, time_unit(gpuagg_arg(args, 0)), &bounds[1]);
			return true;
		case GPUAGG_BOUNDS_TRUNCATED:
			bound_trunc(b, time_unit(gpuagg_arg(args, 0)), &bounds[1]);
			return true;
		case GPUAGG_BOUNDS_DAY:
			bound_trunc(b, DTK_DAY, &bounds[0]);
			return true;
		case GPUAGG_BOUNDS_BINNED:
			bound_bin(b, gpuagg_arg(args, 0), &bounds[1]);
			return true;
		case GPUAGG_BOUNDS_PATTERN:
			bound_to_char(b, gpuagg_arg(args, 1), &bounds[0]);
			return true;
		case GPUAGG_BOUNDS_OTHER_ZONE:
			copy_range(b, &bounds[1]);
			return true;
		case GPUAGG_BOUNDS_LATER:
			if (interval_usecs(gpuagg_arg(args, 1), &usecs))
				bound_shift(b, &bounds[0], usecs);
			return true;
		case GPUAGG_BOUNDS_EARLIER:
			if (interval_usecs(gpuagg_arg(args, 1), &usecs))
				bound_shift(b, &bounds[0], -usecs);
			return true;
		case GPUAGG_BOUNDS_DAYS_BETWEEN:
			bound_days_between(b, &bounds[0], &bounds[1]);
			return true;
		default:
			return false;
	}
}

/* Functions of one number, beside which constants may stand; false: it is none */
static bool
bound_number(GpuAggBoundRule rule, List *args, const GpuAggValueBound *bounds,
			 GpuAggValueBound *b)
{
	double		number;

	switch (rule)
	{
		case GPUAGG_BOUNDS_CAST:
			copy_range(b, &bounds[0]);
			return true;
		case GPUAGG_BOUNDS_WHOLE:
			bound_rounded(b, &bounds[0], 0);
			return true;
		case GPUAGG_BOUNDS_LOG:
			if (constant_scalar(gpuagg_arg(args, 0), &number) && number > 1)
				bound_logarithm(b, &bounds[1], number);
			return true;
		case GPUAGG_BOUNDS_LOG10:
			bound_logarithm(b, &bounds[0], 10);
			return true;
		case GPUAGG_BOUNDS_LN:
			bound_logarithm(b, &bounds[0], M_E);
			return true;
		case GPUAGG_BOUNDS_BUCKET:
			if (constant_scalar(gpuagg_arg(args, 3), &number))
				b->values = Min(b->values, number + 2);
			return true;
		default:
			return false;
	}
}

void
gpuagg_bound_function(Oid funcid, List *args, const GpuAggValueBound *bounds,
					  GpuAggValueBound *b)
{
	const GpuAggFunction *function = gpuagg_function(funcid);
	const GpuAggBoundRule rule = function->bound;
	double		number;

	if (rule == GPUAGG_BOUNDS_NONE || list_length(args) != function->nargs ||
		bound_moment(rule, args, bounds, b) || bound_number(rule, args, bounds, b))
		return;
	if (constant_scalar(gpuagg_arg(args, 1), &number))
		bound_arithmetic(rule, b, &bounds[0], number);
	else if (commutes(rule) && constant_scalar(gpuagg_arg(args, 0), &number))
		bound_arithmetic(rule, b, &bounds[1], number);
}
