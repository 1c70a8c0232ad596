/*
 * groupby_fast.cuh
 *		The shape that most queries have, without detours: one integer key and
 *		at most one int4 argument, no NULLs, states that fit 32-bit words.
 *
 * Rows are columns of sources, or records of eight bytes, with an int8 key 16; a
 * thread has all of several rows in registers.  What is unusual is left to
 * groupby_local.cuh: the end of the input, and rows without place in the table.
 */
#ifndef GPUAGG_CUDA_GROUPBY_FAST_CUH
#define GPUAGG_CUDA_GROUPBY_FAST_CUH

#include "cuda/groupby/groupby_local.cuh"

/* The key, in a register; and a record of it and an argument (record.h) */
template <int KEY>
struct FastRow
{
	typedef uint32_t Word;
	typedef uint2 Pair;
};

template <>
struct FastRow<GPUAGG_KEY_I64>
{
	typedef uint64_t Word;
	typedef uint4 Pair;
};

static __device__ __forceinline__ void
pair_split(uint2 pair, uint32_t *key, uint32_t *arg)
{
	*key = pair.x;
	*arg = pair.y;
}

static __device__ __forceinline__ void
pair_split(uint4 pair, uint64_t *key, uint32_t *arg)
{
	*key = (uint64_t) pair.w << 32 | pair.z;
	*arg = pair.x;
}

static __device__ __forceinline__ uint2
pair_make(uint32_t key, uint32_t arg)
{
	return make_uint2(key, arg);
}

static __device__ __forceinline__ uint4
pair_make(uint64_t key, uint32_t arg)
{
	return make_uint4(arg, 0, (uint32_t) key, (uint32_t) (key >> 32));
}

/* Where records begin, whichever of their fields is first */
static __device__ __forceinline__ const char *
pairs_base(const GpuAggGroupByArgs &a)
{
	return a.fields[0].base - a.field_off[0];
}

/* Key and argument of the records row, row + stride, ..., which are read but once */
template <int KEY, int ROWS>
static __device__ __forceinline__ void
pairs_load(const GpuAggGroupByArgs &a, uint64_t row, uint32_t stride,
		   typename FastRow<KEY>::Word *key, uint32_t *arg)
{
	const auto *pairs = (const typename FastRow<KEY>::Pair *) pairs_base(a) + row;

	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		pair_split(__ldcs(pairs + r * stride), &key[r], &arg[r]);
}

/* One of them, anywhere */
static __device__ __forceinline__ void
pairs_load_one(const GpuAggGroupByArgs &a, uint64_t row, uint32_t *key, uint32_t *arg)
{
	*key = field_u32(&a.fields[0], row);
	*arg = field_u32(&a.fields[a.nfields - 1], row);
}

static __device__ __forceinline__ void
pairs_load_one(const GpuAggGroupByArgs &a, uint64_t row, uint64_t *key, uint32_t *arg)
{
	*key = field_u64(&a.fields[0], row);
	*arg = field_u32(&a.fields[a.nfields - 1], row);
}

/* A column of a source, at rows row, row + stride, ... */
template <int ROWS, typename Word>
static __device__ __forceinline__ void
source_column(uint64_t values, uint64_t blocks, uint64_t first, uint64_t row, uint32_t stride,
			  Word *v)
{
	if (blocks == 0)
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			v[r] = __ldcs((const Word *) values + row + r * stride);
		return;
	}
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		v[r] = (Word) gpuagg_packed_integer((const GpuAggMiniblock *) blocks,
											(const uint64_t *) values,
											(uint32_t) (row - first) + r * stride);
}

/* Keys and arguments of a source's rows, and which of these count: bit r for the r-th */
template <int KEY, int ROWS>
static __device__ __forceinline__ uint32_t
source_load(const GpuAggSource &source, uint64_t row, uint32_t stride,
			typename FastRow<KEY>::Word *key, uint32_t *arg)
{
	const uint32_t *taken = (const uint32_t *) source.taken + row / 32;
	uint32_t	rows = 0;

	source_column<ROWS>(source.key, source.key_blocks, source.first, row, stride, key);
	source_column<ROWS>(source.arg, source.arg_blocks, source.first, row, stride, arg);
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		rows |= (__ldg(taken + r * (stride / 32)) >> (row % 32) & 1) << r;
	return rows;
}

/* One of them, below the source's end */
template <typename Word>
static __device__ __forceinline__ bool
source_load_one(const GpuAggSource &source, uint64_t row, Word *key, uint32_t *arg)
{
	source_column<1>(source.key, source.key_blocks, source.first, row, 0, key);
	source_column<1>(source.arg, source.arg_blocks, source.first, row, 0, arg);
	return ((const uint32_t *) source.taken)[row / 32] >> (row % 32) & 1;
}

static __device__ __forceinline__ uint64_t
fast_hash(const GpuAggGroupByArgs &a, uint32_t key)
{
	return hash_one((uint64_t) (int64_t) (int32_t) key, a.seed);
}

static __device__ __forceinline__ uint64_t
fast_hash(const GpuAggGroupByArgs &a, uint64_t key)
{
	return hash_one(key, a.seed);
}

static __device__ __forceinline__ uint32_t
fast_find_one(const LocalView &t, uint32_t key, uint32_t seed)
{
	return local_find_i32(t, key, seed);
}

static __device__ __forceinline__ uint32_t
fast_find_one(const LocalView &t, uint64_t key, uint32_t seed)
{
	return local_find_i64(t, key, seed);
}

