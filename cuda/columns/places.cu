/*
 * places.cu
 *		Places of a dictionary's strings in the order of their bytes (device/ops/places.h): CUB's
 *		merge sort of their codes, and what a code table has of it.
 */
#include <cub/device/device_merge_sort.cuh>

#include "cuda/columns/cuda_codes.h"
#include "cuda/columns/dictionary.cuh"

#define PLACE_THREADS 256
#define PLACE_BLOCKS 1024

static __device__ __forceinline__ uint32_t
first_thread(void)
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void
__launch_bounds__(PLACE_THREADS)
	codes_kernel(uint32_t *codes, uint32_t n)
{
	for (uint32_t i = first_thread(); i < n; i += gridDim.x * blockDim.x)
		codes[i] = i;
}

/* The place of each of the codes, which are sorted */
static __global__ void
__launch_bounds__(PLACE_THREADS)
	places_kernel(const uint32_t *codes, uint32_t n, char *block)
{
	const GpuAggLookup *head = (const GpuAggLookup *) block;

	for (uint32_t i = first_thread(); i < n; i += gridDim.x * blockDim.x)
	{
		GpuAggValue place;

		place.i = i;
		gpuagg_code_table_put(head, block, codes[i], place);
	}
}

struct BytesLess
{
	GpuAggDictionaryRef dictionary;

	__device__ bool
	operator()(uint32_t a, uint32_t b) const
	{
		return gpuagg_bytes_compare(*string_of(dictionary, a), *string_of(dictionary, b)) < 0;
	}
};

static uint32_t
blocks_for(uint32_t n)
{
	const uint32_t blocks = (n + PLACE_THREADS - 1) / PLACE_THREADS;

	return blocks < PLACE_BLOCKS ? blocks : PLACE_BLOCKS;
}

cudaError_t
gpuagg_cuda_places_bytes(const GpuAggDictionaryRef *dictionary, uint32_t n, size_t *bytes)
{
	const BytesLess less = {*dictionary};

	*bytes = 0;
	return cub::DeviceMergeSort::SortKeys(NULL, *bytes, (uint32_t *) NULL, n, less);
}

cudaError_t
gpuagg_cuda_places_fill(const GpuAggDictionaryRef *dictionary, uint32_t *order, uint32_t n,
						char *block, void *memory, size_t bytes, cudaStream_t stream)
{
	const BytesLess less = {*dictionary};
	cudaError_t rc;

	codes_kernel<<<blocks_for(n), PLACE_THREADS, 0, stream>>>(order, n);
	rc = cub::DeviceMergeSort::SortKeys(memory, bytes, order, n, less, stream);
	if (rc == cudaSuccess)
		places_kernel<<<blocks_for(n), PLACE_THREADS, 0, stream>>>(order, n, block);
	return rc;
}
