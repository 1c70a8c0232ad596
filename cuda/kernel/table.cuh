/*
 * table.cuh
 *		The group table of a task in device memory: finding and adding groups
 *		while thousands of threads do the same.
 *
 * Strings.  Long ones are copied to the table's arena, a region that is only
 * ever added to; entries point there.  MIN and MAX of strings change under
 * the entry's lock; the arena's space of a replaced string is used again if
 * the next one fits.
 */
#ifndef GPUAGG_CUDA_KERNEL_TABLE_CUH
#define GPUAGG_CUDA_KERNEL_TABLE_CUH

#include "cuda/kernel/atomics.h"
#include "cuda/kernel/kernels.h"
#include "cuda/kernel/table_probe.cuh"
#include "device/ops/eval.h"
#include "device/ops/group.h"

/* ---------- the arena ---------- */

/* Room of a string of that length: lengths that grow find room to grow. */
static __device__ __forceinline__ uint64_t
arena_room(uint64_t len)
{
	return len <= 32 ? 32 : (uint64_t) 1 << (64 - __clzll((long long) (len - 1)));
}

/* A copy of the string in the arena, or NULL. */
static __device__ const char *
arena_copy(const GpuAggTableRef *t, GpuAggBytes b)
{
	unsigned long long room = arena_room(b.len);
	unsigned long long at;
	char	   *to;

	/* a full arena is not counted further: the count would overflow */
	if (*(volatile unsigned long long *) &t->head->arena_used + room > t->arena_bytes ||
		(at = atomicAdd(&t->head->arena_used, room)) + room > t->arena_bytes)
	{
		atomicMax(&t->head->arena_need, room);
		return NULL;
	}
	to = t->arena + at;
	for (uint64_t i = 0; i < b.len; i++)
		to[i] = b.data[i];
	return to;
}

/* ---------- keys of a row in registers ---------- */

struct RowKeys
{
	const GpuAggCudaPrepared *prepared;
	const GpuAggProgram *program;
	const GpuAggTableRef *table;
	const GpuAggValue *reg;
	const uint8_t *st;

	__device__ uint32_t
	nulls() const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);
		uint32_t	mask = 0;

		for (uint32_t i = 0; i < program->nkeys; i++)
			if (st[keys[i].reg] & GPUAGG_ST_NULL)
				mask |= 1u << i;
		return mask;
	}

	__device__ uint64_t
	hash() const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);
		const uint64_t seed = program->hash_seed;
		uint64_t	h = seed;

		for (uint32_t i = 0; i < program->nkeys; i++)
		{
			const GpuAggValue *v = &reg[keys[i].reg];
			uint64_t	word;

			if (st[keys[i].reg] & GPUAGG_ST_NULL)
				word = GPUAGG_HASH_NULL;
			else if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES)
				word = gpuagg_key_word_bytes(keys[i].type, v->b, seed);
			else if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64)
				word = gpuagg_key_word_f64(v->f);
			else
				word = (uint64_t) v->i;
			h = gpuagg_hash_word(h, word, seed);
		}
		return gpuagg_hash_finish(h);
	}

	__device__ bool
	equal(const char *entry) const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);

		for (uint32_t i = 0; i < program->nkeys; i++)
		{
			const GpuAggValue *v = &reg[keys[i].reg];
			const char *slot = entry + prepared->layout.key_off[i];

			if (st[keys[i].reg] & GPUAGG_ST_NULL)
				continue;
			if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_I64)
			{
				if (gpuagg_type_slot_bytes(keys[i].type) == 4 ?
					*(const int32_t *) slot != (int32_t) v->i :
					*(const int64_t *) slot != v->i)
					return false;
			}
			else if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64)
			{
				if (gpuagg_key_word_f64(*(const double *) slot) != gpuagg_key_word_f64(v->f))
					return false;
			}
			else
			{
				GpuAggBytes a = v->b;
				GpuAggBytes b = {slot, 16};

				if (keys[i].type != GPUAGG_T_UUID)
					b = gpuagg_string_slot_bytes(slot);
				if (keys[i].type == GPUAGG_T_BPCHAR)
				{
					a = gpuagg_bpchar_trim(a);
					b = gpuagg_bpchar_trim(b);
				}
				if (a.len != b.len || gpuagg_memcmp(a.data, b.data, a.len) != 0)
					return false;
			}
		}
		return true;
	}

	/* Keys into an entry; long strings as they are, where they are */
	__device__ void
	put(char *entry) const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);

		for (uint32_t i = 0; i < program->nkeys; i++)
		{
			const GpuAggValue *v = &reg[keys[i].reg];
			char	   *slot = entry + prepared->layout.key_off[i];

			if (st[keys[i].reg] & GPUAGG_ST_NULL)
				memset(slot, 0, gpuagg_type_slot_bytes(keys[i].type));
			else if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_I64)
				gpuagg_key_store_i64(keys[i].type, slot, v->i);
			else if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64)
				memcpy(slot, &v->f, sizeof(v->f));
			else
				gpuagg_key_store_bytes(keys[i].type, slot, v->b);
		}
	}

	__device__ bool
	store(char *entry) const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);

		put(entry);
		for (uint32_t i = 0; prepared->has_strings && i < program->nkeys; i++)
		{
			GpuAggBytes b = reg[keys[i].reg].b;

			if (!gpuagg_key_is_string(keys[i].type) ||
				(st[keys[i].reg] & GPUAGG_ST_NULL) ||
				b.len <= GPUAGG_STRING_INLINE)
				continue;
			b.data = arena_copy(table, b);
			if (b.data == NULL)
				return false;
			gpuagg_string_slot_store(entry + prepared->layout.key_off[i], b);
		}
		return true;
	}
};

