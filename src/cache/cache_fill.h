/*
 * cache_fill.h
 *		Pages that come to the column cache with a job's batches.
 */
#ifndef GPUAGG_CACHE_CACHE_FILL_H
#define GPUAGG_CACHE_CACHE_FILL_H

#include "cache/cache_batches.h"

/*
 * Pages of a message, as they came and as the device gets them: those to keep
 * get their positions.
 */
extern void gpuagg_cache_pages(GpuAggCacheClient *client, uint64 batch_id,
							   const GpuAggMsgPage *in, GpuAggPage *pages,
							   uint32 npages);

/* A batch's pages are held, if they are complete; completion NULL: they are not. */
extern void gpuagg_cache_fills_end(GpuAggCacheJob *cached, const GpuAggCacheBatch *batch,
								   const GpuAggCompletion *completion);

#endif							/* GPUAGG_CACHE_CACHE_FILL_H */
