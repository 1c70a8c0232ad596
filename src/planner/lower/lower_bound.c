/*
 * lower_bound.c
 *		Comparisons with numerics of a join's input whose decimals are not known.
 *
 * No register has such a value.  But what it is compared with has a scale s, so it need only be
 * known between which decimals of that scale it lies.  Of v the input's table has
 *
 *		floor	the largest integer that is not greater than v * 10^s
 *		below	the largest one that is less
 *
 *		x <= v	x * 10^s <= floor		x > v	x * 10^s > floor
 *		x < v	x * 10^s <= below		x >= v	x * 10^s > below
 *		x = v	both x <= v and x >= v
 *
 * Of NaN and of what is beyond 64 bits both are the largest integer, which is exact: no x is
 * greater.  Below 64 bits there is no such bound; that is found out when the input is read
 * (gpuagg_numeric_bound()).
 *
 * v is a column, or what PostgreSQL computes of columns of this input: for each of its rows, those
 * that nothing is joined with, too, so it must be harmless; NULL where there is no row, so it must
 * be strict.  COALESCE of some is asked of one after the other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_bound.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_join.h"
#include "planner/value/harmless.h"
#include "utils/lsyscache.h"

/* What an expression is made of */
typedef struct Parts
{
	GpuAggLower *lw;
	GpuAggLookupLower *input;	/* that has all of its columns */
	bool		unscaled;		/* some decimals are not known */
} Parts;

/* Has it decimals that no device knows? */
static bool
is_unscaled(Node *node)
{
	uint8		type;
	GpuAggScale scale;

	if (IsA(node, OpExpr))
		return gpuagg_function_of(node)->digits == GPUAGG_DIGITS_QUOTIENT;
	return IsA(node, Var) && getBaseType(exprType(node)) == NUMERICOID &&
		(!gpuagg_constant_column(exprType(node), exprTypmod(node), &type, &scale) ||
		 gpuagg_scale_is_word(scale));
}

/* True: there are columns of something else. */
static bool
parts_walker(Node *node, void *context)
{
	Parts	   *parts = context;
	const Var  *var = (const Var *) node;
	GpuAggLookupLower *input;

	if (node == NULL)
		return false;
	parts->unscaled = parts->unscaled || is_unscaled(node);
	if (!IsA(node, Var))
		return expression_tree_walker(node, parts_walker, context);
	input = var->varlevelsup == 0 && var->varattno > 0 ?
		gpuagg_lower_find_lookup(parts->lw, var->varno) :
		NULL;
	if (input == NULL || (parts->input != NULL && parts->input != input))
		return true;
	parts->input = input;
	return false;
}

typedef struct Inside
{
	PlannerInfo *root;
	List	   *outputs;		/* of subqueries */
} Inside;

/* Columns of subqueries as these compute them, which tells how large they are */
static Node *
inside_mutator(Node *node, void *context)
{
	Inside	   *inside = context;
	const Var  *var = (const Var *) node;
	const RelOptInfo *rel;
	const TargetEntry *output;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, inside_mutator, context);
	rel = inside->root->simple_rel_array[var->varno];
	if (rel == NULL || rel->subroot == NULL || rel->subroot->parse->setOperations != NULL ||
		(output = get_tle_by_resno(rel->subroot->parse->targetList, var->varattno)) == NULL)
		return copyObject(node);
	inside->outputs = lappend(inside->outputs, output->expr);
	return copyObject((Node *) output->expr);
}

/* What is computed raises no error, whatever the columns are. */
static bool
is_harmless(const GpuAggLower *lw, Expr *expr)
{
	Inside		inside = {.root = lw->root};
	Node	   *computed = inside_mutator((Node *) expr, &inside);

	return gpuagg_is_harmless_above(computed, inside.outputs);
}

/* The input in whose table bounds of the expression may be; NULL: it has none, or needs none. */
static GpuAggLookupLower *
bounded_input(GpuAggLower *lw, Expr *expr)
{
	Parts		parts = {.lw = lw};

	if (lw->nlookups == 0 || getBaseType(exprType((Node *) expr)) != NUMERICOID ||
		parts_walker((Node *) expr, &parts) || !parts.unscaled || parts.input == NULL ||
		parts.input->closed || parts.input->folded || !is_harmless(lw, expr) ||
		contain_nonstrict_functions((Node *) expr) || contain_volatile_functions((Node *) expr))
		return NULL;
	return parts.input;
}

