/*
 * walk.cuh
 *		Rows of stripes, as all frames go through them: which positions are input,
 *		four of them a thread at once, the filter's columns first.
 *
 * A warp takes granules of 1024 positions, by turns.  While it is at four rows of
 * each lane, the next four are on their way.  Columns that only later stages of the
 * filter need, or rows which pass, are loaded by lanes that have such a row.  A frame has
 *		bool enter(const typename Program::Row &row)	false: no place,
 *		LOSES											which there may be
 * Rows without place are bits of the stripe's `leftover`, for a later launch or
 * the interpreter.  Nobody has cleared that: of a granule's words, which are its warp's
 * alone, it is the warp that does, when it has the first such row.
 */
#ifndef GPUAGG_CUDA_FRAME_WALK_CUH
#define GPUAGG_CUDA_FRAME_WALK_CUH

#include "cuda/frame/evaluate.cuh"
#include "cuda/frame/stripe_input.cuh"

#define FRAME_LANES 32
#define FRAME_ALL 0xFFFFFFFFu
#define FRAME_GRANULE GPUAGG_FRAME_GRANULE
#define FRAME_GRANULES (GPUAGG_STRIPE_TILE / FRAME_GRANULE)	/* of a tile */
#define FRAME_WORDS (FRAME_GRANULE / 32)	/* of a bitmap: a lane each */
#define FRAME_STEP (FRAME_LANES * GPUAGG_QUAD)	/* positions that a warp takes at once */

/* What a thread has to tell */
typedef struct FrameCounts
{
	uint32_t	scanned;
	uint32_t	passed;
	uint32_t	overflow;
	uint32_t	misses;
	uint32_t	errors;
	uint32_t	left[GPUAGG_STAGES - 1];	/* by a stage of the filter */
} FrameCounts;

static __device__ __forceinline__ uint32_t
frame_lane(void)
{
	return threadIdx.x % FRAME_LANES;
}

static __device__ __forceinline__ uint32_t
frame_warp_sum(uint32_t v)
{
	#pragma unroll
	for (int lanes = FRAME_LANES / 2; lanes > 0; lanes /= 2)
		v += __shfl_down_sync(FRAME_ALL, v, lanes);
	return v;
}

/* ---------- input ---------- */

/* The stripe that has a tile, from one that does not begin behind it */
static __device__ __forceinline__ uint32_t
frame_stripe(const GpuAggFrameArgs &a, uint32_t tile, uint32_t i)
{
	while (i + 1 < a.n && a.first_tile[i + 1] <= tile)
		i++;
	return i;
}

/*
 * A lane's word of a granule's input: of lanes that have one.  Rows that are
 * looked at again are no longer left over.
 */
static __device__ __forceinline__ uint32_t
frame_bits(const GpuAggFrameArgs &a, const GpuAggStripeInput &input, uint32_t first,
		   FrameCounts *counts)
{
	const uint32_t word = first / 32 + frame_lane();
	uint32_t	bits;

	if (frame_lane() >= FRAME_WORDS)
		return 0;
	if (a.again)
	{
		bits = left_bits(input, word);
		if (bits != 0)
			input.leftover[word] = 0;
		return bits;
	}
	bits = input_bits(input, word);
	counts->scanned += __popc(bits);
	return bits;
}

/* ---------- rows ---------- */

/* Rows of a lane whose code is written out: long code takes long to compile. */
#define FRAME_UNROLL(P, Frame) (P::LONG || Frame::LONG ? 1 : GPUAGG_QUAD)

/* Of four rows that are left before stage S of the filter, those that pass it and the next */
template <typename P, typename Frame, uint32_t S>
static __device__ __forceinline__ uint32_t
frame_filter(const GpuAggFrameArgs &a, const typename P::Columns &k, const typename P::Early &q,
			 typename P::More &m, typename P::Found &found, uint32_t at, uint32_t take,
			 uint32_t *nulls, FrameCounts *counts)
{
	constexpr uint32_t unroll = FRAME_UNROLL(P, Frame);
	uint32_t	passed = 0;

	if constexpr (S > 0)
		if (take != 0)
			P::more(k, at, m, FrameStage<S>());
	#pragma unroll unroll
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		if (take >> r & 1)
			passed |=
				(uint32_t) P::passes(a, k, q, m, found, r, nulls, &counts->errors, FrameStage<S>())
				<< r;
	if constexpr (S + 1 < P::STAGES)
	{
		counts->left[S] += __popc(passed);
		passed = frame_filter<P, Frame, S + 1>(a, k, q, m, found, at, passed, nulls, counts);
	}
	return passed;
}

