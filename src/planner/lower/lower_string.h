/*
 * lower_string.h
 *		What is asked of strings of a join's inputs.
 */
#ifndef GPUAGG_PLANNER_LOWER_STRING_H
#define GPUAGG_PLANNER_LOWER_STRING_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * What is computed of one string of such an input, and of nothing else: PostgreSQL computes it of
 * each of the
 * column's strings.  False: it is no such expression.
 */
extern bool gpuagg_lower_string_value(GpuAggLower *lw, Expr *expr, GpuAggLowered *out);

/* An expression of one string, as one of what is given in place of a CASE's tested value */
extern Expr *gpuagg_lower_given(Expr *expr);

/* Are more strings expected in the column than are worth a table by their numbers? */
extern bool gpuagg_lower_has_many_strings(PlannerInfo *root, const Var *var);

/*
 * Such a string, that CASE tests?  Then the condition of a branch, with the string in the place
 * of what is tested:
 * so it is asked of the string.
 */
extern bool gpuagg_lower_is_input_string(GpuAggLower *lw, Expr *expr);
extern Expr *gpuagg_lower_case_condition(Expr *condition, Expr *tested);

/* Something that is NULL where a string of such an input is; false: it is none */
extern bool gpuagg_lower_string_nullness(GpuAggLower *lw, Var *var, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_STRING_H */
