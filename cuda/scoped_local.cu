/*
 * scoped_local.cu
 *		Grouping in shared memory: of all rows, when groups are few
 *		("block-local"), and of partitions, one block each.
 *
 * A partition whose rows would keep one block busy while the others are done
 * (a key that half of the rows have) is left to many blocks, which take
 * pieces of it and merge what they have in the task's table.
 */
#include "cuda/scoped.h"
#include "cuda/scoped_fast.cuh"
#include "cuda/scoped_flush.cuh"

#define MAX_THREADS 1024

/* ---------- block-local ---------- */

template <int KEY, int FAST>
static __global__ void
__launch_bounds__(MAX_THREADS)
group_local_kernel(const __grid_constant__ GpuAggScopedArgs a,
				   const __grid_constant__ GpuAggScopedLocal local)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	added = 0;
	uint32_t	misses = 0;
	uint64_t	tile;

	local_clear<KEY>(a, t);
	__syncthreads();
	while ((tile = next_tile(a, &a.head->tile)) != UINT64_MAX)
	{
		const uint64_t first = tile * GPUAGG_WARP_TILE;
		const uint64_t end = min(a.n, first + GPUAGG_WARP_TILE);

		for (uint64_t row = first + lane; row - lane < end; row += LOCAL_ROWS * WARP_LANES)
			warp_rows<KEY, FAST>(a, t, 0, row, end, &added, &misses);
		count_added(a, added);
		added = 0;
	}
	misses = all_lanes_add(misses);
	if (lane == 0 && misses > 0)
		atomicAdd(&a.head->misses, (unsigned long long) misses);
	__syncthreads();
	flush_to_table<KEY>(a, t, 0, &added);
	__syncwarp();
	count_added(a, added);
}

/* ---------- partitions ---------- */

/* The rows [first, end) into the block's table, cleared before */
template <int KEY, int FAST>
static __device__ void
block_rows(const GpuAggScopedArgs &a, const LocalView &t, uint64_t first, uint64_t end,
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
 * Block-wide: the next number of a queue, or `end`: no more, or no room for
 * what might come of it
 */
static __device__ uint32_t
block_draw(const GpuAggScopedArgs &a, const LocalView &t, uint32_t end, uint64_t room)
{
	__shared__ uint32_t drawn;

	__syncthreads();
	if (threadIdx.x == 0)
	{
		drawn = end;
		if (*(volatile unsigned long long *) &a.table.head->count >= a.table.limit)
			*(volatile uint32_t *) &a.head->stop = 1;
		if (*(volatile unsigned long long *) &a.head->groups +
			(uint64_t) gridDim.x * (t.slots + 1) > room)
			*(volatile uint32_t *) &a.head->full = 1;
		if (*(volatile uint32_t *) &a.head->stop == 0 &&
			*(volatile uint32_t *) &a.head->full == 0)
			drawn = (uint32_t) min(atomicAdd(&a.head->tile, 1ull), (unsigned long long) end);
	}
	__syncthreads();
	return drawn;
}

template <int KEY, int FAST>
static __global__ void
__launch_bounds__(MAX_THREADS)
group_partitions_kernel(const __grid_constant__ GpuAggScopedArgs a,
						const __grid_constant__ GpuAggScopedLocal local,
						const __grid_constant__ GpuAggPartitions parts,
						const __grid_constant__ GpuAggDense dense)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	uint32_t	misses = 0;
	uint32_t	part;

	while ((part = block_draw(a, t, parts.n, dense.capacity)) != parts.n)
	{
		const uint64_t first = parts.starts[part];
		const uint64_t end = parts.starts[part + 1];

		if (first == end)
			continue;
		if (end - first > parts.split_rows)
		{
			if (threadIdx.x == 0)
				parts.big[atomicAdd(&a.head->nbig, 1u)] = part;
			continue;
		}
		block_rows<KEY, FAST>(a, t, first, end, &misses);
		flush_dense<KEY>(a, t, first, dense.out);
	}
	misses = all_lanes_add(misses);
	if (threadIdx.x % WARP_LANES == 0 && misses > 0)
		atomicAdd(&a.head->misses, (unsigned long long) misses);
}