/* Four rows of a lane: which of them pass, and their columns */
template <typename P>
struct FrameQuads
{
	typename P::Early q;
	typename P::More m;
	typename P::Found found;
	typename P::Late l;
	uint32_t	at;
	uint32_t	passed;

	__device__ __forceinline__ void
	load(const typename P::Columns &k, uint32_t first, uint32_t step)
	{
		at = first + step * FRAME_STEP + frame_lane() * GPUAGG_QUAD;
		P::early(k, at, q);
	}

	/* bits: of the granule's input, a word a lane */
	template <typename Frame>
	__device__ __forceinline__ void
	filter(const GpuAggFrameArgs &a, const typename P::Columns &k, uint32_t bits, uint32_t step,
		   FrameCounts *counts)
	{
		const uint32_t word = step * (FRAME_STEP / 32) + frame_lane() / (32 / GPUAGG_QUAD);
		uint32_t	nulls = 0;

		passed = __shfl_sync(FRAME_ALL, bits, word) >>
				(frame_lane() % (32 / GPUAGG_QUAD) * GPUAGG_QUAD) &
			0xF;
		P::unpack(k, at, q);
		if (!P::LATE)
			return;
		passed = frame_filter<P, Frame, 0>(a, k, q, m, found, at, passed, &nulls, counts);
		if (passed != 0)
			P::late(k, at, l);
	}
};

/*
 * Before the rows of a warp enter, those that passed; all lanes call it.  Most frames
 * look at each row for itself.
 */
template <typename Frame>
static __device__ __forceinline__ void
frame_begin(Frame &, const GpuAggStripeInput &, uint32_t, uint32_t)
{
}

/* Rows of the warp's lanes that have no place; all lanes call it, and few warps do. */
static __device__ __noinline__ void
frame_leave(const GpuAggStripeInput &input, uint32_t at, uint32_t lost)
{
	uint32_t	begun = left_bit(at);

	if (input.left != NULL && frame_lane() == 0)
		begun &= atomicOr(left_word(input, at), left_bit(at));
	if (__shfl_sync(FRAME_ALL, begun, 0) == 0)
		input.leftover[at / FRAME_GRANULE * FRAME_WORDS + frame_lane()] = 0;
	__syncwarp();
	if (lost != 0)
		atomicOr(&input.leftover[at / 32], lost << (at % 32));
}

template <typename P, typename Frame>
static __device__ __forceinline__ void
frame_rows(const GpuAggFrameArgs &a, const typename P::Columns &k, const FrameQuads<P> &quads,
		   const GpuAggStripeInput &input, Frame &frame, FrameCounts *counts)
{
	constexpr uint32_t unroll = FRAME_UNROLL(P, Frame);
	uint32_t	lost = 0;

	frame_begin(frame, input, quads.at, quads.passed);
	#pragma unroll unroll
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		if (quads.passed >> r & 1)
		{
			typename P::Row row;

			if (P::row(a, k, quads.q, quads.m, quads.found, quads.l, r, row, &counts->errors) &&
				!frame.enter(row))
				lost |= 1u << r;
		}
	counts->passed += __popc(quads.passed & ~lost);
	if constexpr (Frame::LOSES)
		if (__any_sync(FRAME_ALL, lost != 0))
		{
			counts->overflow += __popc(lost);
			frame_leave(input, quads.at, lost);
		}
}

