/*
 * lower_quotient.c
 *		Decimals divided by a constant.
 *
 * Where the constant has no prime factors but 2 and 5, quotients end, and are decimals like any
 * other: x / 40 is x * 25 with three decimals more.  PostgreSQL rounds to as many decimals as it
 * chooses by the weights and first digits of both (select_div_scale() in its numeric.c), mostly 16
 * or more, of which nearly all are zeros that it shows.  How many that are is a step function of
 * the dividend: with f the divisor's first digit of four decimals, and v its weight, a quotient of
 * (f + 1) * 10^4w <= |x| < (f + 1) * 10^4(w+1) has 16 - 4 (w - v), or as many as x or the divisor
 * shows.  Zero counts as w = -1.  Of a dividend so large that the quotient would be rounded
 * nothing is known here: it is an error of the device, which leaves the query to PostgreSQL.
 *
 * Does not handle: other divisors, of which each quotient is rounded.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "device/ops/ops_int.h"
#include "device/ops/page.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_numeric.h"
#include "planner/value/args.h"
#include "utils/numeric.h"

/* NUMERIC_MIN_SIG_DIGITS, and decimals of a digit */
#define SIGNIFICANT 16
#define DIGIT GPUAGG_NUMERIC_DECIMALS

/* A dividend has fewer digits than this before it is refused, or more are never divided. */
#define LEAST_DIGITS 9

/* More than is ever shown */
#define MOST_SHOWN 200

typedef struct Divisor
{
	int			weight;			/* of its first digit */
	int			first;			/* that digit, of four decimals */
	int			shown;
	int64		factor;			/* x / divisor = x * factor / 10^decimals */
	int			decimals;
} Divisor;

/* False: its quotients need not end. */
static bool
divisor_of(Datum value, Divisor *divisor)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);
	GpuAggNumericDigits d;
	int16		first;
	int64		c;
	int			scale;
	int			factors = 0;

	if (!gpuagg_numeric_parse(VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric), &d) || d.n == 0 ||
		d.scale > GPUAGG_MAX_SCALE || !gpuagg_numeric_scaled(value, false, (int) d.scale, &c))
		return false;
	memcpy(&first, d.digits, sizeof(first));
	divisor->weight = d.weight;
	divisor->first = first;
	divisor->shown = scale = (int) d.scale;
	for (; c % 10 == 0; c /= 10)
		scale--;
	/* without zeros at its end it has not both */
	divisor->factor = 1;
	for (; c % 5 == 0 && factors < GPUAGG_MAX_SCALE; c /= 5, factors++)
		divisor->factor *= 2;
	for (; c % 2 == 0 && factors < GPUAGG_MAX_SCALE; c /= 2, factors++)
		divisor->factor *= 5;
	divisor->factor *= c;
	divisor->decimals = factors - scale;
	return c == 1 || c == -1;
}

/* From which |x| times 10^digits on the decimals are those of w; never less than 1 */
static unsigned __int128
step_from(const Divisor *divisor, int w, int digits)
{
	const int	power = DIGIT * w + digits;
	unsigned __int128 from = divisor->first + 1;

	for (int i = 0; i < power; i++)
		from *= 10;
	for (int i = power; i < 0 && from > 1; i++)
		from = from / 10 + (from % 10 != 0);
	return from;
}

static int
step_shown(const Divisor *divisor, int w)
{
	return Max(Max(SIGNIFICANT - DIGIT * (w - divisor->weight), divisor->shown), 0);
}

/* The largest |x| times 10^digits that the dividend's type has */
static int64
most_of(Expr *dividend, const GpuAggLowered *value)
{
	int32		typmod;
	int			scale;
	int			digits;
	Oid			type;

	while (IsA(dividend, RelabelType))
		dividend = ((RelabelType *) dividend)->arg;
	typmod = exprTypmod((Node *) dividend);
	if (typmod >= (int32) VARHDRSZ)
	{
		/* of a scale below 0 as many zeros follow */
		scale = gpuagg_numeric_typmod_scale(typmod);
		digits = gpuagg_numeric_typmod_precision(typmod) - Min(scale, 0);
		return digits > GPUAGG_MAX_SCALE ? PG_INT64_MAX : gpuagg_power_of_ten(digits);
	}
	if (!IsA(dividend, FuncExpr) || list_length(((FuncExpr *) dividend)->args) != 1 ||
		value->scale.digits != 0)
		return PG_INT64_MAX;
	type = exprType(linitial(((FuncExpr *) dividend)->args));
	return type == INT2OID ? -(int64) PG_INT16_MIN :
		type == INT4OID	   ? -(int64) PG_INT32_MIN :
							 PG_INT64_MAX;
}

static bool
int4_constant(GpuAggLower *lw, int v, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_INT4, Int32GetDatum(v), false),
								 out);
}

static bool
decimal_constant(GpuAggLower *lw, int64 v, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_NUMERIC, Int64GetDatum(v),
														  false), out);
}

