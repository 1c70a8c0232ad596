/*
 * probe_session.cu
 *		A probe session's begin and end: its memory, the multiprocessors, their
 *		clock, and what the card says of its kernels and limits.
 *
 * Memory is one allocation of all that is free but for what tasks may need
 * meanwhile, filled once with words that look random: memory that was never
 * written may be read faster than real data.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/probe/cuda_probe.h"

/* Memory that is left to tasks: so much, and a 20th of the card's */
#define LEAVE_BYTES ((uint64_t) 2 << 30)
#define LEAVE_SHARE 20

/* Sessions with less measure nothing of use. */
#define MIN_BYTES ((uint64_t) 16 << 20)
#define MEMORY_UNIT ((uint64_t) 2 << 20)

/* The search for what is to be had ends at this share of it. */
#define MEMORY_PRECISION 32

/* Written in one piece when memory is filled */
#define FILL_BYTES ((uint64_t) 8 << 30)

/* The clock is read after the card has had time to leave its idle state. */
#define CLOCK_WARM_NS 20000000
#define CLOCK_NS 5000000

/* ---------- the session ---------- */

static void
probe_end(GpuAggProbe *p)
{
	if (p->stream != NULL)
		(void) cudaStreamSynchronize(p->stream);
	if (p->pinned != NULL)
		(void) cudaFreeHost(p->pinned);
	if (p->seen != NULL)
		(void) cudaFreeHost(p->seen);
	if (p->memory != NULL)
		(void) cudaFree(p->memory);
	if (p->from != NULL)
		(void) cudaEventDestroy(p->from);
	if (p->to != NULL)
		(void) cudaEventDestroy(p->to);
	if (p->stream != NULL)
		(void) cudaStreamDestroy(p->stream);
	(void) cudaGetLastError();
	free(p);
}

/* That much, and room for the report */
static bool
memory_try(GpuAggProbe *p, uint64_t bytes, GpuAggError *error)
{
	if (gpuagg_cuda_probe_cancelled(p, error))
		return false;
	if (!PROBE_OK(cudaMalloc((void **) &p->memory, bytes + MEMORY_UNIT), error))
	{
		p->memory = NULL;
		return false;
	}
	p->bytes = bytes;
	return true;
}

bool
gpuagg_cuda_probe_take(GpuAggProbe *p, uint64_t bytes, GpuAggError *error)
{
	uint64_t	fits = MIN_BYTES;	/* or nothing does */
	uint64_t	refused = bytes;

	if (bytes < MIN_BYTES)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY,
						  "only %llu MB of GPU memory are free for a probe",
						  (unsigned long long) (bytes >> 20));
		return false;
	}
	if (memory_try(p, bytes, error))
		return true;
	while (error->status == GPUAGG_OUT_OF_MEMORY && refused - fits > refused / MEMORY_PRECISION)
	{
		const uint64_t between = (fits + refused) / 2 / MEMORY_UNIT * MEMORY_UNIT;

		if (!memory_try(p, between, error))
			refused = between;
		else if (!PROBE_OK(cudaFree(p->memory), error))
			return false;
		else
			fits = between;
		p->memory = NULL;
	}
	if (error->status != GPUAGG_OUT_OF_MEMORY || !memory_try(p, fits, error))
		return false;
	memset(error, 0, sizeof(*error));
	return true;
}

static bool
memory_setup(GpuAggProbe *p, const GpuAggProbeLimits *limits, GpuAggError *error)
{
	size_t		free_bytes;
	size_t		total;
	uint64_t	leave;
	uint64_t	bytes;

	if (!PROBE_OK(cudaMemGetInfo(&free_bytes, &total), error))
		return false;
	leave = total / LEAVE_SHARE > LEAVE_BYTES ? total / LEAVE_SHARE : LEAVE_BYTES;
	bytes = free_bytes > leave ? free_bytes - leave : 0;
	if (limits->memory_share < 1)
		bytes = (uint64_t) ((double) bytes * (limits->memory_share > 0 ? limits->memory_share : 0));
	if (limits->memory_bytes > 0 && bytes > limits->memory_bytes)
		bytes = limits->memory_bytes;
	bytes = bytes / MEMORY_UNIT * MEMORY_UNIT;

	/* the report is part of what is taken */
	if (!gpuagg_cuda_probe_take(p, bytes > MEMORY_UNIT ? bytes - MEMORY_UNIT : 0, error))
		return false;
	p->report = (GpuAggProbeReport *) (p->memory + p->bytes);
	for (uint64_t at = 0; at < p->bytes; at += FILL_BYTES)
	{
		if (gpuagg_cuda_probe_cancelled(p, error))
			return false;
		gpuagg_cuda_probe_fill(p->memory + at,
							   p->bytes - at < FILL_BYTES ? p->bytes - at : FILL_BYTES,
							   p->stream);
		if (!PROBE_LAUNCHED(error) || !gpuagg_cuda_probe_wait(p, error))
			return false;
	}
	return true;
}

/* Which %smid are there; with a busy card not all may show at once. */
static bool
units_list(GpuAggProbe *p, uint32_t expected, GpuAggError *error)
{
	p->units = expected;
	for (uint32_t attempt = 0;; attempt++)
	{
		const uint32_t blocks = gpuagg_cuda_probe_blocks(p, p->units, attempt, error);
		uint32_t	n = 0;

		if (blocks == 0 || !gpuagg_cuda_probe_clear(p, error))
			return false;
		gpuagg_cuda_probe_present(blocks, p->report, p->stream);
		if (!gpuagg_cuda_probe_see(p, error))
			return false;
		for (uint32_t smid = 0; smid < GPUAGG_MAX_SMIDS && n < expected; smid++)
			if (p->seen->present[smid])
				p->smid[n++] = (uint16_t) smid;
		if (n == expected)
			return true;
	}
}

