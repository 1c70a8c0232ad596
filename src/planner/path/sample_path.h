/*
 * sample_path.h
 *		Adds GpuSample paths to scans of sampled tables.
 */
#ifndef GPUAGG_PLANNER_SAMPLE_PATH_H
#define GPUAGG_PLANNER_SAMPLE_PATH_H

#include "postgres.h"

/* The name of path, plan node and methods */
#define GPUAGG_SAMPLE_NODE_NAME "GpuSample"

/* Hangs on set_rel_pathlist_hook; called from _PG_init. */
extern void gpuagg_sample_path_init(void);

#endif							/* GPUAGG_PLANNER_SAMPLE_PATH_H */
