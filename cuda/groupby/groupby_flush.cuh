/*
 * groupby_flush.cuh
 *		The groups of a block's table in shared memory, on their way out: into
 *		the task's table, beside those of other blocks, or written densely,
 *		where the block has seen all rows of its groups.
 */
#ifndef GPUAGG_CUDA_GROUPBY_FLUSH_CUH
#define GPUAGG_CUDA_GROUPBY_FLUSH_CUH

#include "cuda/groupby/groupby_local.cuh"

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
	const GpuAggGroupByArgs &a;
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
					gpuagg_state_merge_shared(step->op, first,
											  shared_pointer(region + step->bytes * group));
				break;
		}
	}
	if (step->kind != GPUAGG_LOCAL_STATE)
		*(int64_t *) state = v;
	else
		for (uint32_t i = 0; i < step->bytes; i += 8)
			*(uint64_t *) (state + i) = *(uint64_t *) (first + i);
}


/* A state in 8 bytes, of a table with one copy: nothing to merge, nothing to loop over */
static __device__ __forceinline__ uint64_t
state_word(const LocalView &t, const GpuAggStep *step, uint32_t slot)
{
	const uint32_t region = local_region(t, step);
	const uint32_t low = shared_load(region + 4 * slot);

	if (step->kind == GPUAGG_LOCAL_COUNT)
		return low;
	if (step->kind == GPUAGG_LOCAL_SUM)
		return (uint64_t) shared_load(region + 4 * (t.groups + slot)) << 32 | low;
	return (uint64_t) (int64_t) (int32_t) low;
}

/* A finished row of layout.h */
template <int KEY>
static __device__ void
write_group(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t slot, uint64_t base,
			char *out)
{
	const SlotKeys<KEY> keys = {a, t, slot, base};
	__align__(16) char state[GPUAGG_MAX_STATE_BYTES];

	/* with what lies between keys: all of a row is copied, and looked at */
	*(uint64_t *) out = 0;
	for (uint32_t at = 8; KEY == GPUAGG_KEY_ANY && at < a.prepared->states_off; at += 8)
		*(uint64_t *) (out + at) = 0;
	*(uint32_t *) out = keys.nulls();
	keys.store(out);
	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const GpuAggStep *step = &a.steps[s];
		const uint32_t bytes = step->kind == GPUAGG_LOCAL_STATE ? step->bytes : 8;

		if (t.copies_log2 == 0 && step->kind != GPUAGG_LOCAL_STATE)
		{
			*(uint64_t *) (out + step->off) = state_word(t, step, slot);
			continue;
		}
		local_state(t, step, slot, state);
		for (uint32_t i = 0; i < bytes; i += 8)
			*(uint64_t *) (out + step->off + i) = *(const uint64_t *) (state + i);
	}
}

/* Head and key of a used slot, to shared memory; four bytes of both are a word. */
template <int KEY>
static __device__ __forceinline__ void
stage_key(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t slot, uint32_t row)
{
	const SlotKeys<KEY> keys = {a, t, slot, 0};

	if (KEY == GPUAGG_KEY_I32)
		shared_store64(row, keys.word() << 32);
	else
	{
		shared_store64(row, 0);
		shared_store64(row + a.key_off[0], keys.word());
	}
}

/* A used slot's group, to shared memory, of a table of integer keys with one copy of words */
template <int KEY>
static __device__ __forceinline__ void
stage_word_group(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t slot, uint32_t row)
{
	stage_key<KEY>(a, t, slot, row);
	for (uint32_t s = 0; s < a.nsteps; s++)
		shared_store64(row + a.steps[s].off, state_word(t, &a.steps[s], slot));
}

/*
 * Into the task's table, where others add to the same groups.  A group that
 * finds no room is written to the spilled ones, which have room for every
 * slot of every block.
 */
template <int KEY>
static __device__ void
flush_to_table(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t base, uint32_t *added)
{
	const TableAny any = {added};

	for (uint32_t slot = threadIdx.x; slot <= t.slots; slot += blockDim.x)
	{
		const SlotKeys<KEY> keys = {a, t, slot, base};
		char	   *entry;

		if (!local_used<KEY>(t, slot))
			continue;
		if constexpr (KEY == GPUAGG_KEY_I32)
			entry = word_entry(a, (uint32_t) keys.word(), keys.hash(), added);
		else
			entry = table_probe(a.prepared->stride, &a.table, keys, keys.hash(), any);
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
			__align__(16) char state[GPUAGG_MAX_STATE_BYTES];

			local_state(t, step, slot, state);
			gpuagg_state_merge_shared(step->op, entry + step->off, state);
		}
	}
}

/*
 * Groups of a warp's lanes that have one (`all`), side by side to `out`.  By way
 * of shared memory, if there is room: lanes that follow each other write words
 * that do, whole sectors of memory at once.
 */
template <int KEY>
static __device__ __forceinline__ void
write_slots(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t slot, uint32_t all,
			uint64_t base, char *out)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t before = __popc(all & ((1u << lane) - 1)) * a.row_bytes;
	const uint32_t words = __popc(all) * (a.row_bytes / 8);

	if (t.stage == 0)
	{
		if (all >> lane & 1)
			write_group<KEY>(a, t, slot, base, out + before);
		return;
	}
	if (all >> lane & 1)
	{
		if (KEY != GPUAGG_KEY_ANY && t.copies_log2 == 0 && t.words)
			stage_word_group<KEY>(a, t, slot, t.stage + before);
		else
			write_group<KEY>(a, t, slot, base, shared_pointer(t.stage + before));
	}
	__syncwarp();
	for (uint32_t i = lane; i < words; i += WARP_LANES)
		((uint64_t *) out)[i] = shared_load64(t.stage + 8 * i);
	__syncwarp();
}

/*
 * Side by side, where there is room: who draws partitions looks whether there
 * is enough for every slot of every block.  All threads of the block call it.
 */
template <int KEY>
static __device__ void
flush_dense(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t base, char *out)
{
	__shared__ uint32_t count;
	__shared__ unsigned long long first;
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t begin = threadIdx.x - lane;
	uint32_t	mine = 0;
	uint32_t	at = 0;

	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	for (uint32_t slot0 = begin; slot0 <= t.slots; slot0 += blockDim.x)
		mine += __popc(__ballot_sync(ALL_LANES, slot0 + lane <= t.slots &&
									 local_used<KEY>(t, slot0 + lane)));
	if (lane == 0)
		at = atomicAdd(&count, mine);
	__syncthreads();
	if (threadIdx.x == 0)
		first = atomicAdd(&a.head->groups, (unsigned long long) count);
	__syncthreads();
	out += (first + __shfl_sync(ALL_LANES, at, 0)) * a.row_bytes;
	for (uint32_t slot0 = begin; slot0 <= t.slots; slot0 += blockDim.x)
	{
		const uint32_t slot = slot0 + lane;
		const uint32_t all = __ballot_sync(ALL_LANES, slot <= t.slots && local_used<KEY>(t, slot));

		write_slots<KEY>(a, t, slot, all, base, out);
		out += __popc(all) * a.row_bytes;
	}
}

#endif							/* GPUAGG_CUDA_GROUPBY_FLUSH_CUH */
