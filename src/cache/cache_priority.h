/*
 * cache_priority.h
 *		The priority of what the column cache holds.
 *
 * Inside the worker.  GreedyDual-Size-Frequency: a column of an extent has the priority
 *		clock + uses * bytes of pages to read again / bytes of the column
 * where the clock is the priority of what was evicted last, so that what is not used any more
 * ages.
 */
#ifndef GPUAGG_CACHE_CACHE_PRIORITY_H
#define GPUAGG_CACHE_CACHE_PRIORITY_H

#include "cache/cache_extent.h"

/* The priority of so many pages and bytes of a column */
extern double gpuagg_cache_priority(const GpuAggCacheColumn *column, uint32 npages,
								 uint64 bytes);

/* The greatest of an extent's columns: what is worth less goes for it. */
extern double gpuagg_cache_extent_priority(const GpuAggCacheExtent *extent);

/*
 * A task uses the columns of an extent, or they take other bytes than they did: their priority is
 * what it would be now.  They wait for no eviction meanwhile.
 */
extern void gpuagg_cache_touch(GpuAggCacheExtent *extent,
							   GpuAggCacheColumn *const *columns, int ncolumns);

/* What had this priority was evicted. */
extern void gpuagg_cache_priority_went(double priority);

#endif							/* GPUAGG_CACHE_CACHE_PRIORITY_H */
