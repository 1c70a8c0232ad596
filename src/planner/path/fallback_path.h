/*
 * fallback_path.h
 *		PostgreSQL's own aggregation, as the fallback plan of a GpuAgg path.
 */
#ifndef GPUAGG_PLANNER_FALLBACK_PATH_H
#define GPUAGG_PLANNER_FALLBACK_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * The groups of scan by clause, or the query's grouping sets, with this target.  Neither
 * HAVING nor parallel.  Not of grouping sets: their states only, or what is made of
 * states.
 */
extern Path *gpuagg_fallback_path(PlannerInfo *root, RelOptInfo *rel, Path *scan,
								  PathTarget *target, List *clause, AggSplit split,
								  double groups);

#endif							/* GPUAGG_PLANNER_FALLBACK_PATH_H */
