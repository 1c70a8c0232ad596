/*
 * job_made.h
 *		Look-up tables that devices have made (device/made.h), until jobs use them.
 *
 * A client makes tables, one a job, and then runs a job that looks up in them, by their
 * numbers.  Between these nobody owns them: they go, longest unused first, when those of a
 * device take more than their part of its memory (ipc/made_shared.h), when a task needs that
 * memory, and when the worker has had nothing to do for a while.
 * A job whose table has gone fails with GPUAGG_UNSUPPORTED, and its client does without.
 */
#ifndef GPUAGG_WORKER_JOB_MADE_H
#define GPUAGG_WORKER_JOB_MADE_H

#include "worker/job.h"

/* A wish of the client's, which is checked: may this job make a table? */
extern bool gpuagg_made_wish_ok(GpuAggWorkerJob *job);

/* The dictionaries of the columns that the job loads */
extern void gpuagg_made_dictionaries(GpuAggWorkerJob *job, GpuAggDictionary *const *dictionaries);

/* Takes the table of a job that has finished; the message that tells of it, or NULL: *error */
extern GpuAggMsg *gpuagg_made_message(GpuAggWorkerJob *job, Size *bytes, GpuAggError *error);

/* Finds the tables that the job's program names; false: one is not there, *error tells. */
extern bool gpuagg_made_use(GpuAggWorkerJob *job, GpuAggError *error);

/* The job's task has ended. */
extern void gpuagg_made_leave(GpuAggWorkerJob *job);

/*
 * Has the device, or any if that is NULL, a table that no job uses?  The one that was used longest
 * ago goes; false: there is none.
 */
extern bool gpuagg_made_unused(const GpuAggWorkerDevice *on);
extern bool gpuagg_made_give_way(const GpuAggWorkerDevice *on);

/* All that no job uses go. */
extern void gpuagg_made_clear(void);

#endif							/* GPUAGG_WORKER_JOB_MADE_H */
