/*
 * warp_bounds.h
 *		What the lanes of a warp bring to a zone.  For kernels.
 */
#ifndef GPUAGG_CUDA_COLUMNS_WARP_BOUNDS_H
#define GPUAGG_CUDA_COLUMNS_WARP_BOUNDS_H

#include "cuda/columns/cuda_stripe.h"

#define GPUAGG_WARP_LANES 32

/* A value as zones order it */
static __device__ __forceinline__ int64_t
gpuagg_zone_image(int64_t v, uint32_t bytes, bool f64)
{
	return f64 ? gpuagg_f64_order(__longlong_as_double(v)) : bytes == 4 ? (int32_t) v : v;
}

/* The least and the greatest value of the lanes that have one; all lanes call it. */
static __device__ __forceinline__ void
gpuagg_warp_bounds(bool is_value, int64_t v, long long *low, long long *high)
{
	*low = is_value ? v : INT64_MAX;
	*high = is_value ? v : INT64_MIN;
	for (uint32_t lanes = GPUAGG_WARP_LANES / 2; lanes > 0; lanes /= 2)
	{
		const long long other_low = __shfl_xor_sync(0xFFFFFFFFu, *low, lanes);
		const long long other_high = __shfl_xor_sync(0xFFFFFFFFu, *high, lanes);

		*low = other_low < *low ? other_low : *low;
		*high = other_high > *high ? other_high : *high;
	}
}

/* Widens a zone, in the first lane. */
static __device__ __forceinline__ void
gpuagg_zone_widen(GpuAggZone *zone, long long low, long long high)
{
	const volatile GpuAggZone *now = zone;

	if (low < now->low)
		atomicMin((long long *) &zone->low, low);
	if (high > now->high)
		atomicMax((long long *) &zone->high, high);
}

#endif							/* GPUAGG_CUDA_COLUMNS_WARP_BOUNDS_H */
