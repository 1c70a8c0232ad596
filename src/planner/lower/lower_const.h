/*
 * lower_const.h
 *		Constants, and expressions without columns.
 */
#ifndef GPUAGG_PLANNER_LOWER_CONST_H
#define GPUAGG_PLANNER_LOWER_CONST_H

#include "postgres.h"

#include "planner/lower/lower.h"

extern bool gpuagg_lower_const(GpuAggLower *lw, Const *con, GpuAggLowered *out);

/* No column, aggregate or CASE value of the surroundings in it? */
extern bool gpuagg_lower_is_constant(Expr *expr);

/*
 * Could computing it raise an error?  false only for what surely cannot.
 * *foreign: it calls something that is not PostgreSQL's own.
 */
extern bool gpuagg_lower_const_may_fail(Expr *expr, bool *foreign);

/* An expression without columns, as a runtime constant. */
extern bool gpuagg_lower_const_expr(GpuAggLower *lw, Expr *expr,
									GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_CONST_H */
