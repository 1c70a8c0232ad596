/*
 * lower_numeric.c
 *		Decimals: numeric whose scale is known while planning.
 *
 * A register holds the value times 10^scale, as an int8.  Columns have the scale of
 * their typmod, constants their own, and of sums, differences and products it follows;
 * so arithmetic is that of int8, between values that are brought to one scale.  What
 * does not fit 64 bits is an error of the device, which leaves the query to PostgreSQL.
 *
 * How many decimals PostgreSQL shows is part of its answer.  Nearly always it is the
 * scale.  Where it depends on the row (CASE WHEN c THEN x ELSE 0 END shows no decimals
 * of the 0), a register tells, computed as the value is, and a sum shows the most of
 * its rows.
 *
 * A numeric that is known only when execution starts may have any scale.  It is
 * compared as its floor or ceiling at the other side's scale: x < $1 is x < ceil($1).
 *
 * Division has a file of its own (lower_quotient.c).
 *
 * Does not handle: NaN, infinities and long numbers, which decoding leaves to PostgreSQL row by
 * row.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "device/ops/instr.h"
#include "device/ops/ops_int.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower_bound.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_numeric.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

/* -------------------------------------------------------------- scales --- */

static void
set_scale(GpuAggLowered *value, int scale)
{
	value->scale = gpuagg_scale(scale);
	value->shown = scale;
	value->shown_reg = GPUAGG_NO_REG;
}

/* What a part of an expression shows, kept when the value changes its scale */
static void
copy_shown(GpuAggLowered *value, const GpuAggLowered *from)
{
	value->shown = from->shown;
	value->shown_reg = from->shown_reg;
}

static bool
decimal_constant(GpuAggLower *lw, int64 v, bool isnull, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_NUMERIC, Int64GetDatum(v),
														  isnull), out);
}

/* The value at a larger scale, showing what it showed */
static bool
raise_scale(GpuAggLower *lw, int scale, GpuAggLowered *value)
{
	GpuAggLowered from = *value;
	GpuAggLowered power;

	if (from.scale.digits == scale)
		return true;
	if (!decimal_constant(lw, gpuagg_power_of_ten(scale - from.scale.digits), false, &power) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_INT8_MUL, GPUAGG_T_NUMERIC, &from, &power, NULL, 0,
						 value))
		return false;
	value->scale = gpuagg_scale(scale);
	copy_shown(value, &from);
	return true;
}

static bool
is_null_constant(const GpuAggLower *lw, const GpuAggLowered *value)
{
	const GpuAggConst *c = &lw->consts[value->reg & GPUAGG_VREG_NUMBER].value;

	return (value->reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_CONST && !c->runtime &&
		c->state == GPUAGG_ST_NULL;
}

bool
gpuagg_lower_numeric_align(GpuAggLower *lw, GpuAggLowered *a, GpuAggLowered *b)
{
	int			scale = Max(a->scale.digits, b->scale.digits);

	/* NULL is of any scale, and remains a constant */
	if (is_null_constant(lw, a))
		a->scale = gpuagg_scale(scale);
	if (is_null_constant(lw, b))
		b->scale = gpuagg_scale(scale);
	return raise_scale(lw, scale, a) && raise_scale(lw, scale, b);
}

GpuAggScale
gpuagg_lower_numeric_scale(const GpuAggLowered *value)
{
	return gpuagg_scale_is_word(value->scale) ||
		(value->shown_reg == GPUAGG_NO_REG && value->shown == value->scale.digits) ?
		value->scale : gpuagg_scale_as(GPUAGG_SCALE_AT_MOST, value->scale.digits);
}

/* ------------------------------------------------------ decimals shown --- */

static bool
int4_constant(GpuAggLower *lw, int v, bool isnull, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_INT4, Int32GetDatum(v),
														  isnull), out);
}

/* As a register that need not be NULL where the value is */
static bool
shown_value(GpuAggLower *lw, const GpuAggLowered *value, GpuAggLowered *out)
{
	if (value->shown_reg == GPUAGG_NO_REG)
		return int4_constant(lw, value->shown, false, out);
	memset(out, 0, sizeof(*out));
	out->reg = value->shown_reg;
	out->type = GPUAGG_T_INT4;
	out->may_fail = value->may_fail;
	out->shown_reg = GPUAGG_NO_REG;
	return true;
}

