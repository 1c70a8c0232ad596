/*
 * encoding.h
 *		Jobs whose strings are codes on the device: what the client sends and
 *		gets are strings all the same.
 */
#ifndef GPUAGG_WORKER_ENCODING_H
#define GPUAGG_WORKER_ENCODING_H

#include "worker/job.h"

/*
 * Rewrites the job's program and configuration to codes of these dictionaries
 * (by loaded column, NULL: none) where that is possible; client: of the cache, which has
 * asked.  False: a dictionary does not take the program's constants; or, with an *error, the job
 * cannot run.
 */
extern bool gpuagg_encoding_make(GpuAggWorkerJob *job, const GpuAggCacheClient *client,
								 GpuAggDictionary *const *dictionaries, GpuAggError *error);

/* Nothing of the device is read by the job any more; it may have been told before. */
extern void gpuagg_encoding_leave(GpuAggWorkerJob *job);

/*
 * May pages have brought more strings than a code table has room for?  A code beyond it is an
 * error of the task, as if a value had been one that only PostgreSQL computes.
 */
extern bool gpuagg_encoding_outgrown(const GpuAggWorkerJob *job);

/* The program as the client sent it */
extern const GpuAggProgram *gpuagg_encoding_original(const GpuAggWorkerJob *job);

/*
 * Outputs of rows that PostgreSQL evaluated, as the client sent them, become
 * those of the job's program.  Allocates in the current memory context.
 */
extern GpuAggStatus gpuagg_encoding_rows(const GpuAggWorkerJob *job,
										 GpuAggRowColumn *columns,
										 uint32 nrows, GpuAggError *error);

/* Does the device write groups with codes, and not with their strings? */
extern bool gpuagg_encoding_has_codes(const GpuAggWorkerJob *job);

/*
 * The message of n groups with codes that the device wrote to `groups`; palloc'd.
 */
extern GpuAggMsg *gpuagg_encoding_results(GpuAggWorkerJob *job,
										  const char *groups, uint32 n,
										  Size *bytes, GpuAggError *error);

#endif							/* GPUAGG_WORKER_ENCODING_H */
