/*
 * resident.h
 *		Stripes as a task's input, on the host side; and pages that became columns
 *		(page_path.h), whose kernels are launched in the same way.
 *
 * Stripes that a task is given wait until it is polled, or given other input, so
 * that many of them are one launch.  The first one's batch stands for all of
 * that launch; the others complete behind it, with nothing to tell.
 *
 * Programs whose kernel has been compiled run through that (compiled_path.h), by the
 * strategy that was chosen for stripes (GpuAggTaskConfig.resident_strategy) or a
 * faster one that their keys' ranges allow.  Till then, and without one, the
 * interpreter reads a stripe a batch, as decoded batches of pages; of tasks that keep
 * rows, into records.
 *
 * Deferral.  Where rows are kept and a program is of one integer key and one 4-byte
 * argument at most, only which rows count is found out when stripes come.  At the end
 * of input columns are read as they lie (groupby_sources.cu); if any row has a NULL,
 * all become records instead.
 */
#ifndef GPUAGG_CUDA_COLUMNS_RESIDENT_H
#define GPUAGG_CUDA_COLUMNS_RESIDENT_H

#include "cuda/columns/page_path.h"

/* Stripes of one launch, at most */
#define GPUAGG_RESIDENT_STRIPES GPUAGG_FRAME_STRIPES

/* What a batch reads: device addresses */
typedef struct GpuAggResident
{
	bool		deferred;
	bool		flagged;		/* flags of what is left over have been made */
	uint32_t	n;
	GpuAggStripeInput inputs[GPUAGG_RESIDENT_STRIPES];
	GpuAggCompiledPath *path;	/* the kernel of the query's own, if it is compiled */
	GpuAggFrameArgs frame;		/* what the compiled kernel was launched with */
	GpuAggPageColumns page_columns;	/* of pages */

	/* of deferred stripes, until the task's end */
	struct GpuAggResident *next;
	GpuAggSource sources[GPUAGG_RESIDENT_STRIPES];
	GpuAggBatchHead *head;		/* these lie in */
	char	   *memory;			/* what was the batch's */
	size_t		bytes;
} GpuAggResident;

typedef struct GpuAggPendingStripe
{
	GpuAggBatch *done;			/* completes, if no other batch does it */
	GpuAggStripe *stripe;
	uint32_t	positions;
	uint32_t	nwithout;
	GpuAggPositions *without;
	GpuAggStripePages *pages;	/* of a sample of lines, held by the queue; NULL: none */
} GpuAggPendingStripe;

/* Of a task's program */
typedef struct GpuAggStripeDeferral
{
	bool		open;
	uint16_t	key;			/* columns */
	uint16_t	arg;
	GpuAggStripeRun run;			/* columns whose NULLs matter */
	GpuAggResident *first;		/* what is deferred */
	uint32_t	n;				/* stripes */
	uint64_t	rows;			/* of these that pass */
} GpuAggStripeDeferral;

typedef struct GpuAggResidentQueue
{
	bool		chosen;			/* the path */
	bool		asked;			/* what a compiled kernel would be */
	bool		compiles;		/* it is ready: no other path */
	GpuAggCompiledPath compiled;
	GpuAggStrategy strategy;	/* that `path` was chosen for */
	GpuAggStripeDeferral deferral;
	uint32_t	nheld;
	GpuAggStripePages **held;	/* that stripes have been given with, until the task ends */
	uint32_t	n;
	GpuAggPendingStripe pending[GPUAGG_RESIDENT_STRIPES];
} GpuAggResidentQueue;

/* If the task keeps rows: can stripes be deferred? */
extern bool gpuagg_cuda_stripe_defers(const GpuAggTask *task, GpuAggStripeDeferral *deferral);

extern GpuAggStatus gpuagg_cuda_task_resident(GpuAggTask *task, uint64_t batch_id,
											  GpuAggStripe *stripe, const GpuAggPositions *without,
											  uint32_t nwithout, GpuAggError *error);

/* It was enqueued, or never will be. */
extern void gpuagg_cuda_pending_stripe_free(GpuAggPendingStripe *stripe);

/* What waits is enqueued.  False: nothing did. */
extern bool gpuagg_cuda_resident_flush(GpuAggTask *task);

/*
 * Enqueues what waits, unless its kernel is being compiled and worth waiting for.  False: nothing
 * was enqueued.
 */
extern bool gpuagg_cuda_resident_poll(GpuAggTask *task);

/*
 * A batch whose compiled kernel has left rows over, once more, behind a larger table: through
 * that kernel or the interpreter
 */
extern bool gpuagg_cuda_resident_again(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);

/* The counters of deferred stripes have come: what they read stays. */
extern void gpuagg_cuda_resident_deferred(GpuAggTask *task, GpuAggBatch *batch);

/* No more input, of a task that keeps rows: what was deferred is grouped, too. */
extern bool gpuagg_cuda_resident_finish(GpuAggTask *task, GpuAggError *error);

/* At the task's end */
extern void gpuagg_cuda_resident_free(GpuAggTask *task);

#endif							/* GPUAGG_CUDA_COLUMNS_RESIDENT_H */
