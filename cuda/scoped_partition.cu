/*
 * scoped_partition.cu
 *		Radix partitioning of rows by the highest bits of their hash.
 *
 * A level is four launches: parents are cut into pieces of work, rows are
 * counted by partition, the counts are added up, and rows are written as
 * records to their partitions.  A block orders a tile of records by partition
 * in shared memory and writes it from there, so that neighbours write to
 * neighbouring addresses; where a tile's rows go in each partition is drawn
 * from the partition's cursor.  Rows of a partition are in no order.
 *
 * Lanes with the same partition would take turns at its counter.  Where two
 * neighbours have the same one, as in sorted or skewed rows, its lanes count
 * together.
 */
#include <cub/block/block_scan.cuh>

#include "cuda/scoped.h"
#include "cuda/scoped_rows.cuh"

#define THREADS 512
#define MAX_PARTS (1 << GPUAGG_MAX_PARTITION_BITS)

static __device__ __forceinline__ uint32_t
part_of(const GpuAggPartLevel &level, uint64_t hash)
{
	return (uint32_t) ((gpuagg_scope_spread(level.scope, hash) << level.before) >> (64 - level.bits));
}

/*
 * Counts a row of each lane that has one; what its partition's count was
 * before, for this lane.
 */
static __device__ __forceinline__ uint32_t
count_row(uint32_t *counts, uint32_t part, bool row)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t mine = row ? part : ALL_LANES - lane;
	const uint32_t next = __shfl_down_sync(ALL_LANES, mine, 1);
	const uint32_t pairs = __ballot_sync(ALL_LANES, mine == next) & 0x7FFFFFFFu;
	uint32_t	same;
	uint32_t	before = 0;

	if (pairs == 0)
		return row ? atomicAdd(&counts[part], 1u) : 0;
	same = __ballot_sync(ALL_LANES, mine == __shfl_sync(ALL_LANES, mine, __ffs(pairs) - 1));
	if (!(same >> lane & 1))
		before = row ? atomicAdd(&counts[part], 1u) : 0;
	else if (lane == (uint32_t) __ffs(same) - 1)
		before = atomicAdd(&counts[part], (uint32_t) __popc(same));
	if (same >> lane & 1)
		before = __shfl_sync(same, before, __ffs(same) - 1) + __popc(same & ((1u << lane) - 1));
	return before;
}

/* ---------- pieces of work ---------- */

/* pieces[i]: pieces before parent i; one block */
static __global__ void
__launch_bounds__(THREADS)
cut_pieces_kernel(const GpuAggPartLevel level)
{
	typedef cub::BlockScan<uint32_t, THREADS> Scan;
	__shared__ typename Scan::TempStorage scan;
	uint32_t	before = 0;

	for (uint32_t base = 0; base < level.nparents; base += THREADS)
	{
		const uint32_t i = base + threadIdx.x;
		uint32_t	n = 0;
		uint32_t	all;

		if (i < level.nparents)
			n = (uint32_t) ((level.parents[i + 1] - level.parents[i] + GPUAGG_PIECE_ROWS - 1) /
							GPUAGG_PIECE_ROWS);
		Scan(scan).ExclusiveSum(n, n, all);
		if (i < level.nparents)
			level.pieces[i] = before + n;
		before += all;
		__syncthreads();
	}
	if (threadIdx.x == 0)
		level.pieces[level.nparents] = before;
}

/* A piece's parent and rows */
typedef struct Piece
{
	uint32_t	parent;
	uint64_t	first;
	uint64_t	end;
} Piece;

