/*
 * regroup_order.h
 *		What of a regrouping's values in order a device may be asked for (device/ordered.h).
 */
#ifndef GPUAGG_PLANNER_PLAN_REGROUP_ORDER_H
#define GPUAGG_PLANNER_PLAN_REGROUP_ORDER_H

#include "postgres.h"

#include "device/ordered.h"
#include "device/program.h"
#include "nodes/pg_list.h"
#include "planner/plan/regroup.h"

/*
 * Rows of the order that the ordered-set aggregates among the outputs ask for, these given as
 * expressions or TargetEntrys; false: something else is made of the values, too.
 */
extern bool gpuagg_regroup_ordered(const GpuAggRegroup *plan, const GpuAggProgram *program,
								   const List *outputs, GpuAggOrdered *wish);

#endif							/* GPUAGG_PLANNER_PLAN_REGROUP_ORDER_H */
