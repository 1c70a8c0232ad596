/*
 * direct.cuh
 *		The frame of few groups that are numbered by their keys: a block's in shared
 *		memory; at its end they enter entries in device memory, one for each number,
 *		whose keys are written when all blocks are through (columns/numbered.cu).
 */
#ifndef GPUAGG_CUDA_FRAME_DIRECT_CUH
#define GPUAGG_CUDA_FRAME_DIRECT_CUH

#include "cuda/frame/number.cuh"
#include "cuda/frame/shared.cuh"

template <typename P>
struct FrameDirect
{
	static constexpr bool LONG = false;
	static constexpr bool LOSES = true;
	const GpuAggFrameArgs &a;
	FrameShared t;
	uint32_t	copy;

	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		uint32_t	n;

		if (!P::number(a, row, &n))
			return false;
		t.group = (n << a.copies_log2) + copy;
		shared_enter<P>(t, row);
		return true;
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_direct(const GpuAggFrameArgs &a)
{
	extern __shared__ uint4 shared_quads[];
	const FrameShared t = shared_begin<P>((char *) shared_quads, a.groups, a.copies_log2);
	FrameDirect<P> frame = {a, t, threadIdx.x & ((1u << a.copies_log2) - 1)};
	FrameCounts counts = {};

	frame_walk<P>(a, frame, &counts);
	frame_report<P>(counts, a.head);
	#pragma unroll 1
	for (uint32_t n = threadIdx.x; n < a.groups; n += blockDim.x)
	{
		FrameGather<P> gather;
		FrameOut	out = {a.entries + (uint64_t) n * P::STRIDE, gather.held};

		if (!shared_seen<P>(t, n, a.copies_log2))
			continue;
		shared_gather<P>(t, n, a.copies_log2, &gather);
		*(volatile uint32_t *) out.entry = GPUAGG_HEAD_READY;
		P::states(out);
	}
}

#endif							/* GPUAGG_CUDA_FRAME_DIRECT_CUH */
