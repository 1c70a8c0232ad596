/*
 * value_bound_function.c
 *		What functions make of the bounds of their arguments (value_bound_function.h).
 *
 * The arithmetic is that of device/ops/value_set.h: here stands only which of its operators a
 * function is, and what the constants among its arguments say.  Functions of functions have
 * bounds, too: floor(extract(epoch FROM t) / 300).
 *
 * A moment that is moved or cut by local time is taken as one of UTC, which changes a number
 * of days by one at most.
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "datatype/timestamp.h"
#include "parser/scansup.h"
#include "planner/catalogue/sql_function.h"
#include "planner/estimate/value_bound_function.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

typedef GpuAggValueSet Set;

typedef struct Call
{
	const GpuAggFunction *function;
	List	   *args;
	const GpuAggValueBound *bounds;
} Call;

static const Set anything = GPUAGG_BOUND_ANYTHING;

/* ------------------------------------------------------------- operators --- */

static Set
as_class(const Set *set, GpuAggClass own, GpuAggClass wanted)
{
	if (own == GPUAGG_CLASS_BYTES || wanted == GPUAGG_CLASS_BYTES)
		return anything;
	if (own == wanted)
		return *set;
	return wanted == GPUAGG_CLASS_F64 ? gpuagg_set_operator(GPUAGG_OP_INT_TO_FLOAT8, 0, set) :
		anything;
}

static Set
argument(const Call *call, int i, GpuAggClass wanted)
{
	return as_class(&call->bounds[i].set, gpuagg_bound_class(call->function->args[i]), wanted);
}

static Set
with_number(GpuAggOp op, const Set *set, int64 number)
{
	const Set	sets[2] = {*set, {GPUAGG_MAY_VALUE, number, number}};

	return gpuagg_set_operator(op, 0, sets);
}

static Set
with_double(GpuAggOp op, const Set *set, double number)
{
	return with_number(op, set, gpuagg_set_image(number));
}

static GpuAggClass
class_of_letter(char letter)
{
	return letter == 'I' ? GPUAGG_CLASS_I64 : letter == 'F' ? GPUAGG_CLASS_F64 : GPUAGG_CLASS_BYTES;
}

static bool
makes_whole(GpuAggOp op)
{
	return op == GPUAGG_OP_FLOAT_FLOOR || op == GPUAGG_OP_FLOAT_CEIL ||
		op == GPUAGG_OP_FLOAT_TRUNC || op == GPUAGG_OP_FLOAT_ROUND;
}

/* What an operation makes of all arguments */
static Set
operated(const Call *call, GpuAggOp op, GpuAggValueBound *b)
{
	const char *letters = gpuagg_op_traits(op)->classes;
	const GpuAggFunction *function = call->function;
	const bool	swapped = (function->how & GPUAGG_HOW_SWAPPED) != 0;
	Set			args[3];
	Set			result;
	int			n = 0;

	for (; letters[n] != '_'; n++)
	{
		if (n >= function->nargs || class_of_letter(letters[n]) == GPUAGG_CLASS_BYTES)
			return anything;
		args[n] = argument(call, swapped ? function->nargs - 1 - n : n,
						   class_of_letter(letters[n]));
	}
	result = gpuagg_set_operator(op, 0, args);
	if (makes_whole(op))
		gpuagg_bound_limit(b, gpuagg_set_steps(&result, GPUAGG_CLASS_F64, 1));
	return as_class(&result, class_of_letter(letters[n + 1]), gpuagg_bound_class(function->result));
}

/* Of a row without a rule */
static Set
own_operation(const Call *call, GpuAggValueBound *b)
{
	const GpuAggFunction *function = call->function;

	if (function->by != GPUAGG_HANDLER_OPERATION)
		return anything;
	if ((function->how & GPUAGG_HOW_SAME) != 0)
		return argument(call, 0, gpuagg_bound_class(function->result));
	return operated(call, (GpuAggOp) function->op, b);
}

/* --------------------------------------------------------------- moments --- */

#define NONE (-1)
#define YEAR_USECS (DAYS_PER_YEAR * USECS_PER_DAY)

/* What date_trunc() and extract() are told */
typedef struct Unit
{
	int			unit;			/* DTK_... */
	int			cut;			/* GPUAGG_FIELD_... that moments are cut to, or NONE */
	double		usecs;			/* between two that are cut so, about */
	int			field;			/* the one that is extracted */
	int			divisor;		/* what that is more of than the answer */
} Unit;

