/*
 * compile.h
 *		Kernels compiled for the query: from a text to something that can be
 *		launched.
 *
 * For the main thread of the device worker; nothing here waits.  A text is looked
 * for in memory, then on disk, then compiled by NVRTC in a process of its own; a
 * thread does all of that (service.c) and writes to the device's event_fd when
 * something is ready, upon which tasks ask again.
 *
 * Equal texts are one kernel, compared byte by byte, so literals belong into its
 * arguments.  A text may include, by the names that our own code uses, what
 * program/roots.h and cuda/frame/ reach ("device/ops/ops.h"), and <stdint.h>,
 * <stddef.h>, <stdbool.h>, <string.h>, <math.h>, <limits.h>, <float.h>.
 */
#ifndef GPUAGG_CUDA_COMPILE_COMPILE_H
#define GPUAGG_CUDA_COMPILE_COMPILE_H

#include <cuda_runtime.h>

#include "cuda/compile/kernel_request.h"
#include "device/device.h"

/*
 * May be called again at any time until it says READY, FAILED or OFF.  The source
 * need not be the same memory, but the same text.
 */
extern GpuAggKernelState gpuagg_compile_request(GpuAggDevice *device,
												const GpuAggKernelSource *source,
												GpuAggKernelRequest *request);

/* The card is done with it; does nothing for a request that never was READY. */
extern void gpuagg_compile_release(GpuAggDevice *device, GpuAggKernelRequest *request);

/* args as of cudaLaunchKernel.  shared: dynamic, up to what a block may have. */
extern bool gpuagg_compile_launch(GpuAggDevice *device, const GpuAggCompiledKernel *kernel,
								  dim3 grid, dim3 block, size_t shared, void **args,
								  cudaStream_t stream, GpuAggError *error);

/* Blocks of so many threads that a multiprocessor runs at once; 0: none, or unknown */
extern uint32_t gpuagg_compile_blocks(const GpuAggCompiledKernel *kernel, uint32_t threads,
									  size_t shared);

/*
 * For the provider.  Failing to open is no failure of the device, which then compiles
 * nothing.  close: no task is left; of a lost device it frees nothing, for it may
 * never be done with what it was asked.  info: fills in what info tells of the compiler.
 */
extern void gpuagg_compile_open(GpuAggDevice *device, const GpuAggDeviceConfig *config,
								const cudaDeviceProp *prop);
extern void gpuagg_compile_close(GpuAggDevice *device);
extern void gpuagg_compile_info(GpuAggDevice *device, GpuAggDeviceInfo *info);
extern uint32_t gpuagg_compile_kernels(GpuAggDevice *device, GpuAggCompiledInfo *infos,
									   uint32_t max, GpuAggKernelTotals *totals);

#endif							/* GPUAGG_CUDA_COMPILE_COMPILE_H */
