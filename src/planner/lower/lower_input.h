/*
 * lower_input.h
 *		What a plan's rows give for expressions.
 */
#ifndef GPUAGG_PLANNER_LOWER_INPUT_H
#define GPUAGG_PLANNER_LOWER_INPUT_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* what a plan gives for this expression (of_plan) */
extern bool gpuagg_lower_input(GpuAggLower *lw, Expr *expr, GpuAggLowered *out);
extern bool gpuagg_lower_input_nulltest(GpuAggLower *lw, Expr *arg, bool is_null,
										GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_INPUT_H */
