/*
 * job_input.h
 *		Messages from clients.
 */
#ifndef GPUAGG_WORKER_JOB_INPUT_H
#define GPUAGG_WORKER_JOB_INPUT_H

#include "postgres.h"

#include "worker/job.h"

/* Handles one message from the client; checks all of it. */
extern void gpuagg_job_input(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes);

#endif							/* GPUAGG_WORKER_JOB_INPUT_H */
