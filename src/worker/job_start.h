/*
 * job_start.h
 *		A job whose turn it is begins on its device.
 */
#ifndef GPUAGG_WORKER_JOB_START_H
#define GPUAGG_WORKER_JOB_START_H

#include "postgres.h"

#include "worker/job.h"

/* Begins a queued job on its device, unless that has no memory for it. */
extern void gpuagg_job_start(GpuAggWorkerJob *job);

#endif							/* GPUAGG_WORKER_JOB_START_H */
