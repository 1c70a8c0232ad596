/*
 * cache_pages.h
 *		Which lines of a table lie where in a stripe, as the device knows it for samples of
 *		lines.
 */
#ifndef GPUAGG_CACHE_CACHE_PAGES_H
#define GPUAGG_CACHE_CACHE_PAGES_H

#include "cache/cache_extent.h"

/*
 * Before a task samples lines of an extent: the device comes to know where all blocks lie that
 * anybody may read there.  False: it has no memory for that, and would refuse a stripe.
 */
extern bool gpuagg_cache_pages_tell(GpuAggCacheExtent *extent);

#endif							/* GPUAGG_CACHE_CACHE_PAGES_H */
