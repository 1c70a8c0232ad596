/*
 * host_load.c
 *		Rows of stripes, into vectors (host_load.h).
 *
 * Where all positions of a block hold rows, as they do but for deleted rows and the ends of
 * stripes, values are copied, widened or unpacked in loops that the compiler makes SIMD code of;
 * else the lanes of valid positions are listed, and gathered.
 */
#include "host/bits.h"
#include "host/host_dictionary.h"
#include "host/host_load.h"
#include "host/host_pack.h"
#include "host/sample_lines.h"

/* Of a block with so many rows a packed column is unpacked whole. */
#define UNPACK_ROWS (GPUAGG_VECTOR_ROWS / 4)

/* Positions of a block that are wanted: all of the first n, or those listed */
typedef struct BlockLanes
{
	uint32_t	first;			/* the block's first position */
	uint32_t	n;
	bool		dense;
	uint16_t	lanes[GPUAGG_VECTOR_ROWS];	/* unless dense */
} BlockLanes;

/* The first of the listed ranges that ends behind a position */
static uint32_t
first_range(const GpuAggResident *resident, uint32_t position)
{
	uint32_t	low = 0;
	uint32_t	high = resident->nwithout;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		const GpuAggPositions *range = &resident->without[middle];

		if (range->first + range->count <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Clears bits [first, end) of a block. */
static void
words_clear(uint64_t *words, uint32_t first, uint32_t end)
{
	while (first < end)
	{
		uint32_t	shift = first % GPUAGG_BITS;
		uint32_t	some = end - first < GPUAGG_BITS - shift ? end - first : GPUAGG_BITS - shift;

		words[first / GPUAGG_BITS] &= ~(gpuagg_low_bits(some) << shift);
		first += some;
	}
}

/* The first page that ends behind a position */
static uint32_t
first_page(const GpuAggResident *resident, uint32_t position)
{
	uint32_t	low = 0;
	uint32_t	high = resident->pages->n;

	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;
		const GpuAggStripePage *page = &resident->pages->pages[middle];

		if (page->first + page->count <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Bits of a block's positions whose lines are not in the sample are cleared. */
static void
sample_words(const GpuAggResident *resident, uint32_t first, uint64_t *words)
{
	const uint32_t end = first + GPUAGG_VECTOR_ROWS;
	uint64_t	chosen[GPUAGG_BLOCK_WORDS] = {0};

	for (uint32_t i = first_page(resident, first);
		 i < resident->pages->n && resident->pages->pages[i].first < end; i++)
	{
		const GpuAggStripePage *page = &resident->pages->pages[i];
		const uint32_t from = page->first > first ? page->first : first;
		const uint32_t to = page->first + page->count < end ? page->first + page->count : end;

		gpuagg_choose_kept(resident->sample, page->block, from - page->first, to - from, chosen,
						   from - first);
	}
	for (uint32_t w = 0; w < GPUAGG_BLOCK_WORDS; w++)
		words[w] &= chosen[w];
}

/* Bits of the positions of a block that are wanted; returns their number. */
static uint32_t
block_words(const GpuAggResident *resident, uint32_t first, uint64_t *words)
{
	uint32_t	n = 0;

	for (uint32_t w = 0; w < GPUAGG_BLOCK_WORDS; w++)
		words[w] = atomic_load_explicit(&resident->stripe->valid[first / GPUAGG_BITS + w],
										memory_order_relaxed);
	for (uint32_t i = first_range(resident, first); i < resident->nwithout &&
		 resident->without[i].first < first + GPUAGG_VECTOR_ROWS; i++)
	{
		const GpuAggPositions *range = &resident->without[i];
		uint32_t	from = range->first > first ? range->first - first : 0;
		uint32_t	end = range->first + range->count - first;

		words_clear(words, from, end < GPUAGG_VECTOR_ROWS ? end : GPUAGG_VECTOR_ROWS);
	}
	if (resident->sample != NULL)
		sample_words(resident, first, words);
	for (uint32_t w = 0; w < GPUAGG_BLOCK_WORDS; w++)
		n += (uint32_t) __builtin_popcountll(words[w]);
	return n;
}

static void
block_lanes(const GpuAggResident *resident, uint32_t first, BlockLanes *block)
{
	uint64_t	words[GPUAGG_BLOCK_WORDS];
	uint32_t	n = 0;

	block->first = first;
	block->n = block_words(resident, first, words);
	block->dense = true;
	for (uint32_t w = 0; w < GPUAGG_BLOCK_WORDS; w++)
		block->dense &= words[w] == gpuagg_low_bits(block->n < w * GPUAGG_BITS ? 0 :
											 block->n - w * GPUAGG_BITS);
	if (block->dense)
		return;
	for (uint32_t w = 0; w < GPUAGG_BLOCK_WORDS; w++)
		for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
			block->lanes[n++] = (uint16_t) (w * GPUAGG_BITS +
											(uint32_t) __builtin_ctzll(bits));
}

static void
load_nulls(const GpuAggStripeColumn *column, const BlockLanes *block, GpuAggVector *v)
{
	uint64_t	words[GPUAGG_BLOCK_WORDS];
	uint64_t	any = 0;

	v->clean = true;
	if (!atomic_load_explicit(&column->has_nulls, memory_order_relaxed))
		return;
	for (uint32_t w = 0; w < GPUAGG_BLOCK_WORDS; w++)
	{
		words[w] = atomic_load_explicit(&column->nulls[block->first / GPUAGG_BITS + w],
										memory_order_relaxed);
		any |= words[w];
	}
	if (any == 0)
		return;
	v->clean = false;
	for (uint32_t k = 0; k < block->n; k++)
	{
		uint32_t	lane = block->dense ? k : block->lanes[k];

		v->st[k] = words[lane / GPUAGG_BITS] >> lane % GPUAGG_BITS & 1 ?
			GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	}
}

/* Values of some lanes of a packed column */
static void
load_packed(const GpuAggStripeColumn *column, const BlockLanes *block, int64_t *to)
{
	int64_t		all[GPUAGG_VECTOR_ROWS];

	if (block->dense)
		gpuagg_column_unpack(column, block->first, block->n, to);
	else if (block->n >= UNPACK_ROWS)
	{
		gpuagg_column_unpack(column, block->first, GPUAGG_VECTOR_ROWS, all);
		for (uint32_t k = 0; k < block->n; k++)
			to[k] = all[block->lanes[k]];
	}
	else
		for (uint32_t k = 0; k < block->n; k++)
			to[k] = gpuagg_column_value(column, block->first + block->lanes[k]);
}

static void
load_plain(const GpuAggStripeColumn *column, const BlockLanes *block, int64_t *to)
{
	const int32_t *narrow = (const int32_t *) column->values + block->first;
	const int64_t *wide = (const int64_t *) column->values + block->first;
	const uint32_t n = block->n;

	if (column->width == 8 && block->dense)
		memcpy(to, wide, n * sizeof(*wide));
	else if (column->width == 8)
		for (uint32_t k = 0; k < n; k++)
			to[k] = wide[block->lanes[k]];
	else if (block->dense)
		for (uint32_t k = 0; k < n; k++)
			to[k] = narrow[k];
	else
		for (uint32_t k = 0; k < n; k++)
			to[k] = narrow[block->lanes[k]];
}

static void
load_numbers(const GpuAggStripeColumn *column, const BlockLanes *block, int64_t *to)
{
	if (gpuagg_column_is_packed(column))
		load_packed(column, block, to);
	else
		load_plain(column, block, to);
}

/* Codes become what they stand for. */
static void
load_strings(const GpuAggStripeColumn *column, const BlockLanes *block, GpuAggVector *v)
{
	int64_t		codes[GPUAGG_VECTOR_ROWS];

	load_numbers(column, block, codes);
	for (uint32_t k = 0; k < block->n; k++)
		v->v.b[k] = gpuagg_dictionary_string(column->dictionary, (int32_t) codes[k]);
}

uint32_t
gpuagg_stripe_next(const GpuAggResident *resident, uint32_t position)
{
	const uint32_t i = first_range(resident, position);

	if (i < resident->nwithout && resident->without[i].first <= position)
		position = resident->without[i].first + resident->without[i].count;
	return position / GPUAGG_VECTOR_ROWS * GPUAGG_VECTOR_ROWS;
}

uint32_t
gpuagg_stripe_load(const GpuAggResident *resident, GpuAggVectors *vectors, uint32_t first)
{
	const GpuAggProgram *p = vectors->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	BlockLanes	block;

	block_lanes(resident, first, &block);
	for (uint32_t i = 0; block.n > 0 && i < p->nattrs; i++)
	{
		const GpuAggStripeColumn *column;
		GpuAggVector *v;

		if (attrs[i].reg == GPUAGG_NO_REG)
			continue;
		column = gpuagg_stripe_column(resident->stripe, i);
		v = &vectors->reg[attrs[i].reg];
		load_nulls(column, &block, v);
		if (classes[attrs[i].reg] == GPUAGG_CLASS_BYTES)
			load_strings(column, &block, v);
		else
			load_numbers(column, &block, v->v.i);
	}
	return block.n;
}

/* ---------- draws ---------- */

static void
gather_nulls(const GpuAggStripeColumn *column, const uint32_t *positions, uint32_t n,
			 GpuAggVector *v)
{
	v->clean = !atomic_load_explicit(&column->has_nulls, memory_order_relaxed);
	if (v->clean)
		return;
	for (uint32_t k = 0; k < n; k++)
		v->st[k] = atomic_load_explicit(&column->nulls[positions[k] / GPUAGG_BITS],
										memory_order_relaxed) >>
			positions[k] % GPUAGG_BITS & 1 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
}

static void
gather_values(const GpuAggStripeColumn *column, const uint32_t *positions, uint32_t n,
			  uint32_t cls, GpuAggVector *v)
{
	if (cls == GPUAGG_CLASS_BYTES)
		for (uint32_t k = 0; k < n; k++)
			v->v.b[k] = gpuagg_dictionary_string(
				column->dictionary, (int32_t) gpuagg_column_value(column, positions[k]));
	else
		for (uint32_t k = 0; k < n; k++)
			v->v.i[k] = gpuagg_column_value(column, positions[k]);
}

void
gpuagg_stripe_gather(const GpuAggStripe *stripe, const uint32_t *positions, uint32_t n,
				   GpuAggVectors *vectors)
{
	const GpuAggProgram *p = vectors->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		const GpuAggStripeColumn *column;
		GpuAggVector *v;

		if (attrs[i].reg == GPUAGG_NO_REG)
			continue;
		column = gpuagg_stripe_column(stripe, i);
		v = &vectors->reg[attrs[i].reg];
		gather_nulls(column, positions, n, v);
		gather_values(column, positions, n, classes[attrs[i].reg], v);
	}
}
