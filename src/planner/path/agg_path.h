/*
 * agg_path.h
 *		Adds GpuAgg paths to grouping steps.
 */
#ifndef GPUAGG_PLANNER_AGG_PATH_H
#define GPUAGG_PLANNER_AGG_PATH_H

#include "postgres.h"

/* The name of path, plan node and methods */
#define GPUAGG_NODE_NAME "GpuAgg"

/* Hangs on create_upper_paths_hook; called from _PG_init. */
extern void gpuagg_agg_path_init(void);

#endif							/* GPUAGG_PLANNER_AGG_PATH_H */
