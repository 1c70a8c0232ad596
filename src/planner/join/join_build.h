/*
 * join_build.h
 *		Inputs of joins that a device can make look-up tables of, from columns that it
 *		keeps: plain scans of a table.
 */
#ifndef GPUAGG_PLANNER_JOIN_BUILD_H
#define GPUAGG_PLANNER_JOIN_BUILD_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * The program that makes the input's table, if there is one: fills in what *plan has of
 * it, and the expressions of its runtime constants.
 */
extern void gpuagg_join_build(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggLookupPlan *plan);

/* gpuagg_join_build of the subquery of IN, or NOT IN */
extern void gpuagg_join_build_subquery(GpuAggLower *lw, GpuAggLookupLower *lookup,
									   GpuAggLookupPlan *plan);

/*
 * Once all are: a table and those that number its keys are made by the device together, or none
 * of them is.
 */
extern void gpuagg_join_build_helped(GpuAggLower *lw, GpuAggLookupPlan *plans);

#endif							/* GPUAGG_PLANNER_JOIN_BUILD_H */
