/*
 * probe_ceilings.cu
 *		The card's ceilings (Revisiting Query Performance in GPU Database Systems, 5.2):
 *		what each of its parts does at best, for a cost model that looks for the one that
 *		bounds.
 *
 * Each is work that is enqueued in rounds; probe.cu repeats rounds until they
 * can be timed.  Regions are small enough for a round to take less than 100 ms
 * on slow cards, and large enough to be what the ceiling's name says.
 */
#include <stdlib.h>
#include <time.h>

#include "cuda/probe/cuda_probe.h"

/* Regions, or what there is of them */
#define READ_BYTES ((uint64_t) 8 << 30)
#define COPY_BYTES ((uint64_t) 4 << 30)
#define UNIT_BYTES ((uint64_t) 128 << 20)
#define LINK_BYTES ((uint64_t) 256 << 20)

/*
 * Of the last-level cache: on the H200 each half of it may come to hold a copy
 * of what the other half has (a knee at half its size, on an H200).
 */
#define CACHE_SHARE 4

/* 2^27 rows, about */
#define PARTITION_TILES 18724

/* Multiply-adds and shared atomics are enqueued in rounds of so many. */
#define INNER_ROUNDS 256

/* Blocks of a multiprocessor that read, or write, over the link */
#define LINK_BLOCKS 2

/* Launches that are waited for; the median counts */
#define LAUNCHES 201

static uint64_t
at_most(uint64_t bytes, uint64_t most)
{
	return bytes < most ? bytes : most;
}

/* Blocks that fill a multiprocessor with threads, times multiprocessors */
static uint32_t
full_blocks(const GpuAggProbe *p, uint32_t threads)
{
	return p->units * (p->limits.threads / threads);
}

/* ---------- memory ---------- */

/* Rounds of the reading kernel in which all threads read the region once */
static uint64_t
read_rounds(uint64_t bytes, uint64_t threads)
{
	const uint64_t rounds = bytes / (threads * GPUAGG_READ_AHEAD * sizeof(uint4));

	return rounds > 0 ? rounds : 1;
}

static cudaError_t
read_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	gpuagg_cuda_probe_read(
		p->memory, work->bytes, work->blocks,
		rounds * read_rounds(work->bytes, (uint64_t) work->blocks * GPUAGG_READ_THREADS), p->report,
		p->stream);
	return cudaGetLastError();
}

static GpuAggStatus
read_rate(GpuAggProbe *p, uint64_t bytes, double *rate, GpuAggError *error)
{
	const uint32_t blocks = full_blocks(p, GPUAGG_READ_THREADS);
	const uint64_t threads = (uint64_t) blocks * GPUAGG_READ_THREADS;
	const GpuAggProbeWork work = {
		read_launch,
		(double) (read_rounds(bytes, threads) * threads * GPUAGG_READ_AHEAD * sizeof(uint4)),
		bytes, 0, blocks, NULL
	};

	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

static cudaError_t
copy_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	cudaError_t rc = cudaSuccess;

	for (uint64_t i = 0; i < rounds && rc == cudaSuccess; i++)
		rc = cudaMemcpyAsync(p->memory + work->bytes, p->memory, work->bytes,
							 cudaMemcpyDeviceToDevice, p->stream);
	return rc;
}

static GpuAggStatus
copy_rate(GpuAggProbe *p, double *rate, GpuAggError *error)
{
	const uint64_t bytes = at_most(p->bytes / 2, COPY_BYTES);
	const GpuAggProbeWork work = {copy_launch, 2.0 * (double) bytes, bytes, 0, 0, NULL};

	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

/* One multiprocessor tells its own time, because it must be the right one. */
static GpuAggStatus
unit_read_rate(GpuAggProbe *p, double *rate, GpuAggError *error)
{
	const uint64_t bytes = at_most(p->bytes, UNIT_BYTES);
	const uint64_t rounds = read_rounds(bytes, GPUAGG_READ_UNIT_THREADS);

	for (uint32_t attempt = 0;; attempt++)
	{
		const uint32_t blocks = gpuagg_cuda_probe_blocks(p, 0, attempt, error);

		if (blocks == 0 || !gpuagg_cuda_probe_clear(p, error))
			return error->status;
		gpuagg_cuda_probe_read_unit(p->smid[0], p->memory, bytes, blocks, rounds,
									p->report, p->stream);
		if (!gpuagg_cuda_probe_see(p, error))
			return error->status;
		if (p->seen->cycles > 0)
			break;
	}
	*rate = (double) p->seen->events * p->clock_ghz * 1e9 / (double) p->seen->cycles;
	return GPUAGG_OK;
}

/* ---------- units ---------- */

static cudaError_t
int_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	gpuagg_cuda_probe_int(work->blocks, rounds * INNER_ROUNDS, p->report, p->stream);
	return cudaGetLastError();
}

