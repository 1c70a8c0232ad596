/*
 * cache_pack.h
 *		Columns that rest are packed (device/ops/packed.h).
 */
#ifndef GPUAGG_CACHE_CACHE_PACK_H
#define GPUAGG_CACHE_CACHE_PACK_H

#include "cache/cache_extent.h"

/* So many pages have come to an extent: it is to be packed once it rests. */
extern void gpuagg_cache_pack_later(GpuAggCacheExtent *extent, uint32 pages);

/*
 * From time to time: packs a column of a stripe, if some extent rests and it is wanted.  busy:
 * others wait for the worker.  Returns after how many milliseconds there may be more to do; -1: not
 * before something comes.
 */
extern long gpuagg_cache_pack_some(bool busy);

/* Where memory is short: packs a column, whether its extent rests or not; false: there is none. */
extern bool gpuagg_cache_pack_now(void);

/* gpuagg.debug_pack: all of an extent that waits, if nobody uses it, however few rows it has */
extern void gpuagg_cache_pack_all(GpuAggCacheExtent *extent);

#endif							/* GPUAGG_CACHE_CACHE_PACK_H */
