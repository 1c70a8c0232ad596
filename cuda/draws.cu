/*
 * draws.cu
 *		Random draws from slabs (task_draws of device/device.h).
 *
 * What is drawn is gathered into a slab of the task's own, a place for each
 * draw, which then is input as any other: so programs, strategies and failures
 * are those of slabs.  Before that the rows of all ranges are counted, segment
 * by segment, which makes a row number a place.  Nothing waits for the card:
 * the number of rows stays there.
 *
 * Columns that take more than the TLB reaches are drawn from window by window
 * (paper 000, section 5.2): in each pass all draws are made and those read whose
 * bits are in its part of 2^64, for they are the rows of a part of the table.
 */
#include <stdlib.h>

#include "cuda/draws.h"
#include "device/draw.h"

#define THREADS 256
#define WARP 32

/* Places of a segment: a word for each lane of a warp */
#define SEGMENT (WARP * 32)

/* As measured on an H200 (test/bench/results); no card that we know has less
 * memory than its TLB reaches. */
#define REACH_BYTES ((uint64_t) 64 << 30)

/* Blocks of a launch: enough for any card */
#define BLOCKS 2048

#define MOST_DRAWS (UINT64_C(1) << 31)

/* ---------- kernels ---------- */

typedef struct Segment
{
	const uint32_t *valid;		/* of its slab */
	uint32_t	slab;			/* index */
	GpuAggPlaces places;
} Segment;

/* A column of a slab, and of the draws */
typedef struct Source
{
	const char *values;
	const uint32_t *nulls;
} Source;

typedef struct Target
{
	char	   *values;
	uint32_t   *nulls;
	uint32_t	bytes;			/* of a value */
} Target;

typedef struct DrawRun
{
	GpuAggDraws draws;			/* rows: not known here */
	const Segment *segments;
	uint64_t   *rows;			/* before each segment, and of all */
	uint32_t	nsegments;
	uint32_t	ncolumns;
	const Source *sources;		/* of each slab, ncolumns */
	const Target *targets;
	uint32_t   *valid;			/* of the draws */
} DrawRun;

/* Valid places of the n-th word of a segment */
static __device__ __forceinline__ uint32_t
segment_word(const Segment &s, uint32_t n)
{
	const uint32_t at = s.places.first + n * 32;
	const uint32_t left = s.places.count > n * 32 ? s.places.count - n * 32 : 0;
	uint32_t	bits;

	if (left == 0)
		return 0;
	bits = s.valid[at / 32] >> at % 32;
	if (at % 32 != 0 && left > 32 - at % 32)
		bits |= s.valid[at / 32 + 1] << (32 - at % 32);
	return left < 32 ? bits & ((1u << left) - 1) : bits;
}

/* A warp takes a segment. */
static __global__ void
__launch_bounds__(THREADS)
count_rows_kernel(const DrawRun run)
{
	const uint32_t lane = threadIdx.x % WARP;

	for (uint32_t s = (blockIdx.x * THREADS + threadIdx.x) / WARP; s < run.nsegments;
		 s += gridDim.x * (THREADS / WARP))
	{
		const uint32_t n = __reduce_add_sync(~0u, __popc(segment_word(run.segments[s], lane)));

		if (lane == 0)
			run.rows[s] = n;
	}
}

/* One block: counts become numbers of first rows. */
static __global__ void
__launch_bounds__(THREADS)
number_rows_kernel(const DrawRun run)
{
	__shared__ uint64_t sums[THREADS];
	const uint32_t share = (run.nsegments + THREADS - 1) / THREADS;
	const uint32_t from = min(threadIdx.x * share, run.nsegments);
	const uint32_t to = min(from + share, run.nsegments);
	uint64_t	row = 0;

	for (uint32_t s = from; s < to; s++)
		row += run.rows[s];
	sums[threadIdx.x] = row;
	__syncthreads();
	row = 0;
	for (uint32_t t = 0; t < threadIdx.x; t++)
		row += sums[t];
	for (uint32_t s = from; s < to; s++)
	{
		const uint64_t n = run.rows[s];

		run.rows[s] = row;
		row += n;
	}
	if (threadIdx.x == THREADS - 1)
		run.rows[run.nsegments] = row;
}

/* Of an empty table there are no draws. */
static __global__ void
__launch_bounds__(THREADS)
draws_valid_kernel(const DrawRun run)
{
	const uint64_t words = (run.draws.draws + 31) / 32;

	if (run.rows[run.nsegments] > 0)
		for (uint64_t w = (uint64_t) blockIdx.x * THREADS + threadIdx.x; w < words;
			 w += (uint64_t) gridDim.x * THREADS)
			run.valid[w] = w == words - 1 && run.draws.draws % 32 != 0 ?
				(1u << run.draws.draws % 32) - 1 : ~0u;
}

