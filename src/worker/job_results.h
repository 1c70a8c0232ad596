/*
 * job_results.h
 *		What a job tells when its device has finished.
 */
#ifndef GPUAGG_WORKER_JOB_RESULTS_H
#define GPUAGG_WORKER_JOB_RESULTS_H

#include "postgres.h"

#include "worker/job.h"

/* The next message of what the device has finished, or DONE; false: it has none at hand. */
extern bool gpuagg_job_send_results(GpuAggWorkerJob *job);

/* Of a job that follows another one, what that has told; false: nothing yet */
extern bool gpuagg_job_send_shared(GpuAggWorkerJob *job);

#endif							/* GPUAGG_WORKER_JOB_RESULTS_H */
