/*
 * cache_zones.h
 *		What zones (device/stripe.h) save a job of reading: rows that its filter
 *		excludes, and rows for which the zones answer.
 */
#ifndef GPUAGG_CACHE_CACHE_ZONES_H
#define GPUAGG_CACHE_CACHE_ZONES_H

#include "cache/cache_job.h"

/* Ranges that zones can add to those of a stripe */
#define GPUAGG_ZONE_RANGES(stripe) (gpuagg_zones((stripe)->positions))

/*
 * A job reads all positions of a stripe but the n listed, in order, where
 * there is room for GPUAGG_ZONE_RANGES more.  Lists, too, what need not be read,
 * and returns how many ranges there are.
 */
extern uint32 gpuagg_cache_zones(GpuAggCacheClient *client, const GpuAggCacheExtent *extent,
								 const GpuAggCacheStripe *stripe,
								 GpuAggPositions *without, uint32 n);

/* Sorts n ranges, of which the first are in order, and unites those that meet; returns how many. */
extern uint32 gpuagg_cache_unite(GpuAggPositions *ranges, uint32 sorted, uint32 n);

#endif							/* GPUAGG_CACHE_CACHE_ZONES_H */
