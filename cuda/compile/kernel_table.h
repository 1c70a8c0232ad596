/*
 * kernel_table.h
 *		Kernels in memory, found by their texts, in the order of their last use.
 *		Whoever calls holds the service's lock.
 */
#ifndef GPUAGG_CUDA_COMPILE_KERNEL_TABLE_H
#define GPUAGG_CUDA_COMPILE_KERNEL_TABLE_H

#include "cuda/compile/kernel_request.h"

#define GPUAGG_ENTRY_BYTES 64
#define GPUAGG_KERNEL_BUCKETS 1024

/* What the loader makes of machine code */
typedef struct GpuAggLoadedKernel
{
	void	   *library;		/* theirs */
	void	   *function;
	uint32_t	registers;
	uint32_t	shared_bytes;
	uint32_t	local_bytes;
	uint32_t	block_threads;
	uint32_t	blocks;
} GpuAggLoadedKernel;

struct GpuAggCompiledKernel
{
	GpuAggCompiledKernel *chain;	/* of its bucket */
	GpuAggCompiledKernel *newer;	/* by last use */
	GpuAggCompiledKernel *older;
	GpuAggCompiledKernel *next; /* of the list that it waits in */
	char	   *text;			/* ends with a zero, too */
	size_t		bytes;
	char		entry[GPUAGG_ENTRY_BYTES];
	bool		looked_up;		/* it is not on disk */
	bool		wanted;			/* to be compiled */
	bool		busy;			/* in a list, or in the thread's hands */
	uint32_t	pins;			/* requests that have it */
	uint64_t	asked;			/* tasks that asked for it */
	uint64_t	retry_ns;		/* of one that failed: when it may be tried again; 0:
								 * never */
	GpuAggLoadedKernel loaded;
	GpuAggCompiledInfo info;
};

typedef struct GpuAggKernelTable
{
	GpuAggCompiledKernel *buckets[GPUAGG_KERNEL_BUCKETS];
	GpuAggCompiledKernel *newest;
	GpuAggCompiledKernel *oldest;
	uint32_t	n;
} GpuAggKernelTable;

/* Finds a text, and makes it the newest; NULL: it is not there. */
extern GpuAggCompiledKernel *gpuagg_kernel_find(GpuAggKernelTable *table,
												const GpuAggKernelSource *source);

/* Adds one that is not there; NULL: no memory. */
extern GpuAggCompiledKernel *gpuagg_kernel_add(GpuAggKernelTable *table,
											   const GpuAggKernelSource *source);

/* The oldest that nobody uses, taken out; NULL: all are in use. */
extern GpuAggCompiledKernel *gpuagg_kernel_evict(GpuAggKernelTable *table);

/* Of one that is out of the table, and not loaded */
extern void gpuagg_kernel_free(GpuAggCompiledKernel *kernel);

#endif							/* GPUAGG_CUDA_COMPILE_KERNEL_TABLE_H */
