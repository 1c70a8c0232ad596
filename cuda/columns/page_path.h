/*
 * page_path.h
 *		Pages, and rows that PostgreSQL evaluated, through kernels that were compiled
 *		for the query: a batch becomes columns, as stripes have them (page_columns.h),
 *		and the kernel that reads stripes groups it, or finds which rows are selected.
 *
 * A task's strategy stays what was chosen for pages, so there are two ways: with groups
 * of a block in shared memory, and without.  What is switched between while running
 * (provider/complete.cu), the kernels follow.  Evaluated rows have a program of their own
 * (device/codegen/rows_program.c), hence ways of their own.  The interpreter takes batches
 * whose kernel is not there yet, or which find no memory for columns, and few rows.
 */
#ifndef GPUAGG_CUDA_COLUMNS_PAGE_PATH_H
#define GPUAGG_CUDA_COLUMNS_PAGE_PATH_H

#include "cuda/columns/compiled_path.h"
#include "cuda/columns/page_columns.h"

typedef struct GpuAggPageWay
{
	bool		asked;			/* what it would be */
	GpuAggCompiledPath compiled;
} GpuAggPageWay;

typedef struct GpuAggPagePath
{
	bool		waits;			/* pages do, for their kernel */
	GpuAggPageWay ways[2][2];	/* of pages, of rows; with groups of a block, or without */
} GpuAggPagePath;

/*
 * Before a batch of pages is made: is its kernel being compiled and worth waiting for?
 * Then pages are to wait; poll tells when no longer.
 */
extern bool gpuagg_cuda_page_waits(GpuAggTask *task);
extern bool gpuagg_cuda_page_poll(GpuAggTask *task);

/*
 * Is a batch that will be decoded, or was uploaded, a compiled kernel's?  READY: yes, and
 * it has memory for that.  WAIT: later; it is asked about again.
 */
extern GpuAggKernelState gpuagg_cuda_page_open(GpuAggTask *task, GpuAggBatch *batch);

/* Instead of gpuagg_cuda_batch_group(), where it is */
extern bool gpuagg_cuda_page_group(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);

/* At the task's end */
extern void gpuagg_cuda_page_free(GpuAggTask *task);

/* ---------- page_columns.cu ---------- */

extern void gpuagg_cuda_page_columns(const GpuAggCudaPrepared *prepared,
									 const GpuAggDecodedBatch *decoded,
									 const GpuAggPageColumns *columns, uint32_t sms,
									 cudaStream_t stream);

#endif							/* GPUAGG_CUDA_COLUMNS_PAGE_PATH_H */
