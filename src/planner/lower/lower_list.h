/*
 * lower_list.h
 *		IN lists and arrays.
 */
#ifndef GPUAGG_PLANNER_LOWER_LIST_H
#define GPUAGG_PLANNER_LOWER_LIST_H

#include "postgres.h"

#include "planner/lower/lower.h"

extern bool gpuagg_lower_array_op(GpuAggLower *lw, ScalarArrayOpExpr *saop,
								  GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_LIST_H */
