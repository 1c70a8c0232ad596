/*
 * groupby_sketch.cu
 *		How many groups rows have, before they are partitioned: HyperLogLog (Flajolet et
 *		al., 2007) over the hashes of all rows.
 *
 * What the planner expects may be off by orders of magnitude, above all of several keys
 * together; partitions of too many groups would send most rows to the task's table.  A
 * register is the number of a hash's last bits that are 0 behind those that name it, at
 * most; with 2^11 of them the estimate is off by 2.3 % (standard deviation).
 */
#include "cuda/groupby/groupby_partition.cuh"

#define SKETCH_BITS 11
#define REGISTERS (1u << SKETCH_BITS)
#define SKETCH_THREADS 1024
#define SKETCH_ROWS 8
#define SKETCH_BLOCKS 2

static_assert(REGISTERS * sizeof(uint32_t) <= GPUAGG_SKETCH_BYTES, "room for the registers");

static __device__ __forceinline__ void
sketch_add(uint32_t *registers, uint64_t hash)
{
	uint32_t   *at = &registers[hash & (REGISTERS - 1)];
	const uint32_t zeros = __ffsll((long long) (hash >> SKETCH_BITS | 1ull << (63 - SKETCH_BITS)));

	if (*(volatile uint32_t *) at < zeros)
		atomicMax(at, zeros);
}

template <int KEY, int FAST>
static __global__ void
__launch_bounds__(SKETCH_THREADS) sketch_kernel(const __grid_constant__ GpuAggGroupByArgs a,
												const __grid_constant__ GpuAggPartLevel level)
{
	__shared__ uint32_t registers[REGISTERS];
	const uint64_t first = gpuagg_slice_first(level.slice, *level.npieces);
	const uint64_t npieces = gpuagg_slice_end(level.slice, *level.npieces) - first;

	for (uint32_t i = threadIdx.x; i < REGISTERS; i += blockDim.x)
		registers[i] = 0;
	__syncthreads();
	for (uint64_t i = first + npieces * blockIdx.x / gridDim.x;
		 i < first + npieces * (blockIdx.x + 1) / gridDim.x; i++)
	{
		const GpuAggPiece piece = level.pieces[i];

		for (uint64_t row = piece.first + threadIdx.x; row - threadIdx.x < piece.end;
			 row += SKETCH_ROWS * blockDim.x)
		{
			uint64_t	hash[SKETCH_ROWS];
			uint32_t	arg[SKETCH_ROWS];
			typename FastRow<KEY>::Word key[SKETCH_ROWS];
			const uint32_t rows = load_rows<KEY, FAST, SKETCH_ROWS>(a, level, piece.parent, row,
																	piece.end, key, arg);

			find_hashes<KEY, FAST, SKETCH_ROWS>(a, row, piece.end, key, hash);
			#pragma unroll
			for (int r = 0; r < SKETCH_ROWS; r++)
				if (rows >> r & 1)
					sketch_add(registers, hash[r]);
		}
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < REGISTERS; i += blockDim.x)
		if (registers[i] > 0)
			atomicMax(&level.counts[i], registers[i]);
}

/* One block: head->distinct */
static __global__ void
__launch_bounds__(SKETCH_THREADS)
estimate_kernel(const uint32_t *registers, GpuAggGroupByHead *head)
{
	__shared__ double sums[WARP_LANES];
	__shared__ uint32_t empty;
	double		sum = 0;

	if (threadIdx.x == 0)
		empty = 0;
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < REGISTERS; i += blockDim.x)
	{
		sum += exp2(-(double) registers[i]);
		if (registers[i] == 0)
			atomicAdd(&empty, 1u);
	}
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
		sum += __shfl_xor_sync(ALL_LANES, sum, lanes);
	if (threadIdx.x % WARP_LANES == 0)
		sums[threadIdx.x / WARP_LANES] = sum;
	__syncthreads();
	if (threadIdx.x > 0)
		return;
	sum = 0;
	for (uint32_t i = 0; i < SKETCH_THREADS / WARP_LANES; i++)
		sum += sums[i];
	/* the bias of so many registers; of few groups, by the registers that have none */
	sum = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
	if (sum <= 2.5 * REGISTERS && empty > 0)
		sum = REGISTERS * log((double) REGISTERS / empty);
	head->distinct = sum;
}

template <int KEY, int FAST>
static void
launch_sketch(const GpuAggGroupByArgs *a, const GpuAggPartLevel *level, uint32_t sms,
			  cudaStream_t stream)
{
	GpuAggPartLevel part = *level;

	for (; part.slice.at < part.slice.of; part.slice.at++)
		sketch_kernel<KEY, FAST><<<sms * SKETCH_BLOCKS, SKETCH_THREADS, 0, stream>>>(*a, part);
}

cudaError_t
gpuagg_cuda_groupby_sketch(const GpuAggGroupByArgs *a, GpuAggKeyShape key,
						   const GpuAggPartLevel *level, uint32_t sms, cudaStream_t stream)
{
	cudaError_t rc = gpuagg_cuda_groupby_cut(level, stream);

	if (rc != cudaSuccess)
		return rc;
	if (level->sources.list == NULL)
		launch_sketch<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT>(a, level, sms, stream);
	else if (key == GPUAGG_KEY_I32)
		launch_sketch<GPUAGG_KEY_I32, GPUAGG_FAST_SOURCES>(a, level, sms, stream);
	else
		launch_sketch<GPUAGG_KEY_I64, GPUAGG_FAST_SOURCES>(a, level, sms, stream);
	estimate_kernel<<<1, SKETCH_THREADS, 0, stream>>>(level->counts, a->head);
	return cudaGetLastError();
}
