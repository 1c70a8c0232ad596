/*
 * agg_tables.h
 *		Groupings of several tables: partitions, child tables, parts of a UNION ALL.
 */
#ifndef GPUAGG_PLANNER_AGG_TABLES_H
#define GPUAGG_PLANNER_AGG_TABLES_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"

/* Is what the grouping reads more than one table, or may be? */
extern bool gpuagg_agg_tables_several(PlannerInfo *root, RelOptInfo *rel);

/* Finds the tables; false: one of them is none whose pages a device may read. */
extern bool gpuagg_agg_tables_find(GpuAggGrouping *g);

/*
 * A program for each, the same one where it can be; false: refused.  Fills in lw and
 * what info has of programs with those of the first.
 */
extern bool gpuagg_agg_tables_lower(GpuAggGrouping *g);

/* What the device groups by, where that is finer than the query, over the fact */
extern List *gpuagg_agg_tables_keys(const GpuAggGrouping *g);

/*
 * Outputs of the first table's program become those over what the tables make together; false: they
 * cannot be told so
 */
extern bool gpuagg_agg_tables_outputs(const GpuAggGrouping *g, List **exprs);

/* When groups are estimated: whether tables of a program share a task */
extern void gpuagg_agg_tables_share(GpuAggGrouping *g);

/* Is there one task, whose groups are the query's? */
extern bool gpuagg_agg_tables_one_task(const GpuAggGrouping *g);

/* What of the cost's input is a sum over the tables */
extern void gpuagg_agg_tables_cost_input(const GpuAggGrouping *g, GpuAggCostInput *input);

/* A member's path with what is to be grouped as its target: an Append computes nothing */
extern Path *gpuagg_agg_tables_member_path(const GpuAggGrouping *g, RelOptInfo *rel, Path *path);

/* PostgreSQL's path for all of the rows, by one process; NULL: there is none */
extern Path *gpuagg_agg_tables_scan_path(const GpuAggGrouping *g);

/* An Append of SeqScans with the outputs of the program; of one table just that */
extern Path *gpuagg_agg_tables_row_path(GpuAggGrouping *g);

/*
 * What the plan says of programs and tables, and the runtime constants of them all, look-up tables'
 * last
 */
extern List *gpuagg_agg_tables_pack(const GpuAggGrouping *g);
extern List *gpuagg_agg_tables_runtime(const GpuAggGrouping *g);

#endif							/* GPUAGG_PLANNER_AGG_TABLES_H */
