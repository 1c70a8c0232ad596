/*
 * lower_subplan.c
 *		x IN (SELECT ...) that PostgreSQL does not plan as a join, NOT IN above all: the
 *		subquery's rows become a look-up table.
 *
 *		row = LOOKUP(x, table)
 *		x IN = row IS NOT NULL, else what IN is for a value without an equal one:
 *			false of no rows at all, NULL if x or one of them is NULL, else false
 *
 * What it is for a NULL, and for another value without an equal one, are two constants that
 * are filled in once the rows have been read (node/lookup/lookups.c).
 *
 * PostgreSQL runs the subquery when the first row asks, and so not at all if none does.  The
 * rows are read ahead here, so nothing in the subquery may raise an error.
 *
 * Does not handle: subqueries that are run for each row, comparisons of several columns,
 * subqueries below a subquery that is run for each row of another (their parameters change).
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_func.h"
#include "planner/lower/lower_join.h"
#include "planner/lower/lower_numeric.h"
#include "planner/lower/lower_subplan.h"
#include "planner/value/args.h"
#include "planner/value/harmless_query.h"

/* ------------------------------------------------------------- subquery --- */

static bool
check_subplan(const GpuAggLower *lw, const SubPlan *subplan)
{
	const PlannerInfo *subroot;

	if (subplan->subLinkType != ANY_SUBLINK || subplan->parParam != NIL || !subplan->useHashTable)
		return GPUAGG_REFUSE("a subquery has to be run for each row");
	if (!lw->subqueries)
		return GPUAGG_REFUSE("IN or NOT IN of a subquery, which is not supported here");
	if (!bms_is_empty(lw->root->outer_params))
		return GPUAGG_REFUSE("IN or NOT IN of a subquery, within a query that depends on another");
	subroot = list_nth_node(PlannerInfo, lw->root->glob->subroots, subplan->plan_id - 1);
	if (contain_volatile_functions((Node *) subroot->parse))
		return GPUAGG_REFUSE("IN or NOT IN of a subquery that calls a volatile function");
	if (!gpuagg_is_harmless_query(subroot->parse))
		return GPUAGG_REFUSE(
			"IN or NOT IN of a subquery that may raise an error, which PostgreSQL might not meet");
	return true;
}

/* ------------------------------------------------------------------ look-up --- */

/* x = column of the subquery, by an equality that rows are looked up by */
static bool
split_test(const SubPlan *subplan, Expr **x, Param **of, uint8 *type, GpuAggScale *scale)
{
	OpExpr	   *op = (OpExpr *) subplan->testexpr;
	Param	   *column;
	bool		negated;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2 || list_length(subplan->paramIds) != 1)
		return GPUAGG_REFUSE("IN or NOT IN compares several columns of a subquery");
	set_opfuncid(op);
	*x = gpuagg_arg(op->args, 0);
	column = gpuagg_arg(op->args, 1);
	while (IsA(column, RelabelType))
		column = (Param *) ((RelabelType *) column)->arg;
	*of = column;
	if (IsA(column, Param) && column->paramid == linitial_int(subplan->paramIds) &&
		gpuagg_lower_is_equality(op->opfuncid, &negated) && !negated &&
		gpuagg_constant_column(column->paramtype, column->paramtypmod, type, scale) &&
		gpuagg_lower_is_join_key(op->inputcollid, column->paramcollid, *type) &&
		gpuagg_lower_ignores_blanks(op->opfuncid) == (*type == GPUAGG_T_BPCHAR))
		return true;
	return GPUAGG_REFUSE("IN or NOT IN compares types in a way that is not supported");
}

/*
 * The subplan as the node has it among its expressions, for EXPLAIN: it is never evaluated,
 * and the columns of x are none of the node's.
 */
static SubPlan *
shown_subplan(const SubPlan *subplan)
{
	SubPlan    *shown = copyObjectImpl(subplan);
	OpExpr	   *op = (OpExpr *) shown->testexpr;
	Node	   *x = gpuagg_arg(op->args, 0);

	linitial(op->args) = makeNullConst(exprType(x), exprTypmod(x), exprCollation(x));
	return shown;
}

static GpuAggLookupLower *
add_subquery(GpuAggLower *lw, const SubPlan *subplan)
{
	const Plan *plan = list_nth(lw->root->glob->subplans, subplan->plan_id - 1);
	GpuAggLookupLower *lookup = gpuagg_lower_add_lookup(lw);

	if (lookup == NULL)
		return NULL;
	lookup->type = JOIN_ANTI;
	lookup->closed = true;
	lookup->subplan = subplan;
	lookup->rows = plan->plan_rows;
	lookup->runtime_exprs = list_make1(shown_subplan(subplan));
	return lookup;
}

static bool
answer_constant(GpuAggLower *lw, GpuAggLowered *out)
{
	GpuAggConstant c = gpuagg_constant_make(GPUAGG_T_BOOL, (Datum) 0, true);

	c.value.runtime = 1;
	return gpuagg_lower_constant(lw, c, out);
}

/* Of a value without an equal one */
static bool
lower_missed(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggLowered *x, GpuAggLowered *out)
{
	GpuAggLowered test;

	return gpuagg_lower_op(lw, GPUAGG_OP_IS_NULL, GPUAGG_T_BOOL, x, NULL, NULL, 0, &test) &&
		gpuagg_lower_select(lw, &test, &lookup->of_null, &lookup->of_missed, out);
}

bool
gpuagg_lower_subplan(GpuAggLower *lw, const SubPlan *subplan, GpuAggLowered *out)
{
	GpuAggLookupLower *lookup;
	GpuAggLowered probe;
	GpuAggLowered found;
	GpuAggLowered missed;
	GpuAggLowered yes;
	Expr	   *x;
	Param	   *column;
	uint8		type;
	GpuAggScale scale;

	if (!check_subplan(lw, subplan) || !split_test(subplan, &x, &column, &type, &scale) ||
		!gpuagg_lower_expr(lw, x, &probe) || (lookup = add_subquery(lw, subplan)) == NULL)
		return false;
	return gpuagg_lower_probe(lw, lookup, &probe, (Expr *) column, type, scale) &&
		answer_constant(lw, &lookup->of_null) && answer_constant(lw, &lookup->of_missed) &&
		gpuagg_lower_op(lw, GPUAGG_OP_IS_NOT_NULL, GPUAGG_T_BOOL, &lookup->row, NULL, NULL, 0,
						&found) &&
		lower_missed(lw, lookup, &probe, &missed) && gpuagg_lower_bool(lw, true, &yes) &&
		gpuagg_lower_select(lw, &found, &yes, &missed, out);
}

/*
 * A row is kept where the condition is true, so NOT IN is as good as never NULL, and may change
 * places with tests of other look-ups.
 */
bool
gpuagg_lower_condition(GpuAggLower *lw, Expr *clause, GpuAggLowered *out)
{
	const int	n = lw->nlookups;
	GpuAggLookupLower *lookup = &lw->lookups[n];

	if (!gpuagg_lower_expr(lw, clause, out))
		return false;
	if (lw->nlookups != n + 1 || !is_notclause(clause) || !IsA(get_notclausearg(clause), SubPlan))
		return true;
	if (!gpuagg_lower_op(lw, GPUAGG_OP_IS_TRUE, GPUAGG_T_BOOL, out, NULL, NULL, 0, out))
		return false;
	lookup->condition = clause;
	lookup->test = *out;
	lookup->moves = !out->may_fail;
	return true;
}
