/*
 * cache_batches.c
 *		A job's batches in flight, as the column cache knows them (cache_batches.h).
 */
#include "postgres.h"

#include "cache/cache_batches.h"

GpuAggCacheBatch *
gpuagg_cache_batch_add(GpuAggCacheClient *client, uint64 batch_id, uint32 npages)
{
	GpuAggCacheBatch *batch =
		MemoryContextAlloc(client->context, offsetof(GpuAggCacheBatch, fills) +
						   npages * sizeof(GpuAggCachePageFill));

	batch->batch_id = batch_id;
	batch->parts = 0;
	batch->nfills = 0;
	dlist_push_tail(&client->cached->batches, &batch->node);
	return batch;
}

void
gpuagg_cache_batch_remove(GpuAggCacheBatch *batch)
{
	dlist_delete(&batch->node);
	pfree(batch);
}

GpuAggCacheBatch *
gpuagg_cache_batch_find(GpuAggCacheJob *cached, uint64 batch_id)
{
	dlist_iter	iter;

	dlist_foreach(iter, &cached->batches)
	{
		GpuAggCacheBatch *batch = dlist_container(GpuAggCacheBatch, node, iter.cur);

		if (batch->batch_id == batch_id)
			return batch;
	}
	return NULL;
}
