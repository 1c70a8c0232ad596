/*
 * single.cuh
 *		The frame of a single pass: each row goes to its group in the task's table.
 */
#ifndef GPUAGG_CUDA_FRAME_SINGLE_CUH
#define GPUAGG_CUDA_FRAME_SINGLE_CUH

#include "cuda/frame/number.cuh"
#include "cuda/frame/together.cuh"
#include "cuda/kernel/table_probe.cuh"

/* Keys of a row, as table_probe() asks for them */
template <typename P>
struct FrameKeys
{
	const typename P::Row &row;

	__device__ __forceinline__ uint32_t
	nulls(void) const
	{
		return P::nulls(row);
	}

	__device__ __forceinline__ bool
	equal(const char *entry) const
	{
		return P::equal(row, entry);
	}

	__device__ __forceinline__ bool
	store(char *entry) const
	{
		P::store(row, entry);
		return true;
	}
};

/* Rows of a key that many have add up before they meet at its states. */
template <typename P>
static __device__ __forceinline__ void
single_step(const GpuAggFrameArgs &a, const typename P::Row &row, char *entry)
{
	if (a.table.capacity <= UINT32_MAX)
		together_enter<P>(row, (uint32_t) ((uint64_t) (entry - a.table.slots) / P::STRIDE), entry);
	else
	{
		FrameEntry	e = {entry};

		P::step(e, row);
	}
}

/* Rows outside of the task's window of hashes count as passed, and that is all. */
template <typename P>
static __device__ __noinline__ bool
single_enter(const GpuAggFrameArgs &a, const typename P::Row &row, uint64_t hash, uint32_t *added)
{
	const FrameKeys<P> keys = {row};
	char	   *entry;

	if (!gpuagg_hash_window_has(a.hash_window, hash))
		return true;
	entry = table_probe(P::STRIDE, &a.table, keys, hash, a.table.limit, GPUAGG_MAX_PROBES, added);
	if (entry == NULL)
		return false;
	single_step<P>(a, row, entry);
	return true;
}

template <typename P>
struct FrameSingle
{
	static constexpr bool LONG = true;
	const GpuAggFrameArgs &a;
	uint32_t	added;

	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		const bool	entered = single_enter<P>(a, row, P::hash(row, a.seed), &added);

		/* others must see how full the table is */
		if (added > 0)
			atomicAdd(&a.table.head->count, (unsigned long long) added);
		added = 0;
		return entered;
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_single(const GpuAggFrameArgs &a)
{
	FrameSingle<P> frame = {a, 0};
	FrameCounts counts = {};

	frame_walk<P>(a, frame, &counts);
	frame_report(counts, a.head);
}

#endif							/* GPUAGG_CUDA_FRAME_SINGLE_CUH */
