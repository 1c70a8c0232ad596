/*
 * cache_position.h
 *		For the filler of an extent of the column cache: columns, and positions in
 *		stripes.
 */
#ifndef GPUAGG_CACHE_CACHE_POSITION_H
#define GPUAGG_CACHE_CACHE_POSITION_H

#include "cache/cache_extent.h"

/*
 * Before it places pages: the extent comes to have the columns.
 * False: there is no memory that is not better used.
 */
extern bool gpuagg_cache_open(GpuAggCacheExtent *extent,
							  GpuAggCacheColumn *const *columns, int ncolumns);

/* A stripe with all of an extent's columns; what is worth less goes for it.  NULL: no memory */
extern GpuAggStripe *gpuagg_cache_stripe_make(const GpuAggCacheExtent *extent, uint32 positions,
											  double priority);

/* What is known of an extent whose pages come */
typedef struct GpuAggCacheExpected
{
	uint32		blocks;			/* of it in the table */
	double		lines;			/* of a page, in the mean */
} GpuAggCacheExpected;

/*
 * Positions for a page of some lines.  What is held of the block stays if the page is the same,
 * and goes if it is not.  had: positions that it had before it changed, as it may again; 0: it
 * did not.  NULL: no memory.
 */
extern GpuAggCacheBlock *gpuagg_cache_position(GpuAggCacheExtent *extent,
											uint32 block, uint32 nlines,
											uint64 lsn, uint32 had,
											const GpuAggCacheExpected *expected);

/* Values at a block's positions go, are replaced, or may be anything: zones there are not tight. */
extern void gpuagg_cache_loosen(GpuAggCacheExtent *extent, const GpuAggCacheBlock *block);

#endif							/* GPUAGG_CACHE_CACHE_POSITION_H */
