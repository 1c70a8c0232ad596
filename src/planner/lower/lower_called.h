/*
 * lower_called.h
 *		What only PostgreSQL computes of the strings of a column that is kept.
 */
#ifndef GPUAGG_PLANNER_LOWER_CALLED_H
#define GPUAGG_PLANNER_LOWER_CALLED_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * The expression as an instruction, CALLED, whose values PostgreSQL gives for each of the column's
 * strings.  False: it is no such expression.
 */
extern bool gpuagg_lower_called(GpuAggLower *lw, Expr *expr, GpuAggLowered *out);

/* What is computed, of a string that is given: for custom_exprs, in the order of lw->called */
extern List *gpuagg_lower_called_exprs(const GpuAggLower *lw);

/* What it costs to compute what this session does not know to be there, once for each string */
extern Cost gpuagg_lower_called_cost(const GpuAggLower *lw);

#endif							/* GPUAGG_PLANNER_LOWER_CALLED_H */
