/*
 * cache_settled.h
 *		Which of an extent's blocks a snapshot sees as they are held.
 *
 * A block whose page was all-visible everybody sees so.  One whose page was settled
 * (heap/settled.h) is seen so by a snapshot for which the newest transaction that its rows
 * depend on, and so each of them, had ended.
 */
#ifndef GPUAGG_CACHE_CACHE_SETTLED_H
#define GPUAGG_CACHE_CACHE_SETTLED_H

#include "cache/cache_extent.h"

/* A block's page was settled for a snapshot; newest 0: it is so for all. */
extern void gpuagg_cache_settled_by(GpuAggCacheExtent *extent, GpuAggCacheBlock *block,
									uint32 newest, const GpuAggSnapshot *snapshot);

/* Of n blocks that are held, below nblocks, those go that a snapshot may see otherwise. */
extern uint32 gpuagg_cache_seen(const GpuAggCacheExtent *extent, const GpuAggSnapshot *snapshot,
								uint32 nblocks, uint64 *held, uint32 n);

#endif							/* GPUAGG_CACHE_CACHE_SETTLED_H */