bool
gpuagg_lower_numeric_shown(GpuAggLower *lw, const GpuAggLowered *value, GpuAggLowered *out)
{
	GpuAggLowered there;
	GpuAggLowered shown;
	GpuAggLowered null;

	return shown_value(lw, value, &shown) && int4_constant(lw, 0, true, &null) &&
		gpuagg_lower_op(lw, GPUAGG_OP_IS_NOT_NULL, GPUAGG_T_BOOL, value, NULL, NULL, 0,
						&there) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_INT4, &there, &shown, &null, 0, out);
}

bool
gpuagg_lower_numeric_word(GpuAggLower *lw, const GpuAggLowered *value, GpuAggLowered *out)
{
	GpuAggLowered shown;
	GpuAggLowered by;

	if (value->shown > GPUAGG_WORD_DECIMALS)
		return GPUAGG_REFUSE("a numeric that shows more than %d decimals is not supported here",
							 GPUAGG_WORD_DECIMALS);
	if (!shown_value(lw, value, &shown) ||
		!decimal_constant(lw, 1 << GPUAGG_WORD_BITS, false, &by) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_INT8_MUL, GPUAGG_T_NUMERIC, value, &by, NULL, 0, out) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_INT_OR, GPUAGG_T_NUMERIC, out, &shown, NULL, 0, out))
		return false;
	set_scale(out, value->scale.digits);
	out->scale.form = GPUAGG_SCALE_WORD;
	return true;
}

static bool
shows_the_same(const GpuAggLowered *a, const GpuAggLowered *b)
{
	return a->shown_reg == b->shown_reg &&
		(a->shown_reg != GPUAGG_NO_REG || a->shown == b->shown);
}

/* out shows the larger of both, or, of a product, their sum. */
static bool
combine_shown(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *a, const GpuAggLowered *b,
			  GpuAggLowered *out)
{
	GpuAggLowered x;
	GpuAggLowered y;
	GpuAggLowered shown;

	out->shown_reg = GPUAGG_NO_REG;
	out->shown = op == GPUAGG_OP_I64_MAX ? Max(a->shown, b->shown) : a->shown + b->shown;
	if (a->shown_reg == GPUAGG_NO_REG && b->shown_reg == GPUAGG_NO_REG)
		return true;
	if (!shown_value(lw, a, &x) || !shown_value(lw, b, &y) ||
		!gpuagg_lower_op(lw, op, GPUAGG_T_INT4, &x, &y, NULL, 0, &shown))
		return false;
	out->shown_reg = shown.reg;
	return true;
}

bool
gpuagg_lower_numeric_show(GpuAggLower *lw, const GpuAggLowered *value, const GpuAggLowered *more,
						  int most, GpuAggLowered *out)
{
	const bool	constant = (more->reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_CONST;
	const GpuAggLowered shows = {
		.shown = (uint8) most,
		.shown_reg = constant ? GPUAGG_NO_REG : more->reg,
		.may_fail = more->may_fail
	};

	return combine_shown(lw, GPUAGG_OP_I64_MAX, value, &shows, out);
}

/* out is a where `when`, else b. */
static bool
select_shown(GpuAggLower *lw, const GpuAggLowered *when, const GpuAggLowered *a,
			 const GpuAggLowered *b, GpuAggLowered *out)
{
	GpuAggLowered x;
	GpuAggLowered y;
	GpuAggLowered shown;

	copy_shown(out, is_null_constant(lw, a) ? b : a);
	if (shows_the_same(a, b) || is_null_constant(lw, a) || is_null_constant(lw, b))
		return true;
	if (!shown_value(lw, a, &x) || !shown_value(lw, b, &y) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_INT4, when, &x, &y, 0, &shown))
		return false;
	out->shown_reg = shown.reg;
	return true;
}

bool
gpuagg_lower_select(GpuAggLower *lw, const GpuAggLowered *when, const GpuAggLowered *a,
					const GpuAggLowered *b, GpuAggLowered *out)
{
	GpuAggLowered x = *a;
	GpuAggLowered y = *b;

	if (!gpuagg_lower_numeric_align(lw, &x, &y) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_SELECT, y.type, when, &x, &y, 0, out))
		return false;
	out->scale = x.scale;
	return y.type != GPUAGG_T_NUMERIC || select_shown(lw, when, &x, &y, out);
}