static bool
clock_measure(GpuAggProbe *p, GpuAggError *error)
{
	for (int i = 0; i < 2; i++)
	{
		if (!gpuagg_cuda_probe_clear(p, error))
			return false;
		gpuagg_cuda_probe_clock(i == 0 ? CLOCK_WARM_NS : CLOCK_NS, p->report, p->stream);
		if (!gpuagg_cuda_probe_see(p, error))
			return false;
	}
	p->clock_ghz = (double) p->seen->cycles / (double) p->seen->ns;
	return true;
}

/* ---------- kernels and limits ---------- */

static bool
kernels_add(GpuAggProbe *p, const GpuAggKernelRef *ref, GpuAggError *error)
{
	for (; ref->name != NULL && p->nkernels < GPUAGG_MAX_KERNELS; ref++)
	{
		GpuAggKernelInfo *k = &p->kernels[p->nkernels];
		cudaFuncAttributes attr;
		int			blocks;

		if (!PROBE_OK(cudaFuncGetAttributes(&attr, ref->kernel), error) ||
			!PROBE_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ref->kernel,
																	(int) ref->threads,
																	ref->dynamic_bytes), error))
			return false;
		snprintf(k->name, sizeof(k->name), "%s", ref->name);
		k->threads = ref->threads;
		k->registers = (uint32_t) attr.numRegs;
		k->shared_bytes = (uint32_t) attr.sharedSizeBytes;
		k->dynamic_bytes = ref->dynamic_bytes;
		k->blocks_per_unit = (uint32_t) blocks;
		p->nkernels++;
	}
	return true;
}

static bool
probe_kernel(GpuAggProbe *p, uint32_t n, GpuAggKernelInfo *kernel)
{
	if (n >= p->nkernels)
		return false;
	*kernel = p->kernels[n];
	return true;
}

static void
probe_unit_limits(GpuAggProbe *p, GpuAggUnitLimits *limits)
{
	*limits = p->limits;
}

/* ---------- begin ---------- */

static bool
session_setup(GpuAggProbe *p, int ordinal, const GpuAggProbeLimits *limits,
			  GpuAggProbeMachine *machine, GpuAggError *error)
{
	cudaDeviceProp prop;

	if (!PROBE_OK(cudaSetDevice(ordinal), error) ||
		!PROBE_OK(cudaGetDeviceProperties(&prop, ordinal), error) ||
		!PROBE_OK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking), error) ||
		!PROBE_OK(cudaEventCreateWithFlags(&p->from, cudaEventBlockingSync), error) ||
		!PROBE_OK(cudaEventCreateWithFlags(&p->to, cudaEventBlockingSync), error) ||
		!PROBE_OK(cudaHostAlloc((void **) &p->seen, sizeof(*p->seen), cudaHostAllocDefault), error))
		return false;
	if (prop.multiProcessorCount > GPUAGG_MAX_UNITS)
	{
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "%d multiprocessors are too many",
						  prop.multiProcessorCount);
		return false;
	}
	gpuagg_cuda_limits(&prop, &p->limits);
	p->cache_bytes = (uint64_t) prop.l2CacheSize;
	if (!kernels_add(p, gpuagg_cuda_decode_kernels, error) ||
		!kernels_add(p, gpuagg_cuda_group_kernels, error) ||
		!kernels_add(p, gpuagg_cuda_select_kernels, error) ||
		!kernels_add(p, gpuagg_cuda_merge_kernels, error) ||
		!kernels_add(p, gpuagg_cuda_grow_kernels, error) ||
		!kernels_add(p, gpuagg_cuda_return_kernels, error) ||
		!memory_setup(p, limits, error) ||
		!units_list(p, (uint32_t) prop.multiProcessorCount, error) ||
		!clock_measure(p, error))
		return false;
	machine->units = p->units;
	machine->warp = (uint32_t) prop.warpSize;
	machine->bytes = p->bytes;
	machine->total_bytes = prop.totalGlobalMem;
	machine->cache_bytes = p->cache_bytes;
	machine->clock_ghz = p->clock_ghz;
	return true;
}

static GpuAggStatus
probe_begin(void *device, const GpuAggProbeLimits *limits, const volatile int *cancel,
			GpuAggProbe **probe, GpuAggProbeMachine *machine, GpuAggError *error)
{
	GpuAggProbe *p = (GpuAggProbe *) calloc(1, sizeof(*p));

	*probe = NULL;
	memset(machine, 0, sizeof(*machine));
	memset(error, 0, sizeof(*error));
	if (p == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	p->cancel = cancel;
	if (!session_setup(p, ((const GpuAggDevice *) device)->ordinal, limits, machine, error))
	{
		probe_end(p);
		return error->status;
	}
	*probe = p;
	return GPUAGG_OK;
}

const GpuAggProbeOps gpuagg_cuda_probe_ops = {
	probe_begin,
	probe_end,
	gpuagg_cuda_probe_chase_chain,
	gpuagg_cuda_probe_read_pair,
	gpuagg_cuda_probe_access,
	gpuagg_cuda_probe_ceiling,
	probe_kernel,
	probe_unit_limits,
	NULL,
	NULL,
};
