/*
 * lookup_fetch.c
 *		Fetches what look-ups of a block of rows will touch (lookup_fetch.h).
 *
 * One after the other, each look-up in a table beyond the caches waits for memory.  So
 * all of a block's are fetched first: bits; a filter, slots of the keys that it has, and the
 * keys that these lead to; columns of the rows that were found.  A block's lines stay in the
 * core's L2 cache until they are read.  Tables that lie in that cache gain nothing.
 */
#include "lookup_fetch.h"

#include "device/ops/instr.h"
#include "device/ops/ops_lookup.h"

/* Bytes from which on a table, or a column, is fetched: what lies in a core's part of L3 is not */
#define FAR_BYTES (8 << 20)

/* The keys of a block, and which there are */
typedef struct Keys
{
	const GpuAggVector *a;
	const GpuAggVector *b;		/* of pairs; NULL: of one */
	bool		strings;
} Keys;

/*
 * GCC takes a function that does nothing but fetch for one without effects, and drops
 * calls of it.
 */
static inline void
fetch_line(const void *line)
{
	__builtin_prefetch(line);
	__asm__ volatile ("");
}

static bool
is_value(const GpuAggVector *v, uint32_t i)
{
	return v->clean || v->st[i] == GPUAGG_ST_VALUE;
}

static void
fetch_bits(const GpuAggLookup *t, const int64_t *keys, uint32_t n)
{
	const GpuAggLookupBits *words = (const GpuAggLookupBits *) ((const char *) t + t->finder);

	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t at = (uint64_t) keys[i] - (uint64_t) t->first;

		if (at < t->span)
			fetch_line(&words[at / 64]);
	}
}

/* The hash of row i's key; of what is no value, any */
static uint64_t
hash_of(const GpuAggLookup *t, const Keys *keys, uint32_t i)
{
	if (!keys->strings)
		return gpuagg_lookup_hash_integers(t, keys->a->v.i[i],
										   keys->b != NULL ? keys->b->v.i[i] : 0);
	return is_value(keys->a, i) ? gpuagg_lookup_hash_string(t, keys->a->v.b[i]) : 0;
}

/* What a hash leads to first: the filter's word, or where there is none, the slot */
static const void *
first_line(const GpuAggLookup *t, uint64_t hash)
{
	uint32_t	tag;

	if (t->filter != 0)
		return (const uint64_t *) ((const char *) t + t->filter) +
			gpuagg_filter_word(gpuagg_filter_words(t->span), hash);
	return (const GpuAggLookupSlot *) ((const char *) t + t->finder) +
		gpuagg_lookup_slot(t, hash, &tag);
}

/* Slots of the hashes that the filter has, which are kept; returns how many. */
static uint32_t
fetch_passed(const GpuAggLookup *t, uint64_t *hashes, uint32_t n)
{
	const GpuAggLookupSlot *slots = (const GpuAggLookupSlot *) ((const char *) t + t->finder);
	uint32_t	kept = 0;
	uint32_t	tag;

	for (uint32_t i = 0; i < n; i++)
	{
		if (!gpuagg_lookup_may_have(t, hashes[i]))
			continue;
		fetch_line(&slots[gpuagg_lookup_slot(t, hashes[i], &tag)]);
		hashes[kept++] = hashes[i];
	}
	return kept;
}

static void
fetch_slots(const GpuAggLookup *t, const Keys *keys, uint32_t n)
{
	const GpuAggLookupSlot *slots = (const GpuAggLookupSlot *) ((const char *) t + t->finder);
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t + 1);
	const char *values = (const char *) t + column->values;
	uint64_t	hashes[GPUAGG_VECTOR_ROWS];

	for (uint32_t i = 0; i < n; i++)
	{
		hashes[i] = hash_of(t, keys, i);
		fetch_line(first_line(t, hashes[i]));
	}
	if (t->filter != 0)
		n = fetch_passed(t, hashes, n);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	tag;
		const GpuAggLookupSlot slot = slots[gpuagg_lookup_slot(t, hashes[i], &tag)];

		if (slot.tag == tag && slot.row != 0 && slot.row <= t->nrows)
			fetch_line(values + (uint64_t) (slot.row - 1) * column->width);
	}
}

static void
fetch_column(const GpuAggLookup *t, uint32_t number, const int64_t *rows, uint32_t n)
{
	const GpuAggLookupColumn *column = gpuagg_lookup_column(t, number);
	const char *values = (const char *) t + column->values;

	if ((uint64_t) t->nrows * column->width < FAR_BYTES)
		return;
	for (uint32_t i = 0; i < n; i++)
		if ((uint64_t) rows[i] < t->nrows)
			fetch_line(values + (uint64_t) rows[i] * column->width);
}

void
gpuagg_lookup_fetch(const GpuAggVectors *vs, const GpuAggInstr *ins, uint32_t n)
{
	const uint16_t constant = gpuagg_instr_table(ins);
	const GpuAggVector *table = &vs->reg[constant];
	const Keys	keys = {&vs->reg[ins->a], constant != ins->b ? &vs->reg[ins->b] : NULL,
	ins->op == GPUAGG_OP_LOOKUP_BYTES};
	const GpuAggLookup *t;

	if (!table->clean || n == 0)
		return;
	t = gpuagg_lookup_of(table->v.b[0]);
	if (t->bytes < FAR_BYTES)
		return;
	if (!gpuagg_looks_up(ins))
		fetch_column(t, (uint32_t) ins->imm, keys.a->v.i, n);
	else if (t->kind == GPUAGG_LOOKUP_DIRECT)
		fetch_bits(t, keys.a->v.i, n);
	else
		fetch_slots(t, &keys, n);
}
