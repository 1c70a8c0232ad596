/*
 * wanted_groups.h
 *		The groups that a query wants (planner/estimate/top_groups.h), with the values that
 *		LIMIT, OFFSET and the constants of HAVING have in this execution.
 */
#ifndef GPUAGG_NODE_WANTED_GROUPS_H
#define GPUAGG_NODE_WANTED_GROUPS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "planner/plan/plan.h"

typedef struct GpuAggWantedState
{
	const GpuAggWanted *wanted;
	List	   *exprs;			/* ExprStates. */
	Bitmapset  *params;			/* Parameters that these depend on. */
} GpuAggWantedState;

/* exprs: the plan's custom_exprs */
extern void gpuagg_wanted_init(GpuAggWantedState *state, const GpuAggWanted *wanted,
							   List *exprs, PlanState *ps);

/*
 * What to ask the device for.  Where a value is one that only PostgreSQL can judge,
 * all groups are.
 */
extern void gpuagg_wanted_evaluate(const GpuAggWantedState *state, ExprContext *econtext,
								   GpuAggAnswer *answer);

#endif							/* GPUAGG_NODE_WANTED_GROUPS_H */
