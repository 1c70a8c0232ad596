/*
 * lower_to_char.h
 *		Keys that are texts of moments.
 */
#ifndef GPUAGG_PLANNER_LOWER_TO_CHAR_H
#define GPUAGG_PLANNER_LOWER_TO_CHAR_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * A key to_char(moment, pattern): the moment truncated to what the text
 * tells, of which PostgreSQL makes the text of each group.
 */
extern bool gpuagg_lower_to_char_key(GpuAggLower *lw, Expr *expr, bool *handled,
									 Expr **row_expr, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_TO_CHAR_H */
