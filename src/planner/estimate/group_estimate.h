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
	double		bounded;		/* that there can be, whatever earlier runs had */
	GpuAggSeenKey key;			/* under which they are remembered */
} GpuAggGroupEstimate;

/*
 * Of the rows of rel, a table or a join, that pass its conditions, by these
 * expressions, at least one.  relation: the table, a join's largest one, or the one above several
 * tables, which has so many pages; NULL: there is none.  rises: earlier runs may have had more than
 * PostgreSQL expects.
 */
extern void gpuagg_group_estimate(PlannerInfo *root, RelOptInfo *rel, Relation relation,
								  BlockNumber pages, List *exprs, bool rises,
								  GpuAggGroupEstimate *estimate);

#endif							/* GPUAGG_PLANNER_GROUP_ESTIMATE_H */