/* ---------- keys of an entry ---------- */

struct EntryKeys
{
	const GpuAggCudaPrepared *prepared;
	const GpuAggProgram *program;
	const char *entry;

	__device__ uint32_t
	nulls() const
	{
		return *(const uint32_t *) entry & ~GPUAGG_HEAD_READY;
	}

	__device__ uint64_t
	hash() const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);
		const uint64_t seed = program->hash_seed;
		const uint32_t null = nulls();
		uint64_t	h = seed;

		for (uint32_t i = 0; i < program->nkeys; i++)
		{
			const char *slot = entry + prepared->layout.key_off[i];
			const GpuAggBytes uuid = {slot, 16};
			uint64_t	word;

			if (null >> i & 1)
				word = GPUAGG_HASH_NULL;
			else if (keys[i].type == GPUAGG_T_UUID)
				word = gpuagg_key_word_bytes(keys[i].type, uuid, seed);
			else if (gpuagg_key_is_string(keys[i].type))
				word = gpuagg_key_word_bytes(keys[i].type, gpuagg_string_slot_bytes(slot), seed);
			else if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64)
				word = gpuagg_key_word_f64(*(const double *) slot);
			else if (gpuagg_type_slot_bytes(keys[i].type) == 4)
				word = (uint64_t) (int64_t) *(const int32_t *) slot;
			else
				word = *(const uint64_t *) slot;
			h = gpuagg_hash_word(h, word, seed);
		}
		return gpuagg_hash_finish(h);
	}

	__device__ bool
	equal(const char *other) const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);
		const uint32_t null = nulls();

		for (uint32_t i = 0; i < program->nkeys; i++)
			if (!(null >> i & 1) &&
				!gpuagg_key_slots_equal(keys[i].type,
										entry + prepared->layout.key_off[i],
										other + prepared->layout.key_off[i]))
				return false;
		return true;
	}

	/* Strings are inline, or in an arena already. */
	__device__ bool
	store(char *to) const
	{
		for (uint32_t at = 4; at < prepared->states_off; at += 4)
			*(uint32_t *) (to + at) = *(const uint32_t *) (entry + at);
		return true;
	}
};

/* ---------- finding ---------- */

/* table_probe() for those who have nothing to add up: groups are counted here. */
template <typename Keys>
static __device__ char *
table_find(const GpuAggCudaPrepared *prepared, const GpuAggTableRef *t, const Keys &keys,
		   uint64_t hash, uint64_t limit, uint32_t max_probes)
{
	uint32_t	added = 0;
	char	   *entry = table_probe(prepared->stride, t, keys, hash, limit, max_probes, &added);

	if (added > 0)
		atomicAdd(&t->head->count, 1ull);
	return entry;
}

