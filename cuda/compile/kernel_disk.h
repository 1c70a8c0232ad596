/*
 * kernel_disk.h
 *		Compiled kernels on disk: a folder of files that may be deleted at any time.
 *		For one thread; knows nothing of CUDA.
 */
#ifndef GPUAGG_CUDA_COMPILE_KERNEL_DISK_H
#define GPUAGG_CUDA_COMPILE_KERNEL_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPUAGG_KERNEL_KEY_BYTES 32

typedef struct GpuAggKernelDisk
{
	int			folder;			/* descriptor; -1: there is none, nothing is kept */
	uint64_t	limit;			/* bytes of all files */
} GpuAggKernelDisk;

/*
 * Opens the folder, which it makes if need be.  One that others may write to is not
 * used: machine code comes from it.
 */
extern void gpuagg_kernel_disk_open(GpuAggKernelDisk *disk, const char *folder, uint64_t limit);
extern void gpuagg_kernel_disk_close(GpuAggKernelDisk *disk);

/* To be freed; NULL: there is none, or none that is whole and ours. */
extern char *gpuagg_kernel_disk_load(GpuAggKernelDisk *disk,
									 const uint8_t key[GPUAGG_KERNEL_KEY_BYTES],
									 size_t *bytes, uint64_t *compile_ns);

/* Failing to is no failure.  Files used longest ago go to keep the limit. */
extern void gpuagg_kernel_disk_store(GpuAggKernelDisk *disk,
									 const uint8_t key[GPUAGG_KERNEL_KEY_BYTES],
									 const char *code, size_t bytes, uint64_t compile_ns);

#endif							/* GPUAGG_CUDA_COMPILE_KERNEL_DISK_H */
