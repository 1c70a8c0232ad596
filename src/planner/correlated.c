/*
 * correlated.c
 *		Plans a query with its correlated subqueries as joined groupings (correlated.h).
 *
 * PostgreSQL runs a subquery that depends on the row once for each row.  A copy of the query
 * has it as a grouping (correlated_rewrite.h).  Both are planned, because only whole plans
 * can be compared: the copy's is taken if a GpuAgg groups in it what was a subquery, and it
 * is cheaper.
 *
 * Cursors are left alone: WHERE CURRENT OF finds no row of a join, and the first rows of
 * a grouping come late.
 */
#include "postgres.h"

#include "compat.h"
#include "optimizer/planner.h"
#include "planner/correlated.h"
#include "planner/correlated_rewrite.h"
#include "planner/offer.h"
#include "planner/path_cost.h"
#include "planner/refuse.h"
#include "settings.h"

static planner_hook_type prev_planner_hook = NULL;

/* How many such groupings the plan that is being made has */
static int	planned;

void
gpuagg_correlated_planned(const PlannerInfo *root)
{
	if (gpuagg_correlated_is_made(root->parse))
		planned++;
}

/* NULL: there is nothing to rewrite; a survey is told why */
static Query *
rewritten_query(const Query *query)
{
	bool		listening = gpuagg_offer_surveyed();
	bool		before = gpuagg_refuse_pause();
	Query	   *rewritten;

	if (listening)
		gpuagg_refuse_begin(true);
	rewritten = gpuagg_correlated_rewrite(query);
	if (listening)
		gpuagg_offer_note(gpuagg_refuse_end());
	gpuagg_refuse_resume(before);
	return rewritten;
}

static PlannedStmt *
next_planner(GPUAGG_PLANNER_PARAMETERS)
{
	return prev_planner_hook ? prev_planner_hook(GPUAGG_PLANNER_ARGUMENTS) :
		standard_planner(GPUAGG_PLANNER_ARGUMENTS);
}

/* NULL: the device makes no grouping of the subqueries */
static PlannedStmt *
plan_rewritten(GPUAGG_PLANNER_PARAMETERS)
{
	int			outer = planned;
	PlannedStmt *stmt;
	bool		taken;

	planned = 0;
	stmt = next_planner(GPUAGG_PLANNER_ARGUMENTS);
	taken = planned > 0;
	planned = outer;
	return taken ? stmt : NULL;
}

/* What is noted of the plan that is not taken is forgotten. */
static PlannedStmt *
plan_cheaper(Query *rewritten, GPUAGG_PLANNER_PARAMETERS)
{
	GpuAggSurvey before = gpuagg_offer_seen();
	PlannedStmt *original = next_planner(GPUAGG_PLANNER_ARGUMENTS);
	GpuAggSurvey after = gpuagg_offer_seen();
	PlannedStmt *grouped;

	if (!gpuagg_offer_surveyed() && original->planTree->total_cost <= gpuagg_cost_floor())
		return original;
	gpuagg_offer_forget(&before);
	parse = rewritten;
	grouped = plan_rewritten(GPUAGG_PLANNER_ARGUMENTS);
	if (grouped != NULL && grouped->planTree->total_cost < original->planTree->total_cost)
		return grouped;
	gpuagg_offer_forget(&after);
	gpuagg_offer_note(list_make1(grouped == NULL ?
								 pstrdup("a subquery that depends on the row could be a grouping, joined by what it depends on, but PostgreSQL's plan of that does not group on the device") :
								 psprintf("a subquery that depends on the row could be a grouping on the device, joined by what it depends on, but running it for each row is estimated to be cheaper (%.0f instead of %.0f)",
										  original->planTree->total_cost, grouped->planTree->total_cost)));
	return original;
}

static PlannedStmt *
plan_query(GPUAGG_PLANNER_PARAMETERS)
{
	int			require = gpuagg_offer_require();
	Query	   *query = parse;
	Query	   *rewritten = NULL;
	PlannedStmt *grouped;

	if ((options & CURSOR_OPT_FAST_PLAN) == 0 && require != GPUAGG_FORBID &&
		gpuagg_correlated_any(parse) && gpuagg_offer_wanted())
		rewritten = rewritten_query(parse);
	if (rewritten == NULL)
		return next_planner(GPUAGG_PLANNER_ARGUMENTS);
	if (require == GPUAGG_ALLOW)
		return plan_cheaper(rewritten, GPUAGG_PLANNER_ARGUMENTS);
	parse = rewritten;
	grouped = plan_rewritten(GPUAGG_PLANNER_ARGUMENTS);
	parse = query;
	return grouped != NULL ? grouped : next_planner(GPUAGG_PLANNER_ARGUMENTS);
}

void
gpuagg_correlated_init(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = plan_query;
}
