/*
 * block_ring.h
 *		Blocks of rows on their way to the device worker in shared memory, a number of them
 *		at a time: the client's side.
 *
 * A queue holds 64 kB, and who fills it waits until the worker has been woken and has read.
 * Of rows that come by the million those waits would be most of the time.  So blocks lie
 * in a segment of the task's, and the queue tells where.
 */
#ifndef GPUAGG_IPC_BLOCK_RING_H
#define GPUAGG_IPC_BLOCK_RING_H

#include "postgres.h"

#include "ipc/client.h"

/* Blocks that may be in flight, and bytes of one at most */
#define GPUAGG_RING_BLOCKS 8
#define GPUAGG_RING_BYTES (256 * 1024)

typedef struct GpuAggBlockRing GpuAggBlockRing;

/* Of the current resource owner and memory context; NULL: no segment is to be had. */
extern GpuAggBlockRing *gpuagg_ring_create(void);

/* Where the next block is to be written; NULL: all are in flight. */
extern char *gpuagg_ring_room(GpuAggBlockRing *ring);

/* Sends what was written there: columns of so many rows, as of a ROWS message. */
extern GpuAggStatus gpuagg_ring_send(GpuAggBlockRing *ring, GpuAggClient *client, uint64 batch_id,
									 uint32 count, Size bytes, GpuAggError *error);

/* A batch is complete. */
extern void gpuagg_ring_done(GpuAggBlockRing *ring, uint64 batch_id);

extern void gpuagg_ring_end(GpuAggBlockRing *ring);

#endif							/* GPUAGG_IPC_BLOCK_RING_H */
