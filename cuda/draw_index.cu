/*
 * draw_index.cu
 *		Rows of slabs, numbered (draw_kernels.h).
 *
 * A warp counts a segment, one block adds counts up and makes stretches, and
 * then the directory can be made: nothing waits for the host to know how many
 * rows there are.
 */
#include "cuda/draw_bits.cuh"
#include "cuda/draw_kernels.h"

#define COUNT_THREADS 256
#define NUMBER_THREADS 1024
#define NUMBER_EACH 4			/* segments of a thread at once */
#define WARP 32

/* Words of a lane that are read at once, and places of a warp's then */
#define COUNT_WORDS 8
#define COUNT_PLACES (COUNT_WORDS * WARP * 32)

/* ---------- counting ---------- */

/* The range of a segment: the last that begins with it or before */
static __device__ uint32_t
range_of(const GpuAggDrawRun &run, uint32_t segment)
{
	uint32_t	low = 0;
	uint32_t	high = run.nranges;

	while (high - low > 1)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (run.ranges[middle].segment <= segment)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Is any of these rows NULL?  words: a lane's, of COUNT_PLACES places */
static __device__ __forceinline__ bool
words_have_null(const uint32_t *nulls, uint32_t first, uint32_t count, uint32_t word,
				const uint32_t (&bits)[COUNT_WORDS])
{
	uint32_t	null = 0;

	#pragma unroll
	for (uint32_t i = 0; i < COUNT_WORDS; i++)
		null |= draw_word(nulls, first, count, word + i * WARP) & bits[i];
	return null != 0;
}

/* Rows before each block; half a warp's words are one */
static __device__ __forceinline__ uint32_t
count_words(const uint32_t (&bits)[COUNT_WORDS], uint32_t total, uint16_t *blocks)
{
	const uint32_t lane = threadIdx.x % WARP;

	#pragma unroll
	for (uint32_t i = 0; i < COUNT_WORDS; i++)
	{
		uint32_t	n = __popc(bits[i]);
		uint32_t	upper;

		for (int lanes = WARP / 4; lanes > 0; lanes /= 2)
			n += __shfl_xor_sync(~0u, n, lanes);
		upper = __shfl_sync(~0u, n, WARP / 2);
		n = __shfl_sync(~0u, n, 0);
		if (lane == 0)
		{
			blocks[2 * i] = (uint16_t) total;
			blocks[2 * i + 1] = (uint16_t) (total + n);
		}
		total += n + upper;
	}
	return total;
}

/*
 * A lane's share of a warp's COUNT_PLACES places: do all have that bit?  Places
 * begin where 16 bytes do.
 */
static __device__ __forceinline__ bool
words_are(const uint32_t *bitmap, uint32_t place, bool set)
{
	const uint4 *at = (const uint4 *) (bitmap + place / 32) + threadIdx.x % WARP;
	const uint32_t all = set ? ~0u : 0;
	const uint4 a = __ldcs(at);
	const uint4 b = __ldcs(at + WARP);

	return ((a.x ^ all) | (a.y ^ all) | (a.z ^ all) | (a.w ^ all) |
			(b.x ^ all) | (b.y ^ all) | (b.z ^ all) | (b.w ^ all)) == 0;
}

/* By a warp: are all these places rows without a NULL? */
static __device__ __forceinline__ bool
is_plain(const GpuAggDrawRun &run, const GpuAggDrawPlaces &range, uint32_t place)
{
	const GpuAggDrawSource *sources = run.sources + (size_t) range.slab * run.ncolumns;
	bool		plain = words_are(range.valid, place, true);

	for (uint32_t c = 0; c < run.ncolumns; c++)
		plain &= words_are(sources[c].nulls, place, false);
	return __all_sync(~0u, plain);
}

/* By a warp: what is known of the segment; rows of a full one are its places */
static __device__ uint32_t
count_segment(const GpuAggDrawRun &run, const GpuAggDrawPlaces &range, uint32_t first,
			  uint32_t count, uint16_t *blocks)
{
	const uint32_t lane = threadIdx.x % WARP;
	const GpuAggDrawSource *sources = run.sources + (size_t) range.slab * run.ncolumns;
	uint32_t	total = 0;
	bool		null = false;

	for (uint32_t at = 0; at < count; at += COUNT_PLACES)
	{
		uint32_t	bits[COUNT_WORDS];

		if (first % 128 == 0 && at + COUNT_PLACES <= count && is_plain(run, range, first + at))
		{
			if (lane < 2 * COUNT_WORDS)
				blocks[at / GPUAGG_DRAW_BLOCK + lane] = (uint16_t) (total + lane * GPUAGG_DRAW_BLOCK);
			total += COUNT_PLACES;
			continue;
		}
		#pragma unroll
		for (uint32_t i = 0; i < COUNT_WORDS; i++)
			bits[i] = draw_word(range.valid, first, count, at / 32 + i * WARP + lane);
		for (uint32_t c = 0; c < run.ncolumns; c++)
			null |= words_have_null(sources[c].nulls, first, count, at / 32 + lane, bits);
		total = count_words(bits, total, blocks + at / GPUAGG_DRAW_BLOCK);
	}
	return total | (total == count ? GPUAGG_DRAW_FULL : 0) |
		(__any_sync(~0u, null) ? GPUAGG_DRAW_NULLS : 0);
}

static __global__ void
__launch_bounds__(COUNT_THREADS)
count_kernel(const GpuAggDrawRun run)
{
	const uint32_t warps = gridDim.x * (COUNT_THREADS / WARP);

	for (uint32_t i = (blockIdx.x * COUNT_THREADS + threadIdx.x) / WARP; i < run.nsegments; i += warps)
	{
		const GpuAggDrawPlaces &range = run.ranges[range_of(run, i)];
		const uint32_t at = (i - range.segment) * GPUAGG_DRAW_SEGMENT;
		const uint32_t count = min(range.places.count - at, (uint32_t) GPUAGG_DRAW_SEGMENT);
		const uint32_t known = count_segment(run, range, range.places.first + at, count,
											 run.blocks + (size_t) i * GPUAGG_DRAW_BLOCKS);

		if (threadIdx.x % WARP == 0)
			run.segments[i] = known | (at == 0 ? GPUAGG_DRAW_FIRST : 0);
	}
}

/* ---------- stretches ---------- */

/* Sums of both in threads before this one, and of all */
static __device__ __forceinline__ uint2
warp_before(uint2 n)
{
	uint2		sum = n;

	for (uint32_t lanes = 1; lanes < WARP; lanes *= 2)
	{
		const uint32_t x = __shfl_up_sync(~0u, sum.x, lanes);
		const uint32_t y = __shfl_up_sync(~0u, sum.y, lanes);

		if (threadIdx.x % WARP >= lanes)
			sum = {sum.x + x, sum.y + y};
	}
	return {sum.x - n.x, sum.y - n.y};
}

static __device__ uint2
block_before(uint2 n, uint2 *total)
{
	__shared__ uint2 warps[NUMBER_THREADS / WARP];
	__shared__ uint2 all;
	const uint32_t warp = threadIdx.x / WARP;
	const uint2 before = warp_before(n);

	__syncthreads();
	if (threadIdx.x % WARP == WARP - 1)
		warps[warp] = {before.x + n.x, before.y + n.y};
	__syncthreads();
	if (warp == 0)
	{
		const uint2 mine = warps[threadIdx.x];
		const uint2 sum = warp_before(mine);

		warps[threadIdx.x] = sum;
		if (threadIdx.x == WARP - 1)
			all = {sum.x + mine.x, sum.y + mine.y};
	}
	__syncthreads();
	*total = all;
	return {warps[warp].x + before.x, warps[warp].y + before.y};
}

static __device__ __forceinline__ bool
is_stretch(uint32_t segment, uint32_t before)
{
	return (segment & GPUAGG_DRAW_FIRST) || !(segment & before & GPUAGG_DRAW_FULL) ||
		((segment ^ before) & GPUAGG_DRAW_NULLS);
}

/* Of a thread's segments, at first; [0] is the one before them */
static __device__ __forceinline__ uint2
load_segments(const GpuAggDrawRun &run, uint32_t first, uint32_t (&segments)[NUMBER_EACH + 1])
{
	uint2		sum = {0, 0};

	#pragma unroll
	for (uint32_t k = 0; k <= NUMBER_EACH; k++)
		segments[k] = first + k > 0 && first + k <= run.nsegments ? run.segments[first + k - 1] : 0;
	#pragma unroll
	for (uint32_t k = 1; k <= NUMBER_EACH; k++)
		if (first + k <= run.nsegments)
			sum = {sum.x + (segments[k] & GPUAGG_DRAW_ROWS),
				   sum.y + is_stretch(segments[k], segments[k - 1])};
	return sum;
}

/* The least power of two that makes no more parts than there may be */
static __device__ uint32_t
directory_shift(uint64_t rows)
{
	uint32_t	shift = 0;

	while ((rows - 1) >> shift >= GPUAGG_DRAW_DIRECTORY)
		shift++;
	return shift;
}

/* One block.  Of stretches it writes where they begin. */
static __global__ void
__launch_bounds__(NUMBER_THREADS)
number_kernel(const GpuAggDrawRun run)
{
	uint64_t	rows = 0;
	uint32_t	stretches = 0;

	for (uint32_t base = 0; base < run.nsegments; base += NUMBER_THREADS * NUMBER_EACH)
	{
		const uint32_t first = base + threadIdx.x * NUMBER_EACH;
		uint32_t	segments[NUMBER_EACH + 1];
		uint2		total;
		const uint2 before = block_before(load_segments(run, first, segments), &total);
		uint64_t	row = rows + before.x;
		uint32_t	next = stretches + before.y;

		#pragma unroll
		for (uint32_t k = 1; k <= NUMBER_EACH; k++)
			if (first + k <= run.nsegments)
			{
				if (is_stretch(segments[k], segments[k - 1]))
				{
					run.stretches[next].row = row;
					run.stretches[next++].segment = first + k - 1;
				}
				row += segments[k] & GPUAGG_DRAW_ROWS;
			}
		rows += total.x;
		stretches += total.y;
	}
	if (threadIdx.x == 0)
	{
		run.index->rows = rows;
		run.index->nstretches = stretches;
		run.index->shift = rows > 0 ? directory_shift(rows) : 0;
	}
}

/* What else gathering needs of a stretch */
static __global__ void
__launch_bounds__(COUNT_THREADS)
stretch_kernel(const GpuAggDrawRun run)
{
	for (uint32_t i = blockIdx.x * COUNT_THREADS + threadIdx.x; i < run.index->nstretches;
		 i += gridDim.x * COUNT_THREADS)
	{
		GpuAggDrawStretch *stretch = &run.stretches[i];
		const uint32_t segment = run.segments[stretch->segment];
		const GpuAggDrawPlaces &range = run.ranges[range_of(run, stretch->segment)];
		const uint32_t at = (stretch->segment - range.segment) * GPUAGG_DRAW_SEGMENT;

		stretch->valid = range.valid;
		stretch->slab = range.slab;
		stretch->first = range.places.first + at;
		stretch->places = segment & GPUAGG_DRAW_FULL ? 0 :
			(uint16_t) min(range.places.count - at, (uint32_t) GPUAGG_DRAW_SEGMENT);
		stretch->nulls = (segment & GPUAGG_DRAW_NULLS) != 0;
	}
}

/* ---------- the directory ---------- */

static __device__ __forceinline__ uint64_t
stretch_row(const GpuAggDrawRun &run, uint32_t i)
{
	return i < run.index->nstretches ? run.stretches[i].row : run.index->rows;
}

/* The last stretch that begins with a row or before, where there are rows */
static __device__ uint32_t
stretch_of(const GpuAggDrawRun &run, uint64_t row)
{
	uint32_t	low = 0;
	uint32_t	high = run.index->nstretches;

	while (high - low > 1)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (run.stretches[middle].row <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static __global__ void
__launch_bounds__(COUNT_THREADS)
directory_kernel(const GpuAggDrawRun run)
{
	const uint32_t e = blockIdx.x * COUNT_THREADS + threadIdx.x;
	const uint64_t rows = run.index->rows;
	const uint64_t size = UINT64_C(1) << run.index->shift;
	const uint64_t first = e * size;
	GpuAggDrawEntry entry;

	if (first >= rows)
	{
		/* the end of the last part: no row is behind the last stretch */
		if (e <= GPUAGG_DRAW_DIRECTORY)
			run.index->directory[e] = {run.index->nstretches - 1, 0};
		return;
	}
	entry.stretch = stretch_of(run, first);
	entry.split = (uint32_t) min(stretch_row(run, entry.stretch + 1) - first, size);
	if (stretch_row(run, entry.stretch + 2) < min(first + size, rows))
		entry.split |= GPUAGG_DRAW_OTHERS;
	run.index->directory[e] = entry;
}

void
gpuagg_cuda_draw_index(const GpuAggDrawRun *run, uint32_t sms, cudaStream_t stream)
{
	const uint32_t wanted = (run->nsegments + COUNT_THREADS / WARP - 1) / (COUNT_THREADS / WARP);
	const uint32_t most = sms * (2048 / COUNT_THREADS);
	const uint32_t blocks = wanted < most ? wanted : most;

	if (blocks > 0)
		count_kernel<<<blocks, COUNT_THREADS, 0, stream>>>(*run);
	number_kernel<<<1, NUMBER_THREADS, 0, stream>>>(*run);
	stretch_kernel<<<sms, COUNT_THREADS, 0, stream>>>(*run);
	directory_kernel<<<GPUAGG_DRAW_DIRECTORY / COUNT_THREADS + 1, COUNT_THREADS, 0, stream>>>(*run);
}
