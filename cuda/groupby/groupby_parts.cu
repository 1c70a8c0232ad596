/*
 * groupby_parts.cu
 *		Grouping of partitions in shared memory, one block each.
 *
 * A partition whose rows would keep one block busy while the others are done
 * (a key that half of the rows have) is left to many blocks, which take
 * pieces of it and merge what they have in the task's table.  Where most
 * partitions have few rows a group (groupby_few_rows.cuh), those that have many are
 * listed first and have a launch of their own.
 */
#include "cuda/groupby/groupby.h"
#include "cuda/groupby/groupby_fast.cuh"
#include "cuda/groupby/groupby_few_rows.cuh"
#include "cuda/groupby/groupby_flush.cuh"

#define MAX_THREADS 1024

/* ---------- partitions ---------- */

/* The rows [first, end) into the block's table, cleared before */
template <int KEY, int FAST>
static __device__ void
block_rows(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t first, uint64_t end,
		   uint32_t *misses)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t warp = threadIdx.x / WARP_LANES;
	uint32_t	added = 0;

	local_clear<KEY>(a, t);
	__syncthreads();
	for (uint64_t row = first + warp * (LOCAL_ROWS * WARP_LANES) + lane; row - lane < end;
		 row += LOCAL_ROWS * blockDim.x)
		warp_rows<KEY, FAST>(a, t, first, row, end, &added, misses);
	count_added(a, added);
	__syncthreads();
}

/*
 * Block-wide: the next number of a queue, or `end`: no more in this slice, or no room for
 * what might come of it, up to `groups` of every block
 */
static __device__ uint32_t
block_draw(const GpuAggGroupByArgs &a, unsigned long long *queue, uint32_t end,
		   uint64_t groups, uint64_t room)
{
	__shared__ uint32_t drawn;

	__syncthreads();
	if (threadIdx.x == 0)
	{
		/* all are under way before any is looked at */
		const unsigned long long in_table = *(volatile unsigned long long *) &a.table.head->count;
		const unsigned long long out = *(volatile unsigned long long *) &a.head->groups;
		const uint32_t stop = *(volatile uint32_t *) &a.head->stop;
		const uint32_t full = *(volatile uint32_t *) &a.head->full;
		const bool	no_entry = in_table >= a.table.limit;
		const bool	no_room = out + gridDim.x * groups > room;

		if (no_entry)
			*(volatile uint32_t *) &a.head->stop = 1;
		if (no_room)
			*(volatile uint32_t *) &a.head->full = 1;
		drawn = end;
		if (!no_entry && !no_room && stop == 0 && full == 0)
			drawn = (uint32_t) draw_before(queue, end);
	}
	__syncthreads();
	return drawn;
}

/* To a list of those that are left to others */
static __device__ __forceinline__ void
leave_partition(uint32_t *list, uint32_t *n, uint32_t part)
{
	if (threadIdx.x == 0)
		list[atomicAdd(n, 1u)] = part;
}

/*
 * Partitions whose groups have many rows, a block each: all of them, or if
 * LISTED those that group_few_rows_kernel() left.
 */
template <int KEY, int FAST, bool LISTED>
static __global__ void
__launch_bounds__(MAX_THREADS)
group_partitions_kernel(const __grid_constant__ GpuAggGroupByArgs a,
						const __grid_constant__ GpuAggGroupByLocal local,
						const __grid_constant__ GpuAggPartitions parts,
						const __grid_constant__ GpuAggDense dense)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	const uint32_t n = (uint32_t) gpuagg_slice_end(
		parts.slice, LISTED ? *(volatile uint32_t *) &a.head->nmany_rows : parts.n);
	uint32_t	misses = 0;
	uint32_t	drawn;

	while ((drawn = block_draw(a, LISTED ? &a.head->many_rows : &a.head->tile, n, t.slots + 1,
							   dense.capacity)) != n)
	{
		const uint32_t part = LISTED ? parts.many_rows[drawn] : drawn;
		const uint64_t first = parts.starts[part];
		const uint64_t end = parts.starts[part + 1];

		if (first == end)
			continue;
		if (end - first > parts.split_rows)
		{
			leave_partition(parts.split, &a.head->nsplit, part);
			continue;
		}
		block_rows<KEY, FAST>(a, t, first, end, &misses);
		flush_dense<KEY>(a, t, first, dense.out);
	}
	misses = all_lanes_add(misses);
	if (threadIdx.x % WARP_LANES == 0 && misses > 0)
		atomicAdd(&a.head->misses, (unsigned long long) misses);
}

/* Is the table full, as all threads of the block see it? */
static __device__ __forceinline__ bool
is_stopped(const GpuAggGroupByArgs &a)
{
	return __syncthreads_or(threadIdx.x == 0 && *(volatile uint32_t *) &a.head->stop != 0);
}