bool
gpuagg_lower_coalesce(GpuAggLower *lw, const GpuAggLowered *a, const GpuAggLowered *b,
					  GpuAggLowered *out)
{
	GpuAggLowered x = *a;
	GpuAggLowered y = *b;
	GpuAggLowered there;

	if (!gpuagg_lower_numeric_align(lw, &x, &y) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_COALESCE, y.type, &x, &y, NULL, 0, out))
		return false;
	if (y.type != GPUAGG_T_NUMERIC)
		return true;
	out->scale = x.scale;
	if (shows_the_same(&x, &y))
	{
		copy_shown(out, &x);
		return true;
	}
	return gpuagg_lower_op(lw, GPUAGG_OP_IS_NOT_NULL, GPUAGG_T_BOOL, &x, NULL, NULL, 0,
						   &there) &&
		select_shown(lw, &there, &x, &y, out);
}

/* ----------------------------------------------------------- constants --- */

bool
gpuagg_lower_numeric_const(GpuAggLower *lw, const Const *con, GpuAggLowered *out)
{
	Datum		scale;
	int64		v = 0;

	if (con->constisnull)
		return decimal_constant(lw, 0, true, out);
	if (numeric_is_nan(DatumGetNumeric(con->constvalue)) ||
		numeric_is_inf(DatumGetNumeric(con->constvalue)))
		return GPUAGG_REFUSE("NaN and infinities of numeric are not supported");
	scale = DirectFunctionCall1(numeric_scale, con->constvalue);
	if (DatumGetInt32(scale) > GPUAGG_MAX_SCALE ||
		!gpuagg_numeric_scaled(con->constvalue, false, DatumGetInt32(scale), &v))
		return GPUAGG_REFUSE("a numeric constant has more digits than 64 bits hold");
	if (!decimal_constant(lw, v, false, out))
		return false;
	set_scale(out, DatumGetInt32(scale));
	return true;
}

/* 10^n, as a Datum of numeric */
static Datum
power_datum(int n)
{
	return NumericGetDatum(int64_to_numeric(gpuagg_power_of_ten(n)));
}

bool
gpuagg_lower_numeric_floor(Datum value, int scale, int64 *floor, bool *integral)
{
	Datum		scaled;
	Datum		down;
	Datum		limit;

	if (numeric_is_nan(DatumGetNumeric(value)) ||
		numeric_is_inf(DatumGetNumeric(value)))
		return false;
	scaled = DirectFunctionCall2(numeric_mul, value, power_datum(scale));
	down = DirectFunctionCall1(numeric_floor, scaled);
	limit = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));
	if (DatumGetBool(DirectFunctionCall2(numeric_gt, down, limit)))
		return false;
	limit = NumericGetDatum(int64_to_numeric(PG_INT64_MIN));
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, down, limit)))
		return false;
	*floor = DatumGetInt64(DirectFunctionCall1(numeric_int8, down));
	*integral = DatumGetBool(DirectFunctionCall2(numeric_eq, down, scaled));
	return true;
}

/* --------------------------------------------------------- comparisons --- */

static bool
compare(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *a, const GpuAggLowered *b,
		GpuAggLowered *out)
{
	return gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, a, b, NULL, 0, out);
}

/* Of a value and a constant between two decimals of its scale, the floor given */
static GpuAggOp
against_floor(GpuAggOp op)
{
	return op == GPUAGG_OP_I64_LT || op == GPUAGG_OP_I64_LE ?
		GPUAGG_OP_I64_LE : GPUAGG_OP_I64_GT;
}

static bool
compare_with_const(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *value,
				   const Const *con, GpuAggLowered *out)
{
	GpuAggLowered bound;
	int64		floor = 0;
	bool		integral = true;

	if (!con->constisnull &&
		!gpuagg_lower_numeric_floor(con->constvalue, value->scale.digits, &floor, &integral))
		return GPUAGG_REFUSE("a numeric constant is beyond what 64 bits hold");
	if (!decimal_constant(lw, floor, con->constisnull, &bound))
		return false;
	if (integral)
		return compare(lw, op, value, &bound, out);
	if (op == GPUAGG_OP_I64_EQ)
		return compare(lw, GPUAGG_OP_I64_NE, value, value, out);
	if (op == GPUAGG_OP_I64_NE)
		return compare(lw, GPUAGG_OP_I64_EQ, value, value, out);
	return compare(lw, against_floor(op), value, &bound, out);
}

/* expr times 10^scale */
static Expr *
scaled_expr(Expr *expr, int scale)
{
	Datum		power = power_datum(scale);

	if (scale == 0)
		return expr;
	return gpuagg_call(GPUAGG_F_NUMERIC_MUL,
					   list_make2(expr, makeConst(NUMERICOID, -1, InvalidOid, -1, power, false,
												  false)));
}

