/*
 * cache_job.h
 *		What a job has to do with the column cache.
 *
 * Inside the worker, for cache.c, cache_map.c, cache_fill.c and cache_zones.c.
 */
#ifndef GPUAGG_CACHE_CACHE_JOB_H
#define GPUAGG_CACHE_CACHE_JOB_H

#include "cache/cache_client.h"
#include "cache/cache_extent.h"

/* What a job has to do with an extent */
typedef struct GpuAggCacheUse
{
	GpuAggCacheExtent *extent;	/* NULL: nothing */
	GpuAggCacheReader reader;	/* else: what it is to the extent */
	bool		user;			/* it may read blocks there */
	uint32		nblocks;		/* so many CACHED announced */
	uint64	   *announced;			/* which those are; NULL: all of the extent */
	bool		current;		/* by the WAL these are what their pages are */
	bool		hidden;			/* others are held that its snapshot may see otherwise */
	bool		reading;		/* these are read already */
	bool		validated;			/* its MAP has come */
	bool		moved;			/* on to the version that the extent had then */
	bool		filler;			/* it may fill blocks */
	uint64		map_lsn;		/* the LSN of the map page that its client has read */
	bool		open;			/* it has begun to: the extent has the program's columns */
	bool		full;			/* it found no memory */
	uint64	   *drawn;			/* of draws: the blocks that are used; NULL: none */
} GpuAggCacheUse;

typedef struct GpuAggCacheZones GpuAggCacheZones;

typedef struct GpuAggCacheJob
{
	GpuAggCacheTable *table;	/* NULL: none, or it has left */
	bool		begun;			/* CACHED was sent */
	bool		may_fill;			/* it may be a filler */
	uint64		followed;		/* the WAL was read up to here before that, too; 0: it was not */
	uint64		changed;		/* held blocks that have changed since a task asked last */
	uint64		wal;			/* what was logged up to here was so before its client looked
								 * at any map page */
	uint32		nblocks;		/* of the table */
	int			ncolumns;
	GpuAggCacheColumn **columns;
	uint32	   *registers;		/* of the program, that load them */
	uint32		nuses;
	GpuAggCacheUse *uses;		/* by number of the extent */
	dlist_head	batches;		/* in flight (cache_batches.h) */
	uint64		kept;
	uint64		ndrawn;			/* of draws: blocks that are used */
	bool		drawing;		/* of draws: the device has these blocks */
	GpuAggCacheZones *zones;	/* cache_zones.c; NULL: not asked yet */
	GpuAggZonesCount zones_count;
} GpuAggCacheJob;

/* Does it draw rows at random? */
static inline bool
gpuagg_cache_draws(const GpuAggCacheClient *client)
{
	return client->config->sample.method == GPUAGG_SAMPLE_DRAWS;
}

#endif							/* GPUAGG_CACHE_CACHE_JOB_H */
