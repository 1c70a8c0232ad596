/*
 * job_step.h
 *		A job in the loop: taken, stepped, watched, released.
 */
#ifndef GPUAGG_WORKER_JOB_STEP_H
#define GPUAGG_WORKER_JOB_STEP_H

#include "postgres.h"

#include "utils/timestamp.h"
#include "worker/job.h"

/* Makes a job of an announced slot, if it still is announced. */
extern void gpuagg_job_take(GpuAggSlot *slot);

/* Does what can be done without waiting; true: there is more to do at once.  May free the job. */
extern bool gpuagg_job_step(GpuAggWorkerJob *job);

/* Updates what gpuagg.tasks shows. */
extern void gpuagg_job_publish(GpuAggWorkerJob *job);

/*
 * Is the device expected to do something for the job, and has shown no sign of life for longer
 * than gpuagg.watchdog says?  Then it is lost.
 */
extern void gpuagg_job_watch(GpuAggWorkerJob *job, TimestampTz now);

/* Ends the device's task, which must be idle, and gives the slot up; frees the job. */
extern void gpuagg_job_release(GpuAggWorkerJob *job);

#endif							/* GPUAGG_WORKER_JOB_STEP_H */
