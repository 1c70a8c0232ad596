/*
 * groupby_partition.cuh
 *		Rows on their way to partitions: which rows a thread has, their hashes, the
 *		partition of a hash.
 *
 * A level's rows are those of sources, of which some do not count, or records.
 */
#ifndef GPUAGG_CUDA_GROUPBY_PARTITION_CUH
#define GPUAGG_CUDA_GROUPBY_PARTITION_CUH

#include "cuda/groupby/groupby.h"
#include "cuda/groupby/groupby_fast.cuh"

static __device__ __forceinline__ uint32_t
part_of(const GpuAggPartLevel &level, uint64_t hash)
{
	return (uint32_t) ((gpuagg_hash_window_spread(level.hash_window, hash) << level.before) >>
					   (64 - level.bits));
}

/* The parent whose rows a piece has */
template <int FAST>
static __device__ __forceinline__ uint32_t
parent_of(uint32_t piece_parent)
{
	return FAST == GPUAGG_FAST_SOURCES ? 0 : piece_parent;
}

/* Sets of a thread's rows: bit r for its r-th row */
template <int ROWS>
constexpr uint32_t ALL_ROWS = (1u << ROWS) - 1;

/* Rows row, row + blockDim.x, ... that are before end */
template <int ROWS>
static __device__ __forceinline__ uint32_t
rows_before(uint64_t row, uint64_t end)
{
	uint32_t	rows = 0;

	if (row - threadIdx.x + ROWS * blockDim.x <= end)
		return ALL_ROWS<ROWS>;
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		rows |= (uint32_t) (row + r * blockDim.x < end) << r;
	return rows;
}

/* Keys and arguments of rows of a source; which of them count */
template <int KEY, int ROWS>
static __device__ __forceinline__ uint32_t
load_source(const GpuAggSource &source, uint64_t row, uint64_t end,
			typename FastRow<KEY>::Word *key, uint32_t *arg)
{
	uint32_t	rows = 0;

	if (row - threadIdx.x + ROWS * blockDim.x <= end)
		return source_load<KEY, ROWS>(source, row, blockDim.x, key, arg);
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
	{
		const uint64_t at = row + r * blockDim.x;
		const bool	counts = source_load_one(source, min(at, end - 1), &key[r], &arg[r]);

		rows |= (uint32_t) (counts && at < end) << r;
	}
	return rows;
}

/*
 * Keys and arguments of rows row, row + blockDim.x, ... of a parent or source,
 * if FAST; which of them are before end, and count
 */
template <int KEY, int FAST, int ROWS>
static __device__ __forceinline__ uint32_t
load_rows(const GpuAggGroupByArgs &a, const GpuAggPartLevel &level, uint32_t from, uint64_t row,
		  uint64_t end, typename FastRow<KEY>::Word *key, uint32_t *arg)
{
	if constexpr (FAST == GPUAGG_FAST_SOURCES)
		return load_source<KEY, ROWS>(level.sources.list[from], row, end, key, arg);
	const uint32_t rows = rows_before<ROWS>(row, end);

	if constexpr (FAST == GPUAGG_FAST_PAIRS)
	{
		if (row - threadIdx.x + ROWS * blockDim.x <= end)
			pairs_load<KEY, ROWS>(a, row, blockDim.x, key, arg);
		else
		{
			#pragma unroll
			for (int r = 0; r < ROWS; r++)
				pairs_load_one(a, min(row + r * blockDim.x, end - 1), &key[r], &arg[r]);
		}
	}
	return rows;
}

/*
 * Hashes of rows row, row + blockDim.x, ..., of which those behind the last one are the
 * last one.  All rows' loads are under way before any is waited for.
 */
template <int ROWS>
static __device__ __forceinline__ void
field_hashes(const GpuAggGroupByArgs &a, uint64_t row, uint64_t end, uint64_t *hash)
{
	uint32_t	flags[ROWS];

	if (a.kind.key == GPUAGG_KEY_I32)
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			flags[r] = field_u32(&a.fields[0], min(row + r * blockDim.x, end - 1));
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			hash[r] = hash_one((uint64_t) (int64_t) (int32_t) flags[r], a.seed);
		return;
	}
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
	{
		hash[r] = a.seed;
		flags[r] = row_flags(a, min(row + r * blockDim.x, end - 1));
	}
	for (uint32_t i = 0; i < a.nkeys; i++)
	{
		uint64_t	word[ROWS];

		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			word[r] = key_word(a, i, min(row + r * blockDim.x, end - 1));
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			hash[r] = gpuagg_hash_word(hash[r], flags[r] >> i & 1 ? GPUAGG_HASH_NULL : word[r],
									   a.seed);
	}
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		hash[r] = gpuagg_hash_finish(hash[r]);
}

/* Hashes of these rows; their keys have been loaded, if FAST. */
template <int KEY, int FAST, int ROWS>
static __device__ __forceinline__ void
find_hashes(const GpuAggGroupByArgs &a, uint64_t row, uint64_t end,
			const typename FastRow<KEY>::Word *key, uint64_t *hash)
{
	if constexpr (FAST == GPUAGG_FAST_NOT)
		field_hashes<ROWS>(a, row, end, hash);
	else
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			hash[r] = fast_hash(a, key[r]);
	}
}

/* Their partitions */
template <int KEY, int FAST, int ROWS>
static __device__ __forceinline__ void
find_parts(const GpuAggGroupByArgs &a, const GpuAggPartLevel &level, uint64_t row,
		   uint64_t end, const typename FastRow<KEY>::Word *key, uint32_t *part)
{
	uint64_t	hash[ROWS];

	find_hashes<KEY, FAST, ROWS>(a, row, end, key, hash);
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		part[r] = part_of(level, hash[r]);
}

/* How a level reads its rows */
static inline GpuAggFast
level_fast(const GpuAggGroupByArgs *a, GpuAggKeyShape key, const GpuAggPartLevel *level)
{
	return level->sources.list != NULL ? GPUAGG_FAST_SOURCES : gpuagg_cuda_groupby_fast(a, key);
}

#endif							/* GPUAGG_CUDA_GROUPBY_PARTITION_CUH */
