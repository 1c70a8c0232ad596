/*
 * lower_statistic.c
 *		Variances, correlations and the like: which sums they are made of.
 *
 * PostgreSQL keeps N, the sum and the sum of squares of integers and numerics, exact.
 * So do the transitions here.  The square of a value of 64 bits has up to 127, and so
 * it enters three sums in parts: x = high * 2^32 + low, where low has a sign, and the
 * products low * low, high * low and high * high fit 64 bits.  The sums of an int2 or
 * int4 need one.  All of that are operators and sums which every device has.
 *
 * A row that PostgreSQL evaluates may split its value differently, as long as the parts
 * fit and make up the value: the sums of parts make up the same sum of squares.  A
 * numeric does, whose high half is rounded.
 *
 * Of floating point, moments are kept (device/transition.h), which not every device has:
 * agg_path.c asks.
 *
 * The node makes the results (node/result/variances.c, node/result/moments.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "device/ops/ops_int.h"
#include "nodes/makefuncs.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_expr.h"
#include "utils/numeric.h"
#include "utils/regproc.h"

/* A factor: what a device computes, and PostgreSQL of its rows */
typedef struct Factor
{
	GpuAggLowered value;
	Expr	   *expr;
} Factor;

bool
gpuagg_lower_find_statistic(Oid aggfnoid, GpuAggStatisticRow *row)
{
	const GpuAggAggregate *a = gpuagg_aggregate(aggfnoid);

	if (a->made_of != GPUAGG_MADE_OF_STATISTIC)
		return false;
	*row = (GpuAggStatisticRow) {.type = a->type,.statistic = a->statistic,.final = a->final};
	return true;
}

/* An average of floating point, whose state in PostgreSQL is that of a variance */
static bool
find_average(Oid aggfnoid, GpuAggStatisticRow *row)
{
	const GpuAggAggregate *a = gpuagg_aggregate(aggfnoid);

	if (a->made_of != GPUAGG_MADE_OF_STATE || a->final != GPUAGG_FINAL_AVG_FLOAT)
		return false;
	*row = (GpuAggStatisticRow) {
		.type = a->type,.statistic = GPUAGG_STATISTIC_VAR_POP,.final = GPUAGG_FINAL_MOMENTS
	};
	return true;
}

bool
gpuagg_lower_statistic_of(const GpuAggLower *lw, Oid aggfnoid, GpuAggStatisticRow *row)
{
	return gpuagg_lower_find_statistic(aggfnoid, row) ||
		(lw->partial && find_average(aggfnoid, row));
}

/* So many int4 that 64 bits do not hold their sum fit a table. */
uint16
gpuagg_lower_variance_sum(uint8 type)
{
	return type == GPUAGG_T_INT2 ? GPUAGG_TRANS_SUM_I64 : GPUAGG_TRANS_SUM_I128;
}

/* ---------------------------------------------------------- expressions --- */

static Expr *
int4_expr(int32 v)
{
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(v),
							  false, true);
}

static Expr *
int8_expr(int64 v)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(v),
							  false, true);
}

static Expr *
numeric_expr(int64 v)
{
	return (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1,
							  NumericGetDatum(int64_to_numeric(v)), false, false);
}

/* The argument as the integer that a device holds: an int8, or a numeric without decimals */
static Expr *
whole_expr(uint8 type, int scale, Expr *arg)
{
	switch ((GpuAggType) type)
	{
		case GPUAGG_T_INT2:
			return gpuagg_call(GPUAGG_F_INT8_INT2, list_make1(arg));
		case GPUAGG_T_INT4:
			return gpuagg_call(GPUAGG_F_INT8_INT4, list_make1(arg));
		case GPUAGG_T_NUMERIC:
			arg = gpuagg_call(GPUAGG_F_NUMERIC_MUL,
					   list_make2(arg, numeric_expr(gpuagg_power_of_ten(scale))));
			return gpuagg_call(GPUAGG_F_TRUNC_NUMERIC_INT4, list_make2(arg, int4_expr(0)));
		default:
			return arg;
	}
}