/* The last segment that begins at the row or before it */
static __device__ __forceinline__ uint32_t
find_segment(const DrawRun &run, uint64_t row)
{
	uint32_t	low = 0;
	uint32_t	high = run.nsegments;

	while (high - low > 1)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (run.rows[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The place of the k-th row of a segment, which has more than k */
static __device__ __forceinline__ uint32_t
segment_place(const Segment &s, uint32_t k)
{
	uint32_t	word = 0;
	uint32_t	bits;

	for (;; word++)
	{
		bits = segment_word(s, word);
		if (k < (uint32_t) __popc(bits))
			break;
		k -= __popc(bits);
	}
	return s.places.first + word * 32 + __fns(bits, 0, (int) k + 1);
}

static __device__ __forceinline__ void
gather_row(const DrawRun &run, uint64_t draw, const Segment &s, uint32_t place)
{
	for (uint32_t c = 0; c < run.ncolumns; c++)
	{
		const Source source = run.sources[(size_t) s.slab * run.ncolumns + c];
		const Target target = run.targets[c];

		if (target.bytes == 8)
			((uint64_t *) target.values)[draw] = ((const uint64_t *) source.values)[place];
		else
			((uint32_t *) target.values)[draw] = ((const uint32_t *) source.values)[place];
		if (source.nulls[place / 32] >> place % 32 & 1)
			atomicOr(&target.nulls[draw / 32], 1u << draw % 32);
	}
}

static __global__ void
__launch_bounds__(THREADS)
gather_draws_kernel(const DrawRun run, const GpuAggDrawWindow window)
{
	const uint64_t step = (uint64_t) gridDim.x * THREADS;
	const uint64_t rows = run.rows[run.nsegments];

	if (rows == 0)
		return;
	for (uint64_t draw = (uint64_t) blockIdx.x * THREADS + threadIdx.x; draw < run.draws.draws;
		 draw += step)
	{
		const uint64_t bits = gpuagg_draw_bits(run.draws.key, draw);

		if (gpuagg_draw_within(&window, bits))
		{
			const uint64_t row = gpuagg_draw_scale(bits, rows);
			const uint32_t s = find_segment(run, row);

			gather_row(run, draw, run.segments[s],
					   segment_place(run.segments[s], (uint32_t) (row - run.rows[s])));
		}
	}
}

/* ---------- what the kernels read ---------- */

/* All of it in one block: here as it is uploaded, there with the rows behind */
typedef struct DrawMemory
{
	char	   *here;
	char	   *there;
	size_t		upload;
	size_t		bytes;
	uint32_t	nslabs;
	uint32_t	nsegments;
	uint64_t	column_bytes;	/* of all slabs */
} DrawMemory;

static bool
is_new_slab(const GpuAggDrawRange *ranges, uint32_t i)
{
	return i == 0 || ranges[i].slab != ranges[i - 1].slab;
}

static void
memory_measure(const GpuAggDrawRange *ranges, uint32_t nranges, uint32_t ncolumns, DrawMemory *m)
{
	for (uint32_t i = 0; i < nranges; i++)
	{
		m->nslabs += is_new_slab(ranges, i);
		m->nsegments += (ranges[i].places.count + SEGMENT - 1) / SEGMENT;
	}
	m->upload = m->nsegments * sizeof(Segment) +
		((size_t) m->nslabs + 1) * ncolumns * sizeof(Target);
	m->bytes = m->upload + ((size_t) m->nsegments + 1) * sizeof(uint64_t);
}

/* Lays the block out at its start here or there. */
static void
memory_layout(const DrawMemory *m, char *base, uint32_t ncolumns, DrawRun *run)
{
	run->nsegments = m->nsegments;
	run->ncolumns = ncolumns;
	run->segments = (const Segment *) base;
	run->sources = (const Source *) (base + m->nsegments * sizeof(Segment));
	run->targets = (const Target *) (run->sources + (size_t) m->nslabs * ncolumns);
	run->rows = (uint64_t *) (base + m->upload);
}

static void
stage_slab(const GpuAggSlab *slab, const GpuAggProgram *p, Source *sources, DrawMemory *m)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
		{
			const GpuAggStored *stored = gpuagg_cuda_slab_stored(slab, i);

			sources->values = stored->memory;
			sources->nulls = stored->nulls;
			sources++;
			m->column_bytes += stored->memory_bytes;
		}
}

static void
stage(const GpuAggDrawRange *ranges, uint32_t nranges, const GpuAggSlab *draws,
	  const GpuAggProgram *p, DrawMemory *m)
{
	DrawRun		run;
	Segment    *segment = (Segment *) m->here;
	Target	   *target;
	uint32_t	slab = 0;

	memory_layout(m, m->here, p->ncolumns, &run);
	target = (Target *) run.targets;
	for (uint32_t i = 0; i < nranges; i++)
	{
		if (is_new_slab(ranges, i))
			stage_slab(ranges[i].slab, p, (Source *) run.sources + (size_t) slab++ * p->ncolumns, m);
		for (uint32_t at = 0; at < ranges[i].places.count; at += SEGMENT)
		{
			segment->valid = ranges[i].slab->valid;
			segment->slab = slab - 1;
			segment->places.first = ranges[i].places.first + at;
			segment->places.count = min(ranges[i].places.count - at, (uint32_t) SEGMENT);
			segment++;
		}
	}
	for (uint32_t i = 0; i < draws->ncolumns; i++, target++)
	{
		target->values = draws->columns[i].memory;
		target->nulls = draws->columns[i].nulls;
		target->bytes = draws->columns[i].bytes;
	}
}

/* ---------- the task's slab ---------- */

/* With the columns that the program loads, in the order of their attributes */
static bool
draws_slab(GpuAggTask *task, const GpuAggSlab *like, uint32_t places, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->plan);
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	if (gpuagg_cuda_slab_ops.create(task->device, places, &task->draws, error) != GPUAGG_OK)
		return false;
	task->draws->extent = places;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
		{
			const GpuAggStored *stored = gpuagg_cuda_slab_stored(like, i);

			if (gpuagg_cuda_slab_ops.add_column(task->draws, i, stored->type, stored->dictionary,
												error) != GPUAGG_OK)
				return false;
		}
	return true;
}

static bool
launch(GpuAggTask *task, const DrawMemory *m, DrawRun *run, GpuAggError *error)
{
	GpuAggDevice *device = task->device;
	cudaStream_t stream = device->slab_stream;
	const uint64_t windows = (m->column_bytes + REACH_BYTES - 1) / REACH_BYTES;

	run->draws.key = gpuagg_draw_key(task->config.sample.seed);
	run->draws.draws = task->config.sample.cutoff;
	run->valid = task->draws->valid;
	if (!CUDA_OK(device, NULL, cudaMemcpyAsync(m->there, m->here, m->upload, cudaMemcpyHostToDevice,
											   stream), error))
		return false;
	count_rows_kernel<<<BLOCKS, THREADS, 0, stream>>>(*run);
	number_rows_kernel<<<1, THREADS, 0, stream>>>(*run);
	draws_valid_kernel<<<BLOCKS, THREADS, 0, stream>>>(*run);
	for (uint64_t w = 0; w < windows; w++)
		gather_draws_kernel<<<BLOCKS, THREADS, 0, stream>>>(*run, gpuagg_draw_window(w, w + 1, windows));
	return CUDA_LAUNCHED(device, NULL, error) && gpuagg_cuda_slab_done(device, error);
}

static bool
draw_into_slab(GpuAggTask *task, const GpuAggDrawRange *ranges, uint32_t nranges,
			   GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->plan);
	GpuAggDevice *device = task->device;
	DrawMemory	m = {};
	DrawRun		run = {};
	bool		ok = false;

	memory_measure(ranges, nranges, p->ncolumns, &m);
	if (!draws_slab(task, ranges[0].slab, (uint32_t) task->config.sample.cutoff, error))
		return false;
	m.here = (char *) malloc(m.upload);
	m.there = (char *) gpuagg_cuda_slab_alloc(device, m.bytes, error);
	if (m.here == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else if (m.there != NULL)
	{
		stage(ranges, nranges, task->draws, p, &m);
		memory_layout(&m, m.there, p->ncolumns, &run);
		ok = launch(task, &m, &run, error);
	}
	gpuagg_cuda_slab_release(device, m.there, m.bytes);
	free(m.here);
	return ok;
}

GpuAggStatus
gpuagg_cuda_task_draws(GpuAggTask *task, uint64_t batch_id, const GpuAggDrawRange *ranges,
					   uint32_t nranges, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->plan);
	GpuAggSlabColumn columns[GPUAGG_MAX_REGS];

	memset(error, 0, sizeof(*error));
	for (uint32_t i = 0; i < nranges; i++)
		if (is_new_slab(ranges, i) && !gpuagg_cuda_slab_columns(ranges[i].slab, p, columns, error))
			return error->status;
	if (nranges == 0 || p->ncolumns == 0 || task->config.sample.cutoff >= MOST_DRAWS)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "draws of no column, or too many");
	if (!draw_into_slab(task, ranges, nranges, error))
	{
		/* another plan needs no memory of the cache's */
		if (error->status == GPUAGG_OUT_OF_MEMORY)
			error->status = GPUAGG_UNSUPPORTED;
		return error->status;
	}
	return gpuagg_cuda_task_resident(task, batch_id, task->draws, NULL, 0, error);
}

void
gpuagg_cuda_draws_free(GpuAggTask *task)
{
	/* an idle task's: nothing reads it any more */
	if (task->draws != NULL)
		gpuagg_cuda_slab_ops.free(task->draws);
}