static GpuAggStatus
int_rate(GpuAggProbe *p, double *rate, GpuAggError *error)
{
	const uint32_t blocks = full_blocks(p, GPUAGG_INT_THREADS);
	const GpuAggProbeWork work = {
		int_launch,
		(double) blocks * GPUAGG_INT_THREADS * GPUAGG_INT_CHAINS * INNER_ROUNDS,
		0, 0, blocks, NULL
	};

	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

static cudaError_t
atomics_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	gpuagg_cuda_probe_atomics(work->kind, work->blocks, rounds * INNER_ROUNDS, p->report,
							  p->stream);
	return cudaGetLastError();
}

static GpuAggStatus
atomics_rate(GpuAggProbe *p, uint32_t addresses, double *rate, GpuAggError *error)
{
	const uint32_t blocks = full_blocks(p, GPUAGG_ATOMICS_THREADS);
	const GpuAggProbeWork work = {
		atomics_launch,
		(double) blocks * GPUAGG_ATOMICS_THREADS * GPUAGG_ATOMICS_AHEAD * INNER_ROUNDS,
		0, addresses, blocks, NULL
	};

	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

static cudaError_t
partition_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	const GpuAggPartition *partition = (const GpuAggPartition *) work->more;

	cudaError_t rc = cudaSuccess;

	for (uint64_t i = 0; i < rounds && rc == cudaSuccess; i++)
		rc = gpuagg_cuda_probe_partition(partition, p->stream);
	return rc;
}

static GpuAggStatus
partition_rate(GpuAggProbe *p, double *rate, GpuAggError *error)
{
	GpuAggPartition partition;
	GpuAggProbeWork work = {partition_launch, 0, 0, 0, 0, &partition};

	if (!gpuagg_cuda_probe_partition_layout(p->memory, p->bytes, PARTITION_TILES, &partition))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "not enough memory for a partitioning pass");

	/* other measurements may have left keys that are alike */
	gpuagg_cuda_probe_fill(p->memory, (uint64_t) ((char *) partition.out_keys - p->memory),
						   p->stream);
	if (!PROBE_LAUNCHED(error))
		return error->status;
	work.events = (double) partition.tiles * GPUAGG_PARTITION_TILE;
	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

/* ---------- the link ---------- */

static cudaError_t
link_launch(GpuAggProbe *p, const GpuAggProbeWork *work, uint64_t rounds)
{
	cudaError_t rc = cudaSuccess;

	for (uint64_t i = 0; i < rounds && rc == cudaSuccess; i++)
		switch (work->kind)
		{
			case GPUAGG_CEILING_COPY_IN:
				rc = cudaMemcpyAsync(p->memory, p->pinned, work->bytes,
									 cudaMemcpyHostToDevice, p->stream);
				break;
			case GPUAGG_CEILING_COPY_OUT:
				rc = cudaMemcpyAsync(p->pinned, p->memory, work->bytes,
									 cudaMemcpyDeviceToHost, p->stream);
				break;
			default:
				gpuagg_cuda_probe_pieces(work->kind == GPUAGG_CEILING_ZERO_COPY_OUT,
										 (char *) work->more, work->bytes / GPUAGG_PAGE_BYTES,
										 work->blocks, p->report, p->stream);
				rc = cudaGetLastError();
		}
	return rc;
}

/* Pinned memory, kept until the session ends, with what the card's has */
static bool
link_memory(GpuAggProbe *p, GpuAggError *error)
{
	const uint64_t bytes = at_most(p->bytes, LINK_BYTES);

	if (p->pinned != NULL)
		return true;
	if (!PROBE_OK(cudaHostAlloc((void **) &p->pinned, bytes, cudaHostAllocMapped), error))
	{
		p->pinned = NULL;
		return false;
	}
	p->pinned_bytes = bytes;
	return PROBE_OK(cudaMemcpyAsync(p->pinned, p->memory, bytes, cudaMemcpyDeviceToHost,
									p->stream), error);
}

