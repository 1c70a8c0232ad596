/*
 * lower_select.c
 *		The filter of a scan that returns rows: which conditions go to the
 *		device.
 *
 * The device evaluates its conditions of all rows before PostgreSQL sees one,
 * so some must not pass by others:
 *	- one of a higher security level, by one that a policy or a
 *	  security-barrier view put below it: only those of the lowest level are
 *	  lowered, in whatever order;
 *	- any, by one that is left to PostgreSQL, comes before it in PostgreSQL's
 *	  order and might raise an error: for a row that the device drops it would
 *	  never be raised.  Comparisons and leakproof functions raise none;
 *	- one that might raise an error, by any that comes before it: where that
 *	  one guards it, the device's error would always end its task, and the
 *	  fallback plan, which keeps to PostgreSQL's order, find none.
 *
 * Conditions without columns stay with PostgreSQL, which tests them once,
 * above the node.
 */
#include "postgres.h"

#include "access/transam.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "planner/lower/lower.h"
#include "utils/lsyscache.h"

static bool
operator_is_harmless(const OpExpr *expr)
{
	if (expr->opno >= FirstGenbkiObjectId ||
		gpuagg_op_meanings(expr->opno) == NIL)
		return get_func_leakproof(get_opcode(expr->opno));

	/* an undetermined collation is an error */
	return OidIsValid(expr->inputcollid) ||
		!type_is_collatable(exprType(linitial(expr->args)));
}

/* Finds what might raise an error, or has effects. */
static bool
harm_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_List:
		case T_RelabelType:
		case T_CollateExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
			break;
		case T_OpExpr:
		case T_DistinctExpr:
			if (!operator_is_harmless((OpExpr *) node))
				return true;
			break;
		case T_FuncExpr:
			if (!get_func_leakproof(((FuncExpr *) node)->funcid))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, harm_walker, context);
}

static bool
clause_is_harmless(Node *clause)
{
	return !contain_volatile_functions(clause) && !harm_walker(clause, NULL);
}

/*
 * acc (if there are any yet) AND this condition, perhaps only if it cannot
 * fail; false leaves all as it was.
 */
static bool
lower_clause(GpuAggLower *lw, Expr *clause, bool first, bool safe,
			 GpuAggValue *acc)
{
	GpuAggMark	mark = gpuagg_lower_mark(lw);
	GpuAggValue before = *acc;
	GpuAggValue next;

	if (gpuagg_lower_expr(lw, clause, &next) && !(safe && next.may_fail))
	{
		if (first)
		{
			*acc = next;
			return true;
		}
		if (gpuagg_lower_and_qual(lw, acc, &next))
			return true;
	}
	gpuagg_lower_reset(lw, mark);
	*acc = before;
	return false;
}

List *
gpuagg_lower_selection(GpuAggLower *lw, List *clauses)
{
	bool		listening = gpuagg_refuse_pause();
	GpuAggValue acc = {.reg = GPUAGG_NO_REG};
	List	   *lowered = NIL;
	bool		passing = false;	/* by one that is left to PostgreSQL */
	ListCell   *lc;

	foreach(lc, gpuagg_order_quals(lw->root, clauses))
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant)
			continue;
		if (rinfo->security_level == lw->rel->baserestrict_min_security &&
			lower_clause(lw, rinfo->clause, lowered == NIL, passing, &acc))
			lowered = lappend(lowered, rinfo);
		else if (clause_is_harmless((Node *) rinfo->clause))
			passing = true;
		else
			break;
	}
	gpuagg_refuse_resume(listening);
	lw->select = true;
	lw->filter_reg = acc.reg;
	lw->filter_instrs = lw->ninstrs;
	return lowered;
}
