/*
 * read_run.h
 *		Blocks that follow each other, read by one request where PostgreSQL has such (17).
 */
#ifndef GPUAGG_HEAP_READ_RUN_H
#define GPUAGG_HEAP_READ_RUN_H

#include "postgres.h"

#include "storage/bufmgr.h"
#include "utils/relcache.h"

/* PostgreSQL's default; a run's buffers are pinned all at once */
#define GPUAGG_READ_RUN 16

typedef struct GpuAggReadRun
{
	Relation	rel;
	uint32		n;
	uint32		taken;			/* of these */
	uint64		reads;			/* runs so far */
	Buffer		buffers[GPUAGG_READ_RUN];
} GpuAggReadRun;

/* How many blocks a request may read: 1, or io_combine_limit, if that is not beyond a run */
extern uint32 gpuagg_read_run_most(void);

/* Pins n blocks of the main fork, at most so many; all of the run before are taken. */
extern void gpuagg_read_run(GpuAggReadRun *run, BlockNumber first, uint32 n,
							BufferAccessStrategy strategy);

/* The next one of the run, which is the caller's to release; InvalidBuffer: none is left */
extern Buffer gpuagg_read_run_take(GpuAggReadRun *run);

/* Releases what is left. */
extern void gpuagg_read_run_drop(GpuAggReadRun *run);

#endif							/* GPUAGG_HEAP_READ_RUN_H */
