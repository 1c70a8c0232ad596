/*
 * cache_arrange.h
 *		Extents whose blocks lie mixed are laid in the order of the table again.
 */
#ifndef GPUAGG_CACHE_CACHE_ARRANGE_H
#define GPUAGG_CACHE_CACHE_ARRANGE_H

#include "cache/cache_extent.h"

/*
 * When a job has left: stripes that nobody reads any more go, and the extent is laid in order, if
 * enough has moved since it was, if its zones are asked, and if that takes but a small part of the
 * worker's time.  Others may use and fill it.
 */
extern void gpuagg_cache_arrange(GpuAggCacheExtent *extent);

#endif							/* GPUAGG_CACHE_CACHE_ARRANGE_H */