/* That, rounded, as a runtime constant; what int8 does not hold is an error there. */
static bool
rounded_constant(GpuAggLower *lw, Expr *scaled, GpuAggFunctionId rounding, GpuAggLowered *out)
{
	Expr	   *whole = gpuagg_call(rounding, list_make1(scaled));

	return gpuagg_lower_const_expr(lw, gpuagg_call(GPUAGG_F_INT8_NUMERIC, list_make1(whole)), out);
}

/* x = (or <>) a constant that may lie between two decimals of x's scale */
static bool
compare_equal_later(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *value, Expr *scaled,
					GpuAggLowered *out)
{
	GpuAggOp	never = op == GPUAGG_OP_I64_EQ ? GPUAGG_OP_I64_NE : GPUAGG_OP_I64_EQ;
	Expr	   *whole = gpuagg_call(GPUAGG_F_FLOOR_NUMERIC, list_make1(scaled));
	GpuAggLowered bound;
	GpuAggLowered integral;
	GpuAggLowered otherwise;

	/* a NULL constant goes the way of an integral one: the answer is NULL */
	return rounded_constant(lw, scaled, GPUAGG_F_FLOOR_NUMERIC, &bound) &&
		gpuagg_lower_const_expr(lw, gpuagg_call(GPUAGG_F_NUMERIC_EQ, list_make2(scaled, whole)),
								&integral) &&
		gpuagg_lower_op(lw, GPUAGG_OP_IS_NOT_FALSE, GPUAGG_T_BOOL, &integral, NULL, NULL, 0,
						&integral) &&
		compare(lw, op, value, &bound, out) &&
		compare(lw, never, value, value, &otherwise) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_BOOL, &integral, out, &otherwise, 0,
						out);
}

/* Of an expression without columns, of any scale */
static bool
compare_later(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *value, Expr *constant,
			  GpuAggLowered *out)
{
	Expr	   *scaled = scaled_expr(constant, value->scale.digits);
	bool		up = op == GPUAGG_OP_I64_LT || op == GPUAGG_OP_I64_GE;
	GpuAggLowered bound;

	if (op == GPUAGG_OP_I64_EQ || op == GPUAGG_OP_I64_NE)
		return compare_equal_later(lw, op, value, scaled, out);
	return rounded_constant(lw, scaled, up ? GPUAGG_F_CEIL_NUMERIC : GPUAGG_F_FLOOR_NUMERIC,
							&bound) &&
		compare(lw, op, value, &bound, out);
}

static bool lower_comparison(GpuAggLower *lw, GpuAggOp op, Expr *left, Expr *right,
							 GpuAggLowered *out);

/* A value compared with the first that is not NULL */
static bool
compare_choice(GpuAggLower *lw, GpuAggOp op, Expr *value, List *choice, GpuAggLowered *out)
{
	if (!lower_comparison(lw, op, value, llast(choice), out))
		return false;
	for (int i = list_length(choice) - 2; i >= 0; i--)
	{
		Expr	   *arg = list_nth(choice, i);
		GpuAggLowered there;
		GpuAggLowered compared;

		if (!gpuagg_lower_nulltest(lw, arg, false, &there) ||
			!lower_comparison(lw, op, value, arg, &compared) ||
			!gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_BOOL, &there, &compared, out, 0, out))
			return false;
	}
	return true;
}

static bool
lower_comparison(GpuAggLower *lw, GpuAggOp op, Expr *left, Expr *right, GpuAggLowered *out)
{
	GpuAggLowered a;
	GpuAggLowered b;
	List	   *choice;

	if (gpuagg_lower_is_bounded(lw, left))
		return gpuagg_lower_compare_bounded(lw, gpuagg_op_commuted(op), right, left, out);
	if (gpuagg_lower_is_bounded(lw, right))
		return gpuagg_lower_compare_bounded(lw, op, left, right, out);
	if ((choice = gpuagg_lower_bounded_choice(lw, left)) != NIL)
		return compare_choice(lw, gpuagg_op_commuted(op), right, choice, out);
	if ((choice = gpuagg_lower_bounded_choice(lw, right)) != NIL)
		return compare_choice(lw, op, left, choice, out);
	if (gpuagg_lower_is_constant(left) && !gpuagg_lower_is_constant(right))
		return lower_comparison(lw, gpuagg_op_commuted(op), right, left, out);
	if (!gpuagg_lower_expr(lw, left, &a))
		return false;
	if (IsA(right, Const))
		return compare_with_const(lw, op, &a, (Const *) right, out);
	if (gpuagg_lower_is_constant(right))
		return compare_later(lw, op, &a, right, out);
	return gpuagg_lower_expr(lw, right, &b) && gpuagg_lower_numeric_align(lw, &a, &b) &&
		compare(lw, op, &a, &b, out);
}