static GpuAggStatus
link_rate(GpuAggProbe *p, GpuAggCeiling ceiling, double *rate, GpuAggError *error)
{
	GpuAggProbeWork work = {link_launch, 0, 0, (uint32_t) ceiling, p->units * LINK_BLOCKS, NULL};
	void	   *mapped;

	if (!link_memory(p, error) ||
		!PROBE_OK(cudaHostGetDevicePointer(&mapped, p->pinned, 0), error))
		return error->status;
	work.bytes = p->pinned_bytes;
	work.events = (double) p->pinned_bytes;
	work.more = mapped;
	return gpuagg_cuda_probe_rate(p, &work, rate, error);
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *) a;
	const double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Waited for with a busy core, as whoever is in a hurry does */
static GpuAggStatus
launch_time(GpuAggProbe *p, double *ns, GpuAggError *error)
{
	double		took[LAUNCHES];

	for (int i = -1; i < LAUNCHES; i++)	/* the first one warms up */
	{
		const double start = now_ns();

		gpuagg_cuda_probe_empty(p->stream);
		if (!PROBE_LAUNCHED(error) || !PROBE_OK(cudaStreamSynchronize(p->stream), error))
			return error->status;
		if (i >= 0)
			took[i] = now_ns() - start;
	}
	qsort(took, LAUNCHES, sizeof(took[0]), compare_doubles);
	*ns = took[LAUNCHES / 2];
	return GPUAGG_OK;
}

/* ---------- all ---------- */

GpuAggStatus
gpuagg_cuda_probe_ceiling(GpuAggProbe *p, GpuAggCeiling ceiling, double *value,
						  GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	*value = 0;
	if (gpuagg_cuda_probe_cancelled(p, error))
		return error->status;
	switch (ceiling)
	{
		case GPUAGG_CEILING_MEMORY_READ:
			return read_rate(p, at_most(p->bytes, READ_BYTES), value, error);
		case GPUAGG_CEILING_MEMORY_COPY:
			return copy_rate(p, value, error);
		case GPUAGG_CEILING_CACHE_READ:
			if (p->cache_bytes == 0)
				break;
			return read_rate(p, at_most(p->bytes, p->cache_bytes / CACHE_SHARE), value, error);
		case GPUAGG_CEILING_INT_OPS:
			return int_rate(p, value, error);
		case GPUAGG_CEILING_LOCAL_ATOMICS_1:
			return atomics_rate(p, 1, value, error);
		case GPUAGG_CEILING_LOCAL_ATOMICS_32:
			return atomics_rate(p, 32, value, error);
		case GPUAGG_CEILING_LOCAL_ATOMICS_1024:
			return atomics_rate(p, 1024, value, error);
		case GPUAGG_CEILING_PARTITION:
			return partition_rate(p, value, error);
		case GPUAGG_CEILING_COPY_IN:
		case GPUAGG_CEILING_COPY_OUT:
		case GPUAGG_CEILING_ZERO_COPY_IN:
		case GPUAGG_CEILING_ZERO_COPY_OUT:
			return link_rate(p, ceiling, value, error);
		case GPUAGG_CEILING_LAUNCH:
			return launch_time(p, value, error);
		case GPUAGG_CEILING_THREAD_READ:
			return unit_read_rate(p, value, error);
		case GPUAGG_CEILING_TOUCH:
		case GPUAGG_CEILING_TOUCH_HUGE:
		case GPUAGG_CEILING_TOUCH_PINNED_HOST:
		case GPUAGG_CEILING_TOUCH_PINNED_DEVICE:
		case GPUAGG_CEILING_TOUCH_MANAGED_HOST:
		case GPUAGG_CEILING_TOUCH_MANAGED_DEVICE:
			return gpuagg_cuda_probe_first_touch(p, ceiling, value, error);
		case GPUAGG_CEILING_HOST_READ:
		case GPUAGG_CEILING_GROUP:
		case GPUAGG_CEILING_COMPILED:
		case GPUAGG_NCEILINGS:
			break;
	}
	return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "the card has no such ceiling");
}
