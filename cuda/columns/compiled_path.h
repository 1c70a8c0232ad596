/*
 * compiled_path.h
 *		Stripes, and pages that became such columns, through a kernel that was
 *		compiled for the query: which frame (cuda/frame/) it has, and how it is
 *		launched.
 *
 * All programs that the generator takes run so, once their kernel is there; till then,
 * and where it is not, the interpreter reads them (resident.h, page_path.h).  Those that
 * select rows, and look-up tables that are made, have the filter alone.
 * Rows that a frame has no place for go through the interpreter behind a larger
 * table, or through the kernel once more.
 */
#ifndef GPUAGG_CUDA_COLUMNS_COMPILED_PATH_H
#define GPUAGG_CUDA_COLUMNS_COMPILED_PATH_H

#include "cuda/columns/cuda_stripe.h"
#include "cuda/compile/compile.h"
#include "cuda/frame/frame.h"

struct GpuAggPendingStripe;

/* What a path is chosen for */
typedef struct GpuAggPathCase
{
	const GpuAggCudaPrepared *prepared;	/* of the rows, as the host has it */
	const GpuAggCudaPrepared *there;	/* of the rows, as the card has it */
	GpuAggStrategy strategy;	/* of the task */
	bool		kept;			/* rows are being kept, and will be */
	const struct GpuAggPendingStripe *pending;	/* the first stripes that there are */
	uint32_t	n;				/* how many stripes these are; 0: input is pages, or rows that
								 * PostgreSQL evaluated, and the strategy is kept to */
} GpuAggPathCase;

typedef struct GpuAggCompiledPath
{
	bool		open;			/* a frame fits */
	bool		refused;		/* its kernel will not be there */
	GpuAggFrame frame;
	bool		packed;			/* its kernel takes packed columns, too */
	GpuAggCodegen code;
	GpuAggKernelRequest request;
	GpuAggFrameArgs args;		/* all but what is a launch's */
	uint32_t	blocks;			/* of a launch */
	uint32_t	threads;		/* of each block of a launch */
	uint32_t	shared_bytes;
	uint32_t	nentries;		/* entries that a launch may leave */
} GpuAggCompiledPath;

/* Sets the path.  Not open: there is no frame for it. */
extern void gpuagg_cuda_compiled_choose(const GpuAggTask *task, const GpuAggPathCase *of,
										GpuAggCompiledPath *path);

/* Is the path for tasks that keep rows? */
extern bool gpuagg_cuda_compiled_keeps(const GpuAggCompiledPath *path);

/* Is the kernel there?  WAIT: ask again; otherwise it is ready, or this is for others. */
extern GpuAggKernelState gpuagg_cuda_compiled_ask(GpuAggTask *task, GpuAggCompiledPath *path);

/*
 * For a launch over these stripes.  False: their keys' ranges are not known, or too
 * large, or the kernel does not take them packed; it is for others.
 */
extern bool gpuagg_cuda_compiled_prepare(const GpuAggTask *task,
										 const struct GpuAggPendingStripe *pending, uint32_t n,
										 GpuAggCompiledPath *path);

/* For a launch over so many rows of pages */
extern void gpuagg_cuda_compiled_rows(const GpuAggTask *task, uint32_t nrows,
									  GpuAggCompiledPath *path);

/*
 * Entries that a launch may leave are empty before it; head: of a table, which they are for that.
 */
extern void gpuagg_cuda_compiled_entries(GpuAggTask *task, const GpuAggCompiledPath *path,
										 const GpuAggFrameArgs *args, GpuAggTableHead *head,
										 cudaStream_t stream);

/* *args: complete; the number of entries is 0. */
extern bool gpuagg_cuda_compiled_launch(GpuAggTask *task, GpuAggCompiledPath *path,
										GpuAggFrameArgs *args, GpuAggError *error);

/* Rows of that launch that found no place, behind a larger table.  False: by others. */
extern bool gpuagg_cuda_compiled_repeats(const GpuAggCompiledPath *path);
extern bool gpuagg_cuda_compiled_again(GpuAggTask *task, GpuAggCompiledPath *path,
									   GpuAggFrameArgs *args, GpuAggError *error);

/* At the task's end */
extern void gpuagg_cuda_compiled_free(GpuAggDevice *device, GpuAggCompiledPath *path);

/* ---------- numbered.cu ---------- */

/*
 * Entries of a launch go into the task's table: those that are numbered get their
 * keys, if anything is there; counted as gpuagg_codegen_counted().  Those without
 * place stay, and are counted as overflow.
 */
extern void gpuagg_cuda_numbered_merge(const GpuAggCudaPrepared *prepared,
									   const GpuAggFrameArgs *args, bool numbered, uint32_t counted,
									   uint32_t most, uint32_t sms, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_COLUMNS_COMPILED_PATH_H */
