/*
 * scoped_fast.cuh
 *		The shape that most queries have, without detours: one int4 key and at
 *		most one int4 argument, no NULLs, states that fit 32-bit words.
 *
 * Rows are two columns, or records of eight bytes; a thread has all of several
 * rows in registers.  What is unusual is left to scoped_local.cuh: the end of
 * the input, and rows without place in the table.
 */
#ifndef GPUAGG_CUDA_SCOPED_FAST_CUH
#define GPUAGG_CUDA_SCOPED_FAST_CUH

#include "cuda/scoped_local.cuh"

/* Key and argument of rows row, row + stride, ... */
template <int FAST, int ROWS>
static __device__ __forceinline__ void
fast_load(const GpuAggScopedArgs &a, uint64_t row, uint32_t stride, uint32_t *key, uint32_t *arg)
{
	if constexpr (FAST == GPUAGG_FAST_PAIRS)
	{
		const uint2 *pairs = (const uint2 *) a.fields[0].base + row;

		#pragma unroll
		for (int r = 0; r < ROWS; r++)
		{
			const uint2 pair = pairs[r * stride];

			key[r] = pair.x;
			arg[r] = pair.y;
		}
	}
	else
	{
		const uint32_t *keys = (const uint32_t *) a.fields[0].base + row;
		const uint32_t *args = (const uint32_t *) a.fields[a.nfields - 1].base + row;

		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			key[r] = keys[r * stride];
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			arg[r] = args[r * stride];
	}
}

static __device__ __forceinline__ uint64_t
fast_hash(const GpuAggScopedArgs &a, uint32_t key)
{
	return hash_one((uint64_t) (int64_t) (int32_t) key, a.seed);
}

/* Goes on where the first look did not find the key. */
static __device__ __forceinline__ uint32_t
fast_find_on(const LocalView &t, uint32_t key, uint32_t h, uint32_t seen, uint32_t at)
{
	if (key == EMPTY_I32)
	{
		shared_store(t.keys + 4 * t.slots, 0);
		return t.slots;
	}
	#pragma unroll 1
	for (uint32_t probes = 0; probes < MAX_LOCAL_PROBES; probes++)
	{
		if (seen == EMPTY_I32)
			seen = shared_cas(t.keys + 4 * at, EMPTY_I32, key);
		if (seen == key || seen == EMPTY_I32)
			return at;
		at = local_next(t, h, at);
		seen = shared_load(t.keys + 4 * at);
	}
	return NO_SLOT;
}

/* The rows' slots; false: some row of the warp has none */
static __device__ __forceinline__ bool
fast_find(const GpuAggScopedArgs &a, const LocalView &t, const uint32_t *key, uint32_t *slot)
{
	uint32_t	seen[LOCAL_ROWS];
	bool		found = true;

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		slot[r] = local_home(t, key[r] ^ (uint32_t) a.seed);
		seen[r] = shared_load(t.keys + 4 * slot[r]);
	}
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		if (seen[r] != key[r] || key[r] == EMPTY_I32)
			slot[r] = fast_find_on(t, key[r], key[r] ^ (uint32_t) a.seed, seen[r], slot[r]);
		found &= slot[r] != NO_SLOT;
	}
	return __all_sync(ALL_LANES, found);
}

/* at: each row's group, in bytes of a region of words */
static __device__ __forceinline__ void
fast_steps(const GpuAggScopedArgs &a, const LocalView &t, const uint32_t *at, const uint32_t *arg)
{
	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const uint32_t kind = a.steps[s].kind;
		const uint32_t region = local_region(t, &a.steps[s]);

		if (kind == GPUAGG_LOCAL_COUNT)
		{
			#pragma unroll
			for (int r = 0; r < LOCAL_ROWS; r++)
				shared_add(region + at[r], 1);
		}
		else if (kind == GPUAGG_LOCAL_SUM)
		{
			const uint32_t high = region + 4 * t.groups;

			#pragma unroll
			for (int r = 0; r < LOCAL_ROWS; r++)
				local_add(region + at[r], high + at[r], (int32_t) arg[r]);
		}
		else
		{
			const bool	min = kind == GPUAGG_LOCAL_MIN32;

			#pragma unroll
			for (int r = 0; r < LOCAL_ROWS; r++)
				shared_extreme(region + at[r], (int32_t) arg[r], min);
		}
	}
}

/* The same where many lanes have the same group */
static __device__ __noinline__ void
fast_steps_peeled(const GpuAggScopedArgs &a, const LocalView &t, uint32_t group, uint32_t arg)
{
	const uint32_t peeled = peel(group >> t.copies_log2);

	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const uint32_t kind = a.steps[s].kind;
		const uint32_t region = local_region(t, &a.steps[s]);

		if (kind == GPUAGG_LOCAL_COUNT)
			local_count(region, group, true, peeled);
		else if (kind == GPUAGG_LOCAL_SUM)
			local_sum(t, region, group, true, peeled, (int32_t) arg, true);
		else
			local_extreme(region, group, true, peeled, (int32_t) arg, kind == GPUAGG_LOCAL_MIN32);
	}
}

/*
 * Full sets of rows of a warp; false, and nothing but keys has changed: some
 * row has no place.
 */
template <int FAST>
static __device__ __forceinline__ bool
fast_rows(const GpuAggScopedArgs &a, const LocalView &t, uint64_t row)
{
	const uint32_t copy = threadIdx.x & ((1u << t.copies_log2) - 1);
	uint32_t	key[LOCAL_ROWS];
	uint32_t	arg[LOCAL_ROWS];
	uint32_t	at[LOCAL_ROWS];

	fast_load<FAST, LOCAL_ROWS>(a, row, WARP_LANES, key, arg);
	if (!fast_find(a, t, key, at))
		return false;
	if (t.copies_log2 <= 3 &&
		(__ballot_sync(ALL_LANES, at[0] == __shfl_down_sync(ALL_LANES, at[0], 1)) & 0x7FFFFFFFu) != 0)
	{
		#pragma unroll
		for (int r = 0; r < LOCAL_ROWS; r++)
			fast_steps_peeled(a, t, (at[r] << t.copies_log2) + copy, arg[r]);
		return true;
	}
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		at[r] = ((at[r] << t.copies_log2) + copy) * 4;
	fast_steps(a, t, at, arg);
	return true;
}

/* As local_rows, and by it where need be */
template <int KEY, int FAST>
static __device__ __forceinline__ void
warp_rows(const GpuAggScopedArgs &a, const LocalView &t, uint64_t base, uint64_t row,
		  uint64_t end, uint32_t *added, uint32_t *misses)
{
	const uint64_t last = row - threadIdx.x % WARP_LANES + LOCAL_ROWS * WARP_LANES;

	if constexpr (FAST != GPUAGG_FAST_NOT)
		if (last <= end && fast_rows<FAST>(a, t, row))
			return;
	local_rows<KEY>(a, t, base, row, end, added, misses);
}

#endif							/* GPUAGG_CUDA_SCOPED_FAST_CUH */
