/*
 * agg_scan.h
 *		The CustomScan that a GpuAgg path becomes.
 */
#ifndef GPUAGG_PLANNER_AGG_SCAN_H
#define GPUAGG_PLANNER_AGG_SCAN_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "planner/path/agg_grouping.h"

/*
 * Tells the path how it becomes a plan.  runtime: all of custom_exprs.  outputs: NIL, or a List
 * of the one List of the program's outputs of a row that PostgreSQL joins.
 */
extern void gpuagg_agg_scan_of(CustomPath *path, const GpuAggGrouping *g, List *runtime,
							   List *outputs);

#endif							/* GPUAGG_PLANNER_AGG_SCAN_H */
