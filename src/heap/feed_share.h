/*
 * feed_share.h
 *		Which process of several that feed one task reads which blocks.
 *
 * In shared memory of the processes.  Runs of blocks are handed out, each to one
 * process, of one of the task's tables after the other, and of each from where its scan
 * starts to where that ends: long runs first, so that a process reads blocks that follow
 * each other, then ever shorter ones, so that all end at about the same time.  Of small
 * tables a run is the whole table.  A table is open when it is known what of it need not
 * be read; they are opened in their order.
 */
#ifndef GPUAGG_HEAP_FEED_SHARE_H
#define GPUAGG_HEAP_FEED_SHARE_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/block.h"
#include "utils/relcache.h"

typedef struct GpuAggFeedShareTable
{
	uint64		before;			/* blocks to be read of the tables before it */
	BlockNumber nblocks;		/* blocks of the table */
	BlockNumber count;			/* blocks to be read of the table */
	BlockNumber start;			/* the first block to be read; a synchronized scan wraps around */
} GpuAggFeedShareTable;

typedef struct GpuAggFeedShare
{
	uint32		ntables;
	uint32		processes;
	BlockNumber least;			/* blocks of the shortest run */
	pg_atomic_uint32 open;		/* tables */
	pg_atomic_uint64 at;		/* table whose blocks are handed out << 32, and how many have
								 * been */
	GpuAggFeedShareTable tables[FLEXIBLE_ARRAY_MEMBER];
} GpuAggFeedShare;

typedef struct GpuAggFeedRun
{
	uint32		table;
	BlockNumber first;
	BlockNumber n;				/* it may wrap around */
} GpuAggFeedRun;

typedef enum GpuAggFeedShareAnswer
{
	GPUAGG_SHARE_RUN,
	GPUAGG_SHARE_LATER,			/* the next table is not open yet */
	GPUAGG_SHARE_OVER			/* all have been handed out */
} GpuAggFeedShareAnswer;

extern Size gpuagg_feed_share_bytes(uint32 ntables);

/* Of so many tables, the first of which others have read */
extern void gpuagg_feed_share_init(GpuAggFeedShare *share, uint32 ntables, uint32 first,
								   uint32 processes, BlockNumber least);

/*
 * Table i, from the first of these on, has nblocks blocks, and from first to before end are read.
 */
extern void gpuagg_feed_share_table(GpuAggFeedShare *share, uint32 i, BlockNumber nblocks,
									BlockNumber first, BlockNumber end);

/*
 * Opens the next table.  A sample of blocks, and a part of the table, is read from the
 * first block on.
 */
extern void gpuagg_feed_share_open(GpuAggFeedShare *share, Relation rel, bool sampled);

extern GpuAggFeedShareAnswer gpuagg_feed_share_take(GpuAggFeedShare *share, GpuAggFeedRun *run);

extern bool gpuagg_feed_share_over(const GpuAggFeedShare *share);

/* Open tables that have not been handed out */
extern uint32 gpuagg_feed_share_ahead(const GpuAggFeedShare *share);

/* Hands out no more. */
extern void gpuagg_feed_share_stop(GpuAggFeedShare *share);

#endif							/* GPUAGG_HEAP_FEED_SHARE_H */
