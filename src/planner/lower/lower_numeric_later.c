/*
 * lower_numeric_later.c
 *		Numerics that are known only when execution starts: parameters, results of
 *		sub-selects, and what is computed of these alone.
 *
 * Such a value may have any number of decimals, while a register has a scale that is known
 * when the query is planned.  The scale is that of a declared type, or as many decimals as
 * the sub-select's own columns let expect; of a parameter nothing is known, so there are
 * some: of a single factor as many as exchange rates have, of several fewer, for a product has
 * those of all.  How many of them PostgreSQL shows is a second constant.  A value of more decimals,
 * NaN and infinities are an error of the constant, which leaves the query to the fallback plan
 * before a page is read.
 *
 * Comparisons do not come here: they need no scale (lower_numeric.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_input_digits.h"
#include "planner/lower/lower_numeric_later.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

/* Decimals of a value of which nothing is known, and of several that are multiplied */
#define UNKNOWN_DECIMALS 6
#define UNKNOWN_FACTOR_DECIMALS 4

/* Counts the parameters that are multiplied */
typedef struct Factors
{
	bool		multiplied;
	int			params;
} Factors;

static bool
factors_walker(Node *node, void *context)
{
	Factors    *found = context;
	Factors		inside = *found;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
		found->params += found->multiplied;
	if (gpuagg_function_of(node)->digits != GPUAGG_DIGITS_PRODUCT)
		return expression_tree_walker(node, factors_walker, context);
	inside.multiplied = true;
	(void) expression_tree_walker(node, factors_walker, &inside);
	found->params = inside.params;
	return false;
}

static int
unknown_decimals(const GpuAggLower *lw)
{
	Factors		found = {0};

	(void) query_tree_walker(lw->root->parse, factors_walker, &found, QTW_IGNORE_RANGE_TABLE);
	return found.params > 1 ? UNKNOWN_FACTOR_DECIMALS : UNKNOWN_DECIMALS;
}

static Expr *
decimal(Datum value)
{
	return (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1, value, false, false);
}

static Expr *
power_of_ten(int n)
{
	return decimal(NumericGetDatum(int64_to_numeric(gpuagg_power_of_ten(n))));
}

/* What no int8 holds */
static Expr *
too_large(void)
{
	Datum		limit = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));

	return gpuagg_call(GPUAGG_F_INT8_NUMERIC,
					   list_make1(decimal(DirectFunctionCall2(numeric_mul, limit, limit))));
}

static CaseWhen *
branch(Expr *condition, Expr *result)
{
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = condition;
	when->result = result;
	when->location = -1;
	return when;
}

/* x times 10^scale where that is a whole number, NULL of NULL; else an error */
static Expr *
scaled(Expr *x, Expr *decimals, int scale)
{
	Expr	   *most = (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
										  Int32GetDatum(scale), false, true);
	Expr	   *product = gpuagg_call(GPUAGG_F_NUMERIC_MUL, list_make2(x, power_of_ten(scale)));
	NullTest   *test = makeNode(NullTest);
	CaseExpr   *expr = makeNode(CaseExpr);

	test->arg = x;
	test->nulltesttype = IS_NULL;
	test->location = -1;
	expr->casetype = INT8OID;
	expr->args = list_make2(branch(gpuagg_call(GPUAGG_F_INT4LE, list_make2(decimals, most)),
								   gpuagg_call(GPUAGG_F_INT8_NUMERIC, list_make1(product))),
							branch((Expr *) test, (Expr *) makeNullConst(INT8OID, -1, InvalidOid)));
	expr->defresult = too_large();
	expr->location = -1;
	return (Expr *) expr;
}

bool
gpuagg_lower_numeric_later(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	Expr	   *decimals = gpuagg_call(GPUAGG_F_SCALE, list_make1(expr));
	GpuAggDigits digits;
	GpuAggLowered shown;
	int			scale;

	gpuagg_input_digits(lw->root, expr, &digits);
	scale = digits.any ? digits.behind : unknown_decimals(lw);
	if (scale > GPUAGG_MAX_SCALE)
		return GPUAGG_REFUSE("a numeric that is known when the query runs, a quotient or an average, has more decimals than 64 bits hold");
	if (!gpuagg_lower_runtime(lw, scaled(expr, decimals, scale), GPUAGG_T_NUMERIC, true, out) ||
		!gpuagg_lower_runtime(lw, decimals, GPUAGG_T_INT4, true, &shown))
		return false;
	out->scale = gpuagg_scale(scale);
	out->shown = scale;
	out->shown_reg = shown.reg;
	return true;
}
