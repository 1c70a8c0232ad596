/*
 * agg_plan.h
 *		Groupings of the rows of a plan of PostgreSQL's: of what no device reads by itself.
 */
#ifndef GPUAGG_PLANNER_AGG_PLAN_H
#define GPUAGG_PLANNER_AGG_PLAN_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"

/*
 * May rows of PostgreSQL's plan for this input be sent to a device?  grouped_rel has
 * PostgreSQL's paths of the grouping.
 */
extern bool gpuagg_agg_plan_possible(PlannerInfo *root, RelOptInfo *input_rel,
									 RelOptInfo *grouped_rel);

/* Are there functions in the query that may run queries?  All that are not PostgreSQL's. */
extern bool gpuagg_agg_plan_own_functions(PlannerInfo *root);

/* Are rows locked, by FOR UPDATE and its like, in the query or in its subqueries? */
extern bool gpuagg_agg_plan_locks_rows(PlannerInfo *root);
extern bool gpuagg_agg_plan_reads_sets(PlannerInfo *root);

/* That plan, by one process or by Gather */
extern Path *gpuagg_agg_plan_scan_path(const GpuAggGrouping *g);

/* That plan with the outputs of the program as its target */
extern Path *gpuagg_agg_plan_row_path(const GpuAggGrouping *g);

/* A path that is never run, with these expressions */
extern Path *gpuagg_agg_plan_shown_path(const GpuAggGrouping *g, List *exprs);

/* What of the cost's input is the plan's */
extern void gpuagg_agg_plan_cost_input(const GpuAggGrouping *g, const Path *rows,
									   GpuAggCostInput *input);

#endif							/* GPUAGG_PLANNER_AGG_PLAN_H */
