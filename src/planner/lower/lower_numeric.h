/*
 * lower_numeric.h
 *		Decimals.
 */
#ifndef GPUAGG_PLANNER_LOWER_NUMERIC_H
#define GPUAGG_PLANNER_LOWER_NUMERIC_H

#include "postgres.h"

#include "planner/lower/lower.h"

extern bool gpuagg_lower_numeric_const(GpuAggLower *lw, const Const *con,
									   GpuAggLowered *out);

/* a and b to one scale; values of other types are left as they are. */
extern bool gpuagg_lower_numeric_align(GpuAggLower *lw, GpuAggLowered *a, GpuAggLowered *b);

/*
 * when IS TRUE ? a : b, and a if it is not NULL, else b.  Values of one type; decimals
 * of any scale.
 */
extern bool gpuagg_lower_select(GpuAggLower *lw, const GpuAggLowered *when,
								const GpuAggLowered *a, const GpuAggLowered *b,
								GpuAggLowered *out);
extern bool gpuagg_lower_coalesce(GpuAggLower *lw, const GpuAggLowered *a,
								  const GpuAggLowered *b, GpuAggLowered *out);

/* Its scale as rows of PostgreSQL's have it: GpuAggTransition's */
extern GpuAggScale gpuagg_lower_numeric_scale(const GpuAggLowered *value);

/* The value and the decimals that are shown, as a word (program.h) */
extern bool gpuagg_lower_numeric_word(GpuAggLower *lw, const GpuAggLowered *value,
									  GpuAggLowered *out);

/* out shows as many decimals as value, or as `more` tells, of which `most` are the most */
extern bool gpuagg_lower_numeric_show(GpuAggLower *lw, const GpuAggLowered *value,
									  const GpuAggLowered *more, int most, GpuAggLowered *out);

/* The decimals that are shown, as a register, NULL where the value is */
extern bool gpuagg_lower_numeric_shown(GpuAggLower *lw, const GpuAggLowered *value,
									   GpuAggLowered *out);

/*
 * An integer as this numeric constant times 10^scale; *floor is it rounded down,
 * *integral tells whether nothing was lost.  false: not a number within int8.
 */
extern bool gpuagg_lower_numeric_floor(Datum value, int scale, int64 *floor,
									   bool *integral);

#endif							/* GPUAGG_PLANNER_LOWER_NUMERIC_H */