static const Unit units[] = {
	{DTK_MICROSEC, GPUAGG_FIELD_MICROSECOND, 1, GPUAGG_FIELD_MICROSECOND, 1},
	{DTK_MILLISEC, GPUAGG_FIELD_MILLISECOND, 1000, GPUAGG_FIELD_MICROSECOND, 1000},
	{DTK_SECOND, GPUAGG_FIELD_SECOND, USECS_PER_SEC, GPUAGG_FIELD_MICROSECOND, USECS_PER_SEC},
	{DTK_MINUTE, GPUAGG_FIELD_MINUTE, USECS_PER_MINUTE, GPUAGG_FIELD_MINUTE, 1},
	{DTK_HOUR, GPUAGG_FIELD_HOUR, USECS_PER_HOUR, GPUAGG_FIELD_HOUR, 1},
	{DTK_DAY, GPUAGG_FIELD_DAY, USECS_PER_DAY, GPUAGG_FIELD_DAY, 1},
	{DTK_WEEK, GPUAGG_FIELD_WEEK, 7.0 * USECS_PER_DAY, GPUAGG_FIELD_WEEK, 1},
	{DTK_MONTH, GPUAGG_FIELD_MONTH, YEAR_USECS / 12, GPUAGG_FIELD_MONTH, 1},
	{DTK_QUARTER, GPUAGG_FIELD_QUARTER, YEAR_USECS / 4, GPUAGG_FIELD_QUARTER, 1},
	{DTK_YEAR, GPUAGG_FIELD_YEAR, YEAR_USECS, GPUAGG_FIELD_YEAR, 1},
	{DTK_DECADE, GPUAGG_FIELD_DECADE, 10 * YEAR_USECS, GPUAGG_FIELD_DECADE, 1},
	{DTK_CENTURY, GPUAGG_FIELD_CENTURY, 100 * YEAR_USECS, GPUAGG_FIELD_CENTURY, 1},
	{DTK_MILLENNIUM, GPUAGG_FIELD_MILLENNIUM, 1000 * YEAR_USECS, GPUAGG_FIELD_MILLENNIUM, 1},
	{DTK_DOW, NONE, 0, GPUAGG_FIELD_DOW, 1},
	{DTK_ISODOW, NONE, 0, GPUAGG_FIELD_ISODOW, 1},
	{DTK_DOY, NONE, 0, GPUAGG_FIELD_DOY, 1},
	{DTK_ISOYEAR, NONE, 0, GPUAGG_FIELD_ISOYEAR, 1},
	{DTK_EPOCH, NONE, 0, GPUAGG_FIELD_EPOCH, USECS_PER_SEC}
};

/* NULL: it is none of these */
static const Unit *
unit_of(int unit)
{
	for (int i = 0; i < lengthof(units); i++)
		if (units[i].unit == unit)
			return &units[i];
	return NULL;
}

/* The one that a constant names */
static const Unit *
named_unit(Node *node)
{
	Const	   *c = (Const *) node;
	char	   *name;
	int			value;

	if (!IsA(node, Const) || c->constisnull || c->consttype != TEXTOID)
		return NULL;
	name = TextDatumGetCString(c->constvalue);
	name = downcase_truncate_identifier(name, strlen(name), false);
	if (DecodeUnits(0, name, &value) != UNKNOWN_FIELD ||
		DecodeSpecial(0, name, &value) != UNKNOWN_FIELD)
		return unit_of(value);
	return NULL;
}

static Set
extracted(const Call *call, GpuAggValueBound *b)
{
	const Unit *unit = named_unit(gpuagg_arg(call->args, 0));
	const Oid	type = call->function->args[1];
	Set			moment[2] = {argument(call, 1, GPUAGG_CLASS_I64), anything};
	Set			field;

	if (unit == NULL)
		return anything;
	if (type == TIMESTAMPTZOID && unit->field != GPUAGG_FIELD_EPOCH)
		moment[0] = gpuagg_set_operator(GPUAGG_OP_ZONE_LOCAL, 0, moment);
	field = gpuagg_set_operator(type == DATEOID ? GPUAGG_OP_DATE_EXTRACT :
								GPUAGG_OP_TIMESTAMP_EXTRACT, unit->field, moment);
	gpuagg_bound_limit(b, gpuagg_set_steps(&field, GPUAGG_CLASS_I64, 1));
	field = as_class(&field, GPUAGG_CLASS_I64, GPUAGG_CLASS_F64);
	/* the epoch of a date is in seconds, and it has no others that are divided */
	return type == DATEOID || unit->divisor == 1 ? field :
		with_double(GPUAGG_OP_FLOAT8_DIV, &field, unit->divisor);
}

