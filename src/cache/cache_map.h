/*
 * cache_map.h
 *		MAP messages: what a job uses of an extent of the column cache, and may fill.
 */
#ifndef GPUAGG_CACHE_CACHE_MAP_H
#define GPUAGG_CACHE_CACHE_MAP_H

#include "cache/cache_job.h"

/* A MAP message, checked to its last byte; answers and batches follow. */
extern void gpuagg_cache_map(GpuAggCacheClient *client, const GpuAggMsg *msg,
							 Size bytes);

/* Before its MAP: what CACHED told of an extent as current is used, as a batch of this number. */
extern void gpuagg_cache_use_current(GpuAggCacheClient *client, GpuAggCacheUse *use,
									 uint64 batch_id);

/* Reads blocks that were held back (NULL: all), as a batch of which the client hears nothing. */
extern void gpuagg_cache_use(GpuAggCacheClient *client, uint32 extent, uint64 batch_id,
							 const uint64 *used, uint32 nblocks);

#endif							/* GPUAGG_CACHE_CACHE_MAP_H */
