/*
 * table.cuh
 *		The group table of a task in device memory: finding and adding groups
 *		while thousands of threads do the same.
 */
#ifndef GPUAGG_CUDA_KERNEL_TABLE_CUH
#define GPUAGG_CUDA_KERNEL_TABLE_CUH

#include "cuda/kernel/atomics.h"
#include "cuda/kernel/kernels.h"
#include "cuda/kernel/table_strings.cuh"
#include "device/ops/eval.h"

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
			if (gpuagg_key_is_string(keys[i].type) && !(st[keys[i].reg] & GPUAGG_ST_NULL) &&
				!string_slot_own(table, entry + prepared->layout.key_off[i], reg[keys[i].reg].b))
				return false;
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
	const GpuAggTableRef *table;	/* that they are stored in */

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

	/* Long strings of an entry lie where its input does. */
	__device__ bool
	store(char *to) const
	{
		const GpuAggKey *keys = gpuagg_program_keys(program);
		const uint32_t null = nulls();

		for (uint32_t at = 4; at < prepared->states_off; at += 4)
			*(uint32_t *) (to + at) = *(const uint32_t *) (entry + at);
		for (uint32_t i = 0; prepared->has_strings && i < program->nkeys; i++)
			if (gpuagg_key_is_string(keys[i].type) && !(null >> i & 1) &&
				!string_slot_own(table, to + prepared->layout.key_off[i],
								 gpuagg_string_slot_bytes(entry + prepared->layout.key_off[i])))
				return false;
		return true;
	}
};

/* ---------- merging ---------- */

/* An entry's strings become its group's where they are preferred.  False: no room. */
static __device__ bool
merge_strings(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			  const GpuAggTableRef *table, char *entry, const char *from)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		const uint32_t off = prepared->layout.state_off[i];
		const GpuAggBytes b = gpuagg_string_slot_bytes(from + off);

		if (gpuagg_transition_is_string(trans[i].op) && b.len != GPUAGG_STRING_NONE &&
			!string_step(table, entry, prepared->lock_off, off, trans[i].op, b))
			return false;
	}
	return true;
}

/*
 * Adds an entry's states to its group's.  False: the table is full.  Strings first:
 * they alone may find no room, and one that enters twice changes nothing.  Groups are
 * counted by the block (table_count.cuh).
 */
static __device__ __forceinline__ bool
merge_entry(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			const GpuAggTableRef *table, const char *from)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	const EntryKeys keys = {prepared, p, from, table};
	const TableRoom room = {*table};
	char	   *entry = table_probe(prepared->stride, table, keys, keys.hash(), room);

	if (entry == NULL ||
		(prepared->lock_off != 0 && !merge_strings(prepared, p, table, entry, from)))
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (!gpuagg_transition_is_string(trans[i].op))
			gpuagg_state_merge_shared(trans[i].op, entry + prepared->layout.state_off[i],
									  from + prepared->layout.state_off[i]);
	return true;
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
