/*
 * job_tables.h
 *		The tables that a job reads, and what each has to do with the cache.
 */
#ifndef GPUAGG_WORKER_JOB_TABLES_H
#define GPUAGG_WORKER_JOB_TABLES_H

#include "postgres.h"

#include "worker/job.h"

/* One more table; of a job that requests nothing of the cache, too */
extern void gpuagg_job_table_add(GpuAggWorkerJob *job, const GpuAggCacheRequest *request);

/* Asks the cache for the next table whose turn it is not yet; false: none. */
extern bool gpuagg_job_tables_begin(GpuAggWorkerJob *job);

/* The table that a batch is of; NULL: there is none. */
extern GpuAggJobTable *gpuagg_job_table_find(const GpuAggWorkerJob *job, uint64 batch_id);

/* None of them uses the cache any more. */
extern void gpuagg_job_tables_leave(GpuAggWorkerJob *job);

/*
 * What the cache did for all of them, and rows of each: a message of so many bytes, in the job's
 * context
 */
extern GpuAggDoneMsg *gpuagg_job_tables_done(GpuAggWorkerJob *job, Size *bytes);

#endif							/* GPUAGG_WORKER_JOB_TABLES_H */
