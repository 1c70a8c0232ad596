/*
 * lower_input.c
 *		Values of rows that a plan gives (of_plan).
 *
 * PostgreSQL evaluates keys, arguments and filters of such rows, all of them, in the target
 * list of the plan.  So an expression is a column of the program, whatever it is made of.
 * Any may be NULL.  What devices need besides (the place of an enum in its order, squares)
 * are instructions over columns as in every program; of rows that PostgreSQL has evaluated
 * no device runs them, for each transition's own expression is in the target list, too
 * (gpuagg_lower_row_exprs).
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_input.h"
#include "planner/lower/lower_input_digits.h"
#include "utils/builtins.h"

/* The column that has this value, found or added */
static bool
input_column(GpuAggLower *lw, Expr *expr, uint8 type, GpuAggScale scale, GpuAggLowered *out)
{
	int			i;

	for (i = 0; i < lw->ncolumns; i++)
		if (equal(list_nth(lw->inputs, lw->columns[i].attno - 1), expr))
			break;
	if (i == lw->ncolumns)
	{
		if (!gpuagg_lower_room(lw))
			return false;
		/* those of an attempt that was taken back are forgotten */
		lw->inputs = lappend(list_truncate(lw->inputs, i), copyObject(expr));
		lw->columns[i] = (GpuAggColumn) {
			.attno = i + 1,
			.type = type,
			.scale = scale,
			.missing = GPUAGG_NO_REG
		};
		lw->ncolumns++;
	}
	*out = (GpuAggLowered) {
		.reg = GPUAGG_VREG_COLUMN | i,
		.type = type,
		.scale = scale,
		.shown = scale.digits,
		.shown_reg = GPUAGG_NO_REG
	};
	return true;
}

/* A numeric without a declared scale: a word, and the value at a scale of the query's */
static bool
own_scale(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	GpuAggDigits digits;
	GpuAggLowered word;

	gpuagg_input_digits(lw->root, expr, &digits);
	if (!gpuagg_digits_fit(&digits))
		return GPUAGG_REFUSE("numerics of the plan's rows have more than %d digits",
							 GPUAGG_WORD_DIGITS);
	return input_column(lw, expr, GPUAGG_T_NUMERIC, gpuagg_scale_as(GPUAGG_SCALE_WORD, 0), &word) &&
		gpuagg_lower_word_scale(lw, &word, &digits, out);
}

bool
gpuagg_lower_input(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	uint8		type;
	GpuAggScale scale;

	if (!gpuagg_constant_column(exprType((Node *) expr), exprTypmod((Node *) expr), &type, &scale))
		return GPUAGG_REFUSE("type %s is not supported", format_type_be(exprType((Node *) expr)));
	return gpuagg_scale_is_word(scale) ? own_scale(lw, expr, out) :
		input_column(lw, expr, type, scale, out);
}

bool
gpuagg_lower_input_nulltest(GpuAggLower *lw, Expr *arg, bool is_null, GpuAggLowered *out)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = arg;
	test->nulltesttype = is_null ? IS_NULL : IS_NOT_NULL;
	test->location = -1;
	return input_column(lw, (Expr *) test, GPUAGG_T_BOOL, gpuagg_scale(0), out);
}
