/*
 * lower_numeric_later.h
 *		Decimals that are known when the query runs.
 */
#ifndef GPUAGG_PLANNER_LOWER_NUMERIC_LATER_H
#define GPUAGG_PLANNER_LOWER_NUMERIC_LATER_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* of an expression without columns that is no Const */
extern bool gpuagg_lower_numeric_later(GpuAggLower *lw, Expr *expr, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_NUMERIC_LATER_H */
