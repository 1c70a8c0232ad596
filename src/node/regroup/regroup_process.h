/*
 * regroup_process.h
 *		What a leader and the processes that regroup beside it share: a dynamic segment, and the
 *		messages in its queues.
 */
#ifndef GPUAGG_NODE_REGROUP_PROCESS_H
#define GPUAGG_NODE_REGROUP_PROCESS_H

#include "postgres.h"

#include "ipc/errors.h"

/* A process gets the node's plan as its text; queues are as messages of groups are: some of them */
#define GPUAGG_REGROUP_QUEUE_BYTES (256 * 1024)

/*
 * To a process: groups of the device, and at their end one without any.  To the leader: groups
 * that were made, and then one without any, which tells how it went.
 */
typedef struct GpuAggRegroupMsg
{
	uint32		count;			/* Groups, which follow. */
	uint32		pad;
	uint64		rows;			/* At the end: groups that were made. */
	GpuAggError error;			/* At the end. */
} GpuAggRegroupMsg;

#define GPUAGG_REGROUP_FUNCTION "gpuagg_regroup_main"

#endif							/* GPUAGG_NODE_REGROUP_PROCESS_H */
