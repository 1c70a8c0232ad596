/*
 * held.cuh
 *		What a thread holds of a group, in registers: states without atomics, how
 *		values enter them and how two are merged.
 *
 * Compiles for the host, too, where the tests compare it with device/ops/group.h.
 */
#ifndef GPUAGG_CUDA_FRAME_HELD_CUH
#define GPUAGG_CUDA_FRAME_HELD_CUH

#include "cuda/frame/evaluate.cuh"

/* A state as it is held: two words, of which sums of 128 bits use both */
typedef struct FrameHeld
{
	uint64_t	low;
	uint64_t	high;
} FrameHeld;

/*
 * Beside transitions: MIN_I64 and MAX_I64 of values of 32 bits, which are neither the least nor
 * the greatest of these.  Shared memory has no value as such a one; elsewhere they are what they
 * are of.
 */
#define FRAME_MIN_I32 (GPUAGG_NTRANSITIONS + 0)
#define FRAME_MAX_I32 (GPUAGG_NTRANSITIONS + 1)

GPUAGG_FN constexpr bool
frame_is_narrow(uint32_t op)
{
	return op == FRAME_MIN_I32 || op == FRAME_MAX_I32;
}

GPUAGG_FN constexpr bool
frame_is_moments(uint32_t op)
{
	return op == GPUAGG_TRANS_MOMENTS_F64 || op == GPUAGG_TRANS_COMOMENTS_F64;
}

GPUAGG_FN constexpr bool
frame_is_string(uint32_t op)
{
	return op >= GPUAGG_TRANS_MIN_BYTES && op <= GPUAGG_TRANS_MAX_INET;
}

/* How many of these a state is: moments are several (GPUAGG_TRANSITION_LIST) */
GPUAGG_FN constexpr uint32_t
frame_nheld(uint32_t op)
{
	return op == GPUAGG_TRANS_MOMENTS_F64 ? 2 : op == GPUAGG_TRANS_COMOMENTS_F64 ? 4 : 1;
}

/* ---------- moments ---------- */

/*
 * A value enters moments that lie anywhere: To has
 *		double shift(uint32_t word, double v)	v, if there is none yet; what is there then
 *		void add(uint32_t word, double v)
 */
template <uint32_t OP, typename To>
static __host__ __device__ __forceinline__ void
frame_moments_enter(To &to, double y, double x)
{
	const bool	two = OP == GPUAGG_TRANS_COMOMENTS_F64;
	const uint32_t n = two ? GPUAGG_COMOMENTS_SHIFT_X : GPUAGG_MOMENTS_SHIFT;
	const double dx = x - to.shift(n, x);
	const double dy = two ? y - to.shift(n + 1, y) : 0;
	double		sums[6];

	gpuagg_moments_of_one(OP, dx, dy, sums);
	for (uint32_t i = 0; i < n; i++)
		to.add(i, sums[i]);
}

/* Others do, which have a shift of their own. */
template <uint32_t OP, typename To>
static __host__ __device__ __forceinline__ void
frame_moments_merge(To &to, const double *from)
{
	const bool	two = OP == GPUAGG_TRANS_COMOMENTS_F64;
	const uint32_t n = two ? GPUAGG_COMOMENTS_SHIFT_X : GPUAGG_MOMENTS_SHIFT;
	double		sums[6];

	if (from[0] == 0)
		return;
	gpuagg_moments_moved(OP, from, from[n] - to.shift(n, from[n]),
						 two ? from[n + 1] - to.shift(n + 1, from[n + 1]) : 0, sums);
	for (uint32_t i = 0; i < n; i++)
		to.add(i, sums[i]);
}

/* Those of one thread */
template <uint32_t OP>
struct FrameMoments
{
	double		words[2 * frame_nheld(OP)];

	__host__ __device__ __forceinline__ double
	shift(uint32_t word, double v)
	{
		return gpuagg_update_once_f64(&words[word], GPUAGG_MOMENTS_NONE, v == v ? v : 0.0);
	}

	__host__ __device__ __forceinline__ void
	add(uint32_t word, double v)
	{
		words[word] += v;
	}
};

/* ---------- states ---------- */

