/*
 * scoped_flush.cuh
 *		The groups of a block's table in shared memory, on their way out: into
 *		the task's table, beside those of other blocks, or written densely,
 *		where the block has seen all rows of its groups.
 */
#ifndef GPUAGG_CUDA_SCOPED_FLUSH_CUH
#define GPUAGG_CUDA_SCOPED_FLUSH_CUH

#include "cuda/scoped_local.cuh"

/* ---------- what came of it ---------- */

template <int KEY>
static __device__ __forceinline__ bool
local_used(const LocalView &t, uint32_t slot)
{
	if (KEY == GPUAGG_KEY_I32)
		return shared_load(t.keys + 4 * slot) != EMPTY_I32;
	return shared_load64(t.keys + 8 * slot) != (KEY == GPUAGG_KEY_I64 ? EMPTY_I64 : 0);
}

/* Keys of a used slot, for table.cuh and for entries that are written out */
template <int KEY>
struct SlotKeys
{
	const GpuAggScopedArgs &a;
	const LocalView &t;
	uint32_t	slot;
	uint64_t	base;

	__device__ uint64_t
	row() const
	{
		return base + (uint32_t) shared_load64(t.keys + 8 * slot) - 1;
	}

	__device__ uint64_t
	word() const
	{
		if (KEY == GPUAGG_KEY_I32)
			return slot == t.slots ? EMPTY_I32 : shared_load(t.keys + 4 * slot);
		return slot == t.slots ? EMPTY_I64 : shared_load64(t.keys + 8 * slot);
	}

	__device__ uint32_t
	nulls() const
	{
		return KEY == GPUAGG_KEY_ANY ? row_flags(a, row()) & ((1u << a.nkeys) - 1) : 0;
	}

	__device__ uint64_t
	hash() const
	{
		if (KEY == GPUAGG_KEY_I32)
			return hash_one((uint64_t) (int64_t) (int32_t) word(), a.seed);
		if (KEY == GPUAGG_KEY_I64)
			return hash_one(word(), a.seed);
		return row_hash<GPUAGG_KEY_ANY>(a, row(), row_flags(a, row()));
	}

	__device__ bool
	equal(const char *entry) const
	{
		if (KEY == GPUAGG_KEY_I32)
			return *(const uint32_t *) (entry + a.key_off[0]) == (uint32_t) word();
		if (KEY == GPUAGG_KEY_I64)
			return *(const uint64_t *) (entry + a.key_off[0]) == word();
		const FieldKeys keys = {a, row(), nulls()};

		return keys.equal(entry);
	}

	__device__ bool
	store(char *entry) const
	{
		if (KEY == GPUAGG_KEY_I32)
			*(uint32_t *) (entry + a.key_off[0]) = (uint32_t) word();
		else if (KEY == GPUAGG_KEY_I64)
			*(uint64_t *) (entry + a.key_off[0]) = word();
		else
		{
			const FieldKeys keys = {a, row(), nulls()};

			return keys.store(entry);
		}
		return true;
	}
};

/*
 * The state of a transition and group, as in a group's row.  Copies are
 * merged, some of them in place: once only.
 */
static __device__ void
local_state(const LocalView &t, const GpuAggStep *step, uint32_t slot, char *state)
{
	const uint32_t region = local_region(t, step);
	const uint32_t copies = 1u << t.copies_log2;
	char	   *first = shared_pointer(region + (step->bytes * slot << t.copies_log2));
	int64_t		v = step->kind == GPUAGG_LOCAL_MIN32 ? INT64_MAX :
		step->kind == GPUAGG_LOCAL_MAX32 ? INT64_MIN : 0;

	for (uint32_t c = 0; c < copies; c++)
	{
		const uint32_t group = (slot << t.copies_log2) + c;
		const int32_t word = step->kind != GPUAGG_LOCAL_STATE ?
			(int32_t) shared_load(region + 4 * group) : 0;

		switch (step->kind)
		{
			case GPUAGG_LOCAL_COUNT:
				v += (uint32_t) word;
				break;
			case GPUAGG_LOCAL_SUM:
				v = (int64_t) ((uint64_t) v + (uint32_t) word +
							   ((uint64_t) shared_load(region + 4 * (t.groups + group)) << 32));
				break;
			case GPUAGG_LOCAL_MIN32:
				/* a copy that no row entered says nothing */
				if (word < v)
					v = word;
				break;
			case GPUAGG_LOCAL_MAX32:
				if (word > v)
					v = word;
				break;
			default:
				if (c > 0)
					gpuagg_state_merge(step->op, first, shared_pointer(region + step->bytes * group));
				break;
		}
	}
	if (step->kind != GPUAGG_LOCAL_STATE)
		*(int64_t *) state = v;
	else
		for (uint32_t i = 0; i < step->bytes; i += 8)
			*(uint64_t *) (state + i) = *(uint64_t *) (first + i);
}


