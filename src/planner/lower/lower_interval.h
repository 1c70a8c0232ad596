/*
 * lower_interval.h
 *		Intervals.
 */
#ifndef GPUAGG_PLANNER_LOWER_INTERVAL_H
#define GPUAGG_PLANNER_LOWER_INTERVAL_H

#include "postgres.h"

#include "planner/lower/lower.h"

typedef enum GpuAggIntervalPart
{
	GPUAGG_PART_MONTHS,
	GPUAGG_PART_DAYS,
	GPUAGG_PART_TIME,			/* microseconds */
	GPUAGG_INTERVAL_PARTS
} GpuAggIntervalPart;

/* As PostgreSQL computes a part of an interval, and as a device does: all parts */
extern Expr *gpuagg_interval_part_expr(Expr *interval, GpuAggIntervalPart part);
extern bool gpuagg_lower_interval_parts(GpuAggLower *lw, Expr *expr, GpuAggLowered *parts);

/*
 * An interval of any form as the total that equal ones have, and the transition whose
 * result shows one of a group.
 */
extern bool gpuagg_lower_interval_key(GpuAggLower *lw, Expr *expr, GpuAggLowered *value,
									  int *code_index);

/* A span and a constant that can be one: both as spans */
extern bool gpuagg_lower_spans(GpuAggLower *lw, GpuAggLowered *a, GpuAggLowered *b);

#endif							/* GPUAGG_PLANNER_LOWER_INTERVAL_H */
