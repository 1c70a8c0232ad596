/*
 * feed_share.h
 *		Which process of several that feed one task reads which blocks.
 *
 * In shared memory of the processes.  Runs of blocks are handed out from where the scan
 * starts to where it ends, each to one process: long ones first, so that a process
 * reads blocks that follow each other, then ever shorter ones, so that all end at about
 * the same time.
 */
#ifndef GPUAGG_HEAP_FEED_SHARE_H
#define GPUAGG_HEAP_FEED_SHARE_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/block.h"
#include "utils/relcache.h"

typedef struct GpuAggFeedShare
{
	BlockNumber nblocks;		/* of the table, */
	BlockNumber count;			/* and to be read of it */
	BlockNumber start;			/* the first block of a synchronized scan, which wraps around */
	uint32		processes;
	BlockNumber least;			/* blocks of the shortest run */
	pg_atomic_uint64 taken;		/* blocks handed out */
} GpuAggFeedShare;

/*
 * Blocks from first to before end, of a table of nblocks.  A sample of blocks, and a part of
 * the table, is read from the first one on.
 */
extern void gpuagg_feed_share_init(GpuAggFeedShare *share, Relation rel, BlockNumber nblocks,
								   BlockNumber first, BlockNumber end, bool sampled, uint32 processes, BlockNumber least);

/* The next run; it may wrap around.  False: all have been handed out. */
extern bool gpuagg_feed_share_take(GpuAggFeedShare *share, BlockNumber *first, BlockNumber *n);

extern bool gpuagg_feed_share_more(GpuAggFeedShare *share);

/* Hands out no more. */
extern void gpuagg_feed_share_stop(GpuAggFeedShare *share);

#endif							/* GPUAGG_HEAP_FEED_SHARE_H */
