/*
 * provider.h
 *		What the worker calls of a task (device.cu), and what these files ask of one another.
 *
 * Sections are named by the file that has their functions.
 */
#ifndef GPUAGG_CUDA_PROVIDER_PROVIDER_H
#define GPUAGG_CUDA_PROVIDER_PROVIDER_H

#include "cuda/task/task.h"

/* ---------- cuda_task.cu ---------- */

extern GpuAggStatus gpuagg_cuda_task_begin(GpuAggDevice *device,
										   const GpuAggProgram *program,
										   const GpuAggTaskConfig *config,
										   GpuAggTask **task, GpuAggError *error);
extern void gpuagg_cuda_task_stats(GpuAggTask *task, GpuAggTaskStats *stats);
extern void gpuagg_cuda_task_cancel(GpuAggTask *task);
extern bool gpuagg_cuda_task_idle(GpuAggTask *task);
extern void gpuagg_cuda_task_end(GpuAggTask *task);

/* ---------- batch_input.cu ---------- */

extern GpuAggStatus gpuagg_cuda_task_pages(GpuAggTask *task, uint64_t batch_id,
										   const GpuAggPage *pages,
										   uint32_t npages, GpuAggError *error);
extern GpuAggStatus gpuagg_cuda_task_rows(GpuAggTask *task, uint64_t batch_id,
										  const GpuAggRowColumn *columns,
										  uint32_t nrows, GpuAggError *error);

/*
 * Such rows, uploaded, are grouped, by a compiled kernel or the interpreter; or they wait
 * for the kernel, and this is called again.
 */
extern bool gpuagg_cuda_rows_group(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);

/* At the task's end; the card does nothing for it any more */
extern void gpuagg_cuda_batches_free(GpuAggTask *task);

/* ---------- complete.cu ---------- */

extern bool gpuagg_cuda_task_poll(GpuAggTask *task, GpuAggCompletion *completion);

/* ---------- pending.cu ---------- */

/*
 * Are the pages of a batch, for which there was no memory (*error), or that
 * come behind such, to wait for batches in flight?  Then they are copied.  waits: they
 * are to, for something else.
 */
extern bool gpuagg_cuda_pending_add(GpuAggTask *task, uint64_t batch_id,
									const GpuAggPage *pages, uint32_t npages, bool waits,
									GpuAggError *error);

/* A batch is complete, or what they wait for is there: they try again, in their order. */
extern void gpuagg_cuda_pending_resume(GpuAggTask *task);
extern void gpuagg_cuda_pending_free(GpuAggTask *task);

/* ---------- cuda_wanted.cu ---------- */

/* Where task->tables are: enqueues the search for the groups that are wanted. */
extern bool gpuagg_cuda_wanted_launch(GpuAggTask *task, GpuAggError *error);

/*
 * It is done.  *found is set if not all are wanted: how many there are.  *first: so
 * many of those that are returned will do.  False: a sum is PostgreSQL's to judge.
 */
extern bool gpuagg_cuda_wanted_read(GpuAggTask *task, uint64_t *found, uint64_t *first,
									GpuAggError *error);
extern void gpuagg_cuda_wanted_free(GpuAggTask *task);

/* ---------- cuda_regroup.cu ---------- */

/*
 * The task's tables have been sized: task->groups says how many groups there are.  Enqueues
 * what makes others of them, if that is wanted and can be done here; task->tables are then
 * those of the groups that are made.  False: *error.
 */
extern bool gpuagg_cuda_regroup_launch(GpuAggTask *task, bool *launched, GpuAggError *error);

/*
 * It is done.  *again: they found no room, and task->tables are larger ones, which have been
 * enqueued, or the finer groups' again.  False: *error.
 */
extern bool gpuagg_cuda_regroup_made(GpuAggTask *task, bool *again, GpuAggError *error);

/* Are the finer groups one of each group that is made, with counts of values in place of these? */
extern bool gpuagg_cuda_regroup_counted(const GpuAggTask *task);

/* Are task->tables those of groups that were made?  Of how many finer ones? */
extern bool gpuagg_cuda_regrouped(const GpuAggTask *task);
extern uint64_t gpuagg_cuda_regroup_finer(const GpuAggTask *task);

/* The prepared program of the groups in task->tables, and where it is on the card */
extern const GpuAggCudaPrepared *gpuagg_cuda_returned(const GpuAggTask *task,
													  const GpuAggCudaPrepared **there);
extern void gpuagg_cuda_regroup_free(GpuAggTask *task);

/* ---------- cuda_results.cu ---------- */

extern bool gpuagg_cuda_task_finish(GpuAggTask *task, GpuAggError *error);
extern uint32_t gpuagg_cuda_task_results(GpuAggTask *task, char *buffer,
										 size_t size, size_t *used,
										 GpuAggError *error);
extern void gpuagg_cuda_results_free(GpuAggTask *task);

#endif							/* GPUAGG_CUDA_PROVIDER_PROVIDER_H */
