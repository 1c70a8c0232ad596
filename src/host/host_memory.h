/*
 * host_memory.h
 *		Memory of a task, counted against its budget and the device's.
 *
 * Counters are atomic: every pool thread and the worker's main thread
 * allocate.  Budgets are those of gpuagg.device_memory; malloc() itself may
 * fail as well, and both come back as NULL, never as an abort.  What is
 * allocated here is freed with the size it was asked for.
 *
 * Blocks are pieces of a huge page's size.  The device keeps some that tasks
 * have freed for the next task, uncounted: fresh pages must be cleared, and in
 * a virtual machine got back from the host, which takes longer than filling
 * them.
 */
#ifndef GPUAGG_HOST_HOST_MEMORY_H
#define GPUAGG_HOST_HOST_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/common.h"

#define GPUAGG_MEMORY_BLOCK ((size_t) 2 << 20)

/* Free blocks; lock guards the others. */
typedef struct GpuAggFreeBlocks
{
	pthread_mutex_t lock;
	void	   *first;			/* each points to the next */
	uint64_t	bytes;
	uint64_t	most;
} GpuAggFreeBlocks;

typedef struct GpuAggMemory
{
	struct GpuAggMemory *parent;	/* the device's, or NULL */
	_Atomic uint64_t limit;		/* of stripes the main thread changes it */
	_Atomic uint64_t used;
	_Atomic uint64_t peak;
	atomic_bool fault;			/* the next growth fails */
	GpuAggFreeBlocks *blocks;	/* the device's */
} GpuAggMemory;

/* Of a device: blocks to keep, at most.  Destroying frees them. */
extern void gpuagg_blocks_init(GpuAggFreeBlocks *blocks, uint64_t most);
extern void gpuagg_blocks_destroy(GpuAggFreeBlocks *blocks);

/*
 * limit 0: no limit but the parent's.  A parent's free blocks are its
 * children's.
 */
extern void gpuagg_memory_init(GpuAggMemory *m, GpuAggMemory *parent,
							   uint64_t limit);

/*
 * NULL: over a budget, or malloc failed.  Aligned to 64 bytes; of a block or
 * more, to a huge page.
 */
extern void *gpuagg_memory_alloc(GpuAggMemory *m, size_t bytes);

/*
 * Memory that takes the place of more, which is charged for: gpuagg_memory_exchanged frees that,
 * and from then on the new memory is.  NULL: malloc failed.
 */
extern void *gpuagg_memory_alloc_for(GpuAggMemory *m, size_t bytes);
extern void gpuagg_memory_exchanged(GpuAggMemory *m, void *old, size_t old_bytes, size_t bytes);

/* gpuagg_memory_alloc for growing tables and lists of rows, where GPUAGG_FAULT_MEMORY strikes */
extern void *gpuagg_memory_grow(GpuAggMemory *m, size_t bytes);

/* For memory that comes from elsewhere; charge: false: over a budget */
extern bool gpuagg_memory_charge(GpuAggMemory *m, size_t bytes);
extern void gpuagg_memory_uncharge(GpuAggMemory *m, size_t bytes);

/* What all its budgets have left */
extern uint64_t gpuagg_memory_left(const GpuAggMemory *m);

/* p may be NULL */
extern void gpuagg_memory_free(GpuAggMemory *m, void *p, size_t bytes);

/* Bytes that may be used at most, others' included; UINT64_MAX: any */
extern uint64_t gpuagg_memory_limit(const GpuAggMemory *m);

/* Reports GPUAGG_OUT_OF_MEMORY with the budgets in the message. */
extern GpuAggStatus gpuagg_memory_error(GpuAggMemory *m, GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_MEMORY_H */