bool
gpuagg_lower_by_numeric_comparison(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	return lower_comparison(lw, (GpuAggOp) call->function->op, gpuagg_arg(call->args, 0),
							gpuagg_arg(call->args, 1), out);
}

/* ---------------------------------------------------------- arithmetic --- */

/* + - % gcd lcm, between values of one scale */
bool
gpuagg_lower_by_aligned(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered v[2];

	if (!gpuagg_lower_args(lw, call, v) || !gpuagg_lower_numeric_align(lw, &v[0], &v[1]) ||
		!gpuagg_lower_op(lw, (GpuAggOp) call->function->op, GPUAGG_T_NUMERIC, &v[0], &v[1], NULL, 0,
						 out))
		return false;
	out->scale = v[0].scale;
	return combine_shown(lw, GPUAGG_OP_I64_MAX, &v[0], &v[1], out);
}

bool
gpuagg_lower_by_product(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered v[2];

	if (!gpuagg_lower_args(lw, call, v))
		return false;
	if (v[0].scale.digits + v[1].scale.digits > GPUAGG_MAX_SCALE ||
		v[0].shown + v[1].shown > PG_UINT8_MAX)
		return GPUAGG_REFUSE("a product of numerics has more than %d decimals",
							 GPUAGG_MAX_SCALE);
	if (!gpuagg_lower_op(lw, GPUAGG_OP_INT8_MUL, GPUAGG_T_NUMERIC, &v[0], &v[1], NULL, 0, out))
		return false;
	out->scale = gpuagg_scale(v[0].scale.digits + v[1].scale.digits);
	return combine_shown(lw, GPUAGG_OP_INT8_ADD, &v[0], &v[1], out);
}

/* An integer between -1 and 1 */
bool
gpuagg_lower_by_signum(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered a;
	GpuAggLowered least;
	GpuAggLowered most;

	if (!gpuagg_lower_args(lw, call, &a) ||
		!decimal_constant(lw, -1, false, &least) || !decimal_constant(lw, 1, false, &most) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_I64_MAX, GPUAGG_T_NUMERIC, &a, &least, NULL, 0, out) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_I64_MIN, GPUAGG_T_NUMERIC, out, &most, NULL, 0, out))
		return false;
	set_scale(out, 0);
	return true;
}

/* div(): a whole quotient, towards zero; decimals of one scale are divided as they are. */
bool
gpuagg_lower_by_whole_quotient(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered v[2];

	return gpuagg_lower_args(lw, call, v) && gpuagg_lower_numeric_align(lw, &v[0], &v[1]) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_DIV, GPUAGG_T_NUMERIC, &v[0], &v[1], NULL, 0, out);
}

/* - and abs, which change neither scale nor what is shown */
bool
gpuagg_lower_by_sign_alone(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered a;

	if (!gpuagg_lower_args(lw, call, &a) ||
		!gpuagg_lower_op(lw, (GpuAggOp) call->function->op, GPUAGG_T_NUMERIC, &a, NULL, NULL, 0,
						 out))
		return false;
	out->scale = a.scale;
	copy_shown(out, &a);
	return true;
}

/* The value with so many decimals, by that rule; more are zeros. */
static bool
to_scale(GpuAggLower *lw, GpuAggOp rule, int decimals, GpuAggLowered *value)
{
	GpuAggLowered from = *value;
	int			scale = Max(decimals, 0);

	if (scale > GPUAGG_MAX_SCALE || from.scale.digits - decimals > GPUAGG_MAX_SCALE)
		return GPUAGG_REFUSE("a numeric is rounded to digits that 64 bits do not hold");
	if (decimals >= from.scale.digits)
	{
		if (!raise_scale(lw, decimals, value))
			return false;
	}
	else if (!gpuagg_lower_op(lw, rule, GPUAGG_T_NUMERIC, &from, NULL, NULL,
							  from.scale.digits - decimals, value))
		return false;
	else if (decimals < 0)
	{
		set_scale(value, 0);
		if (!raise_scale(lw, -decimals, value))
			return false;
	}
	set_scale(value, scale);
	return true;
}

