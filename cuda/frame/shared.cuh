/*
 * shared.cuh
 *		Groups of a block in shared memory, for frames that find a group's number
 *		(direct.cuh) or slot (hashed.cuh).
 *
 * What is held of a state lies in regions of 32-bit words, one word of each group
 * side by side: shared memory adds 32 bits at once, 64 only in a loop.  A sum is
 * two or three words, of which the higher ones get what the lower ones carry; moments
 * are pairs of words, each an addend of its own, but N, which is a count there.  A
 * minimum or maximum of strings is a handle (handle.cuh).
 * Few groups have copies, so that lanes seldom meet in one.
 */
#ifndef GPUAGG_CUDA_FRAME_SHARED_CUH
#define GPUAGG_CUDA_FRAME_SHARED_CUH

#include "cuda/frame/together.cuh"

/* Moments of a group there, as frame_moments_enter() asks for them */
template <uint32_t OFF>
struct FrameSharedMoments;

/* groups: with their copies; even, so that regions of 8 bytes are aligned */
struct FrameShared
{
	char	   *base;
	uint32_t	groups;
	uint32_t	group;			/* the one in question */

	template <uint32_t OFF>
	__device__ __forceinline__ uint32_t *
	word(uint32_t n) const
	{
		return (uint32_t *) base + (uint64_t) (OFF / 4 + n) * groups + group;
	}

	template <uint32_t OFF>
	__device__ __forceinline__ uint64_t *
	wide(uint32_t n) const
	{
		return (uint64_t *) ((uint32_t *) base + (uint64_t) (OFF / 4 + 2 * n) * groups) + group;
	}

	/* ---------- nothing yet ---------- */

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		FrameHeld	none[frame_nheld(OP)];

		frame_none<OP>(none);
		if constexpr (frame_is_moments(OP))
			for (uint32_t n = 0; n < frame_nheld(OP); n++)
			{
				*wide<OFF>(2 * n) = none[n].low;
				*wide<OFF>(2 * n + 1) = none[n].high;
			}
		else if (OP == GPUAGG_TRANS_COUNT)
			*word<OFF>(0) = 0;
		else if (frame_is_narrow(OP))
			*word<OFF>(0) = OP == FRAME_MIN_I32 ? INT32_MAX : (uint32_t) INT32_MIN;
		else if (OP == GPUAGG_TRANS_SUM_I64 || OP == GPUAGG_TRANS_SUM_I128)
			for (uint32_t n = 0; n < (OP == GPUAGG_TRANS_SUM_I64 ? 2 : 3); n++)
				*word<OFF>(n) = 0;
		else
			*wide<OFF>(0) = none[0].low;
	}

	/* ---------- a value enters ---------- */

	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	sum(int64_t v)
	{
		const uint32_t low = (uint32_t) v;
		const int64_t carry = (int64_t) (v >> 32) + (atomicAdd(word<OFF>(0), low) + low < low);
		int64_t		high = v >> 63;

		if (OP == GPUAGG_TRANS_SUM_I64)
		{
			if ((uint32_t) carry != 0)
				atomicAdd(word<OFF>(1), (uint32_t) carry);
			return;
		}
		if ((uint32_t) carry != 0)
			high = (carry >> 32) +
				(atomicAdd(word<OFF>(1), (uint32_t) carry) + (uint32_t) carry < (uint32_t) carry);
		else
			high = carry >> 32;
		if (high != 0)
			atomicAdd(word<OFF>(2), (uint32_t) high);
	}

	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	narrow(int64_t v)
	{
		if (OP == FRAME_MIN_I32)
			atomicMin((int32_t *) word<OFF>(0), v < INT32_MAX ? (int32_t) v : INT32_MAX);
		else
			atomicMax((int32_t *) word<OFF>(0), v > INT32_MIN ? (int32_t) v : INT32_MIN);
	}

	/* ---------- what lanes have added up ---------- */

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	merge(const FrameHeld *held)
	{
		const FrameHeld h = *held;

		if constexpr (frame_is_moments(OP))
		{
			FrameSharedMoments<OFF> to = {*this};
			FrameMoments<OP> from;

			memcpy(&from, held, sizeof(from));
			frame_moments_merge<OP>(to, from.words);
		}
		else if constexpr (frame_is_string(OP))
			frame_handle_enter<OP>(wide<OFF>(0), h.low);
		else if (frame_is_narrow(OP))
			narrow<OP, OFF>((int64_t) h.low);
		else if (OP == GPUAGG_TRANS_COUNT)
			atomicAdd(word<OFF>(0), (uint32_t) h.low);
		else if (OP == GPUAGG_TRANS_SUM_I64)
			sum<OP, OFF>((int64_t) h.low);
		else if (OP == GPUAGG_TRANS_SUM_I128)
		{
			/* as if it were one value: its high half beyond 64 bits besides */
			sum<OP, OFF>((int64_t) h.low);
			atomicAdd(word<OFF>(2), (uint32_t) (h.high - (uint64_t) ((int64_t) h.low >> 63)));
		}
		else if (OP == GPUAGG_TRANS_SUM_F64)
			gpuagg_state_step_f64(OP, (char *) wide<OFF>(0), frame_bits_f64(h.low));
		else
			gpuagg_state_merge(OP, (char *) wide<OFF>(0), (const char *) &h.low);
	}

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	enter(bool enters, int64_t v)
	{
		if (!enters)
			return;
		if (OP == GPUAGG_TRANS_COUNT)
			atomicAdd(word<OFF>(0), 1u);
		else if (OP == GPUAGG_TRANS_SUM_I64 || OP == GPUAGG_TRANS_SUM_I128)
			sum<OP, OFF>(v);
		else if (frame_is_narrow(OP))
			narrow<OP, OFF>(v);
		else
			gpuagg_state_step_i64(OP, (char *) wide<OFF>(0), v);
	}

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	enter(bool enters, double v)
	{
		if (!enters)
			return;
		if (OP == GPUAGG_TRANS_COUNT)
			atomicAdd(word<OFF>(0), 1u);
		else
			gpuagg_state_step_f64(OP, (char *) wide<OFF>(0), v);
	}

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	enter(bool enters, GpuAggBytes v)
	{
		if (enters)
			frame_handle_enter<OP>(wide<OFF>(0), frame_handle(v));
	}

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	enter(bool enters, FramePair v)
	{
		FrameSharedMoments<OFF> to = {*this};

		if (enters)
			frame_moments_enter<OP>(to, v.y, v.x);
	}
};

