/*
 * groupby_rows.cuh
 *		Rows as fields, in the kernels of grouping in device memory: their
 *		hash, their keys against an entry of the table, and their way into it.
 */
#ifndef GPUAGG_CUDA_GROUPBY_ROWS_CUH
#define GPUAGG_CUDA_GROUPBY_ROWS_CUH

#include "cuda/groupby/groupby_rows.h"
#include "cuda/kernel/row.cuh"
#include "cuda/kernel/table.cuh"

#define WARP_LANES 32
#define ALL_LANES 0xFFFFFFFFu

static __device__ __forceinline__ uint32_t
field_u32(const GpuAggRowField *f, uint64_t row)
{
	return *(const uint32_t *) (f->base + row * f->step);
}

static __device__ __forceinline__ uint64_t
field_u64(const GpuAggRowField *f, uint64_t row)
{
	return *(const uint64_t *) (f->base + row * f->step);
}

/* As a register has it: integers of 4 bytes with their sign */
static __device__ __forceinline__ int64_t
field_value(const GpuAggRowField *f, uint64_t row)
{
	return f->bytes == 4 ? (int64_t) (int32_t) field_u32(f, row) :
		(int64_t) field_u64(f, row);
}

static __device__ __forceinline__ uint32_t
row_flags(const GpuAggGroupByArgs &a, uint64_t row)
{
	return a.has_head ? field_u32(&a.flags, row) : 0;
}

/* The word that key i of a row is hashed and compared as */
static __device__ __forceinline__ uint64_t
key_word(const GpuAggGroupByArgs &a, uint32_t i, uint64_t row)
{
	const GpuAggRowField *f = &a.fields[a.key_field[i]];
	GpuAggValue v;

	v.i = field_value(f, row);
	return f->f64 ? gpuagg_key_word_f64(v.f) : (uint64_t) v.i;
}

static __device__ __forceinline__ uint64_t
hash_one(uint64_t word, uint64_t seed)
{
	return gpuagg_hash_finish(gpuagg_hash_word(seed, word, seed));
}

template <int KEY>
static __device__ __forceinline__ uint64_t
row_hash(const GpuAggGroupByArgs &a, uint64_t row, uint32_t flags)
{
	if constexpr (KEY == GPUAGG_KEY_I32)
		return hash_one((uint64_t) (int64_t) (int32_t) field_u32(&a.fields[0], row), a.seed);
	else if constexpr (KEY == GPUAGG_KEY_I64)
		return hash_one(field_u64(&a.fields[0], row), a.seed);
	else
	{
		uint64_t	h = a.seed;

		for (uint32_t i = 0; i < a.nkeys; i++)
			h = gpuagg_hash_word(h, flags >> i & 1 ? GPUAGG_HASH_NULL : key_word(a, i, row),
								 a.seed);
		return gpuagg_hash_finish(h);
	}
}

/* Two rows' keys; their NULLs are compared, too */
static __device__ bool
rows_equal(const GpuAggGroupByArgs &a, uint64_t row, uint32_t flags, uint64_t other)
{
	const uint32_t keys = a.nkeys < 32 ? (1u << a.nkeys) - 1 : ALL_LANES;

	if ((flags ^ row_flags(a, other)) & keys)
		return false;
	for (uint32_t i = 0; i < a.nkeys; i++)
		if (!(flags >> i & 1) && key_word(a, i, row) != key_word(a, i, other))
			return false;
	return true;
}

/* Keys of a row for table.cuh */
struct FieldKeys
{
	const GpuAggGroupByArgs &a;
	uint64_t	row;
	uint32_t	flags;

	__device__ uint32_t
	nulls() const
	{
		return flags & ((1u << a.nkeys) - 1);
	}

	__device__ bool
	equal(const char *entry) const
	{
		for (uint32_t i = 0; i < a.nkeys; i++)
		{
			const GpuAggRowField *f = &a.fields[a.key_field[i]];
			const char *slot = entry + a.key_off[i];

			if (flags >> i & 1)
				continue;
			if (f->bytes == 4 ? *(const uint32_t *) slot != field_u32(f, row) :
				(f->f64 ? gpuagg_key_word_f64(*(const double *) slot) : *(const uint64_t *) slot) !=
				key_word(a, i, row))
				return false;
		}
		return true;
	}

	__device__ bool
	store(char *entry) const
	{
		for (uint32_t i = 0; i < a.nkeys; i++)
		{
			const GpuAggRowField *f = &a.fields[a.key_field[i]];
			const bool	null = flags >> i & 1;

			if (f->bytes == 4)
				*(uint32_t *) (entry + a.key_off[i]) = null ? 0 : field_u32(f, row);
			else
				*(uint64_t *) (entry + a.key_off[i]) = null ? 0 : field_u64(f, row);
		}
		return true;
	}
};

/* A single integer of 8 bytes in a register, as a key for table.cuh */
struct WordKey
{
	const GpuAggGroupByArgs &a;
	uint64_t	word;

	__device__ uint32_t
	nulls() const
	{
		return 0;
	}

	__device__ bool
	equal(const char *entry) const
	{
		return *(const uint64_t *) (entry + a.key_off[0]) == word;
	}

	__device__ bool
	store(char *entry) const
	{
		*(uint64_t *) (entry + a.key_off[0]) = word;
		return true;
	}
};

