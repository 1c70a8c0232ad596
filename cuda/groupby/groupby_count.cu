/*
 * groupby_count.cu
 *		Radix partitioning of rows by the highest bits of their hash: how many rows
 *		each partition has, and where it starts.
 *
 * Rows are counted by partition, of both levels at once if so many counts fit
 * shared memory; the counts are added up.  Parents, or sources, are cut into pieces of
 * work.
 */
#include <cub/block/block_scan.cuh>

#include "cuda/groupby/groupby_partition.cuh"

#define THREADS 512
#define COUNT_THREADS 1024
#define COUNT_ROWS 8

/* Neighbours with the same partition from which on a warp adds them up first */
#define SKEWED_PAIRS 2

/* ---------- pieces of work ---------- */

/* What is cut: parents' rows, or those of sources */
static __device__ __forceinline__ uint32_t
cut_from(const GpuAggPartLevel &level)
{
	return level.sources.list != NULL ? level.sources.n : level.nparents;
}

/* The number of the first row of one of these, or behind the last one's */
static __device__ __forceinline__ uint64_t
cut_start(const GpuAggPartLevel &level, uint32_t i)
{
	if (level.sources.list == NULL)
		return level.parents[i];
	return i < level.sources.n ? level.sources.list[i].first : level.sources.end;
}

/* Piece `at` of those of THREADS parents; starts: of the pieces of each */
static __device__ __forceinline__ void
cut_piece(const GpuAggPartLevel &level, uint32_t base, const uint32_t *starts, uint32_t at)
{
	GpuAggPiece piece;
	uint32_t	low = 0;
	uint32_t	high = THREADS;

	/* the last parent whose pieces do not start behind this one */
	while (high - low > 1)
	{
		const uint32_t mid = (low + high) / 2;

		if (starts[mid] <= at)
			low = mid;
		else
			high = mid;
	}
	piece.parent = base + low;
	piece.first = cut_start(level, piece.parent) +
		(uint64_t) (at - starts[low]) * GPUAGG_PIECE_ROWS;
	piece.end = min(piece.first + GPUAGG_PIECE_ROWS, cut_start(level, piece.parent + 1));
	level.pieces[at] = piece;
}

/* Pieces of parent 0, of parent 1, ...; one block */
static __global__ void
__launch_bounds__(THREADS)
cut_pieces_kernel(const GpuAggPartLevel level)
{
	typedef cub::BlockScan<uint32_t, THREADS> Scan;
	__shared__ typename Scan::TempStorage scan;
	__shared__ uint32_t starts[THREADS];
	const uint32_t nfrom = cut_from(level);
	uint32_t	before = 0;

	for (uint32_t base = 0; base < nfrom; base += THREADS)
	{
		const uint32_t parent = base + threadIdx.x;
		uint32_t	n = 0;
		uint32_t	all;

		if (parent < nfrom)
			n = (uint32_t) ((cut_start(level, parent + 1) - cut_start(level, parent) +
							 GPUAGG_PIECE_ROWS - 1) / GPUAGG_PIECE_ROWS);
		Scan(scan).ExclusiveSum(n, n, all);
		starts[threadIdx.x] = before + n;
		__syncthreads();
		for (uint32_t i = threadIdx.x; i < all; i += THREADS)
			cut_piece(level, base, starts, before + i);
		before += all;
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*level.npieces = before;
}

cudaError_t
gpuagg_cuda_groupby_cut(const GpuAggPartLevel *level, cudaStream_t stream)
{
	cut_pieces_kernel<<<1, THREADS, 0, stream>>>(*level);
	return cudaGetLastError();
}

/* ---------- counting ---------- */

/*
 * Counts a thread's rows.  A partition that many of a warp's first rows have is added
 * up by each lane, then over the warp.
 */
template <int ROWS>
static __device__ __forceinline__ void
tally_rows(uint32_t *counts, const uint32_t *part, uint32_t rows)
{
	const uint32_t next = __shfl_down_sync(ALL_LANES, part[0], 1);
	const uint32_t pairs = __ballot_sync(ALL_LANES, part[0] == next) & 0x7FFFFFFFu;
	uint32_t	heavy;
	uint32_t	n = 0;

	if (__all_sync(ALL_LANES, __popc(pairs) < SKEWED_PAIRS && rows == ALL_ROWS<ROWS>))
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			atomicAdd(&counts[part[r]], 1u);
		return;
	}
	heavy = __shfl_sync(ALL_LANES, part[0], pairs != 0 ? __ffs(pairs) - 1 : 0);
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (rows >> r & 1)
		{
			if (part[r] == heavy)
				n++;
			else
				atomicAdd(&counts[part[r]], 1u);
		}
	n = all_lanes_add(n);
	if (threadIdx.x % WARP_LANES == 0 && n > 0)
		atomicAdd(&counts[heavy], n);
}

/* Adds what the block has counted to all rows', and begins anew. */
static __device__ void
flush_counts(uint32_t *counts, const GpuAggPartLevel &level, uint32_t parent)
{
	const uint32_t nparts = 1u << level.bits;

	__syncthreads();
	for (uint32_t p = threadIdx.x; p < nparts; p += blockDim.x)
	{
		if (parent != UINT32_MAX && counts[p] > 0)
			atomicAdd(&level.counts[(uint64_t) parent * nparts + p], counts[p]);
		counts[p] = 0;
	}
	__syncthreads();
}

