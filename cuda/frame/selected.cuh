/*
 * selected.cuh
 *		The frame of a filter alone: which rows pass, as a bitmap, for who then reads
 *		columns as they lie (cuda/groupby/groupby_sources.cu).  Rows with a NULL that
 *		matters are counted, and are not in it.
 */
#ifndef GPUAGG_CUDA_FRAME_SELECTED_CUH
#define GPUAGG_CUDA_FRAME_SELECTED_CUH

#include "cuda/frame/walk.cuh"

template <typename P>
struct FrameSelected
{
	static constexpr bool LONG = false;
	static constexpr bool LOSES = false;
	const GpuAggFrameArgs &a;
	uint32_t	with_null;

	/* Lanes that have a word of the bitmap together; one of them writes it. */
	__device__ __forceinline__ void
	begin(const GpuAggStripeInput &input, uint32_t at, uint32_t passed)
	{
		const uint32_t lanes = 32 / GPUAGG_QUAD;
		uint32_t	word = passed << (at % 32);
		uint32_t	nulls = 0;

		#pragma unroll
		for (uint32_t other = 1; other < lanes; other *= 2)
			word |= __shfl_xor_sync(FRAME_ALL, word, (int) other);
		if (frame_lane() % lanes != 0 || word == 0)
			return;
		for (uint32_t i = 0; i < a.nused; i++)
			nulls |= gpuagg_card_nulls(input.columns[a.used[i]].nulls, at / 32);
		input.leftover[at / 32] = word & ~nulls;
		with_null += __popc(word & nulls);
	}

	__device__ __forceinline__ bool
	enter(const typename P::Row &) const
	{
		return true;
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_begin(FrameSelected<P> &frame, const GpuAggStripeInput &input, uint32_t at, uint32_t passed)
{
	frame.begin(input, at, passed);
}

template <typename P>
static __device__ __forceinline__ void
frame_selected(const GpuAggFrameArgs &a)
{
	FrameSelected<P> frame = {a, 0};
	FrameCounts counts = {};
	uint32_t	passed;
	uint32_t	with_null;

	frame_walk<P>(a, frame, &counts);
	frame_report<P>(counts, a.head);
	passed = frame_warp_sum(counts.passed);
	with_null = frame_warp_sum(frame.with_null);
	if (frame_lane() != 0 || passed == 0)
		return;
	atomicAdd(&a.head->nkept, passed);
	if (with_null > 0)
		atomicAdd(&a.head->nnulls, with_null);
}

#endif							/* GPUAGG_CUDA_FRAME_SELECTED_CUH */