/* high and low halves of that */
static Expr *
high_expr(uint8 type, Expr *whole)
{
	Expr	   *carry;

	if (type == GPUAGG_T_NUMERIC)
	{
		whole = gpuagg_call(GPUAGG_F_NUMERIC_DIV,
					 list_make2(whole, numeric_expr(INT64CONST(1) << GPUAGG_SQUARE_HALF)));
		return gpuagg_call(GPUAGG_F_ROUND_NUMERIC_INT4, list_make2(whole, int4_expr(0)));
	}
	carry = gpuagg_call(GPUAGG_F_INT8SHR, list_make2(whole, int4_expr(GPUAGG_SQUARE_HALF - 1)));
	carry = gpuagg_call(GPUAGG_F_INT8AND, list_make2(carry, int8_expr(1)));
	whole = gpuagg_call(GPUAGG_F_INT8SHR, list_make2(whole, int4_expr(GPUAGG_SQUARE_HALF)));
	return gpuagg_call(GPUAGG_F_INT8PL, list_make2(whole, carry));
}

static Expr *
low_expr(uint8 type, Expr *whole, Expr *high)
{
	if (type == GPUAGG_T_NUMERIC)
	{
		high = gpuagg_call(GPUAGG_F_NUMERIC_MUL,
					list_make2(high, numeric_expr(INT64CONST(1) << GPUAGG_SQUARE_HALF)));
		return gpuagg_call(GPUAGG_F_NUMERIC_SUB, list_make2(whole, high));
	}
	whole = gpuagg_call(GPUAGG_F_INT8SHL, list_make2(whole, int4_expr(GPUAGG_SQUARE_HALF)));
	return gpuagg_call(GPUAGG_F_INT8SHR, list_make2(whole, int4_expr(GPUAGG_SQUARE_HALF)));
}

/* -------------------------------------------------------------- squares --- */

static bool
integer_constant(GpuAggLower *lw, int64 v, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(v),
														  false), out);
}

/* type: INT8, or NUMERIC, which then has no decimals */
static bool
integer_op(GpuAggLower *lw, GpuAggOp op, uint8 type, const GpuAggLowered *a,
		   const GpuAggLowered *b, GpuAggLowered *out)
{
	if (!gpuagg_lower_op(lw, op, type, a, b, NULL, 0, out))
		return false;
	out->scale = gpuagg_scale(0);
	out->shown = 0;
	out->shown_reg = GPUAGG_NO_REG;
	return true;
}

static bool
split(GpuAggLower *lw, uint8 type, const Factor *whole, Factor *high, Factor *low)
{
	const GpuAggLowered *x = &whole->value;
	GpuAggLowered half;
	GpuAggLowered below;
	GpuAggLowered one;
	GpuAggLowered carry;

	high->expr = high_expr(type, whole->expr);
	low->expr = low_expr(type, whole->expr, high->expr);
	return integer_constant(lw, GPUAGG_SQUARE_HALF, &half) &&
		integer_constant(lw, GPUAGG_SQUARE_HALF - 1, &below) &&
		integer_constant(lw, 1, &one) &&
		integer_op(lw, GPUAGG_OP_INT8_SHR, type, x, &below, &carry) &&
		integer_op(lw, GPUAGG_OP_INT_AND, type, &carry, &one, &carry) &&
		integer_op(lw, GPUAGG_OP_INT8_SHR, type, x, &half, &high->value) &&
		integer_op(lw, GPUAGG_OP_INT8_ADD, type, &high->value, &carry, &high->value) &&
		integer_op(lw, GPUAGG_OP_INT8_SHL, type, x, &half, &low->value) &&
		integer_op(lw, GPUAGG_OP_INT8_SHR, type, &low->value, &half, &low->value);
}

/* The sum of products; *part is its transition's number + 1 */
static bool
add_products(GpuAggLower *lw, uint8 type, const Factor *a, const Factor *b,
			 const GpuAggLoweredFilter *filter, int *part)
{
	const bool	numeric = type == GPUAGG_T_NUMERIC;
	GpuAggLowered product;
	int			number;

	if (!integer_op(lw, GPUAGG_OP_INT8_MUL, type, &a->value, &b->value, &product) ||
		!gpuagg_lower_transition(lw, GPUAGG_TRANS_SUM_I128, &product,
								 gpuagg_call(numeric ? GPUAGG_F_NUMERIC_MUL : GPUAGG_F_INT8MUL,
											 list_make2(a->expr, b->expr)),
								 filter, &number))
		return false;
	*part = number + 1;
	return true;
}