/* The moment that is the i-th argument, cut */
static Set
truncated(const Call *call, const Unit *unit, int i, GpuAggValueBound *b)
{
	Set			moment = argument(call, i, GPUAGG_CLASS_I64);

	if (unit == NULL || unit->cut == NONE)
		return anything;
	moment = gpuagg_set_operator(GPUAGG_OP_TIMESTAMP_TRUNC, unit->cut, &moment);
	gpuagg_bound_limit(b, gpuagg_set_steps(&moment, GPUAGG_CLASS_I64, unit->usecs));
	return moment;
}

/* The interval that a constant is; NULL: it is none */
static const Interval *
interval_of(Node *node)
{
	Const	   *c = (Const *) node;

	return IsA(node, Const) && !c->constisnull && c->consttype == INTERVALOID ?
		DatumGetIntervalP(c->constvalue) : NULL;
}

/* PostgreSQL has no bins of months. */
static Set
binned(const Call *call, GpuAggValueBound *b)
{
	const Interval *by = interval_of(gpuagg_arg(call->args, 0));
	const Set	moment = argument(call, 1, GPUAGG_CLASS_I64);
	int64		stride;
	Set			origin;
	Set			bins;

	if (by == NULL || by->month != 0 ||
		pg_mul_s64_overflow(by->day, USECS_PER_DAY, &stride) ||
		pg_add_s64_overflow(stride, by->time, &stride) ||
		!gpuagg_bound_constant(gpuagg_arg(call->args, 2), &origin))
		return anything;
	bins = gpuagg_set_bins(&moment, stride, origin.low);
	gpuagg_bound_limit(b, gpuagg_set_steps(&bins, GPUAGG_CLASS_I64, (double) stride));
	return bins;
}

static Set
moved(const Call *call)
{
	const uint16 how = call->function->how;
	const int	which = (how & GPUAGG_HOW_SWAPPED) != 0 ? 1 : 0;
	const int64 sign = (how & GPUAGG_HOW_BACK) != 0 ? -1 : 1;
	const Interval *by = interval_of(gpuagg_arg(call->args, 1 - which));
	Set			moment = argument(call, which, GPUAGG_CLASS_I64);

	/* an infinite interval has the least time */
	if (by == NULL || by->time == PG_INT64_MIN)
		return anything;
	if (call->function->args[which] == DATEOID)
		moment = gpuagg_set_operator(GPUAGG_OP_DATE_TO_TIMESTAMP, 0, &moment);
	if (by->month != 0)
		moment = with_number(GPUAGG_OP_TIMESTAMP_ADD_MONTHS, &moment, sign * by->month);
	if (by->day != 0)
		moment = with_number(GPUAGG_OP_TIMESTAMP_ADD_DAYS, &moment, sign * by->day);
	return with_number(GPUAGG_OP_TIMESTAMP_ADD_TIME, &moment, sign * by->time);
}

/*
 * The shortest unit that a pattern of to_char() may tell; NULL: one below a second.  Letters that
 * tell nothing, of words, only make it shorter.
 */
