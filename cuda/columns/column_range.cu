/*
 * column_range.cu
 *		Least and greatest values of columns that stay on the card: hints for how
 *		groups are numbered.
 *
 * A kernel writes the answer to pinned memory, where it is looked for the next
 * time: nobody waits.  A place is used again when all have been; what an older
 * kernel writes there has another stamp.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"

#define RANGE_THREADS 256
#define RANGE_BLOCKS 64
#define WARP_LANES 32

/* Answers that are kept at a time */
#define PLACES 4096

typedef struct RangePlace
{
	GpuAggRange range;
	uint32_t	stamp;
	uint32_t	pad;
} RangePlace;

typedef struct GpuAggColumnRanges
{
	volatile RangePlace *places;	/* pinned */
	GpuAggRange *scratch;		/* on the card: of each place, while it is measured */
	uint32_t	asked;
} GpuAggColumnRanges;

/* ---------- kernels ---------- */

static __global__ void
range_begin_kernel(GpuAggRange *range)
{
	range->low = INT64_MAX;
	range->high = INT64_MIN;
}

static __global__ void
__launch_bounds__(RANGE_THREADS)
range_kernel(const char *values, uint32_t bytes, const uint32_t *valid, const uint32_t *nulls,
			 uint32_t positions, GpuAggRange *range)
{
	int64_t		low = INT64_MAX;
	int64_t		high = INT64_MIN;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < positions; i += gridDim.x * blockDim.x)
	{
		const int64_t v = bytes == 4 ? (int64_t) ((const int32_t *) values)[i] : ((const int64_t *) values)[i];

		if ((valid[i / 32] & ~nulls[i / 32]) >> (i % 32) & 1)
		{
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
	}
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
	{
		const int64_t l = __shfl_down_sync(0xFFFFFFFFu, (long long) low, lanes);
		const int64_t h = __shfl_down_sync(0xFFFFFFFFu, (long long) high, lanes);

		low = l < low ? l : low;
		high = h > high ? h : high;
	}
	if (threadIdx.x % WARP_LANES == 0 && low <= high)
	{
		atomicMin((long long *) &range->low, (long long) low);
		atomicMax((long long *) &range->high, (long long) high);
	}
}

static __global__ void
range_end_kernel(const GpuAggRange *range, volatile RangePlace *place, uint32_t stamp)
{
	place->range.low = range->low;
	place->range.high = range->high;
	__threadfence_system();
	place->stamp = stamp;
}

/* ---------- asking ---------- */

static GpuAggColumnRanges *
ranges_open(GpuAggDevice *device)
{
	GpuAggColumnRanges *r = (GpuAggColumnRanges *) calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	if (cudaHostAlloc((void **) &r->places, PLACES * sizeof(RangePlace), cudaHostAllocPortable) != cudaSuccess ||
		cudaMalloc(&r->scratch, PLACES * sizeof(GpuAggRange)) != cudaSuccess)
	{
		(void) cudaGetLastError();
		(void) cudaFreeHost((void *) r->places);
		free(r);
		return NULL;
	}
	memset((void *) r->places, 0, PLACES * sizeof(RangePlace));
	device->ranges = r;
	return r;
}

void
gpuagg_cuda_column_ranges_close(GpuAggDevice *device)
{
	GpuAggColumnRanges *r = device->ranges;

	if (r == NULL)
		return;
	(void) cudaStreamSynchronize(device->stripe_stream);
	(void) cudaFree(r->scratch);
	(void) cudaFreeHost((void *) r->places);
	free(r);
	device->ranges = NULL;
}

static void
range_measure(GpuAggStripe *stripe, GpuAggStored *column)
{
	GpuAggDevice *device = stripe->device;
	GpuAggColumnRanges *r = device->ranges != NULL ? device->ranges : ranges_open(device);
	cudaStream_t stream = device->stripe_stream;
	GpuAggError error = {};

	if (r == NULL || device->lost || stream == NULL)
		return;
	r->asked++;
	column->range.place = 1 + r->asked % PLACES;
	column->range.stamp = r->asked;
	column->range.fills = stripe->fills;
	range_begin_kernel<<<1, 1, 0, stream>>>(&r->scratch[column->range.place - 1]);
	range_kernel<<<RANGE_BLOCKS, RANGE_THREADS, 0, stream>>>(column->memory, column->bytes, stripe->valid,
															 column->nulls, stripe->high_water,
															 &r->scratch[column->range.place - 1]);
	range_end_kernel<<<1, 1, 0, stream>>>(&r->scratch[column->range.place - 1],
										  &r->places[column->range.place - 1], column->range.stamp);
	/* tasks need not come behind it: it only reads */
	(void) CUDA_LAUNCHED(device, &error);
}

bool
gpuagg_cuda_column_range(GpuAggStripe *stripe, uint32_t attr, GpuAggRange *range)
{
	GpuAggStored *column = (GpuAggStored *) gpuagg_cuda_stripe_stored(stripe, attr);
	GpuAggColumnRanges *r = stripe->device->ranges;

	if (column == NULL || column->type == GPUAGG_T_FLOAT4 || column->type == GPUAGG_T_FLOAT8)
		return false;
	if (column->range.place == 0 || column->range.fills != stripe->fills)
	{
		range_measure(stripe, column);
		return false;
	}
	if (r == NULL || r->places[column->range.place - 1].stamp != column->range.stamp)
		return false;
	*range = ((const RangePlace *) &r->places[column->range.place - 1])->range;
	return true;
}