/* *shown where `op` of the value and the bound is not true, else so many */
static bool
shown_where(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *value, int64 bound, int decimals,
			GpuAggLowered *shown)
{
	GpuAggLowered by;
	GpuAggLowered when;
	GpuAggLowered then;

	return decimal_constant(lw, bound, &by) && int4_constant(lw, decimals, &then) &&
		gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, value, &by, NULL, 0, &when) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_INT4, &when, &then, shown, 0, shown);
}

/*
 * What quotients of the dividend show, if their divisor alone decided: *out, and *most of all.
 * *end: from there on they would be rounded.
 */
static bool
quotient_shown(GpuAggLower *lw, const Divisor *divisor, const GpuAggLowered *value, int needed,
			   int64 largest, GpuAggLowered *out, int *most, int64 *end)
{
	const int	digits = value->scale.digits;
	const int	zero = step_shown(divisor, -1);
	GpuAggLowered magnitude;
	int			w = -1;
	int			shown;

	while (step_from(divisor, w, digits) > 1)
		w--;
	shown = step_shown(divisor, w);
	*most = Max(shown, zero);
	*end = shown < needed ? 1 : PG_INT64_MAX;
	if (!gpuagg_lower_op(lw, GPUAGG_OP_INT8_ABS, GPUAGG_T_NUMERIC, value, NULL, NULL, 0,
						 &magnitude) ||
		!int4_constant(lw, shown, out))
		return false;
	for (w++; step_from(divisor, w, digits) <= largest; w++)
	{
		const int64 from = (int64) step_from(divisor, w, digits);
		const int	next = step_shown(divisor, w);

		if (next < needed)
		{
			*end = Min(*end, from);
			break;
		}
		if (next == shown)
			continue;
		shown = next;
		if (!shown_where(lw, GPUAGG_OP_I64_GE, &magnitude, from, shown, out))
			return false;
	}
	return step_from(divisor, -1, digits) <= 1 ||
		shown_where(lw, GPUAGG_OP_I64_EQ, &magnitude, 0, zero, out);
}

/* So many digits surely are below the end. */
static bool
check_end(GpuAggLower *lw, int64 end, GpuAggLowered *value)
{
	int			digits = 0;

	if (end == PG_INT64_MAX)
		return true;
	while (digits < GPUAGG_MAX_SCALE && gpuagg_power_of_ten(digits + 1) <= end)
		digits++;
	if (digits < LEAST_DIGITS)
		return GPUAGG_REFUSE("division of numerics is not supported where quotients are rounded");
	return gpuagg_lower_op(lw, GPUAGG_OP_DECIMAL_FITS, GPUAGG_T_NUMERIC, value, NULL, NULL, digits,
						   value);
}

static bool
multiply(GpuAggLower *lw, int64 by, GpuAggLowered *value)
{
	GpuAggLowered factor;

	return by == 1 ||
		(decimal_constant(lw, by, &factor) &&
		 gpuagg_lower_op(lw, GPUAGG_OP_INT8_MUL, GPUAGG_T_NUMERIC, value, &factor, NULL, 0, value));
}

static bool
divide(GpuAggLower *lw, Expr *dividend, const Divisor *divisor, GpuAggLowered *out)
{
	GpuAggLowered from;
	GpuAggLowered value;
	GpuAggLowered shown;
	int			decimals;
	int			most;
	int64		end;

	if (!gpuagg_lower_expr(lw, dividend, &from))
		return false;
	decimals = from.scale.digits + divisor->decimals;
	if (gpuagg_scale_is_word(from.scale) || decimals > GPUAGG_MAX_SCALE ||
		decimals < -GPUAGG_MAX_SCALE || from.shown > MOST_SHOWN)
		return GPUAGG_REFUSE("a quotient of numerics has more than %d decimals", GPUAGG_MAX_SCALE);
	value = from;
	if (!quotient_shown(lw, divisor, &from, decimals, most_of(dividend, &from), &shown, &most,
						&end) ||
		!check_end(lw, end, &value) || !multiply(lw, divisor->factor, &value) ||
		!multiply(lw, gpuagg_power_of_ten(Max(-decimals, 0)), &value))
		return false;
	*out = value;
	out->scale = gpuagg_scale(Max(decimals, 0));
	return gpuagg_lower_numeric_show(lw, &from, &shown, most, out);
}

bool
gpuagg_lower_by_quotient(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const Const *by = gpuagg_arg(call->args, 1);
	Divisor		divisor;

	if (!IsA(by, Const) || by->constisnull)
		return GPUAGG_REFUSE("division of numerics is not supported but by a constant, because the "
							 "number of decimals depends on the values");
	if (!divisor_of(by->constvalue, &divisor))
		return GPUAGG_REFUSE("division of numerics is not supported by a constant of which "
							 "quotients need not end");
	return divide(lw, gpuagg_arg(call->args, 0), &divisor, out);
}
