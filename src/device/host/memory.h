/*
 * memory.h
 *		Memory of a task, counted against its budget and the device's.
 *
 * Counters are atomic: every pool thread and the worker's main thread
 * allocate.  Budgets are those of gpuagg.device_memory; malloc() itself may
 * fail as well, and both come back as NULL, never as an abort.  What is
 * allocated here is freed with the size it was asked for.
 */
#ifndef GPUAGG_DEVICE_HOST_MEMORY_H
#define GPUAGG_DEVICE_HOST_MEMORY_H

#include <stdatomic.h>

#include "device/common.h"

typedef struct GpuAggMemory
{
	struct GpuAggMemory *parent;	/* the device's, or NULL */
	uint64_t	limit;
	_Atomic uint64_t used;
	_Atomic uint64_t peak;
	atomic_bool fault;			/* the next growth of a table fails */
} GpuAggMemory;

/* limit 0: no limit but the parent's */
extern void gpuagg_memory_init(GpuAggMemory *m, GpuAggMemory *parent,
							   uint64_t limit);

/* NULL: over a budget, or malloc failed.  Aligned to 64 bytes. */
extern void *gpuagg_memory_alloc(GpuAggMemory *m, size_t bytes);

/* The same for growing tables, where GPUAGG_FAULT_MEMORY strikes. */
extern void *gpuagg_memory_grow(GpuAggMemory *m, size_t bytes);

/* p may be NULL */
extern void gpuagg_memory_free(GpuAggMemory *m, void *p, size_t bytes);

/* Bytes that may be used at most, others' included; UINT64_MAX: any */
extern uint64_t gpuagg_memory_limit(const GpuAggMemory *m);

/* Reports GPUAGG_OUT_OF_MEMORY with the budgets in the message. */
extern GpuAggStatus gpuagg_memory_error(GpuAggMemory *m, GpuAggError *error);

#endif							/* GPUAGG_DEVICE_HOST_MEMORY_H */