static bool
add_squares(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
			const GpuAggLoweredFilter *filter, int *parts)
{
	const bool	narrow = value->type == GPUAGG_T_INT2 || value->type == GPUAGG_T_INT4;
	const uint8 type = value->type == GPUAGG_T_NUMERIC ? GPUAGG_T_NUMERIC : GPUAGG_T_INT8;
	Factor		whole = {*value, whole_expr(value->type, value->scale.digits, arg)};
	Factor		high;
	Factor		low;

	if (narrow)
		return add_products(lw, type, &whole, &whole, filter, &parts[0]);
	return split(lw, type, &whole, &high, &low) &&
		add_products(lw, type, &low, &low, filter, &parts[0]) &&
		add_products(lw, type, &high, &low, filter, &parts[1]) &&
		add_products(lw, type, &high, &high, filter, &parts[2]);
}

/* ----------------------------------------------------------- aggregates --- */

static bool
lower_variance(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
			   const GpuAggLoweredFilter *filter, GpuAggOutput *output)
{
	const uint8 op = gpuagg_lower_variance_sum(value->type);

	return (value->type == GPUAGG_T_NUMERIC ?
			gpuagg_lower_decimals(lw, op, value, arg, filter, output) :
			gpuagg_lower_transition(lw, op, value, arg, filter, &output->index)) &&
		add_squares(lw, value, arg, filter, output->squares) &&
		gpuagg_lower_count_beside(lw, value, arg, filter, output->final,
								  &output->count_index);
}

static bool
lower_moments(GpuAggLower *lw, const GpuAggLowered *values, Expr *const *args, int n,
			  const GpuAggLoweredFilter *filter, GpuAggOutput *output)
{
	/* of two arguments the second transition has the state */
	static const uint16 one[] = {GPUAGG_TRANS_MOMENTS_F64};
	static const uint16 two[] = {GPUAGG_TRANS_FIRST_F64, GPUAGG_TRANS_COMOMENTS_F64};

	output->count_index = -1;
	if (!gpuagg_lower_transitions(lw, n, n == 2 ? two : one, values, args, filter,
								  &output->index))
		return false;
	output->index += n - 1;
	return true;
}

/* regr_count alone counts rows whose comparison is not NULL: neither argument is. */
static bool
lower_pairs(GpuAggLower *lw, const Aggref *agg, GpuAggMark before, const GpuAggLowered *values,
			Expr *const *args, const GpuAggLoweredFilter *filter, GpuAggOutput *output)
{
	GpuAggLowered both;

	output->final = GPUAGG_FINAL_COUNT;
	output->type = GPUAGG_T_INT8;
	output->count_index = -1;
	return gpuagg_lower_op(lw, GPUAGG_OP_F64_LE, GPUAGG_T_BOOL, &values[0], &values[1], NULL, 0,
						   &both) &&
		gpuagg_lower_count_value(lw, agg, before, &both,
								 gpuagg_call(GPUAGG_F_FLOAT8LE, list_make2(args[0], args[1])),
								 filter, &output->index);
}

bool
gpuagg_lower_statistic(GpuAggLower *lw, const Aggref *agg, const GpuAggLoweredFilter *filter,
					   bool *handled, GpuAggOutput *output)
{
	GpuAggLowered values[2];
	Expr	   *args[2];
	int			n = 0;
	GpuAggStatisticRow row;
	GpuAggMark	mark = gpuagg_lower_mark(lw);
	ListCell   *lc;

	*handled = gpuagg_lower_statistic_of(lw, agg->aggfnoid, &row);
	if (!*handled)
		return false;
	foreach(lc, agg->args)
	{
		args[n] = lfirst_node(TargetEntry, lc)->expr;
		if (!gpuagg_lower_expr(lw, args[n], &values[n]))
			return false;
		if (values[n++].type != row.type)
			return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
								 format_procedure(agg->aggfnoid));
	}
	if (row.statistic == GPUAGG_STATISTIC_REGR_COUNT &&
		gpuagg_lower_transition_beside(lw, agg, GPUAGG_TRANS_COMOMENTS_F64) == GPUAGG_NTRANSITIONS)
		return lower_pairs(lw, agg, mark, values, args, filter, output);
	output->final = row.final;
	output->type = row.type;
	output->statistic = row.statistic;
	return row.final == GPUAGG_FINAL_VARIANCE ?
		lower_variance(lw, values, args[0], filter, output) :
		lower_moments(lw, values, args, n, filter, output);
}