/*
 * A partition of few rows a group; true, for all threads: some of its rows went
 * to the task's table.  One of very many rows has keys that have many.
 */
template <int KEY, bool PACKED>
static __device__ __forceinline__ bool
group_few_rows(const GpuAggGroupByArgs &a, const LocalView &t, const GpuAggPartitions &parts,
			 uint32_t part, char *out, uint32_t *misses)
{
	const uint64_t first = parts.starts[part];
	const uint64_t end = parts.starts[part + 1];
	const uint32_t before = *misses;

	if (first == end)
		return false;
	if (end - first > GPUAGG_FEW_ROWS_MAX_ROWS)
	{
		leave_partition(parts.many_rows, &a.head->nmany_rows, part);
		return false;
	}
	few_rows_partition<KEY, PACKED>(a, t, first, end, out, misses);
	return __syncthreads_or(*misses != before);
}

/*
 * Partitions of few rows a group, several at once.  Once a row of theirs may wait
 * for a larger table, the rest of them is for later: the list of rows that wait
 * has room for one partition's a block.
 */
template <int KEY, bool PACKED>
static __global__ void
__launch_bounds__(MAX_THREADS)
group_few_rows_kernel(const __grid_constant__ GpuAggGroupByArgs a,
					const __grid_constant__ GpuAggGroupByLocal local,
					const __grid_constant__ GpuAggPartitions parts,
					const __grid_constant__ GpuAggDense dense)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	const uint32_t batches = (uint32_t) gpuagg_slice_end(
		parts.slice, (parts.n + GPUAGG_FEW_ROWS_BATCH - 1) / GPUAGG_FEW_ROWS_BATCH);
	uint32_t	misses = 0;
	uint32_t	drawn;

	while ((drawn = block_draw(a, &a.head->tile, batches,
							   (uint64_t) GPUAGG_FEW_ROWS_BATCH * (t.slots + 1), dense.capacity)) !=
		   batches)
	{
		const uint32_t end = min((drawn + 1) * GPUAGG_FEW_ROWS_BATCH, parts.n);
		bool		stopped = false;

		for (uint32_t i = drawn * GPUAGG_FEW_ROWS_BATCH; i < end; i++)
			if (stopped)
				leave_partition(parts.many_rows, &a.head->nmany_rows, i);
			else
				stopped = group_few_rows<KEY, PACKED>(a, t, parts, i, dense.out, &misses) &&
					is_stopped(a);
	}
	misses = all_lanes_add(misses);
	if (threadIdx.x % WARP_LANES == 0 && misses > 0)
		atomicAdd(&a.head->misses, (unsigned long long) misses);
}

/* Piece `drawn` of the split partitions: its rows; false: there are not so many */
static __device__ bool
find_piece(const GpuAggPartitions &parts, uint32_t nsplit, uint32_t drawn,
		   uint64_t *first, uint64_t *end)
{
	for (uint32_t i = 0; i < nsplit; i++)
	{
		const uint64_t start = parts.starts[parts.split[i]];
		const uint64_t rows = parts.starts[parts.split[i] + 1] - start;
		const uint32_t pieces = (uint32_t) ((rows + parts.split_rows - 1) / parts.split_rows);

		if (drawn < pieces)
		{
			*first = start + drawn * parts.split_rows;
			*end = min(*first + parts.split_rows, start + rows);
			return true;
		}
		drawn -= pieces;
	}
	return false;
}

template <int KEY, int FAST>
static __global__ void
__launch_bounds__(MAX_THREADS)
group_split_kernel(const __grid_constant__ GpuAggGroupByArgs a,
				 const __grid_constant__ GpuAggGroupByLocal local,
				 const __grid_constant__ GpuAggPartitions parts)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	const uint32_t nsplit = *(volatile uint32_t *) &a.head->nsplit;
	/* there are no more pieces than that, of all split partitions */
	const uint32_t last = (uint32_t) gpuagg_slice_end(parts.slice, a.n / parts.split_rows + nsplit);
	uint32_t	misses = 0;
	uint32_t	drawn;
	uint64_t	first;
	uint64_t	end;

	while ((drawn = block_draw(a, &a.head->tile, last, 0, UINT64_MAX)) != last &&
		   find_piece(parts, nsplit, drawn, &first, &end))
	{
		uint32_t	added = 0;

		block_rows<KEY, FAST>(a, t, first, end, &misses);
		flush_to_table<KEY>(a, t, first, &added);
		__syncwarp();
		count_added(a, added);
	}
	misses = all_lanes_add(misses);
	if (threadIdx.x % WARP_LANES == 0 && misses > 0)
		atomicAdd(&a.head->misses, (unsigned long long) misses);
}

