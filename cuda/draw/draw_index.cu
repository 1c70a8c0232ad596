/*
 * draw_index.cu
 *		Rows of stripes, numbered (draw_kernels.h).
 *
 * A warp counts its share of the segments, one block adds shares up, warps make
 * stretches of them, and then the directory can be made: nothing waits for the
 * host to know how many rows there are.
 */
#include "cuda/draw/draw_bits.cuh"
#include "cuda/draw/draw_kernels.h"

#define COUNT_THREADS 256
#define SCAN_THREADS 1024
#define SCAN_EACH (GPUAGG_DRAW_SHARES / SCAN_THREADS)
#define WARP 32
#define SHARE_BLOCKS (GPUAGG_DRAW_SHARES / (COUNT_THREADS / WARP))

/* Words of a lane that are read at once, and positions of a warp's then */
#define COUNT_WORDS 8
#define COUNT_POSITIONS (COUNT_WORDS * WARP * 32)

/* Loads of a lane that make up a warp's segment */
#define FULL_LOADS (GPUAGG_DRAW_SEGMENT / 128 / WARP)

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

/* Is any of these rows NULL?  words: a lane's, of COUNT_POSITIONS positions */
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

/* A range, and its columns that may have NULLs */
struct CountRange
{
	const GpuAggDrawPositions *positions;
	const GpuAggDrawSource *sources;
	bool		nullable;

	__device__ __forceinline__
	CountRange(const GpuAggDrawRun &run, uint32_t range)
		: positions(run.ranges + range),
		sources(run.sources + (size_t) run.ranges[range].stripe * run.ncolumns),
		nullable(false)
	{
		for (uint32_t c = 0; c < run.ncolumns; c++)
			nullable |= *sources[c].has_nulls != 0;
	}
};

/*
 * By a warp: are all positions of a segment rows?  They begin where 16 bytes do.  A
 * lane's share is read at once.
 */
static __device__ __forceinline__ bool
is_full(const uint32_t *valid, uint32_t position)
{
	const uint4 *at = (const uint4 *) (valid + position / 32) + threadIdx.x % WARP;
	uint4		words[FULL_LOADS];
	uint32_t	all = ~0u;

	#pragma unroll
	for (int i = 0; i < FULL_LOADS; i++)
		words[i] = __ldcs(at + i * WARP);
	#pragma unroll
	for (int i = 0; i < FULL_LOADS; i++)
		all &= words[i].x & words[i].y & words[i].z & words[i].w;
	return __all_sync(~0u, all == ~0u);
}

/* By a warp: what is known of the segment; rows of a full one are its positions */
static __device__ uint32_t
count_segment(const GpuAggDrawRun &run, const CountRange &range, uint32_t first, uint32_t count,
			  uint16_t *blocks)
{
	const uint32_t lane = threadIdx.x % WARP;
	uint32_t	total = 0;
	bool		null = false;

	/* blocks of a full segment are not looked at */
	if (!range.nullable && first % 128 == 0 && count == GPUAGG_DRAW_SEGMENT &&
		is_full(range.positions->valid, first))
		return count | GPUAGG_DRAW_FULL;
	for (uint32_t at = 0; at < count; at += COUNT_POSITIONS)
	{
		uint32_t	bits[COUNT_WORDS];

		#pragma unroll
		for (uint32_t i = 0; i < COUNT_WORDS; i++)
			bits[i] = draw_word(range.positions->valid, first, count, at / 32 + i * WARP + lane);
		for (uint32_t c = 0; range.nullable && c < run.ncolumns; c++)
			null |= range.sources[c].nulls != NULL &&
				words_have_null(range.sources[c].nulls, first, count, at / 32 + lane, bits);
		total = count_words(bits, total, blocks + at / GPUAGG_DRAW_BLOCK);
	}
	return total | (total == count ? GPUAGG_DRAW_FULL : 0) |
		(__any_sync(~0u, null) ? GPUAGG_DRAW_NULLS : 0);
}

/* Does a stretch begin with the segment? */
static __device__ __forceinline__ bool
is_stretch(uint32_t segment, uint32_t before)
{
	return (segment & GPUAGG_DRAW_FIRST) || !(segment & before & GPUAGG_DRAW_FULL) ||
		((segment ^ before) & GPUAGG_DRAW_NULLS);
}

static __device__ __forceinline__ uint32_t
share_begin(const GpuAggDrawRun &run, uint32_t share)
{
	const uint32_t each = (run.nsegments + GPUAGG_DRAW_SHARES - 1) / GPUAGG_DRAW_SHARES;

	return min(share * each, run.nsegments);
}

/* The warp's share */
static __device__ __forceinline__ uint32_t
share_mine(void)
{
	return (blockIdx.x * COUNT_THREADS + threadIdx.x) / WARP;
}

/*
 * Neighbouring segments are mostly of one range.  Whether a stretch begins with
 * the first of a share depends on another one.
 */
static __global__ void
__launch_bounds__(COUNT_THREADS)
count_kernel(const GpuAggDrawRun run)
{
	const uint32_t begin = share_begin(run, share_mine());
	const uint32_t end = share_begin(run, share_mine() + 1);
	GpuAggDrawShare share = {0, 0, 0};
	uint32_t	before = 0;
	uint32_t	r = begin < end ? range_of(run, begin) : run.nranges;

	while (r < run.nranges && run.ranges[r].segment < end)
	{
		const CountRange range(run, r++);
		const uint32_t from = range.positions->segment;
		const uint32_t to = r < run.nranges ? min(run.ranges[r].segment, end) : end;

		for (uint32_t i = max(begin, from); i < to; i++)
		{
			const uint32_t at = (i - from) * GPUAGG_DRAW_SEGMENT;
			const uint32_t count = min(range.positions->positions.count - at,
									   (uint32_t) GPUAGG_DRAW_SEGMENT);
			const uint32_t known = (at == 0 ? GPUAGG_DRAW_FIRST : 0) |
				count_segment(run, range, range.positions->positions.first + at, count,
							  run.blocks + (size_t) i * GPUAGG_DRAW_BLOCKS);

			if (threadIdx.x % WARP == 0)
				run.segments[i] = known;
			share.row += known & GPUAGG_DRAW_ROWS;
			share.stretch += i > begin && is_stretch(known, before);
			before = known;
		}
	}
	if (threadIdx.x % WARP == 0)
		run.index->shares[share_mine()] = share;
}

