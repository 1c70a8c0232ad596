/*
 * kernels_shared.h
 *		What backends see of kernels compiled for queries, in main shared memory: for
 *		each device a list of those used last.
 *
 * The worker writes it; one lock guards all of it, for as long as copying or making
 * the list takes.
 */
#ifndef GPUAGG_IPC_KERNELS_SHARED_H
#define GPUAGG_IPC_KERNELS_SHARED_H

#include "postgres.h"

#include "device/compiled.h"

#define GPUAGG_KERNEL_ENTRIES 256

typedef struct GpuAggKernelsShared
{
	uint32		nentries;
	GpuAggCompiledInfo entries[GPUAGG_KERNEL_ENTRIES];
} GpuAggKernelsShared;

/* For shmem_start.c: the lock */
extern void gpuagg_kernels_shared_request(void);

/* For the device's worker: replaces the list. */
extern void gpuagg_kernels_set(int device, const GpuAggCompiledInfo *entries, uint32 nentries);

/* For the view: a copy of a device's list, in the current memory context, and its length */
extern uint32 gpuagg_kernels_get(int device, GpuAggCompiledInfo **entries);

/* For who predicts: is there one for programs of that number (GpuAggCompileWish)? */
extern bool gpuagg_kernels_ready(int device, uint64 program);

#endif							/* GPUAGG_IPC_KERNELS_SHARED_H */
