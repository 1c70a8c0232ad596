/*
 * kept_task.h
 *		A task that reads a table for nothing but what the device keeps of it: settles which
 *		blocks are kept, and has the others read.
 */
#ifndef GPUAGG_HEAP_KEPT_TASK_H
#define GPUAGG_HEAP_KEPT_TASK_H

#include "postgres.h"

#include "heap/cached.h"
#include "heap/feed.h"
#include "ipc/client.h"

typedef struct GpuAggKeptTask
{
	Relation	rel;
	Snapshot	snapshot;
	BlockNumber nblocks;
	GpuAggClient *client;
	GpuAggCached *cached;
	GpuAggFeed *feed;			/* NULL: no page was fed */
	uint64		next_batch;

	/* What takes messages that are about no page; NULL: there are none */
	GpuAggStatus (*take) (struct GpuAggKeptTask *task, const GpuAggMsg *msg, Size bytes);
	void	   *owner;
	GpuAggError *error;
} GpuAggKeptTask;

/* Begins the task, in a transaction; false: *task->error tells. */
extern bool gpuagg_kept_task_begin(GpuAggKeptTask *task, GpuAggClientRequest *request);

/* Gives everything back: done, if DONE has come.  From any state, after gpuagg_client_abort, too */
extern void gpuagg_kept_task_end(GpuAggKeptTask *task, bool done);

/* The worker has broken the protocol. */
extern GpuAggStatus gpuagg_kept_task_garbled(GpuAggKeptTask *task);

/* One message from the worker, for which it waits if it is to */
extern GpuAggStatus gpuagg_kept_task_receive(GpuAggKeptTask *task, bool wait);

/* Looks at all map pages: task->cached->used blocks are used. */
extern GpuAggStatus gpuagg_kept_task_settle(GpuAggKeptTask *task);

/* After that: pages that are not kept go to the device, until it has read them. */
extern GpuAggStatus gpuagg_kept_task_read(GpuAggKeptTask *task, const GpuAggProgram *program);

#endif							/* GPUAGG_HEAP_KEPT_TASK_H */
