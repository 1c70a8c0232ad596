/*
 * cache_rest.h
 *		What of the column cache nobody uses: columns of extents that may be evicted or
 *		packed, and tables that may be forgotten.
 *
 * Inside the worker.  Lists only: cache_evict.c decides what goes, cache_pack.c what is packed.
 */
#ifndef GPUAGG_CACHE_CACHE_REST_H
#define GPUAGG_CACHE_CACHE_REST_H

#include "cache/cache_extent.h"

/* An extent that nobody uses: its columns may be evicted until somebody is about to do so. */
extern void gpuagg_cache_extent_rest(GpuAggCacheExtent *extent);
extern void gpuagg_cache_extent_wake(GpuAggCacheExtent *extent);

/* A column of an extent goes: it is not to be evicted. */
extern void gpuagg_cache_fill_gone(GpuAggCacheFill *fill);

/* If nothing of it is held and no job knows it, it may be forgotten, until one comes. */
extern void gpuagg_cache_table_rest(GpuAggCacheTable *table);
extern void gpuagg_cache_table_wake(GpuAggCacheTable *table);

/*
 * Extents to which something has come since they were packed: those that wait, which has waited
 * longest first.  Again: it comes last.
 */
extern void gpuagg_cache_pack_wait(GpuAggCacheExtent *extent);
extern void gpuagg_cache_pack_never(GpuAggCacheExtent *extent);
extern dlist_head *gpuagg_cache_pack_waiting(void);

/* Of columns that may be evicted, that of least priority; NULL: there is none. */
extern GpuAggCacheFill *gpuagg_cache_least_fill(void);

/* Of tables that may be forgotten, the one that has been so for the longest time; NULL: none */
extern GpuAggCacheTable *gpuagg_cache_oldest_empty(void);

#endif							/* GPUAGG_CACHE_CACHE_REST_H */
