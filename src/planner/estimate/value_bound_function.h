/*
 * value_bound_function.h
 *		What functions make of the bounds of their arguments.
 */
#ifndef GPUAGG_PLANNER_VALUE_BOUND_FUNCTION_H
#define GPUAGG_PLANNER_VALUE_BOUND_FUNCTION_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "planner/estimate/value_bound.h"

/* A value on the scale of a bound's range; false: of other types, or not finite */
extern bool gpuagg_bound_scalar(Oid type, Datum value, double *scalar);

/* Has the type such values? */
extern bool gpuagg_bound_has_scale(Oid type);

/* Multiples of step within the range; HUGE_VAL: that is not known, or step is 0 */
extern double gpuagg_bound_steps(const GpuAggValueBound *b, double step);

/*
 * Lowers b, which has the combinations of arguments, to what the function can return
 * of arguments with these bounds, and sets its range where that is known.
 */
extern void gpuagg_bound_function(Oid funcid, List *args, const GpuAggValueBound *bounds,
								  GpuAggValueBound *b);

#endif							/* GPUAGG_PLANNER_VALUE_BOUND_FUNCTION_H */
