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

#endif							/* GPUAGG_PLANNER_JOIN_BUILD_H */