static const Unit *
pattern_unit(const char *pattern)
{
	static const struct
	{
		const char *letters;
		int			unit;
	}			fields[] = {
		{"US", NONE}, {"MS", NONE}, {"FF", NONE},
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
	return unit_of(unit);
}

/* As many texts as there are moments that are cut so */
static Set
as_text(const Call *call, GpuAggValueBound *b)
{
	const Const *pattern = (const Const *) gpuagg_arg(call->args, 1);

	if (IsA(pattern, Const) && !pattern->constisnull)
		(void) truncated(call, pattern_unit(TextDatumGetCString(pattern->constvalue)), 0, b);
	return anything;
}

static Set
bound_moment(const Call *call, GpuAggValueBound *b)
{
	switch ((GpuAggBoundRule) call->function->bound)
	{
		case GPUAGG_BOUNDS_FIELD:
			return extracted(call, b);
		case GPUAGG_BOUNDS_TRUNCATED:
			return truncated(call, named_unit(gpuagg_arg(call->args, 0)), 1, b);
		case GPUAGG_BOUNDS_BINNED:
			return binned(call, b);
		case GPUAGG_BOUNDS_PATTERN:
			return as_text(call, b);
		case GPUAGG_BOUNDS_OTHER_ZONE:
			return argument(call, 1, GPUAGG_CLASS_I64);
		default:
			return moved(call);
	}
}

/* --------------------------------------------------------------- numbers --- */

/* A whole double as an integer */
static Set
as_integer(const Set *set, Oid type)
{
	return gpuagg_set_operator(type == INT2OID ? GPUAGG_OP_FLOAT_TO_INT2 :
							   type == INT4OID ? GPUAGG_OP_FLOAT_TO_INT4 :
							   GPUAGG_OP_FLOAT_TO_INT8, 0, set);
}

/* Half away from 0, or towards 0, to whole numbers or so many decimals */
static Set
rounded(const Call *call, GpuAggValueBound *b)
{
	const GpuAggFunction *function = call->function;
	const bool	decimals = function->nargs > 1;
	Set			set = argument(call, 0, GPUAGG_CLASS_F64);
	double		digits = 0;

	if (decimals && !gpuagg_bound_number(gpuagg_arg(call->args, 1), &digits))
		return anything;
	if (decimals)
		set = with_double(GPUAGG_OP_FLOAT8_MUL, &set, pow(10, digits));
	set = gpuagg_set_rising(&set, function->op == GPUAGG_OP_DECIMAL_TRUNC ? trunc : round);
	if (decimals)
		set = with_double(GPUAGG_OP_FLOAT8_DIV, &set, pow(10, digits));
	gpuagg_bound_limit(b, gpuagg_set_steps(&set, GPUAGG_CLASS_F64, pow(10, -digits)));
	return gpuagg_bound_class(function->result) == GPUAGG_CLASS_I64 ?
		as_integer(&set, function->result) : set;
}

static Set
logarithm(const Call *call)
{
	Set			set = argument(call, 1, GPUAGG_CLASS_F64);
	double		base;

	if (!gpuagg_bound_number(gpuagg_arg(call->args, 0), &base) || base <= 1)
		return anything;
	set = gpuagg_set_rising(&set, log);
	return with_double(GPUAGG_OP_FLOAT8_DIV, &set, log(base));
}

/* Before the first bucket is one more, and behind the last. */
static Set
bucket(const Call *call)
{
	double		number;

	if (!gpuagg_bound_number(gpuagg_arg(call->args, 3), &number))
		return anything;
	return (Set) {GPUAGG_MAY_VALUE, 0, (int64) number + 1};
}

static Set
bound_number(const Call *call, GpuAggValueBound *b)
{
	Set			set = argument(call, 0, GPUAGG_CLASS_F64);

	switch ((GpuAggBoundRule) call->function->bound)
	{
		case GPUAGG_BOUNDS_ROUNDED:
			return rounded(call, b);
		case GPUAGG_BOUNDS_LOG:
			return logarithm(call);
		case GPUAGG_BOUNDS_LOG10:
			return gpuagg_set_rising(&set, log10);
		case GPUAGG_BOUNDS_LN:
			return gpuagg_set_rising(&set, log);
		default:
			return bucket(call);
	}
}

/* ------------------------------------------------------------- functions --- */

static Set
bound_call(const Call *call, GpuAggValueBound *b)
{
	const GpuAggFunction *function = call->function;

	switch ((GpuAggBoundRule) function->bound)
	{
		case GPUAGG_BOUNDS_OWN:
			return own_operation(call, b);
		case GPUAGG_BOUNDS_OPERATION:
			return operated(call, (GpuAggOp) function->bound_op, b);
		case GPUAGG_BOUNDS_SAME:
			return argument(call, 0, gpuagg_bound_class(function->result));
		case GPUAGG_BOUNDS_ROUNDED:
		case GPUAGG_BOUNDS_LN:
		case GPUAGG_BOUNDS_LOG10:
		case GPUAGG_BOUNDS_LOG:
		case GPUAGG_BOUNDS_BUCKET:
			return bound_number(call, b);
		default:
			return bound_moment(call, b);
	}
}

void
gpuagg_bound_function(Oid funcid, List *args, const GpuAggValueBound *bounds,
					  GpuAggValueBound *b)
{
	const Call	call = {gpuagg_function(funcid), args, bounds};
	Set			set;

	if (list_length(args) != call.function->nargs)
		return;
	set = bound_call(&call, b);
	if (gpuagg_set_may_value(&set))
	{
		b->set.low = set.low;
		b->set.high = set.high;
	}
}
