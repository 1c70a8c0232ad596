/*
 * compile.h
 *		Kernels compiled for the query: from a text to something that can be
 *		launched.
 *
 * For the main thread of the device worker; nothing here waits.  A text is looked
 * for in memory, then on disk, then compiled by NVRTC in a process of its own; a
 * thread does all of that and writes to the device's event_fd when something is
 * ready, upon which tasks ask again.
 *
 * Equal texts are one kernel, compared byte by byte, so literals belong into its
 * arguments.  A text may include, by the names that our own code uses, whatever
 * cuda/compile/roots.h reaches ("device/ops/ops.h", "cuda/frame/frame.cuh") and
 * <stdint.h>, <stddef.h>, <stdbool.h>, <string.h>, <math.h>, <limits.h>, <float.h>.
 */
#ifndef GPUAGG_CUDA_COMPILE_COMPILE_H
#define GPUAGG_CUDA_COMPILE_COMPILE_H

#include <cuda_runtime.h>

#include "device/device.h"

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
								 * ask again when the device's event fires, or at the
								 * next poll */
	GPUAGG_KERNEL_COMPILING,	/* it, or others before it: interpret this time */
	GPUAGG_KERNEL_FAILED,		/* does not compile or load: interpret, do not ask again */
	GPUAGG_KERNEL_OFF			/* no NVRTC, or not wanted: interpret */
} GpuAggKernelState;

/*
 * What a task asks for.  It lies in the task, zero but for what is said below, and
 * keeps the answer.  While kernel is set the kernel stays loaded.
 */
typedef struct GpuAggKernelRequest
{
	GpuAggCompileWish wish;		/* from the task's config (device/device.h) */
	const GpuAggCompiledKernel *kernel; /* with READY */
	uint64_t	asked_ns;		/* when it asked first */
} GpuAggKernelRequest;

/*
 * May be called again at any time until it says READY, FAILED or OFF.  The source
 * need not be the same memory, but the same text.
 */
extern GpuAggKernelState gpuagg_compile_request(GpuAggDevice *device,
												const GpuAggKernelSource *source,
												GpuAggKernelRequest *request);

/* The card is done with it; for every request that was READY. */
extern void gpuagg_compile_release(GpuAggDevice *device, GpuAggKernelRequest *request);

/* args as of cudaLaunchKernel.  shared: dynamic, up to what a block may have. */
extern bool gpuagg_compile_launch(const GpuAggCompiledKernel *kernel, dim3 grid, dim3 block,
								  size_t shared, void **args, cudaStream_t stream,
								  GpuAggError *error);

/* Blocks of so many threads that a multiprocessor runs at once; 0: none, or unknown */
extern uint32_t gpuagg_compile_blocks(const GpuAggCompiledKernel *kernel, uint32_t threads,
									  size_t shared);

#endif							/* GPUAGG_CUDA_COMPILE_COMPILE_H */
