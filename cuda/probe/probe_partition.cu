/*
 * probe_partition.cu
 *		One pass of a radix partitioning, to measure what it costs: rows of a
 *		4-byte key and a 4-byte value to 256 partitions, by the key's lowest
 *		byte.
 *
 * Three steps: every tile's rows are counted by partition; the counts, ordered
 * by partition, then tile, are added up (CUB); every tile is ordered by
 * partition in shared memory and written from there, so that neighbours write
 * to neighbouring addresses: 28 rows of a tile, 112 bytes of each column, lie
 * side by side on average.  The tile is as large as fits 64 KiB, which a block
 * can have on every card.  Within a partition a tile's rows are in no order.
 */
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/kernel/kernels.h"
#include "cuda/probe/probe_kernels.h"

#define THREADS 512
#define ROWS (GPUAGG_PARTITION_TILE / THREADS)	/* of a thread */
#define STAGED_BYTES (GPUAGG_PARTITION_TILE * 2 * sizeof(uint32_t))

/* Columns start at multiples of this */
static __device__ __forceinline__ uint32_t
partition_of(uint32_t key)
{
	return key % GPUAGG_PARTITIONS;
}

static __global__ void
__launch_bounds__(THREADS)
count_tile_kernel(const GpuAggPartition p)
{
	__shared__ uint32_t count[GPUAGG_PARTITIONS];
	const uint32_t *keys = p.keys + (uint64_t) blockIdx.x * GPUAGG_PARTITION_TILE;

	for (uint32_t i = threadIdx.x; i < GPUAGG_PARTITIONS; i += THREADS)
		count[i] = 0;
	__syncthreads();
	#pragma unroll
	for (int j = 0; j < ROWS; j++)
		atomicAdd(&count[partition_of(keys[j * THREADS + threadIdx.x])], 1u);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < GPUAGG_PARTITIONS; i += THREADS)
		p.counts[(uint64_t) i * p.tiles + blockIdx.x] = count[i];
}

static __global__ void
__launch_bounds__(THREADS, 2)
scatter_tile_kernel(const GpuAggPartition p)
{
	typedef cub::BlockScan<uint32_t, THREADS> Scan;
	extern __shared__ uint32_t staged[];
	__shared__ typename Scan::TempStorage scan;
	__shared__ uint32_t count[GPUAGG_PARTITIONS];
	__shared__ uint32_t shift[GPUAGG_PARTITIONS];	/* from place here to there */
	const uint64_t base = (uint64_t) blockIdx.x * GPUAGG_PARTITION_TILE;
	uint32_t   *keys = staged;
	uint32_t   *values = staged + GPUAGG_PARTITION_TILE;
	uint32_t	key[ROWS];
	uint32_t	place[ROWS];
	uint32_t	first;

	for (uint32_t i = threadIdx.x; i < GPUAGG_PARTITIONS; i += THREADS)
		count[i] = 0;
	__syncthreads();
	#pragma unroll
	for (int j = 0; j < ROWS; j++)
		key[j] = p.keys[base + j * THREADS + threadIdx.x];
	#pragma unroll
	for (int j = 0; j < ROWS; j++)
		place[j] = atomicAdd(&count[partition_of(key[j])], 1u);
	__syncthreads();
	first = threadIdx.x < GPUAGG_PARTITIONS ? count[threadIdx.x] : 0;
	Scan(scan).ExclusiveSum(first, first);
	if (threadIdx.x < GPUAGG_PARTITIONS)
	{
		count[threadIdx.x] = first;
		shift[threadIdx.x] = p.starts[(uint64_t) threadIdx.x * p.tiles + blockIdx.x] - first;
	}
	__syncthreads();
	#pragma unroll
	for (int j = 0; j < ROWS; j++)
	{
		const uint32_t at = count[partition_of(key[j])] + place[j];

		keys[at] = key[j];
		values[at] = p.values[base + j * THREADS + threadIdx.x];
	}
	__syncthreads();
	#pragma unroll
	for (int j = 0; j < ROWS; j++)
	{
		const uint32_t at = j * THREADS + threadIdx.x;
		const uint32_t to = at + shift[partition_of(keys[at])];

		p.out_keys[to] = keys[at];
		p.out_values[to] = values[at];
	}
}

static size_t
scan_bytes(uint32_t n)
{
	size_t		bytes = 0;

	if (cub::DeviceScan::ExclusiveSum(NULL, bytes, (const uint32_t *) NULL,
									  (uint32_t *) NULL, n) != cudaSuccess)
		(void) cudaGetLastError();
	return bytes;
}

static uint64_t
layout(char *memory, uint32_t tiles, GpuAggPartition *p)
{
	const uint64_t column = gpuagg_cuda_align((uint64_t) tiles * GPUAGG_PARTITION_TILE *
											  sizeof(uint32_t));
	const uint64_t counts = gpuagg_cuda_align((uint64_t) tiles * GPUAGG_PARTITIONS *
											  sizeof(uint32_t));

	p->tiles = tiles;
	p->keys = (const uint32_t *) memory;
	p->values = (const uint32_t *) (memory + column);
	p->out_keys = (uint32_t *) (memory + 2 * column);
	p->out_values = (uint32_t *) (memory + 3 * column);
	p->counts = (uint32_t *) (memory + 4 * column);
	p->starts = (uint32_t *) (memory + 4 * column + counts);
	p->scratch = memory + 4 * column + 2 * counts;
	p->scratch_bytes = scan_bytes(tiles * GPUAGG_PARTITIONS);
	return 4 * column + 2 * counts + p->scratch_bytes;
}

bool
gpuagg_cuda_probe_partition_layout(char *memory, uint64_t bytes, uint32_t max_tiles,
								   GpuAggPartition *partition)
{
	uint32_t	tiles = max_tiles;

	while (tiles > 0 && layout(memory, tiles, partition) > bytes)
		tiles /= 2;
	return tiles > 0;
}

cudaError_t
gpuagg_cuda_probe_partition(const GpuAggPartition *partition, cudaStream_t stream)
{
	size_t		scratch_bytes = partition->scratch_bytes;
	cudaError_t rc = cudaFuncSetAttribute(scatter_tile_kernel,
										  cudaFuncAttributeMaxDynamicSharedMemorySize,
										  STAGED_BYTES);

	if (rc != cudaSuccess)
		return rc;
	count_tile_kernel<<<partition->tiles, THREADS, 0, stream>>>(*partition);
	rc = cub::DeviceScan::ExclusiveSum(partition->scratch, scratch_bytes, partition->counts,
									   partition->starts,
									   partition->tiles * GPUAGG_PARTITIONS, stream);
	if (rc != cudaSuccess)
		return rc;
	scatter_tile_kernel<<<partition->tiles, THREADS, STAGED_BYTES, stream>>>(*partition);
	return cudaGetLastError();
}