/* The entry of a single 4-byte key */
static __device__ __forceinline__ char *
word_entry(const GpuAggGroupByArgs &a, uint32_t key, uint64_t hash, uint32_t *added)
{
	const TableAny any = {added};

	return table_probe_word(a.row_bytes, &a.table,
							(unsigned long long) key << 32 | GPUAGG_HEAD_READY, hash, any);
}

/* The entry of a row in the task's table, or NULL: no room */
template <int KEY>
static __device__ __forceinline__ char *
row_entry(const GpuAggGroupByArgs &a, uint64_t row, uint32_t flags, uint64_t hash,
		  uint32_t *added)
{
	/* the table's limit is looked at once a tile, not by every row */
	const TableAny any = {added};

	if constexpr (KEY == GPUAGG_KEY_I32)
		return word_entry(a, field_u32(&a.fields[0], row), hash, added);
	else if constexpr (KEY == GPUAGG_KEY_I64)
	{
		const WordKey key = {a, field_u64(&a.fields[0], row)};

		return table_probe(a.prepared->stride, &a.table, key, hash, any);
	}
	else
	{
		const FieldKeys keys = {a, row, flags};

		return table_probe(a.prepared->stride, &a.table, keys, hash, any);
	}
}

/* A row enters the states of its group, but for steps that are done: a bit each */
static __device__ __forceinline__ void
row_enter(const GpuAggGroupByArgs &a, uint64_t row, uint32_t flags, uint64_t done, char *entry)
{
	for (uint32_t i = 0; i < a.nsteps; i++)
	{
		const GpuAggStep *step = &a.steps[i];
		GpuAggValue v;
		GpuAggValue first;

		if ((done >> i & 1) != 0 || (a.has_head && flags >> (a.nkeys + i) & 1))
			continue;
		v.i = step->field != GPUAGG_NO_FIELD ? field_value(&a.fields[step->field], row) : 0;
		first.i = step->op == GPUAGG_TRANS_COMOMENTS_F64 ?
			field_value(&a.fields[step[-1].field], row) :
			0;
		row_step(step->op, entry + step->off, &first, &v);
	}
}

/*
 * A row enters the task's table, or the list of those that wait for a larger
 * one.
 */
template <int KEY>
static __device__ __forceinline__ void
row_to_table(const GpuAggGroupByArgs &a, uint64_t row, uint32_t flags, uint64_t hash,
			 uint32_t *added)
{
	char	   *entry = row_entry<KEY>(a, row, flags, hash, added);

	if (entry == NULL)
	{
		a.pending[atomicAdd(&a.head->npending, 1ull)] = row;
		*(volatile uint32_t *) &a.head->stop = 1;
		return;
	}
	row_enter(a, row, flags, 0, entry);
}

/* Sums and extremes of all lanes, for all lanes */
static __device__ __forceinline__ uint32_t
all_lanes_add(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(ALL_LANES, v);
#else
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
		v += __shfl_xor_sync(ALL_LANES, v, lanes);
	return v;
#endif
}

static __device__ __forceinline__ uint32_t
all_lanes_or(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_or_sync(ALL_LANES, v);
#else
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
		v |= __shfl_xor_sync(ALL_LANES, v, lanes);
	return v;
#endif
}

static __device__ __forceinline__ int32_t
all_lanes_min(int32_t v)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_min_sync(ALL_LANES, v);
#else
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
		v = min(v, __shfl_xor_sync(ALL_LANES, v, lanes));
	return v;
#endif
}

/* Groups that a warp added to the table */
static __device__ __forceinline__ void
count_added(const GpuAggGroupByArgs &a, uint32_t added)
{
	added = all_lanes_add(added);
	if (added > 0 && threadIdx.x % WARP_LANES == 0)
		atomicAdd(&a.table.head->count, (unsigned long long) added);
}

/*
 * The next number of a queue that ends before `end`, or `end`.  A number that is not taken is
 * given back: the queue goes on there in the next slice.  Once it has come to the end it does
 * not fall below that, for each gives back no more than its own.
 */
static __device__ __forceinline__ unsigned long long
draw_before(unsigned long long *queue, unsigned long long end)
{
	const unsigned long long drawn = atomicAdd(queue, 1ull);

	if (drawn < end)
		return drawn;
	atomicAdd(queue, ~0ull);
	return end;
}

/*
 * The next tile of a warp, of those before `end`: its number, or UINT64_MAX: none, or no room
 * in the table or the list.
 */
static __device__ __forceinline__ uint64_t
next_tile(const GpuAggGroupByArgs &a, unsigned long long *counter, uint64_t end)
{
	unsigned long long tile = UINT64_MAX;

	if (threadIdx.x % WARP_LANES == 0)
	{
		if (*(volatile unsigned long long *) &a.table.head->count >= a.table.limit)
			*(volatile uint32_t *) &a.head->stop = 1;
		if (*(volatile uint32_t *) &a.head->stop == 0)
			tile = draw_before(counter, end);
		if (tile == end)
			tile = UINT64_MAX;
	}
	return __shfl_sync(ALL_LANES, tile, 0);
}

#endif							/* GPUAGG_CUDA_GROUPBY_ROWS_CUH */
