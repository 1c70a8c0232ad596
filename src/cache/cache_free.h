/*
 * cache_free.h
 *		Positions of an extent that belong to no block any more, for others to take.
 *
 * What lies there is of no use: who reads the stripe leaves these positions out, like those of
 * blocks that it does not use.
 */
#ifndef GPUAGG_CACHE_CACHE_FREE_H
#define GPUAGG_CACHE_CACHE_FREE_H

#include "cache/cache_extent.h"

/* A block gives up its positions, which nobody reads. */
extern void gpuagg_cache_free_add(GpuAggCacheExtent *extent, GpuAggCacheBlock *block);

/* Gives a block so many positions, at least one; false: there are not as many in one place. */
extern bool gpuagg_cache_free_take(GpuAggCacheExtent *extent, uint32 positions,
								   GpuAggCacheBlock *block);

/* The longest range that is given */
extern uint32 gpuagg_cache_free_most(const GpuAggCacheExtent *extent);

/* Those of a stripe, in order, into a list that has room for all; returns how many */
extern uint32 gpuagg_cache_free_list(const GpuAggCacheExtent *extent, uint32 stripe,
									 GpuAggPositions *list);

#endif							/* GPUAGG_CACHE_CACHE_FREE_H */
