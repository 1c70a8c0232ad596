/*
 * cuda_probe.h
 *		Inside the CUDA device: a probe session.
 *
 *	probe_session.cu	begin, end, what the card says of itself
 *	probe.cu			chases, pairs, random accesses
 *	probe_ceilings.cu	ceilings
 *	probe_touch.cu		those of first touch
 *	probe_*.cu			kernels (probe_kernels.h)
 *
 * A session is a thread's own: it has a stream, memory and pinned memory that
 * nobody else knows of, taken from CUDA rather than from the tasks' pool, and
 * gives all of it back.  Of the device it looks at what does not change after
 * it was opened.  So it never marks the device as lost: an error that sticks
 * to the context is returned as GPUAGG_DEVICE_LOST, and the worker's main
 * thread, which is told of it or meets it at its own next call, does the rest.
 *
 * What it does to tasks that run meanwhile: their kernels share the card with
 * it, taking and giving back memory may hold up CUDA calls of the process, and
 * a task that needs more memory than was left fails for want of it and is run
 * again on the host device.
 */
#ifndef GPUAGG_CUDA_PROBE_CUDA_PROBE_H
#define GPUAGG_CUDA_PROBE_CUDA_PROBE_H

#include "cuda/core/cuda_device.h"
#include "cuda/probe/probe_kernels.h"

struct GpuAggProbe
{
	const volatile int *cancel;
	cudaStream_t stream;
	cudaEvent_t from;
	cudaEvent_t to;
	char	   *memory;
	uint64_t	bytes;			/* of it; the report lies behind */
	GpuAggProbeReport *report;	/* there */
	GpuAggProbeReport *seen;	/* pinned: its copy */
	char	   *pinned;			/* for the link's rates, once needed, or NULL */
	uint64_t	pinned_bytes;
	uint32_t	units;
	uint64_t	cache_bytes;
	double		clock_ghz;
	uint16_t	smid[GPUAGG_MAX_UNITS]; /* of each unit */
	GpuAggUnitLimits limits;
	uint32_t	nkernels;
	GpuAggKernelInfo kernels[GPUAGG_MAX_KERNELS];
};

extern const GpuAggProbeOps gpuagg_cuda_probe_ops;

/* What is repeated until it takes long enough to be timed */
typedef struct GpuAggProbeWork
{
	/* Enqueues that many rounds. */
	cudaError_t (*launch) (GpuAggProbe *probe, const struct GpuAggProbeWork *work,
						   uint64_t rounds);
	double		events;			/* of a round */
	uint64_t	bytes;
	uint32_t	kind;			/* launch's own */
	uint32_t	blocks;
	const void *more;
} GpuAggProbeWork;

/* Checks a CUDA call without touching the device. */
#define PROBE_OK(call, error) CUDA_OK(NULL, call, error)
#define PROBE_LAUNCHED(error) CUDA_LAUNCHED(NULL, error)

/* ---------- probe_session.cu ---------- */

/*
 * The most memory that is to be had in one piece, up to bytes: what is free may
 * be in pieces, and others may take of it meanwhile.
 */
extern bool gpuagg_cuda_probe_take(GpuAggProbe *probe, uint64_t bytes,
								   GpuAggError *error);

/* ---------- probe.cu ---------- */

/* True: *error says so. */
extern bool gpuagg_cuda_probe_cancelled(GpuAggProbe *probe, GpuAggError *error);

/* Waits without keeping a core busy. */
extern bool gpuagg_cuda_probe_wait(GpuAggProbe *probe, GpuAggError *error);

/* Before a measurement that tells by its report, and after it; waits. */
extern bool gpuagg_cuda_probe_clear(GpuAggProbe *probe, GpuAggError *error);
extern bool gpuagg_cuda_probe_see(GpuAggProbe *probe, GpuAggError *error);

/*
 * Blocks to launch for one to land on a given multiprocessor, at the n-th
 * attempt; 0: no more attempts, *error is set.
 */
extern uint32_t gpuagg_cuda_probe_blocks(GpuAggProbe *probe, uint32_t unit,
										 uint32_t attempt, GpuAggError *error);

/* Events a second of work, warmed up, over 10 ms or more */
extern GpuAggStatus gpuagg_cuda_probe_rate(GpuAggProbe *probe,
										   const GpuAggProbeWork *work,
										   double *rate, GpuAggError *error);

/* chase, pair and random of GpuAggProbeOps */
extern GpuAggStatus gpuagg_cuda_probe_chase_chain(GpuAggProbe *probe,
												  const GpuAggChase *chase,
												  GpuAggChaseTime *time,
												  GpuAggError *error);
extern GpuAggStatus gpuagg_cuda_probe_read_pair(GpuAggProbe *probe, uint32_t unit,
												uint32_t other, uint64_t start,
												uint64_t other_start, uint64_t bytes,
												double *rate, GpuAggError *error);
extern GpuAggStatus gpuagg_cuda_probe_access(GpuAggProbe *probe,
											 GpuAggRandomKind kind, uint64_t bytes,
											 double *rate, GpuAggError *error);

/* ---------- probe_ceilings.cu ---------- */

extern GpuAggStatus gpuagg_cuda_probe_ceiling(GpuAggProbe *probe,
											  GpuAggCeiling ceiling,
											  double *value, GpuAggError *error);

/* ---------- probe_touch.cu ---------- */

/* TOUCH and what begins so */
extern GpuAggStatus gpuagg_cuda_probe_first_touch(GpuAggProbe *probe,
												  GpuAggCeiling ceiling,
												  double *rate, GpuAggError *error);

#endif							/* GPUAGG_CUDA_PROBE_CUDA_PROBE_H */
