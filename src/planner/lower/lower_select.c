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
 *	  never be raised (harmless.h);
 *	- one that might raise an error, by any that comes before it: where that
 *	  one guards it, the device's error would always end its task, and the
 *	  fallback plan, which keeps to PostgreSQL's order, find none.
 *
 * Conditions without columns stay with PostgreSQL, which tests them once,
 * above the node.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_select.h"
#include "planner/value/harmless.h"

static bool
clause_is_harmless(Node *clause)
{
	return !contain_volatile_functions(clause) && gpuagg_is_harmless(clause);
}

/*
 * acc (if there are any yet) AND this condition, perhaps only if it cannot
 * fail; false leaves all as it was.
 */
static bool
lower_clause(GpuAggLower *lw, Expr *clause, bool first, bool safe,
			 GpuAggLowered *acc)
{
	GpuAggMark	mark = gpuagg_lower_mark(lw);
	GpuAggLowered before = *acc;
	GpuAggLowered next;

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
	GpuAggLowered acc = {.reg = GPUAGG_NO_REG};
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
