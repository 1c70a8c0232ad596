/*
 * cache_job.h
 *		What a job has to do with the column cache.
 *
 * Inside the worker, between cache.c, cache_map.c and cache_fill.c.
 */
#ifndef GPUAGG_CACHE_CACHE_JOB_H
#define GPUAGG_CACHE_CACHE_JOB_H

#include "cache/cache_client.h"
#include "cache/cache_table.h"

/* What a job has to do with an extent */
typedef struct GpuAggCacheUse
{
	GpuAggCacheExtent *extent;	/* NULL: nothing */
	GpuAggCacheReader reader;	/* else: what it is to the extent */
	bool		user;			/* it may read blocks there: */
	uint32		nblocks;		/* CACHED announced so many, */
	uint64	   *announced;			/* of these; NULL: all of them */
	bool		validated;			/* its MAP has come */
	bool		filler;			/* it fills blocks, */
	uint64		map_lsn;		/* all-visible by this map page */
	bool		open;			/* it has the program's columns */
	bool		full;			/* it found no memory */
	uint64	   *drawn;			/* of draws: the blocks that are used; NULL: none */
} GpuAggCacheUse;

/* A page of a batch in flight that is being kept */
typedef struct GpuAggCachePageFill
{
	uint32		page;			/* index in the batch */
	uint32		extent;
	uint32		block;			/* of the extent */
	uint32		position;		/* where it goes */
	uint8		stripe;
	bool		beside;			/* as GpuAggPage's */
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

typedef struct GpuAggCacheZones GpuAggCacheZones;

typedef struct GpuAggCacheJob
{
	GpuAggCacheTable *table;	/* NULL: none, or it has left */
	bool		begun;			/* CACHED was sent */
	bool		may_fill;			/* it may be a filler */
	uint64		wal;			/* what was logged up to here was so before its client looked
								 * at any map page */
	uint32		nblocks;		/* of the table */
	int			ncolumns;
	GpuAggCacheColumn **columns;
	uint32		nuses;
	GpuAggCacheUse *uses;		/* by number of the extent */
	dlist_head	batches;
	uint64		kept;
	uint64		ndrawn;			/* of draws: blocks that are used, */
	bool		drawing;		/* and the device has them */
	GpuAggCacheZones *zones;	/* cache_zones.c; NULL: not asked yet */
	GpuAggZonesCount zones_count;
} GpuAggCacheJob;

/* A batch in flight with room for so many pages to keep; and it is over. */
extern GpuAggCacheBatch *gpuagg_cache_batch_add(GpuAggCacheClient *client,
												 uint64 batch_id, uint32 npages);
extern void gpuagg_cache_batch_remove(GpuAggCacheBatch *batch);

/* Its pages are held, if they are complete; completion NULL: they are not. */
extern void gpuagg_cache_fills_end(GpuAggCacheJob *cached, const GpuAggCacheBatch *batch,
								   const GpuAggCompletion *completion);

/* A page is kept, or an extent's map LSN is another one: who looked before may not use it. */
extern void gpuagg_cache_note_kept(void);

/* Does it draw rows at random? */
static inline bool
gpuagg_cache_draws(const GpuAggCacheClient *client)
{
	return client->config->sample.method == GPUAGG_SAMPLE_DRAWS;
}

#endif							/* GPUAGG_CACHE_CACHE_JOB_H */
