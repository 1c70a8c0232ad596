/*
 * lookup_fold.h
 *		Columns of a look-up table (ops_lookup.h) that are folded: a row has the number of values
 *		that the rows of its key have, or their sum, the least or the greatest one.
 *
 * Threads fold side by side.  Where no row of a key has a value, a number is 0 and all else NULL;
 * so a column that may have such keys is NULL first.
 */
#ifndef GPUAGG_DEVICE_OPS_LOOKUP_FOLD_H
#define GPUAGG_DEVICE_OPS_LOOKUP_FOLD_H

#include "device/program.h"
#include "ops_lookup.h"

/* A folded column of a table */
typedef struct GpuAggFoldColumn
{
	uint64_t	values;			/* as GpuAggLookupColumn's */
	uint64_t	nulls;
	uint32_t	width;
	uint32_t	fold;			/* GpuAggFold */
} GpuAggFoldColumn;

/* Bytes of a value of which the source's has so many */
GPUAGG_FN uint32_t
gpuagg_fold_width(uint32_t fold, uint32_t width)
{
	return fold == GPUAGG_FOLD_COUNT ? sizeof(int32_t) :
		fold == GPUAGG_FOLD_SUM		 ? sizeof(int64_t) :
									   width;
}

/* Is the sum of so many values between these within 64 bits, whatever they are? */
GPUAGG_FN bool
gpuagg_fold_sum_fits(uint64_t nrows, int64_t low, int64_t high)
{
	const uint64_t below = low < 0 ? UINT64_C(0) - (uint64_t) low : 0;
	const uint64_t above = high > 0 ? (uint64_t) high : 0;

	return nrows == 0 || (below > above ? below : above) <= (uint64_t) INT64_MAX / nrows;
}

/*
 * Bounds of what values between low and high become, of so many rows at most; false: they may be
 * too large.
 */
GPUAGG_FN bool
gpuagg_fold_bounds(uint32_t fold, uint64_t nrows, int64_t *low, int64_t *high)
{
	if (fold == GPUAGG_FOLD_COUNT)
	{
		*low = 0;
		*high = (int64_t) nrows;
		return nrows <= INT32_MAX;
	}
	if (fold != GPUAGG_FOLD_SUM)
		return true;
	if (!gpuagg_fold_sum_fits(nrows, *low, *high))
		return false;
	*low = *low < 0 ? *low * (int64_t) nrows : 0;
	*high = *high > 0 ? *high * (int64_t) nrows : 0;
	return true;
}

/*
 * The row, before any value; its NULL bits are set for all rows at once (gpuagg_fold_nulls_bytes).
 */
GPUAGG_FN void
gpuagg_fold_begin(char *block, const GpuAggFoldColumn *c, uint64_t row)
{
	char	   *values = block + c->values;
	const bool	narrow = c->width == sizeof(int32_t);

	if (c->fold == GPUAGG_FOLD_LEAST && narrow)
		((int32_t *) values)[row] = INT32_MAX;
	else if (c->fold == GPUAGG_FOLD_LEAST)
		((int64_t *) values)[row] = INT64_MAX;
	else if (c->fold == GPUAGG_FOLD_GREATEST && narrow)
		((int32_t *) values)[row] = INT32_MIN;
	else if (c->fold == GPUAGG_FOLD_GREATEST)
		((int64_t *) values)[row] = INT64_MIN;
	/* numbers and sums are zero in a block that is */
}

GPUAGG_FN uint64_t
gpuagg_fold_nulls_bytes(uint64_t nrows)
{
	return (nrows + 63) / 64 * 8;
}

GPUAGG_FN void
gpuagg_fold_narrow(int32_t *to, uint32_t fold, int32_t value)
{
#ifdef __CUDA_ARCH__
	if (fold == GPUAGG_FOLD_LEAST)
		atomicMin(to, value);
	else if (fold == GPUAGG_FOLD_GREATEST)
		atomicMax(to, value);
	else
		atomicAdd(to, value);
#else
	if (fold == GPUAGG_FOLD_LEAST)
		*to = value < *to ? value : *to;
	else if (fold == GPUAGG_FOLD_GREATEST)
		*to = value > *to ? value : *to;
	else
		*to += value;
#endif
}

GPUAGG_FN void
gpuagg_fold_wide(int64_t *to, uint32_t fold, int64_t value)
{
#ifdef __CUDA_ARCH__
	if (fold == GPUAGG_FOLD_LEAST)
		atomicMin((long long *) to, (long long) value);
	else if (fold == GPUAGG_FOLD_GREATEST)
		atomicMax((long long *) to, (long long) value);
	else
		atomicAdd((unsigned long long *) to, (unsigned long long) value);
#else
	if (fold == GPUAGG_FOLD_LEAST)
		*to = value < *to ? value : *to;
	else if (fold == GPUAGG_FOLD_GREATEST)
		*to = value > *to ? value : *to;
	else
		*to += value;
#endif
}

/* The row is not NULL any more. */
GPUAGG_FN void
gpuagg_fold_there(char *block, const GpuAggFoldColumn *c, uint64_t row)
{
	uint32_t   *word = (uint32_t *) (block + c->nulls) + row / 32;
	const uint32_t bit = UINT32_C(1) << row % 32;

	if (c->nulls == 0)
		return;
#ifdef __CUDA_ARCH__
	if (*(volatile uint32_t *) word & bit)
		atomicAnd(word, ~bit);
#else
	*word &= ~bit;
#endif
}

/* What a row's value adds, or another row of the table: to a number so many, else the value */
GPUAGG_FN void
gpuagg_fold_value(char *block, const GpuAggFoldColumn *c, uint64_t row, int64_t value)
{
	char	   *values = block + c->values;

	if (c->width == sizeof(int32_t))
		gpuagg_fold_narrow((int32_t *) values + row, c->fold, (int32_t) value);
	else
		gpuagg_fold_wide((int64_t *) values + row, c->fold, value);
	gpuagg_fold_there(block, c, row);
}

/* Row `from`, of the same key, joins row `to`. */
GPUAGG_FN void
gpuagg_fold_row(char *block, const GpuAggFoldColumn *c, uint64_t from, uint64_t to)
{
	const char *values = block + c->values;

	if (c->nulls != 0 && (((const uint32_t *) (block + c->nulls))[from / 32] >> from % 32 & 1))
		return;
	gpuagg_fold_value(block, c, to, c->width == sizeof(int32_t) ? ((const int32_t *) values)[from] :
					  ((const int64_t *) values)[from]);
}

#endif							/* GPUAGG_DEVICE_OPS_LOOKUP_FOLD_H */
