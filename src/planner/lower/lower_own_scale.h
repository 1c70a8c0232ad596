/*
 * lower_own_scale.h
 *		The scale of numerics that have none declared: by how many digits such values are
 *		expected to have.
 */
#ifndef GPUAGG_PLANNER_LOWER_OWN_SCALE_H
#define GPUAGG_PLANNER_LOWER_OWN_SCALE_H

#include "postgres.h"

#include "access/htup.h"
#include "planner/lower/lower.h"

/* Digits that surely fit a word */
#define GPUAGG_WORD_DIGITS 17

/* Digits on each side of the point, the most of some values */
typedef struct GpuAggDigits
{
	int			before;
	int			behind;
	bool		any;			/* false: nothing is known of the values */
	bool		special;		/* there are NaN or infinities */
	bool		looked;
	bool		lenient;		/* values that fit no word may be left out */
	int			left_out;		/* number of values that were left out */
	int			taken;			/* number of values that were not */
} GpuAggDigits;

extern void gpuagg_digits_add(GpuAggDigits *seen, Datum value);

/* Of a row of pg_statistic */
extern void gpuagg_digits_of_tuple(GpuAggDigits *seen, HeapTuple tuple);

/* Do such values fit a word? */
extern bool gpuagg_digits_fit(const GpuAggDigits *seen);

/* The value of a word, at a scale for values of so many digits */
extern bool gpuagg_lower_word_scale(GpuAggLower *lw, const GpuAggLowered *word,
									const GpuAggDigits *seen, GpuAggLowered *out);

/*
 * a numeric column without a scale.  fits: as far as is known, do
 * its values fit 64 bits?
 */
extern bool gpuagg_lower_own_scale(GpuAggLower *lw, AttrNumber attno, GpuAggLowered *out);
extern bool gpuagg_lower_own_scale_fits(GpuAggLower *lw, AttrNumber attno);

/*
 * Is it a numeric column of which statistics know NaN, infinities or more digits than a device
 * has?
 */
extern bool gpuagg_lower_is_strange(GpuAggLower *lw, const Var *var);

#endif							/* GPUAGG_PLANNER_LOWER_OWN_SCALE_H */
