/*
 * job_called.h
 *		Jobs whose clients compute what only PostgreSQL can of a kept column's strings
 *		(device/ops/code_table.h): a message of strings goes out whenever it is asked for, their
 *		values come back.  Such a job reads nothing.
 */
#ifndef GPUAGG_WORKER_JOB_CALLED_H
#define GPUAGG_WORKER_JOB_CALLED_H

#include "worker/job.h"

/* Is the job's program one expression that only PostgreSQL computes, and nothing else? */
extern bool gpuagg_job_called_wish_ok(const GpuAggWorkerJob *job);

/* The column has this dictionary; whoever is not told so has no table to give values to. */
extern void gpuagg_job_called_begin(GpuAggWorkerJob *job, GpuAggDictionary *const *dictionaries);

/* An ASK message is answered; the job fails if it cannot be. */
extern void gpuagg_job_called_ask(GpuAggWorkerJob *job, const GpuAggMsg *msg);

/* Values of n codes from `first` on.  Those that are there already are not looked at. */
extern void gpuagg_job_called_take(GpuAggWorkerJob *job, uint64 first,
								   const GpuAggRowColumn *values, uint32 n);

extern void gpuagg_job_called_leave(GpuAggWorkerJob *job);

#endif							/* GPUAGG_WORKER_JOB_CALLED_H */