/* Adds an entry's states to its group's.  False: the table is full. */
static __device__ __forceinline__ bool
merge_entry(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			const GpuAggTableRef *table, const char *from)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	const EntryKeys keys = {prepared, p, from};
	char	   *entry = table_find(prepared, table, keys, keys.hash(), table->limit,
								   GPUAGG_MAX_PROBES);

	if (entry == NULL)
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		gpuagg_state_merge_shared(trans[i].op, entry + prepared->layout.state_off[i],
						   from + prepared->layout.state_off[i]);
	return true;
}

/* ---------- strings as states ---------- */

/*
 * Can the value be told from the state's first bytes to lose?  A state only
 * ever moves one way, so a stale look at it errs towards asking.
 */
static __device__ bool
surely_loses(uint32_t op, const char *state, GpuAggBytes v)
{
	uint64_t	word = *(const volatile uint64_t *) state;
	uint32_t	len = (uint32_t) word;
	uint32_t	old = __byte_perm((uint32_t) (word >> 32), 0, 0x0123);
	uint32_t	mine = 0;

	/* in no other order do prefixes tell: blanks at the end may count for nothing */
	if (len == GPUAGG_STRING_NONE || (op != GPUAGG_TRANS_MIN_BYTES && op != GPUAGG_TRANS_MAX_BYTES))
		return false;
	for (uint32_t i = 0; i < 4; i++)
		mine = mine << 8 | (i < v.len ? (uint8_t) v.data[i] : 0);
	return op == GPUAGG_TRANS_MIN_BYTES ? mine > old : mine < old;
}

/*
 * Writes a slot in two whole words, because surely_loses() looks at the first
 * one without the lock.
 */
static __device__ void
string_slot_publish(char *state, GpuAggBytes v)
{
	union
	{
		char		bytes[sizeof(GpuAggStringSlot)];
		uint64_t	words[2];
	}			slot;

	gpuagg_string_slot_store(slot.bytes, v);
	((volatile uint64_t *) state)[1] = slot.words[1];
	((volatile uint64_t *) state)[0] = slot.words[0];
}

/* Locked.  False: no room. */
static __device__ bool
string_replace(const GpuAggTableRef *t, char *state, GpuAggBytes v)
{
	const GpuAggBytes old = gpuagg_string_slot_bytes(state);

	if (v.len > GPUAGG_STRING_INLINE)
	{
		if (gpuagg_string_slot_is_long(state) && v.len <= arena_room(old.len))
		{
			for (uint64_t i = 0; i < v.len; i++)
				((char *) old.data)[i] = v.data[i];
			v.data = old.data;
		}
		else
			v.data = arena_copy(t, v);
		if (v.data == NULL)
			return false;
	}
	string_slot_publish(state, v);
	return true;
}

/* A string enters a MIN or MAX state of an entry.  False: no room. */
static __device__ bool
string_step(const GpuAggCudaPrepared *prepared, const GpuAggTableRef *t, char *entry,
			uint32_t off, uint32_t op, GpuAggBytes v)
{
	uint32_t   *lock = (uint32_t *) (entry + prepared->lock_off);
	bool		room = true;
	bool		done = surely_loses(op, entry + off, v);

	while (!done)
	{
		if (atomicCAS(lock, 0u, 1u) != 0)
			continue;
		__threadfence();
		if (gpuagg_state_prefers(op, entry + off, v))
			room = string_replace(t, entry + off, v);
		store_release(lock, 0);
		done = true;
	}
	return room;
}

/* ---------- finished tables ---------- */

/* Entry n of a run, or NULL: empty or beyond the table */
static __device__ const char *
run_entry(const GpuAggCudaPrepared *prepared, const GpuAggTableRef *t, uint64_t run, uint32_t n)
{
	const uint64_t at = run * GPUAGG_RETURN_SLOTS + n;
	const char *entry = t->slots + at * prepared->stride;

	return at < t->capacity && (t->dense || *(const uint32_t *) entry != 0) ? entry : NULL;
}

#endif							/* GPUAGG_CUDA_KERNEL_TABLE_CUH */