template <typename P, typename Frame>
static __device__ __forceinline__ void
frame_granule(const GpuAggFrameArgs &a, const GpuAggStripeInput &input,
			  const typename P::Columns &k, uint32_t first, uint32_t bits, Frame &frame,
			  FrameCounts *counts)
{
	const uint32_t steps = FRAME_GRANULE / FRAME_STEP;
	FrameQuads<P> now;

	now.load(k, first, 0);
	now.passed = 0;
	#pragma unroll 1
	for (uint32_t step = 0; step < steps; step++)
	{
		FrameQuads<P> next;

		next.load(k, first, step + 1 < steps ? step + 1 : step);
		now.template filter<Frame>(a, k, bits, step, counts);
		frame_rows<P>(a, k, now, input, frame, counts);
		now.q = next.q;
		now.at = next.at;
	}
}

template <typename P, typename Frame>
static __device__ __forceinline__ void
frame_walk(const GpuAggFrameArgs &a, Frame &frame, FrameCounts *counts)
{
	const uint32_t warps = gridDim.x * blockDim.x / FRAME_LANES;
	uint32_t	g = (blockIdx.x * blockDim.x + threadIdx.x) / FRAME_LANES;
	uint32_t	i = 0;

	for (; g < a.tiles * FRAME_GRANULES; g += warps)
	{
		i = frame_stripe(a, g / FRAME_GRANULES, i);
		const GpuAggStripeInput &input = a.inputs[i];
		const uint32_t first = (g - a.first_tile[i] * FRAME_GRANULES) * FRAME_GRANULE;
		typename P::Columns k;
		uint32_t	bits;

		/* zones that the filter excludes are listed: nothing of them is looked at */
		if (input_is_listed(input, first, FRAME_GRANULE))
			continue;
		bits = frame_bits(a, input, first, counts);
		/* whoever is left over again sets its bit behind the clearing of its word */
		__syncwarp();
		if (!__any_sync(FRAME_ALL, bits != 0))
			continue;
		P::open(input.columns, first, k);
		frame_granule<P>(a, input, k, first, bits, frame, counts);
	}
}

/* ---------- what blocks tell ---------- */

/* All threads call it; one of each block adds.  P: whose filter's stages these are */
template <typename P>
static __device__ __forceinline__ void
frame_report(const FrameCounts &mine, GpuAggBatchHead *head)
{
	__shared__ uint32_t sums[4 + GPUAGG_STAGES - 1];
	const uint32_t scanned = frame_warp_sum(mine.scanned);
	const uint32_t passed = frame_warp_sum(mine.passed);
	const uint32_t overflow = frame_warp_sum(mine.overflow);
	const uint32_t misses = frame_warp_sum(mine.misses);

	if (threadIdx.x < 4 + GPUAGG_STAGES - 1)
		sums[threadIdx.x] = 0;
	if (mine.errors != 0)
		atomicOr(&head->errors, mine.errors);
	__syncthreads();
	if (frame_lane() == 0)
	{
		atomicAdd(&sums[0], scanned);
		atomicAdd(&sums[1], passed);
		atomicAdd(&sums[2], overflow);
		atomicAdd(&sums[3], misses);
	}
	#pragma unroll
	for (uint32_t s = 0; s + 1 < P::STAGES; s++)
	{
		const uint32_t left = frame_warp_sum(mine.left[s]);

		if (frame_lane() == 0 && left > 0)
			atomicAdd(&sums[4 + s], left);
	}
	__syncthreads();
	if (threadIdx.x < GPUAGG_STAGES - 1 && sums[4 + threadIdx.x] > 0)
		atomicAdd(&head->left[threadIdx.x], (unsigned long long) sums[4 + threadIdx.x]);
	if (threadIdx.x != 0)
		return;
	if (sums[0] > 0)
		atomicAdd(&head->rows_scanned, (unsigned long long) sums[0]);
	if (sums[1] > 0)
		atomicAdd(&head->rows_passed, (unsigned long long) sums[1]);
	if (sums[2] > 0)
		atomicAdd(&head->overflow, sums[2]);
	if (sums[3] > 0)
		atomicAdd(&head->local_misses, sums[3]);
}

#endif							/* GPUAGG_CUDA_FRAME_WALK_CUH */
