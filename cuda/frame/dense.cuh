/*
 * dense.cuh
 *		The frame of groups that are numbered by their keys and too many for shared
 *		memory: entries in device memory, one for each number, that stay in its
 *		cache.  Keys are written when all rows are through (columns/numbered.cu).
 */
#ifndef GPUAGG_CUDA_FRAME_DENSE_CUH
#define GPUAGG_CUDA_FRAME_DENSE_CUH

#include "cuda/frame/number.cuh"
#include "cuda/frame/together.cuh"

template <typename P>
struct FrameDense
{
	static constexpr bool LONG = false;
	static constexpr bool LOSES = true;
	const GpuAggFrameArgs &a;

	/* A count tells which numbers are groups, but for rows that it does not count. */
	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		char	   *entry;
		uint32_t	n;

		if (!P::number(a, row, &n))
			return false;
		entry = a.entries + (uint64_t) n * P::STRIDE;
		if (P::bare(row) && *(volatile uint32_t *) entry == 0)
			*(volatile uint32_t *) entry = GPUAGG_HEAD_READY;
		together_enter<P>(row, n, entry);
		return true;
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_dense(const GpuAggFrameArgs &a)
{
	FrameDense<P> frame = {a};
	FrameCounts counts = {};

	frame_walk<P>(a, frame, &counts);
	frame_report<P>(counts, a.head);
}

#endif							/* GPUAGG_CUDA_FRAME_DENSE_CUH */
