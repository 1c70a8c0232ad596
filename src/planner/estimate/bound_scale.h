/*
 * bound_scale.h
 *		Bounds of an expression's values, and the scale on which their ranges lie: numbers as they
 *		are, dates and timestamps in microseconds.
 */
#ifndef GPUAGG_PLANNER_BOUND_SCALE_H
#define GPUAGG_PLANNER_BOUND_SCALE_H

#include "postgres.h"

typedef struct GpuAggValueBound
{
	double		values;			/* at most, without NULL; HUGE_VAL: not known */
	bool		nullable;

	/* range, on the scale above */
	bool		ranged;			/* it is known */
	double		low;
	double		high;
} GpuAggValueBound;

/* A value on the scale; false: of other types, or not finite */
extern bool gpuagg_bound_scalar(Oid type, Datum value, double *scalar);

/* Has the type such values? */
extern bool gpuagg_bound_has_scale(Oid type);

/* Multiples of step within the range; HUGE_VAL: that is not known, or step is 0 */
extern double gpuagg_bound_steps(const GpuAggValueBound *b, double step);

#endif							/* GPUAGG_PLANNER_BOUND_SCALE_H */