static __device__ __forceinline__ Piece
piece_of(const GpuAggPartLevel &level, uint32_t i)
{
	uint32_t	low = 0;
	uint32_t	high = level.nparents;
	Piece		piece;

	/* the last parent whose first piece is not behind i */
	while (high - low > 1)
	{
		const uint32_t mid = (low + high) / 2;

		if (level.pieces[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	piece.parent = low;
	piece.first = level.parents[low] + (uint64_t) (i - level.pieces[low]) * GPUAGG_PIECE_ROWS;
	piece.end = min(piece.first + GPUAGG_PIECE_ROWS, level.parents[low + 1]);
	return piece;
}

/* ---------- counting ---------- */

#define COUNT_ROWS 8

template <int KEY>
static __global__ void
__launch_bounds__(THREADS, 2)
count_parts_kernel(const __grid_constant__ GpuAggScopedArgs a,
				   const __grid_constant__ GpuAggPartLevel level)
{
	__shared__ uint32_t counts[MAX_PARTS];
	const uint32_t nparts = 1u << level.bits;
	const uint32_t npieces = level.pieces[level.nparents];

	for (uint32_t i = blockIdx.x; i < npieces; i += gridDim.x)
	{
		const Piece piece = piece_of(level, i);

		for (uint32_t p = threadIdx.x; p < nparts; p += THREADS)
			counts[p] = 0;
		__syncthreads();
		for (uint64_t base = piece.first; base < piece.end; base += COUNT_ROWS * THREADS)
		{
			uint32_t	part[COUNT_ROWS];

			#pragma unroll
			for (int r = 0; r < COUNT_ROWS; r++)
			{
				const uint64_t row = min(base + r * THREADS + threadIdx.x, piece.end - 1);

				part[r] = part_of(level, row_hash<KEY>(a, row, row_flags(a, row)));
			}
			#pragma unroll
			for (int r = 0; r < COUNT_ROWS; r++)
				(void) count_row(counts, part[r], base + r * THREADS + threadIdx.x < piece.end);
		}
		__syncthreads();
		for (uint32_t p = threadIdx.x; p < nparts; p += THREADS)
			if (counts[p] > 0)
				atomicAdd(&level.counts[(uint64_t) piece.parent * nparts + p], counts[p]);
		__syncthreads();
	}
}

/* Where partitions start: a block a parent, which starts where it did */
static __global__ void
__launch_bounds__(THREADS)
start_parts_kernel(const GpuAggPartLevel level)
{
	typedef cub::BlockScan<unsigned long long, THREADS> Scan;
	__shared__ typename Scan::TempStorage scan;
	const uint32_t nparts = 1u << level.bits;
	const uint64_t at = (uint64_t) blockIdx.x * nparts;
	unsigned long long before = level.parents[blockIdx.x];

	for (uint32_t base = 0; base < nparts; base += THREADS)
	{
		const uint32_t p = base + threadIdx.x;
		unsigned long long n = p < nparts ? level.counts[at + p] : 0;
		unsigned long long all;

		Scan(scan).ExclusiveSum(n, n, all);
		if (p < nparts)
		{
			level.starts[at + p] = before + n;
			level.cursors[at + p] = before + n;
		}
		before += all;
		__syncthreads();
	}
	if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
		level.starts[at + nparts] = before;
}

/* ---------- writing ---------- */

/* Words of a record of ROWS rows of a thread, from fields to shared memory */
static __device__ __forceinline__ void
stage_word(uint32_t *staged, uint32_t words, uint32_t at, uint32_t word, uint32_t v)
{
	staged[at * words + word] = v;
}

template <int ROWS>
static __device__ __forceinline__ void
stage_records(const GpuAggScopedArgs &a, uint32_t *staged, uint32_t words, uint64_t base,
			  uint64_t end, const uint32_t *at)
{
	if (a.has_head)
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			if (base + r * THREADS + threadIdx.x < end)
				stage_word(staged, words, at[r], 0, field_u32(&a.flags, base + r * THREADS + threadIdx.x));
	}
	for (uint32_t i = 0; i < a.nfields; i++)
	{
		const GpuAggRowField *f = &a.fields[i];
		const uint32_t word = a.field_off[i] / 4;

		if (f->bytes == 4)
		{
			uint32_t	v[ROWS];

			#pragma unroll
			for (int r = 0; r < ROWS; r++)
				v[r] = field_u32(f, min(base + r * THREADS + threadIdx.x, end - 1));
			#pragma unroll
			for (int r = 0; r < ROWS; r++)
				if (base + r * THREADS + threadIdx.x < end)
					stage_word(staged, words, at[r], word, v[r]);
		}
		else
		{
			#pragma unroll
			for (int r = 0; r < ROWS; r++)
				if (base + r * THREADS + threadIdx.x < end)
				{
					const uint64_t v = field_u64(f, base + r * THREADS + threadIdx.x);

					stage_word(staged, words, at[r], word, (uint32_t) v);
					stage_word(staged, words, at[r], word + 1, (uint32_t) (v >> 32));
				}
		}
	}
}

/*
 * A tile of ROWS rows a thread.  Shared memory: the partitions' counts, then
 * their places here; from here to there; of each record its partition; the
 * records.
 */
template <int KEY, int ROWS, int WORDS>
static __device__ __forceinline__ void
scatter_tile(const GpuAggScopedArgs &a, const GpuAggPartLevel &level, uint32_t parent,
			 uint64_t base, uint64_t end, char *shared)
{
	typedef cub::BlockScan<uint32_t, THREADS> Scan;
	__shared__ typename Scan::TempStorage scan;
	const uint32_t nparts = 1u << level.bits;
	const uint32_t words = WORDS != 0 ? WORDS : a.record_bytes / 4;
	const uint32_t ntile = (uint32_t) min((uint64_t) ROWS * THREADS, end - base);
	const uint32_t each = (nparts + THREADS - 1) / THREADS;
	unsigned long long *shift = (unsigned long long *) shared;
	uint32_t   *counts = (uint32_t *) (shift + nparts);
	uint16_t   *part_at = (uint16_t *) (counts + nparts);
	uint32_t   *staged = (uint32_t *) (part_at + ROWS * THREADS);
	uint32_t	part[ROWS];
	uint32_t	at[ROWS];
	uint32_t	sum = 0;

	for (uint32_t p = threadIdx.x; p < nparts; p += THREADS)
		counts[p] = 0;
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
	{
		const uint64_t row = min(base + r * THREADS + threadIdx.x, end - 1);

		part[r] = part_of(level, row_hash<KEY>(a, row, row_flags(a, row)));
	}
	__syncthreads();
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		at[r] = count_row(counts, part[r], base + r * THREADS + threadIdx.x < end);
	__syncthreads();

	/* a thread has `each` partitions that follow each other */
	for (uint32_t p = threadIdx.x * each; p < (threadIdx.x + 1) * each && p < nparts; p++)
		sum += counts[p];
	Scan(scan).ExclusiveSum(sum, sum);
	for (uint32_t p = threadIdx.x * each; p < (threadIdx.x + 1) * each && p < nparts; p++)
	{
		const uint32_t n = counts[p];

		counts[p] = sum;
		if (n > 0)
			shift[p] = atomicAdd(&level.cursors[(uint64_t) parent * nparts + p],
								 (unsigned long long) n) - sum;
		sum += n;
	}
	__syncthreads();
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (base + r * THREADS + threadIdx.x < end)
		{
			at[r] += counts[part[r]];
			part_at[at[r]] = (uint16_t) part[r];
		}
	stage_records<ROWS>(a, staged, words, base, end, at);
	__syncthreads();
	if (WORDS == 2)
	{
		const uint2 *from = (const uint2 *) staged;

		for (uint32_t i = threadIdx.x; i < ntile; i += THREADS)
			((uint2 *) level.records)[shift[part_at[i]] + i] = from[i];
	}
	else
		for (uint32_t i = threadIdx.x; i < ntile * words; i += THREADS)
		{
			const uint32_t record = i / words;

			((uint32_t *) level.records)[(shift[part_at[record]] + record) * words + i % words] =
				staged[i];
		}
	__syncthreads();
}

template <int KEY, int ROWS, int WORDS>
static __global__ void
__launch_bounds__(THREADS, 2)
scatter_parts_kernel(const __grid_constant__ GpuAggScopedArgs a,
					 const __grid_constant__ GpuAggPartLevel level)
{
	extern __shared__ uint4 shared_quads[];
	const uint32_t tiles = GPUAGG_PIECE_ROWS / (ROWS * THREADS);
	const uint32_t npieces = level.pieces[level.nparents];

	/* tiles of all pieces in turn, so that the last ones keep all blocks busy */
	for (uint32_t i = blockIdx.x; i < npieces * tiles; i += gridDim.x)
	{
		const Piece piece = piece_of(level, i / tiles);
		const uint64_t base = piece.first + (uint64_t) (i % tiles) * (ROWS * THREADS);

		if (base < piece.end)
			scatter_tile<KEY, ROWS, WORDS>(a, level, piece.parent, base,
										   min(base + ROWS * THREADS, piece.end),
										   (char *) shared_quads);
	}
}

/* ---------- launches ---------- */

template <int KEY, int ROWS, int WORDS>
static cudaError_t
launch_scatter(const GpuAggScopedArgs *a, const GpuAggPartLevel *level, uint32_t sms,
			   cudaStream_t stream)
{
	const int	bytes = (int) ((12u << level->bits) +
							   ROWS * THREADS * (2 + (WORDS != 0 ? WORDS * 4 : a->record_bytes)));
	cudaError_t rc = cudaFuncSetAttribute(scatter_parts_kernel<KEY, ROWS, WORDS>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

	if (rc != cudaSuccess)
		return rc;
	scatter_parts_kernel<KEY, ROWS, WORDS><<<sms * 2, THREADS, bytes, stream>>>(*a, *level);
	return cudaGetLastError();
}

/* Tiles of records that fill about 64 kB */
template <int KEY>
static cudaError_t
launch_level(const GpuAggScopedArgs *a, const GpuAggPartLevel *level, uint32_t sms,
			 cudaStream_t stream)
{
	count_parts_kernel<KEY><<<sms * 4, THREADS, 0, stream>>>(*a, *level);
	start_parts_kernel<<<level->nparents, THREADS, 0, stream>>>(*level);
	if (a->record_bytes == 8)
		return launch_scatter<KEY, 16, 2>(a, level, sms, stream);
	if (a->record_bytes <= 16)
		return launch_scatter<KEY, 8, 0>(a, level, sms, stream);
	if (a->record_bytes <= 64)
		return launch_scatter<KEY, 2, 0>(a, level, sms, stream);
	return launch_scatter<KEY, 1, 0>(a, level, sms, stream);
}

cudaError_t
gpuagg_cuda_scoped_partition(const GpuAggScopedArgs *a, GpuAggKeyShape key,
							 const GpuAggPartLevel *level, uint32_t sms, cudaStream_t stream)
{
	cut_pieces_kernel<<<1, THREADS, 0, stream>>>(*level);
	switch (key)
	{
		case GPUAGG_KEY_I32:
			return launch_level<GPUAGG_KEY_I32>(a, level, sms, stream);
		case GPUAGG_KEY_I64:
			return launch_level<GPUAGG_KEY_I64>(a, level, sms, stream);
		default:
			return launch_level<GPUAGG_KEY_ANY>(a, level, sms, stream);
	}
}
