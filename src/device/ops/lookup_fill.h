/*
 * lookup_fill.h
 *		Filling a look-up table (ops_lookup.h) that has been laid out (lookup_make.h), by
 *		threads side by side: what one thread does for one row, one code or a word of codes.
 *
 * A table whose key is a string is made of codes of a dictionary (stripe.h).  Those that
 * rows have are bits, as the keys of a table of bits are, and number the rows: one of each
 * string, however many have it.  With each word of bits stands how many bytes the strings
 * of lesser codes' words take, so threads know where their strings go.
 */
#ifndef GPUAGG_DEVICE_OPS_LOOKUP_FILL_H
#define GPUAGG_DEVICE_OPS_LOOKUP_FILL_H

#include "decoding.h"
#include "ops_lookup.h"

typedef struct GpuAggLookupCodes
{
	GpuAggDictionaryText text;
	GpuAggLookupBits *bits;		/* of `span` codes from the first on */
	uint64_t   *strings;		/* of each word: bytes of its strings; summed up then, of
								 * those before it */
	int64_t		first;
	uint64_t	span;
} GpuAggLookupCodes;

/* ---------- strings by their codes ---------- */

GPUAGG_FN GpuAggBytes
gpuagg_lookup_code_string(const GpuAggLookupCodes *codes, uint64_t at)
{
	return gpuagg_decode_text_string(&codes->text, (uint32_t) (codes->first + (int64_t) at));
}

/* Bytes of the strings of those codes of a word */
GPUAGG_FN uint64_t
gpuagg_lookup_code_bytes(const GpuAggLookupCodes *codes, uint64_t word, uint64_t bits)
{
	uint64_t	bytes = 0;

	for (uint32_t i = 0; i < 64; i++)
		if (bits >> i & 1)
			bytes += gpuagg_lookup_code_string(codes, word * 64 + i).len;
	return bytes;
}

/* A code's string, if rows have it, into the table, whose strings begin there, as its row's key */
GPUAGG_FN void
gpuagg_lookup_fill_string(const GpuAggLookupCodes *codes, uint64_t at, GpuAggLookup *t,
						  uint64_t strings)
{
	const GpuAggLookupColumn *key = (const GpuAggLookupColumn *) (t + 1);
	const GpuAggLookupBits *word = &codes->bits[at / 64];
	const uint64_t lesser = word->bits & ((UINT64_C(1) << at % 64) - 1);
	GpuAggBytes b;
	uint64_t	row;
	uint64_t	to;

	if (!(word->bits >> at % 64 & 1))
		return;
	b = gpuagg_lookup_code_string(codes, at);
	row = word->before + gpuagg_lookup_popcount(lesser);
	to = strings + codes->strings[at / 64] + gpuagg_lookup_code_bytes(codes, at / 64, lesser);
	((uint64_t *) ((char *) t + key->values))[row] = to | b.len << 32;
	for (uint64_t i = 0; i < b.len; i++)
		((char *) t + to)[i] = b.data[i];
}

/* ---------- slots ---------- */

/* The value, row + 1 above its tag, goes where nothing is; returns what was there. */
GPUAGG_FN uint64_t
gpuagg_lookup_take_slot(GpuAggLookupSlot *slot, uint64_t value)
{
#ifdef __CUDA_ARCH__
	return atomicCAS((unsigned long long *) slot, 0ull, (unsigned long long) value);
#else
	uint64_t	old;

	memcpy(&old, slot, sizeof(old));
	if (old == 0)
		memcpy(slot, &value, sizeof(value));
	return old;
#endif
}

GPUAGG_FN uint64_t
gpuagg_lookup_hash_row(const GpuAggLookup *t, uint64_t row)
{
	const GpuAggLookupColumn *keys = (const GpuAggLookupColumn *) (t + 1);

	if (t->key_class == GPUAGG_CLASS_BYTES)
		return gpuagg_lookup_hash_string(t, gpuagg_lookup_string(t, keys, row));
	return gpuagg_lookup_hash_integers(t, gpuagg_lookup_integer(t, keys, row),
									   t->nkeys > 1 ? gpuagg_lookup_integer(t, keys + 1, row) : 0);
}

GPUAGG_FN bool
gpuagg_lookup_same_rows(const GpuAggLookup *t, uint64_t row, uint64_t other)
{
	const GpuAggLookupColumn *keys = (const GpuAggLookupColumn *) (t + 1);

	if (t->key_class == GPUAGG_CLASS_BYTES)
		return gpuagg_lookup_same_string(t, row, gpuagg_lookup_string(t, keys, other));
	return gpuagg_lookup_same_integers(t, row, gpuagg_lookup_integer(t, keys, other),
									   t->nkeys > 1 ? gpuagg_lookup_integer(t, keys + 1, other) :
													  0);
}

/*
 * A row whose keys are in the table gets a slot, unless another one with its keys has one: the row
 * that has it
 */
GPUAGG_FN uint64_t
gpuagg_lookup_fill_slot(GpuAggLookup *t, uint64_t row)
{
	GpuAggLookupSlot *slots = (GpuAggLookupSlot *) ((char *) t + t->finder);
	const uint64_t hash = gpuagg_lookup_hash_row(t, row);
	uint32_t	tag;
	uint64_t	at = gpuagg_lookup_slot(t, hash, &tag);

	for (;;)
	{
		const uint64_t old = gpuagg_lookup_take_slot(&slots[at], (row + 1) << 32 | tag);

		if (old == 0)
		{
			gpuagg_lookup_filter_add(t, hash);
			return row;
		}
		if ((uint32_t) old == tag && gpuagg_lookup_same_rows(t, (old >> 32) - 1, row))
			return (old >> 32) - 1;
		at = (at + 1) & (t->span - 1);
	}
}

#endif							/* GPUAGG_DEVICE_OPS_LOOKUP_FILL_H */
