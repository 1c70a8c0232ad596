/*
 * cache_tidy.h
 *		What goes from a table of the column cache when a job leaves it, or a user unloads it.
 *
 * Inside the worker.
 */
#ifndef GPUAGG_CACHE_CACHE_TIDY_H
#define GPUAGG_CACHE_CACHE_TIDY_H

#include "cache/cache_extent.h"
#include "settings.h"

/*
 * A job that has counted itself leaves the table; extents of which nothing is held go, too.  The
 * others are packed at once (on), or do not wait to be (off).
 */
extern void gpuagg_cache_table_leave(GpuAggCacheTable *table, GpuAggPack pack);

/*
 * A column, or with attr negative all columns, of a table are not wanted any
 * more: they go now, or as soon as nobody uses them.
 */
extern void gpuagg_cache_table_unload(GpuAggCacheTable *table, int attr);

#endif							/* GPUAGG_CACHE_CACHE_TIDY_H */
