/*
 * value_bound_function.h
 *		What functions make of the bounds of their arguments.
 */
#ifndef GPUAGG_PLANNER_VALUE_BOUND_FUNCTION_H
#define GPUAGG_PLANNER_VALUE_BOUND_FUNCTION_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "planner/estimate/bound_set.h"

/*
 * Lowers b, which has the combinations of arguments, to what the function can return of arguments
 * with these bounds, and sets between which values that lies; of NULL the set does not tell.
 */
extern void gpuagg_bound_function(Oid funcid, List *args, const GpuAggValueBound *bounds,
								  GpuAggValueBound *b);

#endif							/* GPUAGG_PLANNER_VALUE_BOUND_FUNCTION_H */
