/*
 * top_groups.h
 *		Which of its groups a query wants: LIMIT, ORDER BY and HAVING as far as a
 *		device can tell (device/answer.h).
 */
#ifndef GPUAGG_PLANNER_TOP_GROUPS_H
#define GPUAGG_PLANNER_TOP_GROUPS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "planner/plan/plan.h"

/* A grouping step, whose outputs are known */
typedef struct GpuAggTopGroups
{
	PlannerInfo *root;
	List	   *targets;		/* what stands above it */
	List	   *having;
	List	   *exprs;			/* of custom_scan_tlist, in the order of outputs */
	const GpuAggPlanInfo *info;
	const GpuAggProgram *program;	/* of the groups that outputs are of: those of the device, or
									 * that it makes of these */
} GpuAggTopGroups;

/*
 * Fills in info->wanted, and returns the expressions without Vars whose values it
 * needs when execution starts (plan.h).  Wanted are all groups, and the list is empty,
 * wherever leaving one out could show: an expression above the node might raise an
 * error for it.
 */
extern List *gpuagg_top_groups_plan(const GpuAggTopGroups *q, GpuAggWanted *wanted);

/* So many groups are returned, of those that are expected. */
extern double gpuagg_top_groups_estimate(const GpuAggWanted *wanted, PlannerInfo *root,
										 double groups);

#endif							/* GPUAGG_PLANNER_TOP_GROUPS_H */