template <int KEY, int FAST>
static __global__ void
__launch_bounds__(COUNT_THREADS)
count_parts_kernel(const __grid_constant__ GpuAggGroupByArgs a,
				   const __grid_constant__ GpuAggPartLevel level)
{
	extern __shared__ uint32_t counts[];
	const uint64_t first = gpuagg_slice_first(level.slice, *level.npieces);
	const uint64_t npieces = gpuagg_slice_end(level.slice, *level.npieces) - first;
	uint32_t	counted = UINT32_MAX;	/* the parent whose rows are in counts */

	/* a run of pieces, so that most of them follow one of the same parent */
	for (uint64_t i = first + npieces * blockIdx.x / gridDim.x;
		 i < first + npieces * (blockIdx.x + 1) / gridDim.x; i++)
	{
		const GpuAggPiece piece = level.pieces[i];
		const uint32_t parent = parent_of<FAST>(piece.parent);

		if (parent != counted)
			flush_counts(counts, level, counted);
		counted = parent;
		for (uint64_t row = piece.first + threadIdx.x; row - threadIdx.x < piece.end;
			 row += COUNT_ROWS * blockDim.x)
		{
			uint32_t	part[COUNT_ROWS];
			uint32_t	arg[COUNT_ROWS];
			typename FastRow<KEY>::Word key[COUNT_ROWS];
			const uint32_t rows = load_rows<KEY, FAST, COUNT_ROWS>(a, level, piece.parent, row,
																   piece.end, key, arg);

			find_parts<KEY, FAST, COUNT_ROWS>(a, level, row, piece.end, key, part);
			tally_rows<COUNT_ROWS>(counts, part, rows);
		}
	}
	flush_counts(counts, level, counted);
}

/*
 * Where partitions start: a block a parent, which starts where it did.  A
 * thread has `each` partitions that follow each other.
 */
static __global__ void
__launch_bounds__(THREADS)
start_parts_kernel(const GpuAggPartLevel level)
{
	typedef cub::BlockScan<unsigned long long, THREADS> Scan;
	__shared__ typename Scan::TempStorage scan;
	const uint32_t nparts = 1u << level.bits;
	const uint32_t each = (nparts + THREADS - 1) / THREADS;
	const uint64_t at = (uint64_t) blockIdx.x * nparts;
	const uint32_t end = min((threadIdx.x + 1) * each, nparts);
	unsigned long long sum = 0;

	for (uint32_t p = threadIdx.x * each; p < end; p++)
		sum += level.counts[at + p];
	Scan(scan).ExclusiveSum(sum, sum);
	sum += level.parents[blockIdx.x];
	for (uint32_t p = threadIdx.x * each; p < end; p++)
	{
		level.starts[at + p] = sum;
		level.cursors[at + p] = sum;
		sum += level.counts[at + p];
	}
	if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
		level.starts[at + nparts] = level.parents[gridDim.x];
}

/* The starts of a level whose partitions were counted more finely */
static __global__ void
coarse_starts_kernel(const GpuAggPartLevel level, const uint64_t *fine, uint32_t fine_bits)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i > 1u << level.bits)
		return;
	level.starts[i] = fine[(uint64_t) i << fine_bits];
	if (i < 1u << level.bits)
		level.cursors[i] = level.starts[i];
}

/* ---------- launches ---------- */

template <int KEY, int FAST>
static cudaError_t
launch_count(const GpuAggGroupByArgs *a, const GpuAggPartLevel *level, uint32_t sms,
			 cudaStream_t stream)
{
	const int	bytes = 4 << level->bits;
	const uint32_t blocks = bytes <= 32768 ? 4 : bytes <= 65536 ? 3 : 1;
	const uint32_t threads = blocks == 1 ? COUNT_THREADS : 512;
	GpuAggPartLevel part = *level;
	cudaError_t rc = cudaFuncSetAttribute(count_parts_kernel<KEY, FAST>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

	if (rc != cudaSuccess)
		return rc;
	for (; part.slice.at < part.slice.of; part.slice.at++)
		count_parts_kernel<KEY, FAST><<<sms * blocks, threads, bytes, stream>>>(*a, part);
	return cudaGetLastError();
}

template <int KEY>
static cudaError_t
launch_fast_count(const GpuAggGroupByArgs *a, GpuAggFast fast, const GpuAggPartLevel *level,
				  uint32_t sms, cudaStream_t stream)
{
	return fast == GPUAGG_FAST_SOURCES ?
		launch_count<KEY, GPUAGG_FAST_SOURCES>(a, level, sms, stream) :
		launch_count<KEY, GPUAGG_FAST_PAIRS>(a, level, sms, stream);
}

cudaError_t
gpuagg_cuda_groupby_count(const GpuAggGroupByArgs *a, GpuAggKeyShape key,
						 const GpuAggPartLevel *level, uint32_t sms, cudaStream_t stream)
{
	const GpuAggFast fast = level_fast(a, key, level);
	cudaError_t rc;

	rc = gpuagg_cuda_groupby_cut(level, stream);
	if (rc != cudaSuccess)
		return rc;
	if (key == GPUAGG_KEY_I32 && fast != GPUAGG_FAST_NOT)
		rc = launch_fast_count<GPUAGG_KEY_I32>(a, fast, level, sms, stream);
	else if (fast != GPUAGG_FAST_NOT)
		rc = launch_fast_count<GPUAGG_KEY_I64>(a, fast, level, sms, stream);
	else
		rc = launch_count<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT>(a, level, sms, stream);
	start_parts_kernel<<<level->nparents, THREADS, 0, stream>>>(*level);
	return rc == cudaSuccess ? cudaGetLastError() : rc;
}

void
gpuagg_cuda_groupby_coarse(const GpuAggPartLevel *level, const uint64_t *fine,
						  uint32_t fine_bits, cudaStream_t stream)
{
	coarse_starts_kernel<<<((1u << level->bits) + THREADS) / THREADS, THREADS, 0, stream>>>
		(*level, fine, fine_bits);
}
