/*
 * host_pack.c
 *		Columns of stripes, packed (host_pack.h).
 *
 * A column is looked through once, to know how its miniblocks are stored and whether that pays,
 * and once more to store them.  What lies at positions without a value, or that are not read any
 * more, is as the value before: who loads a NULL's code finds some string by it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/layout.h"
#include "device/ops/pack.h"
#include "host/bits.h"
#include "host/host_pack.h"
#include "host/unpack.h"

/* What unpacking 64 values may look at behind the last one's word */
#define WORDS_SPARE 1

/* A column's miniblocks, before there is room for them */
typedef struct Packing
{
	const GpuAggStripe *stripe;
	const GpuAggStripeColumn *column;
	uint64_t   *live;			/* a bit for each position */
	uint32_t	nblocks;
	uint64_t	nwords;
	GpuAggMiniblock *blocks;
	int64_t		values[GPUAGG_MINIBLOCK];
} Packing;

static void
live_set(Packing *p, const GpuAggPositions *live, uint32_t nlive)
{
	for (uint32_t r = 0; r < nlive; r++)
		for (uint32_t at = live[r].first, end = at + live[r].count; at < end;)
		{
			const uint32_t shift = at % GPUAGG_BITS;
			const uint32_t left = GPUAGG_BITS - shift;
			const uint32_t n = end - at < left ? end - at : left;

			p->live[at / GPUAGG_BITS] |= gpuagg_low_bits(n) << shift;
			at += n;
		}
}

/* Of 64 positions, those that have a value */
static uint64_t
values_there(const Packing *p, uint32_t first)
{
	uint64_t	nulls = 0;

	if (first >= p->stripe->positions)
		return 0;
	if (atomic_load_explicit(&p->column->has_nulls, memory_order_relaxed))
		nulls = atomic_load_explicit(&p->column->nulls[first / GPUAGG_BITS],
									 memory_order_relaxed);
	return p->live[first / GPUAGG_BITS] & ~nulls &
		atomic_load_explicit(&p->stripe->valid[first / GPUAGG_BITS], memory_order_relaxed);
}

/* A miniblock's values; positions without one have that of the one before, or behind. */
static void
values_read(Packing *p, uint32_t number)
{
	const uint32_t first = number * GPUAGG_MINIBLOCK;
	int64_t		last = 0;
	uint32_t	before = 0;		/* positions without any before them */
	bool		any = false;

	for (uint32_t w = 0; w < GPUAGG_MINIBLOCK; w += GPUAGG_BITS)
	{
		const uint64_t there = values_there(p, first + w);

		for (uint32_t i = 0; i < GPUAGG_BITS; i++)
		{
			if (there >> i & 1)
			{
				last = gpuagg_column_value(p->column, first + w + i);
				before = any ? before : w + i;
				any = true;
			}
			p->values[w + i] = last;
		}
	}
	for (uint32_t i = 0; any && i < before; i++)
		p->values[i] = p->values[before];
}

static bool
is_doubles(const GpuAggStripeColumn *column)
{
	return column->dictionary == NULL && gpuagg_key_class(column->type) == GPUAGG_CLASS_F64;
}

/* How all miniblocks are to be stored */
static void
choose(Packing *p)
{
	for (uint32_t b = 0; b < p->nblocks; b++)
	{
		values_read(p, b);
		gpuagg_pack_choose(p->values, is_doubles(p->column), &p->blocks[b]);
		p->blocks[b].word = p->nwords;
		p->nwords += gpuagg_miniblock_words(&p->blocks[b]);
	}
}

static void
store(Packing *p, uint64_t *words)
{
	for (uint32_t b = 0; b < p->nblocks; b++)
	{
		values_read(p, b);
		gpuagg_pack_words(p->values, &p->blocks[b], words + p->blocks[b].word);
	}
}

