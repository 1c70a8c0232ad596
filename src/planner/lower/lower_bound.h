/*
 * lower_bound.h
 *		Comparisons with inputs' numerics that have no scale.
 */
#ifndef GPUAGG_PLANNER_LOWER_BOUND_H
#define GPUAGG_PLANNER_LOWER_BOUND_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* Is it a numeric of such an input, without a scale, of which the input's table may have bounds? */
extern bool gpuagg_lower_is_bounded(GpuAggLower *lw, Expr *expr);

/* COALESCE of values some of which are such numerics: these values; NIL: it is none */
extern List *gpuagg_lower_bounded_choice(GpuAggLower *lw, Expr *expr);

/* A value compared with such a numeric; op: a comparison of integers */
extern bool gpuagg_lower_compare_bounded(GpuAggLower *lw, GpuAggOp op, Expr *value, Expr *bounded,
										 GpuAggLowered *out);

/* Something that is NULL where such a numeric is */
extern bool gpuagg_lower_bounded_nullness(GpuAggLower *lw, Expr *bounded, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_BOUND_H */
