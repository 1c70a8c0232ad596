/*
 * input_paths.h
 *		Paths of the inputs of joins that become look-up tables.
 */
#ifndef GPUAGG_PLANNER_INPUT_PATHS_H
#define GPUAGG_PLANNER_INPUT_PATHS_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* One for each input that the node has a plan of (gpuagg_join_is_child), in their order */
extern List *gpuagg_input_paths(const GpuAggLower *lw);

#endif							/* GPUAGG_PLANNER_INPUT_PATHS_H */
