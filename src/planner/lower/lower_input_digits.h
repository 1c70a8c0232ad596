/*
 * lower_input_digits.h
 *		How many digits the numerics of a plan's rows are expected to have.
 */
#ifndef GPUAGG_PLANNER_LOWER_INPUT_DIGITS_H
#define GPUAGG_PLANNER_LOWER_INPUT_DIGITS_H

#include "postgres.h"

#include "planner/lower/lower_own_scale.h"

/* Of this expression over relations of the query */
extern void gpuagg_input_digits(PlannerInfo *root, Expr *expr, GpuAggDigits *digits);

#endif							/* GPUAGG_PLANNER_LOWER_INPUT_DIGITS_H */