/* The rows' slots; false: some row of the warp has none */
template <typename Word>
static __device__ __forceinline__ bool
fast_find(const GpuAggGroupByArgs &a, const LocalView &t, const Word *key, uint32_t *slot)
{
	bool		found = true;

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		slot[r] = fast_find_one(t, key[r], (uint32_t) a.seed);
		found &= slot[r] != NO_SLOT;
	}
	return __all_sync(ALL_LANES, found);
}

/*
 * Rows enter the states of their groups; at: each row's group, in bytes of a
 * region of words.  SKEWED: rows of the group `heavy`, which many lanes have,
 * are added up in registers first, then over the warp.
 */
template <bool SKEWED>
static __device__ __forceinline__ void
fast_count(uint32_t region, const uint32_t *at, uint32_t heavy)
{
	uint32_t	n = 0;

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		if (SKEWED && at[r] == heavy)
			n++;
		else
			shared_add(region + at[r], 1);
	if (SKEWED)
	{
		n = all_lanes_add(n);
		if (threadIdx.x % WARP_LANES == 0)
			shared_add(region + heavy, n);
	}
}

template <bool SKEWED>
static __device__ __forceinline__ void
fast_sum(uint32_t low, uint32_t high, const uint32_t *at, const uint32_t *arg, uint32_t heavy)
{
	int64_t		sum = 0;

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		if (SKEWED && at[r] == heavy)
			sum += (int32_t) arg[r];
		else
			local_add(low + at[r], high + at[r], (int32_t) arg[r]);
	if (SKEWED)
	{
		const uint32_t first = all_lanes_add((uint32_t) sum & 0xFFFF);
		const uint32_t second = all_lanes_add((uint32_t) (sum >> 16));

		/* 8 rows are less than 2^35, so a lane's share is less than 2^19 */
		sum = ((int64_t) (int32_t) second << 16) + first;
		if (threadIdx.x % WARP_LANES == 0)
			local_add(low + heavy, high + heavy, sum);
	}
}

template <bool SKEWED>
static __device__ __forceinline__ void
fast_extreme(uint32_t region, const uint32_t *at, const uint32_t *arg, uint32_t heavy, bool min)
{
	int32_t		best = INT32_MAX;

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		if (SKEWED && at[r] == heavy)
			best = ::min(best, (int32_t) (min ? arg[r] : ~arg[r]));
		else
			shared_extreme(region + at[r], (int32_t) arg[r], min);
	if (SKEWED)
	{
		best = all_lanes_min(best);
		if (threadIdx.x % WARP_LANES == 0)
			shared_extreme(region + heavy, min ? best : ~best, min);
	}
}

template <bool SKEWED>
static __device__ __forceinline__ void
fast_steps(const GpuAggGroupByArgs &a, const LocalView &t, const uint32_t *at,
		   const uint32_t *arg, uint32_t heavy)
{
	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const uint32_t kind = a.steps[s].kind;
		const uint32_t region = local_region(t, &a.steps[s]);

		if (kind == GPUAGG_LOCAL_COUNT)
			fast_count<SKEWED>(region, at, heavy);
		else if (kind == GPUAGG_LOCAL_SUM)
			fast_sum<SKEWED>(region, region + 4 * t.groups, at, arg, heavy);
		else
			fast_extreme<SKEWED>(region, at, arg, heavy, kind == GPUAGG_LOCAL_MIN32);
	}
}

/*
 * Groups full sets of rows of a warp; false, and nothing but keys has changed: some
 * row has no place.
 */
template <typename Word>
static __device__ __forceinline__ bool
fast_group(const GpuAggGroupByArgs &a, const LocalView &t, const Word (&key)[LOCAL_ROWS],
		   const uint32_t (&arg)[LOCAL_ROWS])
{
	const uint32_t copy = threadIdx.x & ((1u << t.copies_log2) - 1);
	uint32_t	at[LOCAL_ROWS];
	uint32_t	same;

	if (!fast_find(a, t, key, at))
		return false;

	/* of skewed rows, the first ones show it */
	same = t.copies_log2 <= PEEL_MAX_COPIES_LOG2 ? peel(at[0]) : 0;
	if (same == 0)
	{
		#pragma unroll
		for (int r = 0; r < LOCAL_ROWS; r++)
			at[r] = ((at[r] << t.copies_log2) + copy) * 4;
		fast_steps<false>(a, t, at, arg, 0);
	}
	else
	{
		const uint32_t heavy = __shfl_sync(ALL_LANES, at[0], __ffs(same) - 1);

		#pragma unroll
		for (int r = 0; r < LOCAL_ROWS; r++)
			at[r] = ((at[r] << t.copies_log2) + (at[r] == heavy ? 0 : copy)) * 4;
		fast_steps<true>(a, t, at, arg, (heavy << t.copies_log2) * 4);
	}
	return true;
}

/* As local_rows, and by it where need be */
template <int KEY, int FAST>
static __device__ __forceinline__ void
warp_rows(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t base, uint64_t row,
		  uint64_t end, uint32_t *added, uint32_t *misses)
{
	const uint64_t last = row - threadIdx.x % WARP_LANES + LOCAL_ROWS * WARP_LANES;

	if constexpr (FAST == GPUAGG_FAST_PAIRS)
		if (last <= end)
		{
			typename FastRow<KEY>::Word key[LOCAL_ROWS];
			uint32_t	arg[LOCAL_ROWS];

			pairs_load<KEY, LOCAL_ROWS>(a, row, WARP_LANES, key, arg);
			if (fast_group(a, t, key, arg))
				return;
		}
	local_rows<KEY>(a, t, base, row, end, added, misses);
}

#endif							/* GPUAGG_CUDA_GROUPBY_FAST_CUH */
