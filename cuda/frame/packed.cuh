/*
 * packed.cuh
 *		The frame of many groups: rows become records (device/ops/record.h), side by
 *		side, for grouping in device memory (cuda/groupby/).
 *
 * A warp asks once for the places of all rows that it has at a time.  Of a task that
 * wants a window of the hashes, each row is asked about, and then for itself.
 */
#ifndef GPUAGG_CUDA_FRAME_PACKED_CUH
#define GPUAGG_CUDA_FRAME_PACKED_CUH

#include "cuda/frame/number.cuh"
#include "cuda/frame/walk.cuh"

/* Places for so many more records */
static __device__ __forceinline__ unsigned long long
packed_places(const GpuAggFrameArgs &a, uint32_t n)
{
	return atomicAdd(a.nrecords, (unsigned long long) n);
}

/* A record, in words as wide as all records are aligned */
template <typename Word, uint32_t BYTES>
static __device__ __forceinline__ void
packed_copy(char *to, const char *from)
{
	#pragma unroll
	for (uint32_t i = 0; i < BYTES / sizeof(Word); i++)
		((Word *) to)[i] = ((const Word *) from)[i];
}

template <typename P>
struct FramePacked
{
	static constexpr bool LONG = false;
	static constexpr bool LOSES = false;
	const GpuAggFrameArgs &a;
	unsigned long long first;	/* place of the warp's rows */
	uint32_t	offset[GPUAGG_QUAD];	/* places of this lane's rows among the warp's */
	uint32_t	left;			/* rows that have not entered yet */
	uint32_t	kept;
	uint32_t	with_null;		/* of these, rows whose head says anything */

	__device__ __forceinline__ bool
	windowed(void) const
	{
		return a.hash_window.count > 1;
	}

	/* Rows of all lanes one after the other, so that lanes write side by side */
	__device__ __forceinline__ void
	begin(uint32_t passed)
	{
		const uint32_t before = (1u << frame_lane()) - 1;
		uint32_t	n = 0;

		left = passed;
		if (windowed())
			return;
		#pragma unroll
		for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		{
			const uint32_t lanes = __ballot_sync(FRAME_ALL, passed >> r & 1);

			offset[r] = n + __popc(lanes & before);
			n += __popc(lanes);
		}
		if (n > 0 && frame_lane() == 0)
			first = packed_places(a, n);
		first = __shfl_sync(FRAME_ALL, first, 0);
	}

	/* Rows whose key was an error have no record, which matters no more. */
	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		const uint32_t r = __ffs((int) left) - 1;

		left &= left - 1;
		if (!windowed())
			write(row, first + quad_at(offset, r));
		else if (gpuagg_hash_window_has(a.hash_window, P::hash(row, a.seed)))
			write(row, packed_places(a, 1));
		return true;
	}

	__device__ __forceinline__ void
	write(const typename P::Row &row, unsigned long long place)
	{
		union
		{
			char		bytes[P::RECORD_BYTES];
			uint4		align;
		}			record;
		char	   *to = a.records + place * P::RECORD_BYTES;

		kept++;
		P::record(row, record.bytes);
		if (P::RECORD_HEAD)
			with_null += *(const uint32_t *) record.bytes != 0;
		if (P::RECORD_BYTES % 16 == 0)
			packed_copy<uint4, P::RECORD_BYTES>(to, record.bytes);
		else if (P::RECORD_BYTES % 8 == 0)
			packed_copy<uint2, P::RECORD_BYTES>(to, record.bytes);
		else
			packed_copy<uint32_t, P::RECORD_BYTES>(to, record.bytes);
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_begin(FramePacked<P> &frame, const GpuAggStripeInput &, uint32_t, uint32_t passed)
{
	frame.begin(passed);
}

template <typename P>
static __device__ __forceinline__ void
frame_packed(const GpuAggFrameArgs &a)
{
	FramePacked<P> frame = {a, 0, {0, 0, 0, 0}, 0, 0, 0};
	FrameCounts counts = {};
	uint32_t	kept;
	uint32_t	with_null;

	frame_walk<P>(a, frame, &counts);
	frame_report<P>(counts, a.head);
	kept = frame_warp_sum(frame.kept);
	with_null = frame_warp_sum(frame.with_null);
	if (frame_lane() == 0 && kept > 0)
		atomicAdd(&a.head->nkept, kept);
	if (frame_lane() == 0 && with_null > 0)
		atomicAdd(&a.head->nnulls, with_null);
}

#endif							/* GPUAGG_CUDA_FRAME_PACKED_CUH */
