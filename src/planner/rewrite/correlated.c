/*
 * correlated.c
 *		Plans a query with its correlated subqueries as joined groupings, and without groupings by
 *		primary keys (correlated.h).
 *
 * PostgreSQL runs a subquery that depends on the row once for each row.  A copy of the query
 * has it as a grouping (correlated_rewrite.h).  Both are planned, because only whole plans
 * can be compared: the copy's is taken if a GpuAgg groups in it what was a subquery, and it
 * is cheaper; or if one groups anything else, and it is far cheaper.  So it is with copies whose
 * groupings are not narrowed, or whose IN is of no grouping by itself, where these are others.  A
 * copy without groupings by primary keys (unique_group.h) is planned likewise, if a GpuAgg groups
 * the rows that were groups.
 *
 * Cursors are left alone: WHERE CURRENT OF finds no row of a join, and the first rows of
 * a grouping come late.
 */
#include "postgres.h"

#include "compat.h"
#include "optimizer/planner.h"
#include "planner/offer/offer.h"
#include "planner/offer/path_cost.h"
#include "planner/plan/refuse.h"
#include "planner/rewrite/correlated.h"
#include "planner/rewrite/correlated_rewrite.h"
#include "planner/rewrite/unique_group.h"
#include "settings.h"

static planner_hook_type prev_planner_hook = NULL;

/*
 * So many times cheaper has a plan to be in which no device groups what was a subquery: the
 * estimates of subqueries are high, as if other conditions did not come before them.
 */
#define FAR_CHEAPER 10

/* How many groupings of a device the plan that is being made has; of these, of subqueries */
typedef struct Planned
{
	int			all;
	int			made;
} Planned;

static Planned planned;

/* Copies of a query, and what a survey is told if none is taken */
typedef struct Copies
{
	List	   *queries;		/* Query * */
	const char *no_device;		/* if no device has a plan of one */
	const char *dearer;			/* if the original's plan is cheaper */
} Copies;

void
gpuagg_correlated_planned(const PlannerInfo *root)
{
	planned.all++;
	if (gpuagg_correlated_is_made(root->parse) || gpuagg_unique_group_is_joined(root->parse))
		planned.made++;
}

/* No queries: there is nothing to rewrite; a survey is told why */
static Copies
rewritten_queries(const Query *query)
{
	bool		listening = gpuagg_offer_surveyed();
	bool		before = gpuagg_refuse_pause();
	Query	   *unique = NULL;
	Copies		copies = {
		.no_device = "a subquery that depends on the row could be a grouping, joined by what it depends on, but no device makes that grouping in PostgreSQL's plan of it",
		.dearer = "a subquery that depends on the row could be a grouping on the device, joined by what it depends on, but to run it for each row is estimated to be cheaper"};

	if (listening)
		gpuagg_refuse_begin(true);
	if (gpuagg_correlated_any(query))
		copies.queries = gpuagg_correlated_rewrite(query);
	if (copies.queries == NIL && gpuagg_unique_group_any(query))
		unique = gpuagg_correlated_rewrite_unique(query);
	if (unique != NULL)
		copies = (Copies){
			.queries = list_make1(unique),
			.no_device = "a subquery's groups are the rows of a table, which could be grouped as these, but no device does so in PostgreSQL's plan of it",
			.dearer = "a subquery's groups are the rows of a table, which could be grouped as these on the device, but to make the groups is estimated to be cheaper"};
	if (listening)
		gpuagg_offer_note(gpuagg_refuse_end());
	gpuagg_refuse_resume(before);
	return copies;
}

static PlannedStmt *
next_planner(GPUAGG_PLANNER_PARAMETERS)
{
	return prev_planner_hook ? prev_planner_hook(GPUAGG_PLANNER_ARGUMENTS) :
		standard_planner(GPUAGG_PLANNER_ARGUMENTS);
}

/* *groups: which groupings do devices make in it? */
static PlannedStmt *
plan_rewritten(Planned *groups, GPUAGG_PLANNER_PARAMETERS)
{
	const Planned outer = planned;
	PlannedStmt *stmt;

	planned = (Planned) {0};
	stmt = next_planner(GPUAGG_PLANNER_ARGUMENTS);
	*groups = planned;
	planned = outer;
	return stmt;
}

static void
note_dearer(const Copies *copies, const PlannedStmt *original, Cost least)
{
	char *reason = least < 0 ? pstrdup(copies->no_device) :
							   psprintf("%s (%.0f instead of %.0f)", copies->dearer,
										original->planTree->total_cost, least);

	gpuagg_offer_note(list_make1(reason));
}

/* What a survey has seen of plans that are not taken is forgotten. */
static PlannedStmt *
plan_cheapest(const Copies *copies, GPUAGG_PLANNER_PARAMETERS)
{
	GpuAggSurvey before = gpuagg_offer_seen();
	PlannedStmt *original = next_planner(GPUAGG_PLANNER_ARGUMENTS);
	GpuAggSurvey seen = gpuagg_offer_seen();
	PlannedStmt *best = original;
	Cost		least = -1;
	ListCell   *lc;

	if (!gpuagg_offer_surveyed() && original->planTree->total_cost <= gpuagg_cost_floor())
		return original;
	foreach(lc, copies->queries)
	{
		PlannedStmt *grouped;
		Planned		groups;
		Cost		cost;

		gpuagg_offer_forget(&before);
		parse = lfirst(lc);
		grouped = plan_rewritten(&groups, GPUAGG_PLANNER_ARGUMENTS);
		cost = grouped->planTree->total_cost;
		if (groups.made > 0 && (least < 0 || cost < least))
			least = cost;
		if (groups.all == 0 || cost >= best->planTree->total_cost ||
			(groups.made == 0 && FAR_CHEAPER * cost > original->planTree->total_cost))
			continue;
		best = grouped;
		seen = gpuagg_offer_seen();
	}
	gpuagg_offer_forget(&seen);
	if (best == original)
		note_dearer(copies, original, least);
	return best;
}

static PlannedStmt *
plan_query(GPUAGG_PLANNER_PARAMETERS)
{
	int			require = gpuagg_offer_require();
	Query	   *query = parse;
	Copies		copies = {0};
	ListCell   *lc;

	if ((options & CURSOR_OPT_FAST_PLAN) == 0 && require != GPUAGG_FORBID &&
		(gpuagg_correlated_any(parse) || gpuagg_unique_group_any(parse)) && gpuagg_offer_wanted())
		copies = rewritten_queries(parse);
	if (copies.queries != NIL && require == GPUAGG_ALLOW)
		return plan_cheapest(&copies, GPUAGG_PLANNER_ARGUMENTS);
	foreach(lc, copies.queries)
	{
		PlannedStmt *grouped;
		Planned		groups;

		parse = lfirst(lc);
		grouped = plan_rewritten(&groups, GPUAGG_PLANNER_ARGUMENTS);
		if (groups.made > 0)
			return grouped;
	}
	parse = query;
	return next_planner(GPUAGG_PLANNER_ARGUMENTS);
}

void
gpuagg_correlated_init(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = plan_query;
}
