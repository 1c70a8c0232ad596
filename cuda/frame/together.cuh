/*
 * together.cuh
 *		Lanes of a warp with the same group: where keys are skewed or sorted they
 *		would take turns at its states, so they add up among themselves first.
 */
#ifndef GPUAGG_CUDA_FRAME_TOGETHER_CUH
#define GPUAGG_CUDA_FRAME_TOGETHER_CUH

#include "cuda/frame/plain.cuh"

/* Lanes of one group from which on adding up first is worth it */
#define TOGETHER_LANES 6

/*
 * Lanes with the same group, if two neighbours have it and they are many; else 0, as
 * for all other lanes.
 */
static __device__ __forceinline__ uint32_t
together(uint32_t group)
{
	const uint32_t here = __activemask();
	const uint32_t lane = frame_lane();
	const bool pair = __shfl_sync(here, group, (int) (lane ^ 1)) == group && here >> (lane ^ 1) & 1;
	const uint32_t pairs = __ballot_sync(here, pair);
	uint32_t	same;

	if (pairs == 0)
		return 0;
	same = __ballot_sync(here, group == __shfl_sync(here, group, __ffs((int) pairs) - 1));
	return __popc(same) >= TOGETHER_LANES && same >> lane & 1 ? same : 0;
}

/* Another lane's states, into the first one's */
template <typename P>
struct FrameFetch
{
	FrameRegisters<P> &mine;
	uint32_t	same;
	uint32_t	from;
	bool		first;

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		FrameHeld	other[frame_nheld(OP)];

		frame_shuffle<OP>(same, &mine.held[I], from, other);
		if (first)
			frame_merge<OP>(&mine.held[I], other);
	}
};

/* All lanes of `same` call it with their rows; true: it is the one that has them all. */
template <typename P>
static __device__ __noinline__ bool
together_add(const typename P::Row &row, uint32_t same, FrameRegisters<P> &mine)
{
	FrameFetch<P> fetch = {mine, same, 0, frame_lane() == (uint32_t) __ffs((int) same) - 1};

	P::hold(mine);
	P::enter(mine, row);
	#pragma unroll 1
	for (uint32_t rest = same & (same - 1); rest != 0; rest &= rest - 1)
	{
		fetch.from = (uint32_t) __ffs((int) rest) - 1;
		P::hold(fetch);
	}
	return fetch.first;
}

/* A row enters the states of an entry in device memory, which is that of group number n. */
template <typename P>
static __device__ __forceinline__ void
together_enter(const typename P::Row &row, uint32_t n, char *entry)
{
	const uint32_t same = together(n);

	if (same == 0)
	{
		FrameEntry<true> e = {entry};

		P::step(e, row);
	}
	else
	{
		FrameRegisters<P> mine;
		FrameOut	out = {entry, mine.held};

		if (together_add<P>(row, same, mine))
			P::states(out);
	}
}

#endif							/* GPUAGG_CUDA_FRAME_TOGETHER_CUH */
