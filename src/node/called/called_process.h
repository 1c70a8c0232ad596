/*
 * called_process.h
 *		Parallel workers that compute values of strings: what they share with the leader.
 *
 * A process gets STRINGS messages, as the device worker has sent them, and answers each with the
 * ROWS message that goes back there; or with a GpuAggError, where there are no such values.  One
 * without strings is the end.
 */
#ifndef GPUAGG_NODE_CALLED_PROCESS_H
#define GPUAGG_NODE_CALLED_PROCESS_H

#include "postgres.h"

#include "ipc/errors.h"
#include "ipc/protocol.h"

/* The function that such a process runs; its text is the expression */
#define GPUAGG_CALLED_FUNCTION "gpuagg_called_main"

#define GPUAGG_CALLED_QUEUE_BYTES ((Size) 512 * 1024)

/* In place of a ROWS message */
typedef struct GpuAggCalledFailed
{
	GpuAggMsg	msg;			/* of type GPUAGG_MSG_FAILED */
	GpuAggError error;
} GpuAggCalledFailed;

#endif							/* GPUAGG_NODE_CALLED_PROCESS_H */
