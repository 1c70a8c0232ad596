/*
 * agg_children.h
 *		Paths below a GpuAgg path: what answers in its place, and what evaluates single rows.
 */
#ifndef GPUAGG_PLANNER_AGG_CHILDREN_H
#define GPUAGG_PLANNER_AGG_CHILDREN_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"

/* PostgreSQL's scan of what is grouped: SeqScan, SampleScan, or an Append of them; or any plan */
extern Path *gpuagg_agg_scan_path(const GpuAggGrouping *g);

/* PostgreSQL's aggregation of such a one, with the columns of custom_scan_tlist */
extern Path *gpuagg_agg_group_path(GpuAggGrouping *g, Path *scan);

/* PostgreSQL's aggregation over that scan, or the joins */
extern Path *gpuagg_agg_fallback_path(GpuAggGrouping *g);

/* SeqScan with these expressions */
extern Path *gpuagg_agg_exprs_path(GpuAggGrouping *g, RelOptInfo *rel, List *exprs);

/* With the outputs of the program, repeated ones included */
extern Path *gpuagg_agg_row_path(GpuAggGrouping *g);

#endif							/* GPUAGG_PLANNER_AGG_CHILDREN_H */