/* What a state is before any value */
template <uint32_t OP>
static __host__ __device__ __forceinline__ void
frame_none(FrameHeld *held)
{
	FrameHeld	h = {0, 0};

	if constexpr (frame_is_moments(OP))
	{
		FrameMoments<OP> none;

		gpuagg_moments_init(OP, none.words);
		memcpy(held, &none, sizeof(none));
		return;
	}
	if (OP == GPUAGG_TRANS_SUM_F64 || OP == GPUAGG_TRANS_MAX_I64 || OP == GPUAGG_TRANS_MAX_F64 ||
		OP == FRAME_MAX_I32)
		h.low = UINT64_C(0x8000000000000000);
	else if (OP == GPUAGG_TRANS_MIN_I64 || OP == GPUAGG_TRANS_MIN_F64 || OP == FRAME_MIN_I32)
		h.low = INT64_MAX;
	else if (OP == GPUAGG_TRANS_AND_I64)
		h.low = UINT64_MAX;
	else if (frame_is_string(OP))
		h.low = FRAME_NO_STRING;
	*held = h;
}

/* Another's, which has seen other rows, into what is held */
template <uint32_t OP>
static __host__ __device__ __forceinline__ void
frame_merge(FrameHeld *h, const FrameHeld *from)
{
	const FrameHeld o = *from;
	const int64_t a = (int64_t) h->low;
	const int64_t b = (int64_t) o.low;

	if constexpr (frame_is_moments(OP))
	{
		FrameMoments<OP> into;
		FrameMoments<OP> other;

		memcpy(&into, h, sizeof(into));
		memcpy(&other, from, sizeof(other));
		frame_moments_merge<OP>(into, other.words);
		memcpy(h, &into, sizeof(into));
		return;
	}
	if constexpr (frame_is_string(OP))
	{
		if (frame_handle_prefers(OP, h->low, o.low))
			h->low = o.low;
		return;
	}
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
		case FRAME_MIN_I32:
			h->low = (uint64_t) (b < a ? b : a);
			break;
		case GPUAGG_TRANS_MAX_I64:
		case GPUAGG_TRANS_MAX_F64:
		case FRAME_MAX_I32:
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

/* A value enters. */
template <uint32_t OP>
static __host__ __device__ __forceinline__ void
frame_enter(FrameHeld *h, int64_t v)
{
	const FrameHeld one = {OP == GPUAGG_TRANS_COUNT ? 1 : (uint64_t) v, (uint64_t) (v >> 63)};

	frame_merge<OP>(h, &one);
}

template <uint32_t OP>
static __host__ __device__ __forceinline__ void
frame_enter(FrameHeld *h, double v)
{
	const FrameHeld one = {
		OP == GPUAGG_TRANS_SUM_F64 ? frame_f64_bits(v) : (uint64_t) gpuagg_f64_order(v), 0};

	frame_merge<OP>(h, &one);
}

template <uint32_t OP>
static __host__ __device__ __forceinline__ void
frame_enter(FrameHeld *h, GpuAggBytes v)
{
	const FrameHeld one = {frame_handle(v), 0};

	frame_merge<OP>(h, &one);
}

template <uint32_t OP>
static __host__ __device__ __forceinline__ void
frame_enter(FrameHeld *h, FramePair v)
{
	FrameMoments<OP> into;

	memcpy(&into, h, sizeof(into));
	frame_moments_enter<OP>(into, v.y, v.x);
	memcpy(h, &into, sizeof(into));
}

/* All that a group holds: indices are known when it is compiled. */
template <typename P>
struct FrameRegisters
{
	static constexpr bool LONG = false;
	static constexpr bool LOSES = false;
	FrameHeld	held[P::NHELD > 0 ? P::NHELD : 1];

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__host__ __device__ __forceinline__ void
	hold(void)
	{
		frame_none<OP>(&held[I]);
	}

	template <uint32_t OP, uint32_t I, uint32_t OFF, typename V>
	__host__ __device__ __forceinline__ void
	enter(bool enters, V v)
	{
		if (enters)
			frame_enter<OP>(&held[I], v);
	}

	__host__ __device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		P::enter(*this, row);
		return true;
	}
};

/* Another's registers, into these */
template <typename P>
struct FrameJoin
{
	FrameRegisters<P> &into;
	const FrameRegisters<P> &from;

	template <uint32_t OP, uint32_t I, uint32_t OFF>
	__host__ __device__ __forceinline__ void
	hold(void)
	{
		frame_merge<OP>(&into.held[I], &from.held[I]);
	}
};

#endif							/* GPUAGG_CUDA_FRAME_HELD_CUH */