/* Piece `drawn` of the big partitions: its rows; false: there are not so many */
static __device__ bool
find_piece(const GpuAggPartitions &parts, uint32_t nbig, uint32_t drawn,
		   uint64_t *first, uint64_t *end)
{
	for (uint32_t i = 0; i < nbig; i++)
	{
		const uint64_t start = parts.starts[parts.big[i]];
		const uint64_t rows = parts.starts[parts.big[i] + 1] - start;
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
group_big_kernel(const __grid_constant__ GpuAggScopedArgs a,
				 const __grid_constant__ GpuAggScopedLocal local,
				 const __grid_constant__ GpuAggPartitions parts)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	const uint32_t nbig = *(volatile uint32_t *) &a.head->nbig;
	uint32_t	misses = 0;
	uint64_t	first;
	uint64_t	end;

	while (find_piece(parts, nbig, block_draw(a, t, UINT32_MAX, UINT64_MAX), &first, &end))
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

template <int KEY, int FAST>
static cudaError_t
launch_local(const GpuAggScopedArgs *a, const GpuAggScopedLocal *local, uint32_t blocks,
			 cudaStream_t stream)
{
	cudaError_t rc = cudaFuncSetAttribute(group_local_kernel<KEY, FAST>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize,
										  (int) local->bytes);

	if (rc != cudaSuccess)
		return rc;
	group_local_kernel<KEY, FAST><<<blocks, local->threads, local->bytes, stream>>>(*a, *local);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_scoped_local(const GpuAggScopedArgs *a, GpuAggKeyShape key,
						 const GpuAggScopedLocal *local, uint32_t blocks,
						 cudaStream_t stream)
{
	switch (key)
	{
		case GPUAGG_KEY_I32:
			if (gpuagg_cuda_scoped_fast(a, key) == GPUAGG_FAST_COLUMNS)
				return launch_local<GPUAGG_KEY_I32, GPUAGG_FAST_COLUMNS>(a, local, blocks, stream);
			return launch_local<GPUAGG_KEY_I32, GPUAGG_FAST_NOT>(a, local, blocks, stream);
		case GPUAGG_KEY_I64:
			return launch_local<GPUAGG_KEY_I64, GPUAGG_FAST_NOT>(a, local, blocks, stream);
		default:
			return launch_local<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT>(a, local, blocks, stream);
	}
}

template <int KEY, int FAST>
static cudaError_t
launch_partitions(const GpuAggScopedArgs *a, const GpuAggScopedLocal *local,
				  const GpuAggPartitions *parts, const GpuAggDense *dense,
				  uint32_t blocks, cudaStream_t stream)
{
	cudaError_t rc = cudaFuncSetAttribute(group_partitions_kernel<KEY, FAST>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize,
										  (int) local->bytes);

	if (rc == cudaSuccess)
		rc = cudaFuncSetAttribute(group_big_kernel<KEY, FAST>,
								  cudaFuncAttributeMaxDynamicSharedMemorySize,
								  (int) local->bytes);
	if (rc != cudaSuccess)
		return rc;
	if (dense != NULL)
		group_partitions_kernel<KEY, FAST><<<blocks, local->threads, local->bytes, stream>>>
			(*a, *local, *parts, *dense);
	else
		group_big_kernel<KEY, FAST><<<blocks, local->threads, local->bytes, stream>>>
			(*a, *local, *parts);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_scoped_partitions(const GpuAggScopedArgs *a, GpuAggKeyShape key,
							  const GpuAggScopedLocal *local,
							  const GpuAggPartitions *parts, const GpuAggDense *dense,
							  uint32_t blocks, cudaStream_t stream)
{
	switch (key)
	{
		case GPUAGG_KEY_I32:
			if (gpuagg_cuda_scoped_fast(a, key) == GPUAGG_FAST_PAIRS)
				return launch_partitions<GPUAGG_KEY_I32, GPUAGG_FAST_PAIRS>
					(a, local, parts, dense, blocks, stream);
			return launch_partitions<GPUAGG_KEY_I32, GPUAGG_FAST_NOT>
				(a, local, parts, dense, blocks, stream);
		case GPUAGG_KEY_I64:
			return launch_partitions<GPUAGG_KEY_I64, GPUAGG_FAST_NOT>
				(a, local, parts, dense, blocks, stream);
		default:
			return launch_partitions<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT>
				(a, local, parts, dense, blocks, stream);
	}
}
