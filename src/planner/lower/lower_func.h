/*
 * lower_func.h
 *		Functions and operators.
 */
#ifndef GPUAGG_PLANNER_LOWER_FUNC_H
#define GPUAGG_PLANNER_LOWER_FUNC_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* opno: the operator that calls the function, for reasons; InvalidOid: none */
extern bool gpuagg_lower_function(GpuAggLower *lw, Oid funcid, Oid opno,
								  List *args, Oid collation,
								  GpuAggLowered *out);

/*
 * The operator behind a function that compares two values of one class for
 * equality as IN lists do; false: it is not such a function.  *negated: it
 * is <>.
 */
extern bool gpuagg_lower_is_equality(Oid funcid, bool *negated);

/* Does the function compare without trailing blanks, as char(n) does? */
extern bool gpuagg_lower_ignores_blanks(Oid funcid);

#endif							/* GPUAGG_PLANNER_LOWER_FUNC_H */
