/*
 * key_numbers.h
 *		By how many numbers the keys of a grouping can tell its groups.
 */
#ifndef GPUAGG_PLANNER_KEY_NUMBERS_H
#define GPUAGG_PLANNER_KEY_NUMBERS_H

#include "postgres.h"

#include "device/program.h"
#include "nodes/pathnodes.h"
#include "planner/lower/lower.h"

/*
 * As gpuagg_range_numbers(), of the ranges that statistics give the columns of rel, which
 * the program loads, and those of what it is joined with.  0: not known, or too many.  An
 * estimate: what a device has of its
 * columns decides.
 */
extern double gpuagg_key_numbers(PlannerInfo *root, RelOptInfo *rel, const GpuAggLower *lw,
								 const GpuAggProgram *program);

/*
 * Between which values a column of a join's input lies, as statistics tell; of a string that is a
 * group key, its number there, of no more than the input has rows.  low > high: not known
 */
extern GpuAggRange gpuagg_key_range(PlannerInfo *root, const GpuAggLookupLower *lookup, int column);

#endif							/* GPUAGG_PLANNER_KEY_NUMBERS_H */
