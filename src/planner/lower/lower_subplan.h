/*
 * lower_subplan.h
 *		IN of subqueries; conditions of the filter.
 */
#ifndef GPUAGG_PLANNER_LOWER_SUBPLAN_H
#define GPUAGG_PLANNER_LOWER_SUBPLAN_H

#include "postgres.h"

#include "planner/lower/lower.h"

extern bool gpuagg_lower_subplan(GpuAggLower *lw, const SubPlan *subplan, GpuAggLowered *out);

/* A condition of the filter: an expression, of which NOT IN may change places with others */
extern bool gpuagg_lower_condition(GpuAggLower *lw, Expr *clause, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_SUBPLAN_H */