/* round, trunc, floor and ceil, to as many decimals as a second argument says, or to none */
bool
gpuagg_lower_by_rounded(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	Const	   *decimals = list_length(call->args) > 1 ? gpuagg_arg(call->args, 1) : NULL;
	int32		n = 0;

	if (decimals != NULL)
	{
		if (!IsA(decimals, Const) || decimals->constisnull)
			return GPUAGG_REFUSE("rounding of numeric needs a constant number of decimals");
		n = DatumGetInt32(decimals->constvalue);
	}
	if (n > GPUAGG_MAX_SCALE || n < -GPUAGG_MAX_SCALE)
		return GPUAGG_REFUSE("a numeric is rounded to digits that 64 bits do not hold");
	return gpuagg_lower_expr(lw, gpuagg_arg(call->args, 0), out) &&
		to_scale(lw, (GpuAggOp) call->function->op, n, out);
}

/* ---------------------------------------------------------------- casts --- */

/*
 * numeric(p, s): rounds, and has at most p digits; of s below 0 the last -s before the point are
 * zeros
 */
bool
gpuagg_lower_by_declared_numeric(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const Const *typmod = gpuagg_arg(call->args, 1);
	GpuAggLowered value;
	int			digits;
	int			scale;

	if (!gpuagg_lower_expr(lw, gpuagg_arg(call->args, 0), &value))
		return false;
	if (!IsA(typmod, Const) || typmod->constisnull ||
		DatumGetInt32(typmod->constvalue) < (int32) VARHDRSZ)
		return GPUAGG_REFUSE("a cast to numeric without a constant scale is not supported");
	scale = gpuagg_numeric_typmod_scale(DatumGetInt32(typmod->constvalue));
	digits = gpuagg_numeric_typmod_precision(DatumGetInt32(typmod->constvalue)) - Min(scale, 0);
	if (!to_scale(lw, GPUAGG_OP_DECIMAL_ROUND, scale, &value))
		return false;
	*out = value;
	if (digits > GPUAGG_MAX_SCALE)
		return true;
	if (!gpuagg_lower_op(lw, GPUAGG_OP_DECIMAL_FITS, GPUAGG_T_NUMERIC, &value, NULL, NULL,
						 digits, out))
		return false;
	set_scale(out, Max(scale, 0));
	return true;
}

bool
gpuagg_lower_by_numeric_to_integer(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const uint8 type = call->function->type;

	if (!gpuagg_lower_args(lw, call, out) ||
		!to_scale(lw, GPUAGG_OP_DECIMAL_ROUND, 0, out))
		return false;
	if (type != GPUAGG_T_INT8)
		return gpuagg_lower_op(lw, type == GPUAGG_T_INT2 ? GPUAGG_OP_TO_INT2 :
							   GPUAGG_OP_TO_INT4, type, out, NULL, NULL, 0, out);
	out->type = type;
	return true;
}

/*
 * A quotient of two doubles that are exact is rounded once, as PostgreSQL's reading of
 * the decimal is.  float4 would be rounded twice.
 */
bool
gpuagg_lower_by_numeric_to_float(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const uint8 type = call->function->type;
	GpuAggConstant power;
	GpuAggLowered by;
	double		divisor;

	if (!gpuagg_lower_args(lw, call, out))
		return false;
	if (out->scale.digits == 0)
		return gpuagg_lower_op(lw, type == GPUAGG_T_FLOAT8 ? GPUAGG_OP_INT_TO_FLOAT8 :
							   GPUAGG_OP_INT_TO_FLOAT4, type, out, NULL, NULL, 0, out);
	if (type != GPUAGG_T_FLOAT8)
		return GPUAGG_REFUSE("a cast of numeric to real is not supported");
	divisor = (double) gpuagg_power_of_ten(out->scale.digits);
	power = gpuagg_constant_make(GPUAGG_T_FLOAT8, Float8GetDatum(divisor), false);
	return gpuagg_lower_op(lw, GPUAGG_OP_TO_EXACT_DOUBLE, GPUAGG_T_NUMERIC, out, NULL, NULL,
						   0, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_T_FLOAT8, out, NULL, NULL, 0,
						out) &&
		gpuagg_lower_constant(lw, power, &by) &&
		gpuagg_lower_op(lw, GPUAGG_OP_FLOAT8_DIV, GPUAGG_T_FLOAT8, out, &by, NULL, 0, out);
}
