/*
 * lower_key.h
 *		Group keys.
 */
#ifndef GPUAGG_PLANNER_LOWER_KEY_H
#define GPUAGG_PLANNER_LOWER_KEY_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* A group key; fills the output that shows it. */
extern bool gpuagg_lower_key(GpuAggLower *lw, Expr *expr, Oid eqop,
							 GpuAggOutput *output);

/* May equal values of the column look unlike each other? */
extern bool gpuagg_lower_looks_unlike_equals(const Var *var);

/*
 * What is stored of a column as a key, where equal values may look unlike each other or
 * the type is none that devices know
 */
extern bool gpuagg_lower_stored_key(GpuAggLower *lw, Var *var, GpuAggOutput *output);

/* A key of which no output exists: true for every row. */
extern bool gpuagg_lower_unit_key(GpuAggLower *lw);

#endif							/* GPUAGG_PLANNER_LOWER_KEY_H */