template <uint32_t OFF>
struct FrameSharedMoments
{
	const FrameShared &t;

	/* It changes once, so whoever sees a value has the last of it. */
	__device__ __forceinline__ double
	shift(uint32_t word, double v) const
	{
		const uint64_t seen = *(volatile uint64_t *) t.wide<OFF>(word);

		return seen != GPUAGG_MOMENTS_NONE ? frame_bits_f64(seen) :
			gpuagg_moments_shift((double *) t.wide<OFF>(word), v);
	}

	/* The first is N, which is counted there: a block's rows are no more than 32 bits have. */
	__device__ __forceinline__ void
	add(uint32_t word, double v) const
	{
		if (word == 0)
			atomicAdd((uint32_t *) t.wide<OFF>(0), (uint32_t) v);
		else
			(void) gpuagg_atomic_add_f64((double *) t.wide<OFF>(word), v);
	}
};

/* What lanes have added up, into the group */
struct FrameInto
{
	FrameShared &t;
	const FrameHeld *held;

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		t.template merge<OP, I, OFF>(&held[I]);
	}
};

/* A row enters the group t.group; sums of doubles and extremes are loops there. */
template <typename P>
static __device__ __forceinline__ void
shared_enter(FrameShared &t, const typename P::Row &row)
{
	const uint32_t same = P::LOOPS ? together(t.group) : 0;

	if (same == 0)
		P::enter(t, row);
	else
	{
		FrameRegisters<P> mine;
		FrameInto	into = {t, mine.held};

		if (together_add<P>(row, same, mine))
			P::hold(into);
	}
}

/* What the group holds, all its copies together */
template <typename P>
struct FrameGather
{
	FrameShared at;
	FrameHeld	held[P::NHELD];

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		FrameHeld	h[frame_nheld(OP)] = {};

		if constexpr (frame_is_moments(OP))
		{
			for (uint32_t n = 0; n < frame_nheld(OP); n++)
				h[n] = {*at.wide<OFF>(2 * n), *at.wide<OFF>(2 * n + 1)};
			h[0].low = frame_f64_bits((double) (uint32_t) h[0].low);
		}
		else if (OP == GPUAGG_TRANS_COUNT)
			h[0].low = *at.word<OFF>(0);
		else if (frame_is_narrow(OP))
		{
			const int32_t v = (int32_t) *at.word<OFF>(0);

			frame_none<OP>(h);
			if (v != INT32_MAX && v != INT32_MIN)
				h[0].low = (uint64_t) (int64_t) v;
		}
		else if (OP == GPUAGG_TRANS_SUM_I64 || OP == GPUAGG_TRANS_SUM_I128)
			h[0].low = *at.word<OFF>(0) | (uint64_t) *at.word<OFF>(1) << 32;
		else
			h[0].low = *at.wide<OFF>(0);
		if (OP == GPUAGG_TRANS_SUM_I128)
			h[0].high = (uint64_t) (int64_t) (int32_t) *at.word<OFF>(2);
		frame_merge<OP>(&held[I], h);
	}
};

struct FrameNone
{
	FrameHeld  *held;

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		frame_none<OP>(&held[I]);
	}
};

/* Has a group had a row, in any of its copies? */
template <typename P>
static __device__ __forceinline__ bool
shared_seen(const FrameShared &t, uint32_t slot, uint32_t copies_log2)
{
	const uint32_t *counted = (const uint32_t *) t.base +
		(uint64_t) (P::COUNTED_OFF / 4) * t.groups;
	const uint32_t *bare = (const uint32_t *) t.base + (uint64_t) (P::BARE_OFF / 4) * t.groups;
	uint32_t	seen = 0;

	#pragma unroll 1
	for (uint32_t c = slot << copies_log2; c < (slot + 1) << copies_log2; c++)
		seen |= counted[c] | bare[c];
	return seen != 0;
}

/* What its copies hold together */
template <typename P>
static __device__ __forceinline__ void
shared_gather(const FrameShared &t, uint32_t slot, uint32_t copies_log2, FrameGather<P> *g)
{
	FrameNone	none = {g->held};

	P::hold(none);
	g->at = t;
	#pragma unroll 1
	for (uint32_t c = 0; c < 1u << copies_log2; c++)
	{
		g->at.group = (slot << copies_log2) + c;
		P::hold(*g);
	}
}

/* The block's regions, from an address on: empty */
template <typename P>
static __device__ __forceinline__ FrameShared
shared_begin(char *base, uint32_t slots, uint32_t copies_log2)
{
	FrameShared t = {base, ((slots << copies_log2) + 1) & ~1u, 0};

	#pragma unroll 1
	for (t.group = threadIdx.x; t.group < t.groups; t.group += blockDim.x)
		P::hold(t);
	__syncthreads();
	return t;
}

#endif							/* GPUAGG_CUDA_FRAME_SHARED_CUH */
