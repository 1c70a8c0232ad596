/*
 * cache_publish.h
 *		What backends see of the column cache, written by the worker (ipc/cache_shared.h).
 */
#ifndef GPUAGG_CACHE_CACHE_PUBLISH_H
#define GPUAGG_CACHE_CACHE_PUBLISH_H

#include "cache/cache_extent.h"

/*
 * Writes what backends see of tables that have changed since.  What has died or is freed
 * they see no more at once.
 */
extern void gpuagg_cache_publish(void);
extern void gpuagg_cache_table_used(GpuAggCacheTable *table);
extern void gpuagg_cache_table_changed(GpuAggCacheTable *table);
extern void gpuagg_cache_table_hide(GpuAggCacheTable *table);

/* A page is kept, or an extent's map LSN is another one: who looked before may not use it. */
extern void gpuagg_cache_note_kept(void);

#endif							/* GPUAGG_CACHE_CACHE_PUBLISH_H */
