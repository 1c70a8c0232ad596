/*
 * group_estimate.h
 *		How many groups a grouping on the device has.
 */
#ifndef GPUAGG_PLANNER_GROUP_ESTIMATE_H
#define GPUAGG_PLANNER_GROUP_ESTIMATE_H

#include "postgres.h"

#include "ipc/seen_groups.h"
#include "nodes/pathnodes.h"
#include "utils/rel.h"

typedef struct GpuAggGroupEstimate
{
	double		groups;
	double		postgres;		/* that PostgreSQL expects */
	GpuAggSeenKey key;			/* under which they are remembered */
} GpuAggGroupEstimate;

/* Of the rows of rel that pass its conditions, by these expressions, at least one */
extern void gpuagg_group_estimate(PlannerInfo *root, RelOptInfo *rel, Relation relation,
								  List *exprs, GpuAggGroupEstimate *estimate);

#endif							/* GPUAGG_PLANNER_GROUP_ESTIMATE_H */
