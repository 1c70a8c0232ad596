/*
 * cache_place.h
 *		For the filler of a chunk of the column cache: columns, and places in
 *		slabs.
 */
#ifndef GPUAGG_SERVICE_CACHE_PLACE_H
#define GPUAGG_SERVICE_CACHE_PLACE_H

#include "service/cache_table.h"

/*
 * Before it places pages: the chunk comes to have the columns.
 * False: there is no memory that is not better used.
 */
extern bool gpuagg_cache_open(GpuAggCacheChunk *chunk,
							  GpuAggCacheColumn *const *columns, int ncolumns);

/*
 * Places for a page of some lines.  lines_expected: places that
 * a new slab should have.  What is held of the block stays if the page is the
 * same, and goes if it is not.  NULL: no memory.
 */
extern GpuAggCacheBlock *gpuagg_cache_place(GpuAggCacheChunk *chunk,
											uint32 block, uint32 nlines,
											uint64 lsn, uint64 lines_expected);

#endif							/* GPUAGG_SERVICE_CACHE_PLACE_H */