/* The same of a table with one copy: nothing to merge, nothing to loop over */
static __device__ __forceinline__ void
write_state(const LocalView &t, const GpuAggStep *step, uint32_t slot, char *state)
{
	const uint32_t region = local_region(t, step);
	int64_t		v;

	if (step->kind == GPUAGG_LOCAL_STATE)
	{
		for (uint32_t i = 0; i < step->bytes; i += 8)
			*(uint64_t *) (state + i) = shared_load64(region + step->bytes * slot + i);
		return;
	}
	v = step->kind == GPUAGG_LOCAL_COUNT ? shared_load(region + 4 * slot) :
		(int64_t) (int32_t) shared_load(region + 4 * slot);
	if (step->kind == GPUAGG_LOCAL_SUM)
		v = (int64_t) ((uint64_t) shared_load(region + 4 * (t.groups + slot)) << 32 | (uint32_t) v);
	*(int64_t *) state = v;
}

/* A finished row of layout.h */
template <int KEY>
static __device__ void
write_group(const GpuAggScopedArgs &a, const LocalView &t, uint32_t slot, uint64_t base,
			char *out)
{
	const SlotKeys<KEY> keys = {a, t, slot, base};
	__align__(16) char state[16];

	*(uint64_t *) out = 0;
	*(uint32_t *) out = keys.nulls();
	keys.store(out);
	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const GpuAggStep *step = &a.steps[s];
		const uint32_t bytes = step->kind == GPUAGG_LOCAL_STATE ? step->bytes : 8;

		if (t.copies_log2 == 0)
		{
			write_state(t, step, slot, out + step->off);
			continue;
		}
		local_state(t, step, slot, state);
		for (uint32_t i = 0; i < bytes; i += 8)
			*(uint64_t *) (out + step->off + i) = *(const uint64_t *) (state + i);
	}
}

/* The same of a table of 4-byte keys with one copy: head and key are a word. */
static __device__ __forceinline__ void
write_word_group(const GpuAggScopedArgs &a, const LocalView &t, uint32_t slot, uint32_t key,
				 char *out)
{
	*(uint64_t *) out = (uint64_t) key << 32;
	for (uint32_t s = 0; s < a.nsteps; s++)
		write_state(t, &a.steps[s], slot, out + a.steps[s].off);
}

/*
 * Into the task's table, where others add to the same groups.  A group that
 * finds no room is written to the spilled ones, which have room for every
 * slot of every block.
 */
template <int KEY>
static __device__ void
flush_to_table(const GpuAggScopedArgs &a, const LocalView &t, uint64_t base, uint32_t *added)
{
	for (uint32_t slot = threadIdx.x; slot <= t.slots; slot += blockDim.x)
	{
		const SlotKeys<KEY> keys = {a, t, slot, base};
		char	   *entry;

		if (!local_used<KEY>(t, slot))
			continue;
		if constexpr (KEY == GPUAGG_KEY_I32)
			entry = word_entry(a, (uint32_t) keys.word(), keys.hash(), added);
		else
			entry = table_probe(a.plan, &a.table, keys, keys.hash(), UINT64_MAX,
								GPUAGG_MAX_PROBES, added);
		if (entry == NULL)
		{
			*(volatile uint32_t *) &a.head->stop = 1;
			write_group<KEY>(a, t, slot, base,
							 a.spilled + atomicAdd(&a.head->nspilled, 1ull) * a.row_bytes);
			continue;
		}
		for (uint32_t s = 0; s < a.nsteps; s++)
		{
			const GpuAggStep *step = &a.steps[s];
			__align__(16) char state[16];

			local_state(t, step, slot, state);
			gpuagg_state_merge(step->op, entry + step->off, state);
		}
	}
}

/*
 * Side by side, where there is room: who draws a partition looks whether there
 * is enough for every slot of every block.  All threads of the block call it.
 */
template <int KEY>
static __device__ void
flush_dense(const GpuAggScopedArgs &a, const LocalView &t, uint64_t base, char *out)
{
	__shared__ uint32_t count;
	__shared__ unsigned long long first;
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	mine = 0;

	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	for (uint32_t slot = threadIdx.x; slot <= t.slots; slot += blockDim.x)
		mine += local_used<KEY>(t, slot);
	mine = all_lanes_add(mine);
	if (lane == 0)
		atomicAdd(&count, mine);
	__syncthreads();
	if (threadIdx.x == 0)
	{
		first = atomicAdd(&a.head->groups, (unsigned long long) count);
		count = 0;
	}
	__syncthreads();
	for (uint32_t chunk = threadIdx.x - lane; chunk <= t.slots; chunk += blockDim.x)
	{
		const bool	used = chunk + lane <= t.slots && local_used<KEY>(t, chunk + lane);
		const uint32_t all = __ballot_sync(ALL_LANES, used);
		uint32_t	at = 0;

		if (lane == 0)
			at = atomicAdd(&count, (uint32_t) __popc(all));
		at = __shfl_sync(ALL_LANES, at, 0) + __popc(all & ((1u << lane) - 1));
		if (used && KEY == GPUAGG_KEY_I32 && t.copies_log2 == 0)
			write_word_group(a, t, chunk + lane,
							 chunk + lane == t.slots ? EMPTY_I32 : shared_load(t.keys + 4 * (chunk + lane)),
							 out + (first + at) * a.row_bytes);
		else if (used)
			write_group<KEY>(a, t, chunk + lane, base, out + (first + at) * a.row_bytes);
	}
}

#endif							/* GPUAGG_CUDA_SCOPED_FLUSH_CUH */
