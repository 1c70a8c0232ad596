/*
 * cache_make.h
 *		Tables, columns, dictionaries and extents that jobs want come into the column cache.
 *
 * Inside the worker.  Others go for the memory that they take (cache_evict.h).
 */
#ifndef GPUAGG_CACHE_CACHE_MAKE_H
#define GPUAGG_CACHE_CACHE_MAKE_H

#include "cache/cache_extent.h"

/*
 * The table of a cache request, made if need be, for a job that counts itself; what the
 * cache has of the same relation in other files is dead from then on.
 */
extern GpuAggCacheTable *gpuagg_cache_table(const GpuAggCacheRequest *request);

/*
 * The column, made if need be, for a job that has joined the table.  NULL: it is
 * known with another type or scale, and in use as such.
 */
extern GpuAggCacheColumn *gpuagg_cache_column(GpuAggCacheTable *table,
											  uint32 attr, uint32 type, GpuAggScale scale);

/* Makes a column's dictionary if it has none; false: no memory. */
extern bool gpuagg_cache_dictionary(GpuAggCacheColumn *column);

/* The extent, made if nothing of it is known */
extern GpuAggCacheExtent *gpuagg_cache_extent_make(GpuAggCacheTable *table,
												 uint32 number);

#endif							/* GPUAGG_CACHE_CACHE_MAKE_H */
