/*
 * plain.cuh
 *		The frame of queries without keys: a thread's states in registers, added up
 *		by warps, and in the only group of the task's table.
 */
#ifndef GPUAGG_CUDA_FRAME_PLAIN_CUH
#define GPUAGG_CUDA_FRAME_PLAIN_CUH

#include "cuda/frame/held.cuh"
#include "cuda/frame/walk.cuh"

/*
 * What is held by a lane that is so many further on, or by a certain one; all of `lanes` call it.
 */
template <uint32_t OP>
static __device__ __forceinline__ void
frame_shuffle(uint32_t lanes, const FrameHeld *held, uint32_t lane, FrameHeld *other)
{
	constexpr bool high = OP == GPUAGG_TRANS_SUM_I128 || frame_is_moments(OP);

	#pragma unroll
	for (uint32_t i = 0; i < frame_nheld(OP); i++)
	{
		other[i].low = __shfl_sync(lanes, held[i].low, (int) lane);
		other[i].high = high ? __shfl_sync(lanes, held[i].high, (int) lane) : 0;
	}
}

/* The warp's, in its first lane */
template <typename P>
struct FrameWarp
{
	FrameRegisters<P> &mine;

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		for (uint32_t lanes = FRAME_LANES / 2; lanes > 0; lanes /= 2)
		{
			FrameHeld	other[frame_nheld(OP)];

			frame_shuffle<OP>(FRAME_ALL, &mine.held[I], frame_lane() + lanes, other);
			if (frame_lane() < lanes)
				frame_merge<OP>(&mine.held[I], other);
		}
	}
};

/* A string enters the state of an entry, or of a group in shared memory. */
template <uint32_t OP>
static __device__ __forceinline__ void
frame_handle_enter(uint64_t *state, uint64_t handle)
{
	uint64_t	seen = *(volatile uint64_t *) state;

	while (frame_handle_prefers(OP, seen, handle))
	{
		const uint64_t old = atomicCAS((unsigned long long *) state, (unsigned long long) seen,
									   (unsigned long long) handle);

		if (old == seen)
			return;
		seen = old;
	}
}

/* A group's states, held by a block or a warp, into an entry, whose strings are handles */
struct FrameOut
{
	char	   *entry;
	const FrameHeld *held;

	template <uint32_t OP, uint32_t I, uint32_t OFF, uint32_t STATE_OFF>
	__device__ __forceinline__ void
	state(void)
	{
		if constexpr (frame_is_string(OP))
			frame_handle_enter<OP>((uint64_t *) (entry + STATE_OFF), held[I].low);
		else if constexpr (frame_is_moments(OP))
		{
			FrameMoments<OP> from;

			memcpy(&from, &held[I], sizeof(from));
			gpuagg_moments_merge_shared(OP, (double *) (entry + STATE_OFF), from.words);
		}
		else
			gpuagg_state_merge(OP, entry + STATE_OFF, (const char *) &held[I]);
	}
};

/*
 * A row enters an entry's states: with its strings, which are handles, or without, which
 * are slots (single.cuh).
 */
template <bool STRINGS>
struct FrameEntry
{
	char	   *entry;

	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	step(bool enters, int64_t v)
	{
		if (enters)
			gpuagg_state_step_i64(OP, entry + OFF, v);
	}

	/* The first of two arguments enters with the second. */
	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	step(bool enters, double v)
	{
		if (enters && OP != GPUAGG_TRANS_FIRST_F64)
			gpuagg_state_step_f64(OP, entry + OFF, v);
	}

	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	step(bool enters, FramePair v)
	{
		if (!enters)
			return;
		if (OP == GPUAGG_TRANS_COMOMENTS_F64)
			gpuagg_comoments_step_shared((double *) (entry + OFF), v.y, v.x);
		else
			gpuagg_moments_step_shared((double *) (entry + OFF), v.x);
	}

	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	step(bool enters, GpuAggBytes v)
	{
		if (STRINGS && enters)
			frame_handle_enter<OP>((uint64_t *) (entry + OFF), frame_handle(v));
	}
};

/* The only group is the task's, but for strings, which need a lock there: an entry's first. */
template <typename P>
static __device__ __forceinline__ void
frame_plain(const GpuAggFrameArgs &a)
{
	FrameRegisters<P> mine;
	FrameWarp<P> warp = {mine};
	FrameOut	out = {P::LOCK_OFF > 0 ? a.entries : a.table.slots, mine.held};
	FrameCounts counts = {};

	P::hold(mine);
	frame_walk<P>(a, mine, &counts);
	__syncwarp();
	P::hold(warp);
	if (frame_lane() == 0)
		P::states(out);
	if (P::LOCK_OFF > 0 && blockIdx.x == 0 && threadIdx.x == 0)
		*(volatile uint32_t *) a.entries = GPUAGG_HEAD_READY;
	frame_report<P>(counts, a.head);
}

#endif							/* GPUAGG_CUDA_FRAME_PLAIN_CUH */