/* ---------- launches ---------- */

/* A kernel of partitions */
typedef void (*PartitionsKernel) (GpuAggGroupByArgs, GpuAggGroupByLocal, GpuAggPartitions,
								  GpuAggDense);

static cudaError_t
launch_kernel(PartitionsKernel kernel, const GpuAggGroupByArgs *a, const GpuAggGroupByLocal *local,
			  const GpuAggPartitions *parts, const GpuAggDense *dense, uint32_t blocks,
			  cudaStream_t stream)
{
	GpuAggPartitions part = *parts;
	cudaError_t rc = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
										  (int) local->bytes);

	if (rc != cudaSuccess)
		return rc;
	for (; part.slice.at < part.slice.of; part.slice.at++)
		kernel<<<blocks, local->threads, local->bytes, stream>>>(*a, *local, part, *dense);
	return cudaGetLastError();
}

template <int KEY, int FAST>
static cudaError_t
launch_split(const GpuAggGroupByArgs *a, const GpuAggGroupByLocal *local,
		   const GpuAggPartitions *parts, uint32_t blocks, cudaStream_t stream)
{
	GpuAggPartitions part = *parts;
	cudaError_t rc = cudaFuncSetAttribute(group_split_kernel<KEY, FAST>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize,
										  (int) local->bytes);

	if (rc != cudaSuccess)
		return rc;
	for (; part.slice.at < part.slice.of; part.slice.at++)
		group_split_kernel<KEY, FAST><<<blocks, local->threads, local->bytes, stream>>>
			(*a, *local, part);
	return cudaGetLastError();
}

/* Those of few rows a group, then those that this left */
template <int KEY>
static cudaError_t
launch_few_rows(const GpuAggGroupByArgs *a, const GpuAggGroupByLocal *local,
			  const GpuAggGroupByLocal *few_rows, const GpuAggPartitions *parts,
			  const GpuAggDense *dense, uint32_t blocks, cudaStream_t stream)
{
	cudaError_t rc = launch_kernel(few_rows->few_rows == GPUAGG_FEW_ROWS_PACKED ?
								   group_few_rows_kernel<KEY, true> :
								   group_few_rows_kernel<KEY, false>,
								   a, few_rows, parts, dense, blocks, stream);

	if (rc != cudaSuccess)
		return rc;
	return launch_kernel(group_partitions_kernel<KEY, GPUAGG_FAST_PAIRS, true>,
						 a, local, parts, dense, blocks, stream);
}

template <int KEY, int FAST>
static cudaError_t
launch_groups(const GpuAggGroupByArgs *a, const GpuAggGroupByLocal *local,
			  const GpuAggGroupByLocal *few_rows, const GpuAggPartitions *parts,
			  const GpuAggDense *dense, uint32_t blocks, cudaStream_t stream)
{
	if (dense == NULL)
		return launch_split<KEY, FAST>(a, local, parts, blocks, stream);
	if constexpr (FAST == GPUAGG_FAST_PAIRS)
		if (few_rows->few_rows)
			return launch_few_rows<KEY>(a, local, few_rows, parts, dense, blocks, stream);
	return launch_kernel(group_partitions_kernel<KEY, FAST, false>, a, local, parts, dense,
						 blocks, stream);
}

cudaError_t
gpuagg_cuda_groupby_partitions(const GpuAggGroupByArgs *a, GpuAggKeyShape key,
							  const GpuAggGroupByLocal *local,
							  const GpuAggGroupByLocal *few_rows,
							  const GpuAggPartitions *parts, const GpuAggDense *dense,
							  uint32_t blocks, cudaStream_t stream)
{
	switch (key)
	{
		case GPUAGG_KEY_I32:
			if (gpuagg_cuda_groupby_fast(a, key) == GPUAGG_FAST_PAIRS)
				return launch_groups<GPUAGG_KEY_I32, GPUAGG_FAST_PAIRS>
					(a, local, few_rows, parts, dense, blocks, stream);
			return launch_groups<GPUAGG_KEY_I32, GPUAGG_FAST_NOT>
				(a, local, few_rows, parts, dense, blocks, stream);
		case GPUAGG_KEY_I64:
			if (gpuagg_cuda_groupby_fast(a, key) == GPUAGG_FAST_PAIRS)
				return launch_groups<GPUAGG_KEY_I64, GPUAGG_FAST_PAIRS>
					(a, local, few_rows, parts, dense, blocks, stream);
			return launch_groups<GPUAGG_KEY_I64, GPUAGG_FAST_NOT>
				(a, local, few_rows, parts, dense, blocks, stream);
		default:
			return launch_groups<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT>
				(a, local, few_rows, parts, dense, blocks, stream);
	}
}
