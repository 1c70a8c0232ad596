/*
 * agg_input.h
 *		The grouping of a join's input by the keys that it is looked up by.
 */
#ifndef GPUAGG_PLANNER_AGG_INPUT_H
#define GPUAGG_PLANNER_AGG_INPUT_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"

/*
 * A GpuAgg path of one table that gives the target, keys and aggregates; clauses are
 * SortGroupClauses of its keys.  scan has what both need of the table, keys with the same
 * numbers.  NULL: no device does it.  try_table: that is a step of planning inside of another
 * one, which is the caller's.
 */
extern Path *gpuagg_agg_input_path(PlannerInfo *root, const RelOptInfo *rel, PathTarget *scan,
								   PathTarget *target, List *clauses, GpuAggTryTable try_table);

#endif							/* GPUAGG_PLANNER_AGG_INPUT_H */
