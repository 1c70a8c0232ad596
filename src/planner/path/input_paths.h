/*
 * input_paths.h
 *		Paths of the inputs of joins that become look-up tables.
 */
#ifndef GPUAGG_PLANNER_INPUT_PATHS_H
#define GPUAGG_PLANNER_INPUT_PATHS_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"

/*
 * One for each input that the node has a plan of (gpuagg_join_is_child), in their order; try_table
 * as in agg_input.h
 */
extern List *gpuagg_input_paths(const GpuAggLower *lw, GpuAggTryTable try_table);

#endif							/* GPUAGG_PLANNER_INPUT_PATHS_H */
