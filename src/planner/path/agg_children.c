/*
 * agg_children.c
 *		Paths below a GpuAgg path (agg_children.h).
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "planner/lower/lower.h"
#include "planner/path/agg_children.h"
#include "planner/path/agg_plan.h"
#include "planner/path/agg_tables.h"
#include "planner/path/fallback_path.h"
#include "planner/path/sample_clause.h"

Path *
gpuagg_agg_group_path(GpuAggGrouping *g, Path *scan)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *expr;
	ListCell   *ref;

	forboth(expr, g->exprs, ref, g->refs)
		add_column_to_pathtarget(target, (Expr *) lfirst(expr), lfirst_int(ref));
	return gpuagg_fallback_path(
		g->root, g->grouped_rel, scan, set_pathtarget_cost_width(g->root, target), g->clause,
		gpuagg_grouping_is_partial(g) ? AGGSPLIT_INITIAL_SERIAL : AGGSPLIT_SIMPLE, g->made_groups);
}

Path *
gpuagg_agg_scan_path(const GpuAggGrouping *g)
{
	if (g->info.of_plan)
		return gpuagg_agg_plan_scan_path(g);
	return g->tables != NULL ? gpuagg_agg_tables_scan_path(g) :
		gpuagg_sample_scan_path(g->root, g->fact);
}

Path *
gpuagg_agg_fallback_path(GpuAggGrouping *g)
{
	return gpuagg_agg_group_path(g, g->fact == g->input_rel ? gpuagg_agg_scan_path(g) :
						 g->input_rel->cheapest_total_path);
}

Path *
gpuagg_agg_exprs_path(GpuAggGrouping *g, RelOptInfo *rel, List *exprs)
{
	return (Path *) create_projection_path(g->root, rel, create_seqscan_path(g->root, rel, NULL, 0),
										   gpuagg_grouping_target(g->root, exprs));
}

/*
 * Rows that it evaluates are in the sample already.  Rows that are joined it cannot evaluate:
 * then there are no outputs, and the conditions are for EXPLAIN.
 */
Path *
gpuagg_agg_row_path(GpuAggGrouping *g)
{
	if (g->info.of_plan)
		return gpuagg_agg_plan_row_path(g);
	if (g->tables != NULL)
		return gpuagg_agg_tables_row_path(g);
	return gpuagg_agg_exprs_path(g, g->fact, g->info.nlookups > 0 ? NIL :
						  gpuagg_lower_row_exprs(g->lw));
}
