/*
 * cache_evict.h
 *		What goes from the column cache when memory is short, and memory that others give
 *		way to.
 *
 * Inside the worker.
 */
#ifndef GPUAGG_CACHE_CACHE_EVICT_H
#define GPUAGG_CACHE_CACHE_EVICT_H

#include "cache/cache_extent.h"

/* The column of least priority goes, if that is less; false: there is none. */
extern bool gpuagg_cache_evict(double priority);

/*
 * Makes room for so many bytes of the directory; false: what there is is worth
 * more.
 */
extern bool gpuagg_cache_make_room(Size bytes, double priority);

/* Memory of a table's directory, at any rate; others give way to it. */
extern void *gpuagg_cache_directory_alloc(GpuAggCacheTable *table, Size bytes);
extern void *gpuagg_cache_directory_lengthen(GpuAggCacheTable *table, void *array,
											 Size old_bytes, Size bytes);

#endif							/* GPUAGG_CACHE_CACHE_EVICT_H */