/* ---------- stretches ---------- */

/* Sums in threads before this one; *total: of all */
static __device__ __forceinline__ uint64_t
warp_before(uint64_t n, uint64_t *total)
{
	uint64_t	sum = n;

	for (uint32_t lanes = 1; lanes < WARP; lanes *= 2)
	{
		const uint64_t x = __shfl_up_sync(~0u, sum, lanes);

		if (threadIdx.x % WARP >= lanes)
			sum += x;
	}
	*total = __shfl_sync(~0u, sum, WARP - 1);
	return sum - n;
}

static __device__ uint64_t
block_before(uint64_t n, uint64_t *total)
{
	__shared__ uint64_t warps[SCAN_THREADS / WARP];
	__shared__ uint64_t all;
	const uint32_t warp = threadIdx.x / WARP;
	uint64_t	sum;
	const uint64_t before = warp_before(n, &sum);

	__syncthreads();
	if (threadIdx.x % WARP == 0)
		warps[warp] = sum;
	__syncthreads();
	if (warp == 0)
	{
		const uint64_t mine = warp_before(warps[threadIdx.x], &sum);

		warps[threadIdx.x] = mine;
		all = sum;
	}
	__syncthreads();
	*total = all;
	return warps[warp] + before;
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

/* One block: shares become the rows and stretches before each. */
static __global__ void
__launch_bounds__(SCAN_THREADS)
scan_kernel(const GpuAggDrawRun run)
{
	GpuAggDrawShare *shares = run.index->shares + threadIdx.x * SCAN_EACH;
	GpuAggDrawShare before = {0, 0, 0};
	uint64_t	rows;
	uint64_t	stretches;

	for (uint32_t i = 0; i < SCAN_EACH; i++)
	{
		const uint32_t first = share_begin(run, threadIdx.x * SCAN_EACH + i);

		before.row += shares[i].row;
		if (first < share_begin(run, threadIdx.x * SCAN_EACH + i + 1))
			shares[i].stretch += is_stretch(run.segments[first],
											first > 0 ? run.segments[first - 1] : 0);
		before.stretch += shares[i].stretch;
	}
	before.row = block_before(before.row, &rows);
	before.stretch = (uint32_t) block_before(before.stretch, &stretches);
	for (uint32_t i = 0; i < SCAN_EACH; i++)
	{
		const GpuAggDrawShare own = shares[i];

		shares[i] = before;
		before.row += own.row;
		before.stretch += own.stretch;
	}
	if (threadIdx.x == 0)
	{
		run.index->rows = rows;
		run.index->nstretches = (uint32_t) stretches;
		run.index->shift = rows > 0 ? directory_shift(rows) : 0;
	}
}

static __device__ void
stretch_write(const GpuAggDrawRun &run, GpuAggDrawStretch *stretch, uint64_t row, uint32_t i,
			  uint32_t segment)
{
	const GpuAggDrawPositions &range = run.ranges[range_of(run, i)];
	const uint32_t at = (i - range.segment) * GPUAGG_DRAW_SEGMENT;

	stretch->row = row;
	stretch->valid = range.valid;
	stretch->stripe = range.stripe;
	stretch->first = range.positions.first + at;
	stretch->segment = i;
	stretch->positions = segment & GPUAGG_DRAW_FULL ? 0 :
		(uint16_t) min(range.positions.count - at, (uint32_t) GPUAGG_DRAW_SEGMENT);
	stretch->nulls = (segment & GPUAGG_DRAW_NULLS) != 0;
}

static __global__ void
__launch_bounds__(COUNT_THREADS)
stretch_kernel(const GpuAggDrawRun run)
{
	const uint32_t lane = threadIdx.x % WARP;
	const uint32_t end = share_begin(run, share_mine() + 1);
	GpuAggDrawShare next = run.index->shares[share_mine()];

	for (uint32_t base = share_begin(run, share_mine()); base < end; base += WARP)
	{
		const uint32_t i = base + lane;
		const uint32_t segment = i < end ? run.segments[i] : 0;
		const bool	is = i < end && is_stretch(segment, i > 0 ? run.segments[i - 1] : 0);
		const uint32_t lanes = __ballot_sync(~0u, is);
		uint64_t	rows;
		const uint64_t row = next.row + warp_before(segment & GPUAGG_DRAW_ROWS, &rows);

		if (is)
			stretch_write(run, run.stretches + next.stretch + __popc(lanes & ((1u << lane) - 1)),
						  row, i, segment);
		next.row += rows;
		next.stretch += __popc(lanes);
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
gpuagg_cuda_draw_index(const GpuAggDrawRun *run, cudaStream_t stream)
{
	count_kernel<<<SHARE_BLOCKS, COUNT_THREADS, 0, stream>>>(*run);
	scan_kernel<<<1, SCAN_THREADS, 0, stream>>>(*run);
	stretch_kernel<<<SHARE_BLOCKS, COUNT_THREADS, 0, stream>>>(*run);
	directory_kernel<<<GPUAGG_DRAW_DIRECTORY / COUNT_THREADS + 1, COUNT_THREADS, 0, stream>>>(*run);
}
