/*
 * plain.cuh
 *		The frame of queries without keys: a thread's states in registers, added up
 *		by warps, and in the only group of the task's table.
 */
#ifndef GPUAGG_CUDA_FRAME_PLAIN_CUH
#define GPUAGG_CUDA_FRAME_PLAIN_CUH

#include "cuda/frame/walk.cuh"

/* A state as it is held: two words, of which sums of 128 bits use both */
typedef struct FrameHeld
{
	uint64_t	low;
	uint64_t	high;
} FrameHeld;

static __device__ __forceinline__ uint64_t
frame_f64_bits(double d)
{
	return (uint64_t) __double_as_longlong(d);
}

static __device__ __forceinline__ double
frame_bits_f64(uint64_t bits)
{
	return __longlong_as_double((long long) bits);
}

/* What a state is before any value */
template <uint32_t OP>
static __device__ __forceinline__ FrameHeld
frame_none(void)
{
	FrameHeld	h = {0, 0};

	if (OP == GPUAGG_TRANS_SUM_F64 || OP == GPUAGG_TRANS_MAX_I64 || OP == GPUAGG_TRANS_MAX_F64)
		h.low = UINT64_C(0x8000000000000000);
	else if (OP == GPUAGG_TRANS_MIN_I64 || OP == GPUAGG_TRANS_MIN_F64)
		h.low = INT64_MAX;
	else if (OP == GPUAGG_TRANS_AND_I64)
		h.low = UINT64_MAX;
	return h;
}

/* A value as a state that has seen nothing else */
template <uint32_t OP>
static __device__ __forceinline__ FrameHeld
frame_one(int64_t v)
{
	FrameHeld	h = {OP == GPUAGG_TRANS_COUNT ? 1 : (uint64_t) v, (uint64_t) (v >> 63)};

	return h;
}

template <uint32_t OP>
static __device__ __forceinline__ FrameHeld
frame_one(double v)
{
	FrameHeld	h = {OP == GPUAGG_TRANS_SUM_F64 ? frame_f64_bits(v) : (uint64_t) gpuagg_f64_order(v), 0};

	return h;
}

template <uint32_t OP>
static __device__ __forceinline__ void
frame_merge(FrameHeld *h, FrameHeld o)
{
	const int64_t a = (int64_t) h->low;
	const int64_t b = (int64_t) o.low;

	switch (OP)
	{
		case GPUAGG_TRANS_SUM_I128:
			h->low += o.low;
			h->high += o.high + (h->low < o.low);
			break;
		case GPUAGG_TRANS_SUM_F64:
			h->low = frame_f64_bits(frame_bits_f64(h->low) + frame_bits_f64(o.low));
			break;
		case GPUAGG_TRANS_MIN_I64:
		case GPUAGG_TRANS_MIN_F64:
			h->low = (uint64_t) (b < a ? b : a);
			break;
		case GPUAGG_TRANS_MAX_I64:
		case GPUAGG_TRANS_MAX_F64:
			h->low = (uint64_t) (b > a ? b : a);
			break;
		case GPUAGG_TRANS_AND_I64:
			h->low &= o.low;
			break;
		case GPUAGG_TRANS_OR_I64:
			h->low |= o.low;
			break;
		case GPUAGG_TRANS_XOR_I64:
			h->low ^= o.low;
			break;
		default:				/* COUNT, SUM_I64 */
			h->low += o.low;
			break;
	}
}

/* All that a group holds, in registers: indices are known when it is compiled. */
template <typename P>
struct FrameRegisters
{
	static constexpr bool LONG = false;
	FrameHeld	held[P::NHELD > 0 ? P::NHELD : 1];

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		held[I] = frame_none<OP>();
	}

	template <uint32_t OP, uint32_t I, uint32_t OFF, typename V>
	__device__ __forceinline__ void
	enter(bool enters, V v)
	{
		if (enters)
			frame_merge<OP>(&held[I], frame_one<OP>(v));
	}

	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		P::enter(*this, row);
		return true;
	}
};

/* The warp's, in its first lane */
template <typename P>
struct FrameWarp
{
	FrameRegisters<P> &mine;

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__device__ __forceinline__ void
	hold(void)
	{
		for (int lanes = FRAME_LANES / 2; lanes > 0; lanes /= 2)
		{
			FrameHeld	o;

			o.low = __shfl_down_sync(FRAME_ALL, mine.held[I].low, lanes);
			o.high = __shfl_down_sync(FRAME_ALL, mine.held[I].high, lanes);
			frame_merge<OP>(&mine.held[I], o);
		}
	}
};

/* A group's states, held by a block or a warp, into an entry */
struct FrameOut
{
	char	   *entry;
	const FrameHeld *held;

	template <uint32_t OP, uint32_t I, uint32_t OFF, uint32_t STATE_OFF>
	__device__ __forceinline__ void
	state(void)
	{
		gpuagg_state_merge(OP, entry + STATE_OFF, (const char *) &held[I]);
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_plain(const GpuAggFrameArgs &a)
{
	FrameRegisters<P> mine;
	FrameWarp<P> warp = {mine};
	FrameOut	out = {a.table.slots, mine.held};
	FrameCounts counts = {};

	P::hold(mine);
	frame_walk<P>(a, mine, &counts);
	__syncwarp();
	P::hold(warp);
	if (frame_lane() == 0)
		P::states(out);
	frame_report(counts, a.head);
}

#endif							/* GPUAGG_CUDA_FRAME_PLAIN_CUH */
