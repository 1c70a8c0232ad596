/*
 * kernel_request.h
 *		What a task asks the compiling of kernels for, and is answered.
 */
#ifndef GPUAGG_CUDA_COMPILE_KERNEL_REQUEST_H
#define GPUAGG_CUDA_COMPILE_KERNEL_REQUEST_H

#include "device/compiled.h"

typedef struct GpuAggCompiledKernel GpuAggCompiledKernel;

typedef struct GpuAggKernelSource
{
	const char *text;			/* CUDA C++; copied */
	size_t		bytes;			/* without a zero at its end, which it need not have */
	const char *entry;			/* name of its extern "C" __global__ function */
	const char *shape;			/* short, for people: view gpuagg.kernels */
} GpuAggKernelSource;

typedef enum GpuAggKernelState
{
	GPUAGG_KERNEL_READY,		/* request->kernel may be launched */
	GPUAGG_KERNEL_WAIT,			/* being compiled, and worth waiting for: do nothing,
								 * ask again when the device's event fires, and at
								 * each poll */
	GPUAGG_KERNEL_COMPILING,	/* it, or nothing yet: interpret this time */
	GPUAGG_KERNEL_FAILED,		/* does not compile or load: interpret */
	GPUAGG_KERNEL_OFF			/* no compiler, or not wanted: interpret */
} GpuAggKernelState;

/*
 * One wish of a task for one kernel.  It lies in the task, zero but for the wish,
 * and keeps the answer.  While kernel is set, the kernel stays loaded.
 */
typedef struct GpuAggKernelRequest
{
	GpuAggCompileWish wish;		/* from the task's config (device/device.h) */
	GpuAggCompiledKernel *kernel;	/* with READY */
	uint64_t	asked_ns;		/* when it asked first; 0: not yet */
} GpuAggKernelRequest;

#endif							/* GPUAGG_CUDA_COMPILE_KERNEL_REQUEST_H */