/* The packed column takes the place of the plain one in its stripe's list. */
static void
exchange(GpuAggStripe *stripe, GpuAggStripeColumn *old, GpuAggStripeColumn *column)
{
	GpuAggStripeColumn *before = gpuagg_stripe_first(stripe);

	column->next = old->next;
	if (before == old)
	{
		atomic_store_explicit(&stripe->columns, column, memory_order_release);
		return;
	}
	while (before->next != old)
		before = before->next;
	before->next = column;
}

/* In the place of the plain column; false: no memory */
static bool
put(GpuAggStripe *stripe, GpuAggStripeColumn *old, Packing *p)
{
	const bool	has_nulls = atomic_load_explicit(&old->has_nulls, memory_order_relaxed);
	const size_t head = (size_t) ((char *) old->nulls - (char *) old);
	const size_t nulls = has_nulls ? (size_t) ((char *) old->zones - (char *) old->nulls) : 0;
	const size_t zones = (size_t) (old->values - (char *) old->zones);
	const size_t blocks = gpuagg_align(p->nblocks * sizeof(GpuAggMiniblock), 64);
	const size_t before = head + nulls + zones;
	const size_t bytes = before + blocks + (p->nwords + WORDS_SPARE) * sizeof(uint64_t);
	GpuAggStripeColumn *column;
	uint64_t   *words;

	if (!gpuagg_pack_pays(bytes - before, old->bytes - (size_t) (old->values - (char *) old)))
	{
		atomic_store_explicit(&old->unpackable, true, memory_order_relaxed);
		return true;
	}
	column = gpuagg_memory_alloc_for(stripe->memory, bytes);
	if (column == NULL)
		return false;
	memcpy(column, old, head);
	column->nulls = has_nulls ? (_Atomic uint64_t *) ((char *) column + head) : NULL;
	if (has_nulls)
		memcpy((char *) column + head, (const char *) old + head, nulls);
	column->zones = (GpuAggZone *) ((char *) column + head + nulls);
	memcpy(column->zones, old->zones, zones);
	column->blocks = (const GpuAggMiniblock *) ((char *) column + before);
	memcpy((char *) column + before, p->blocks, p->nblocks * sizeof(GpuAggMiniblock));
	words = (uint64_t *) ((char *) column + before + blocks);
	store(p, words);
	words[p->nwords] = 0;
	column->words = words;
	column->values = NULL;
	column->bytes = bytes;
	exchange(stripe, old, column);
	gpuagg_memory_exchanged(stripe->memory, old, old->bytes, bytes);
	return true;
}

GpuAggStatus
gpuagg_host_pack(GpuAggStripe *stripe, uint32_t attr, const GpuAggPositions *live, uint32_t nlive,
				 GpuAggError *error)
{
	GpuAggStripeColumn *column = (GpuAggStripeColumn *) gpuagg_stripe_column(stripe, attr);
	Packing		p = {
		.stripe = stripe,
		.column = column,
		.nblocks = gpuagg_miniblocks(stripe->positions)
	};
	bool		done;

	memset(error, 0, sizeof(*error));
	if (column == NULL || gpuagg_column_is_packed(column) ||
		atomic_load_explicit(&column->unpackable, memory_order_relaxed))
		return GPUAGG_OK;
	p.blocks = malloc((p.nblocks + 1) * sizeof(*p.blocks));
	p.live = calloc(stripe->positions / GPUAGG_BITS + 1, sizeof(*p.live));
	done = p.blocks != NULL && p.live != NULL;
	if (done)
	{
		live_set(&p, live, nlive);
		choose(&p);
		done = put(stripe, column, &p);
	}
	free(p.blocks);
	free(p.live);
	return done ? GPUAGG_OK : gpuagg_memory_error(stripe->memory, error);
}

void
gpuagg_column_unpack(const GpuAggStripeColumn *column, uint32_t first, uint32_t n, int64_t *to)
{
	const GpuAggMiniblock *block = &column->blocks[first / GPUAGG_MINIBLOCK];

	gpuagg_unpack(block, column->words + block->word, first % GPUAGG_MINIBLOCK,
				  (n + GPUAGG_BITS - 1) / GPUAGG_BITS * GPUAGG_BITS, to);
}