bool
gpuagg_lower_is_bounded(GpuAggLower *lw, Expr *expr)
{
	return bounded_input(lw, expr) != NULL;
}

List *
gpuagg_lower_bounded_choice(GpuAggLower *lw, Expr *expr)
{
	List	   *args = IsA(expr, CoalesceExpr) ? ((CoalesceExpr *) expr)->args : NIL;
	ListCell   *lc;

	foreach(lc, args)
	{
		if (gpuagg_lower_is_bounded(lw, lfirst(lc)))
			return args;
	}
	return NIL;
}

/* form: FLOOR or BELOW */
static bool
fetch_bound(GpuAggLower *lw, Expr *bounded, GpuAggScaleForm form, GpuAggScale scale,
			GpuAggLowered *out)
{
	GpuAggLookupLower *input = bounded_input(lw, bounded);
	Expr	   *column = gpuagg_lower_input_expr(input->rel, bounded);

	if (column == NULL)
		return GPUAGG_REFUSE("a joined subquery does not hand on a column that is needed");
	if (!gpuagg_lower_fetch(lw, input, column, GPUAGG_T_NUMERIC,
							gpuagg_scale_as(form, scale.digits), out))
		return false;
	out->scale = scale;
	out->shown = scale.digits;
	return true;
}

static bool
compare(GpuAggLower *lw, GpuAggOp op, const GpuAggLowered *x, Expr *bounded,
		GpuAggScaleForm form, GpuAggLowered *out)
{
	GpuAggLowered bound;

	return fetch_bound(lw, bounded, form, x->scale, &bound) &&
		gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, x, &bound, NULL, 0, out);
}

static bool
compare_equal(GpuAggLower *lw, const GpuAggLowered *x, Expr *bounded, GpuAggLowered *out)
{
	GpuAggLowered least;

	return compare(lw, GPUAGG_OP_I64_LE, x, bounded, GPUAGG_SCALE_FLOOR, out) &&
		compare(lw, GPUAGG_OP_I64_GT, x, bounded, GPUAGG_SCALE_BELOW, &least) &&
		gpuagg_lower_op(lw, GPUAGG_OP_AND, GPUAGG_T_BOOL, out, &least, NULL, 0, out);
}

bool
gpuagg_lower_compare_bounded(GpuAggLower *lw, GpuAggOp op, Expr *value, Expr *bounded,
							 GpuAggLowered *out)
{
	GpuAggLowered x;

	if (!gpuagg_lower_expr(lw, value, &x))
		return false;
	switch (op)
	{
		case GPUAGG_OP_I64_LE:
			return compare(lw, GPUAGG_OP_I64_LE, &x, bounded, GPUAGG_SCALE_FLOOR, out);
		case GPUAGG_OP_I64_LT:
			return compare(lw, GPUAGG_OP_I64_LE, &x, bounded, GPUAGG_SCALE_BELOW, out);
		case GPUAGG_OP_I64_GT:
			return compare(lw, GPUAGG_OP_I64_GT, &x, bounded, GPUAGG_SCALE_FLOOR, out);
		case GPUAGG_OP_I64_GE:
			return compare(lw, GPUAGG_OP_I64_GT, &x, bounded, GPUAGG_SCALE_BELOW, out);
		case GPUAGG_OP_I64_EQ:
			return compare_equal(lw, &x, bounded, out);
		default:
			return compare_equal(lw, &x, bounded, out) &&
				gpuagg_lower_op(lw, GPUAGG_OP_NOT, GPUAGG_T_BOOL, out, NULL, NULL, 0, out);
	}
}

bool
gpuagg_lower_bounded_nullness(GpuAggLower *lw, Expr *bounded, GpuAggLowered *out)
{
	return fetch_bound(lw, bounded, GPUAGG_SCALE_FLOOR, gpuagg_scale(0), out);
}
