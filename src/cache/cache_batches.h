/*
 * cache_batches.h
 *		A job's batches in flight that keep pages for the column cache, or read its stripes.
 *
 * Inside the worker.
 */
#ifndef GPUAGG_CACHE_CACHE_BATCHES_H
#define GPUAGG_CACHE_CACHE_BATCHES_H

#include "cache/cache_job.h"

/* A page of a batch in flight that is being kept */
typedef struct GpuAggCachePageFill
{
	uint32		page;			/* index in the batch */
	uint32		extent;
	uint32		block;			/* of the extent */
	uint32		position;		/* where it goes */
	uint8		stripe;
	uint64		there;			/* as GpuAggPage's */
	uint64		laid;			/* the extent's then */
} GpuAggCachePageFill;

/* A batch in flight that keeps pages, or reads stripes */
typedef struct GpuAggCacheBatch
{
	dlist_node	node;
	uint64		batch_id;
	uint32		parts;			/* stripes; 0: of pages */
	uint32		nfills;
	GpuAggCachePageFill fills[FLEXIBLE_ARRAY_MEMBER];
} GpuAggCacheBatch;

/* A batch in flight with room for so many pages to keep; and it is over. */
extern GpuAggCacheBatch *gpuagg_cache_batch_add(GpuAggCacheClient *client,
												 uint64 batch_id, uint32 npages);
extern void gpuagg_cache_batch_remove(GpuAggCacheBatch *batch);

/* NULL: there is none of this number. */
extern GpuAggCacheBatch *gpuagg_cache_batch_find(GpuAggCacheJob *cached, uint64 batch_id);

#endif							/* GPUAGG_CACHE_CACHE_BATCHES_H */
