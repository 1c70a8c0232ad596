/*
 * agg_estimate.c
 *		How many rows, groups and pages a grouping has, as is expected (agg_estimate.h).
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "planner/estimate/group_estimate.h"
#include "planner/estimate/page_parts.h"
#include "planner/join/join_path.h"
#include "planner/path/agg_estimate.h"
#include "planner/path/agg_tables.h"
#include "planner/path/sample_clause.h"
#include "planner/regroup/regroup_plan.h"

double
gpuagg_agg_estimate_passed(const GpuAggGrouping *g)
{
	double		rows = g->input_rel->rows / gpuagg_join_repeats(g->lw);
	double		more = g->tables == NULL ? gpuagg_regroup_passing(g->regroup, g->fact) :
		g->tables->passed / Max(g->tables->kept, 1);

	return clamp_row_est(rows * more);
}

/* From so much of a table on that is kept PostgreSQL's plan is far from the device's. */
#define MOSTLY_KEPT 0.9

/* May earlier runs have had more groups than PostgreSQL expects (group_estimate.h)? */
static bool
may_be_more(const GpuAggGrouping *g)
{
	return g->info.regroup != NULL || g->folded || (g->tables == NULL && g->cached >= MOSTLY_KEPT);
}

static double
estimate_set(const GpuAggGrouping *g, Relation relation, List *keys, bool rises,
			 GpuAggGroupEstimate *estimate)
{
	*estimate = (GpuAggGroupEstimate) {.groups = 1,.postgres = 1,.bounded = 1};
	if (keys != NIL)
		gpuagg_group_estimate(g->root, g->input_rel, relation,
							  g->tables != NULL ? g->tables->pages : g->fact->pages,
							  keys, rises, estimate);
	return estimate->groups;
}

/*
 * Of the query, where the device's are finer; *bounded: without what earlier runs had;
 * *largest: of the set that has most.
 */
static double
estimate_made_groups(const GpuAggGrouping *g, Relation relation, double *bounded,
					 double *largest)
{
	const Query *parse = g->root->parse;
	GpuAggGroupEstimate estimate;
	double		groups = 0;
	ListCell   *lc;

	if (parse->groupingSets == NIL)
	{
		groups = estimate_set(g, relation,
							  get_sortgrouplist_exprs(g->clause, g->root->processed_tlist), false,
							  &estimate);
		*bounded = estimate.bounded;
		*largest = groups;
		return groups;
	}
	*bounded = *largest = 0;
	foreach(lc, parse->groupingSets)
	{
		List	   *keys = NIL;
		ListCell   *ref;

		foreach(ref, (List *) lfirst(lc))
			keys = lappend(keys, get_sortgroupref_tle(lfirst_int(ref),
													  g->root->processed_tlist)->expr);
		groups += estimate_set(g, relation, keys, false, &estimate);
		*bounded += estimate.bounded;
		*largest = Max(*largest, estimate.groups);
	}
	return groups;
}

/*
 * A sample, or a condition without columns, says nothing about the next run; nor do look-ups of
 * subqueries in the conditions of a table.
 */
void
gpuagg_agg_estimate_groups(GpuAggGrouping *g, Relation relation)
{
	GpuAggGroupEstimate estimate;
	List	   *keys = g->info.regroup == NULL ?
		get_sortgrouplist_exprs(g->clause, g->root->processed_tlist) :
		g->tables != NULL ? gpuagg_agg_tables_keys(g) : g->regroup->keys;

	(void) estimate_set(g, relation, keys, may_be_more(g), &estimate);
	g->info.est_groups = estimate.groups;
	g->bounded_groups = estimate.bounded;
	g->made_groups = g->info.regroup != NULL ?
		estimate_made_groups(g, relation, &g->bounded_groups, &g->info.regroup->largest) :
		estimate.groups;
	g->postgres_groups = estimate.postgres;
	if (g->info.gate < 0 && g->info.sample == GPUAGG_SAMPLE_NONE &&
		(g->info.nlookups == 0 || g->input_rel->reloptkind == RELOPT_JOINREL))
		g->info.seen = estimate.key;
}

void
gpuagg_agg_estimate_pages(GpuAggGrouping *g, Relation relation)
{
	const bool	drawn = g->info.sample == GPUAGG_SAMPLE_DRAWS;
	GpuAggPageParts parts;

	gpuagg_page_parts(relation, g->lw, gpuagg_sample_pages(g->info.sample, g->fact, relation),
					  &parts);
	g->drawn_pages = gpuagg_sample_drawn_pages(g->info.sample, relation);
	g->checked = parts.checked;
	g->compared = drawn ? 0 : parts.compared;
	g->gaps = drawn ? 0 : parts.gaps;
	g->recent = drawn ? 0 : parts.recent;
	/* of draws: or there would be no such path, gpuagg_sample_check_program() */
	g->cached = drawn ? 1 : parts.cached;
}
