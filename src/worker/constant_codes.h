/*
 * constant_codes.h
 *		Codes of strings that are constants of programs: what a CASE answers.
 *
 * A list of such strings has a dictionary by itself, on its device, so that codes lie close
 * together.  Who asks for the same list again finds it, without waiting for the device.
 */
#ifndef GPUAGG_WORKER_CONSTANT_CODES_H
#define GPUAGG_WORKER_CONSTANT_CODES_H

#include "worker/job.h"

typedef struct GpuAggConstantCodes GpuAggConstantCodes;

/*
 * Those of n strings of a job, and their codes; it is the job's until it leaves it.  NULL: no
 * memory there.
 */
extern GpuAggConstantCodes *gpuagg_constant_codes_get(const GpuAggWorkerJob *job,
													  const GpuAggBytes *strings, uint32 n,
													  int32 *codes);
extern GpuAggDictionary *gpuagg_constant_codes_dictionary(const GpuAggConstantCodes *c);
extern void gpuagg_constant_codes_leave(GpuAggConstantCodes *c);

/* All that nobody has */
extern void gpuagg_constant_codes_clear(void);

#endif							/* GPUAGG_WORKER_CONSTANT_CODES_H */
