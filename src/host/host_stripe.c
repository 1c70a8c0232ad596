/*
 * host_stripe.c
 *		Columns that stay in memory between tasks, on the host device: what is
 *		kept of decoded pages.
 *
 * A value lies in the width of a key slot, so that an int4 takes four bytes, until its
 * column is packed (host_pack.h).  A column without NULLs has an empty bitmap that nobody
 * looks at.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/layout.h"
#include "host/bits.h"
#include "host/host_codes.h"
#include "host/host_dictionary.h"
#include "host/host_pack.h"
#include "host/host_rearrange.h"
#include "host/host_stripe.h"
#include "host/host_task.h"

/* Words for the lines of a page, and one that bits_at() may look at */
#define PAGE_WORDS ((GPUAGG_MAX_LINES + GPUAGG_BITS - 1) / GPUAGG_BITS + 1)

/* Words of a bitmap for so many positions: whole blocks of vectors */
static size_t
bitmap_words(uint32_t positions)
{
	return ((size_t) positions + GPUAGG_VECTOR_ROWS - 1) / GPUAGG_VECTOR_ROWS * GPUAGG_BLOCK_WORDS;
}

static size_t
bitmap_bytes(uint32_t positions)
{
	return bitmap_words(positions) * sizeof(uint64_t);
}

static void
bits_set(uint64_t *bits, uint32_t i)
{
	bits[i / GPUAGG_BITS] |= UINT64_C(1) << i % GPUAGG_BITS;
}

/* 64 bits from bit i on; one word more than these is looked at. */
static uint64_t
bits_at(const uint64_t *bits, uint32_t i)
{
	const uint64_t *word = bits + i / GPUAGG_BITS;

	return i % GPUAGG_BITS == 0 ? *word :
		word[0] >> i % GPUAGG_BITS | word[1] << (GPUAGG_BITS - i % GPUAGG_BITS);
}

/*
 * Bits [at, at + n) of a bitmap, but for those that `mine` (NULL: all) has not, become those
 * of `from`.  Others in the same words may be changed by other threads meanwhile.  Returns
 * how many more are set than before.
 */
static uint64_t
bitmap_store(_Atomic uint64_t *to, uint32_t at, uint32_t n, const uint64_t *from,
			 const uint64_t *mine)
{
	uint64_t	more = 0;

	for (uint32_t done = 0; done < n;)
	{
		uint32_t	shift = (at + done) % GPUAGG_BITS;
		uint32_t	some = n - done < GPUAGG_BITS - shift ? n - done : GPUAGG_BITS - shift;
		uint64_t	lines = mine == NULL ? UINT64_MAX : bits_at(mine, done);
		uint64_t	mask = (lines & gpuagg_low_bits(some)) << shift;
		uint64_t	bits = bits_at(from, done) << shift & mask;
		_Atomic uint64_t *word = to + (at + done) / GPUAGG_BITS;
		uint64_t	old;

		if (mask == UINT64_MAX)
			old = atomic_exchange_explicit(word, bits, memory_order_relaxed);
		else
		{
			/* of each bit what it was when it was written: another may write the same one */
			old = atomic_fetch_and_explicit(word, ~(mask & ~bits), memory_order_relaxed) & ~bits;
			old |= atomic_fetch_or_explicit(word, bits, memory_order_relaxed) & bits;
		}
		more += (uint64_t) __builtin_popcountll(bits) - (uint64_t) __builtin_popcountll(old & mask);
		done += some;
	}
	return more;
}

/* Bits [first, n) of a page's, from 0 on */
static void
bits_behind(const uint64_t *from, uint32_t first, uint32_t n, uint64_t *rest)
{
	for (uint32_t i = first; i < n; i++)
		if (from[i / GPUAGG_BITS] >> i % GPUAGG_BITS & 1)
			bits_set(rest, i - first);
}

/* bitmap_store of a bitmap whose zones count its bits */
static void
bitmap_store_counted(_Atomic uint64_t *to, GpuAggZone *zones, uint32_t at, uint32_t n,
					 const uint64_t *from, const uint64_t *mine)
{
	uint32_t	first = GPUAGG_ZONE - at % GPUAGG_ZONE;
	uint64_t	rest[PAGE_WORDS] = {0};
	uint64_t	rest_mine[PAGE_WORDS] = {0};

	if (first >= n)
	{
		gpuagg_zone_count(&zones[at / GPUAGG_ZONE], bitmap_store(to, at, n, from, mine));
		return;
	}
	bits_behind(from, first, n, rest);
	if (mine != NULL)
		bits_behind(mine, first, n, rest_mine);
	gpuagg_zone_count(&zones[at / GPUAGG_ZONE], bitmap_store(to, at, first, from, mine));
	gpuagg_zone_count(
		&zones[at / GPUAGG_ZONE + 1],
		bitmap_store(to, at + first, n - first, rest, mine == NULL ? NULL : rest_mine));
}

/* ---------- stripes ---------- */

static GpuAggStatus
stripe_create(GpuAggDevice *device, uint32_t positions, GpuAggStripe **result,
			GpuAggError *error)
{
	size_t		head = gpuagg_align(sizeof(GpuAggStripe), 64);
	size_t		bytes = head + bitmap_bytes(positions) + gpuagg_zones_bytes(positions);
	GpuAggStripe *stripe = gpuagg_memory_alloc(&device->stripes, bytes);

	memset(error, 0, sizeof(*error));
	*result = stripe;
	if (stripe == NULL)
		return gpuagg_memory_error(&device->stripes, error);
	memset(stripe, 0, bytes);
	stripe->memory = &device->stripes;
	stripe->positions = positions;
	stripe->valid = (_Atomic uint64_t *) ((char *) stripe + head);
	stripe->zones = (GpuAggZone *) ((char *) stripe->valid + bitmap_bytes(positions));
	gpuagg_zones_init(stripe->zones, positions);
	stripe->bytes = bytes;
	return GPUAGG_OK;
}

static void
stripe_drop_column(GpuAggStripe *stripe, uint32_t attr)
{
	GpuAggStripeColumn *before = NULL;
	GpuAggStripeColumn *column = gpuagg_stripe_first(stripe);

	while (column != NULL && column->attr != attr)
	{
		before = column;
		column = column->next;
	}
	if (column == NULL)
		return;
	if (before != NULL)
		before->next = column->next;
	else
		atomic_store_explicit(&stripe->columns, column->next, memory_order_release);
	gpuagg_memory_free(stripe->memory, column, column->bytes);
}

void
gpuagg_stripe_pages_release(GpuAggStripePages *pages)
{
	if (pages != NULL && --pages->refs == 0)
		gpuagg_memory_free(pages->memory, pages, pages->bytes);
}

static void
stripe_free(GpuAggStripe *stripe)
{
	while (gpuagg_stripe_first(stripe) != NULL)
		stripe_drop_column(stripe, gpuagg_stripe_first(stripe)->attr);
	gpuagg_stripe_pages_release(stripe->pages);
	gpuagg_memory_free(stripe->memory, stripe, stripe->bytes);
}

static GpuAggStatus
stripe_add_column(GpuAggStripe *stripe, uint32_t attr, uint32_t type,
				GpuAggDictionary *dictionary, GpuAggError *error)
{
	size_t		head = gpuagg_align(sizeof(GpuAggStripeColumn), 64);
	uint32_t	width = dictionary != NULL ? 4 : gpuagg_type_slot_bytes(type);
	size_t		zones = gpuagg_zones_bytes(stripe->positions);
	size_t		bytes = head + bitmap_bytes(stripe->positions) + zones +
		(size_t) stripe->positions * width;
	GpuAggStripeColumn *column;

	memset(error, 0, sizeof(*error));
	if (dictionary == NULL && gpuagg_key_class(type) == GPUAGG_CLASS_BYTES)
	{
		error->status = GPUAGG_UNSUPPORTED;
		snprintf(error->message, sizeof(error->message),
				 "strings are kept as codes of a dictionary only");
		return error->status;
	}
	column = gpuagg_memory_alloc(stripe->memory, bytes);
	if (column == NULL)
		return gpuagg_memory_error(stripe->memory, error);
	memset(column, 0, head + bitmap_bytes(stripe->positions));
	column->attr = attr;
	column->type = type;
	column->width = width;
	column->dictionary = dictionary;
	column->nulls = (_Atomic uint64_t *) ((char *) column + head);
	column->zones = (GpuAggZone *) ((char *) column->nulls + bitmap_bytes(stripe->positions));
	gpuagg_zones_init(column->zones, stripe->positions);
	column->values = (char *) column->zones + zones;
	column->bytes = column->plain_bytes = bytes;
	column->next = gpuagg_stripe_first(stripe);
	atomic_store_explicit(&stripe->columns, column, memory_order_release);
	return GPUAGG_OK;
}

static GpuAggStatus
stripe_pages(GpuAggStripe *stripe, const GpuAggStripePage *pages, uint32_t npages,
			 GpuAggError *error)
{
	const size_t bytes = sizeof(GpuAggStripePages) + npages * sizeof(*pages);

	memset(error, 0, sizeof(*error));
	gpuagg_stripe_pages_release(stripe->pages);
	stripe->pages = gpuagg_memory_alloc(stripe->memory, bytes);
	if (stripe->pages == NULL)
		return gpuagg_memory_error(stripe->memory, error);
	*stripe->pages = (GpuAggStripePages) {1, npages, bytes, stripe->memory};
	memcpy(stripe->pages->pages, pages, npages * sizeof(*pages));
	return GPUAGG_OK;
}

static GpuAggStatus
stripe_zones(GpuAggStripe *stripe, uint32_t attr, bool counts, bool busy,
			 const GpuAggZone **zones, GpuAggError *error)
{
	const GpuAggStripeColumn *column = gpuagg_stripe_column(stripe, attr);

	/* they are read where they are written */
	(void) counts;
	(void) busy;
	memset(error, 0, sizeof(*error));
	*zones = attr == GPUAGG_ZONE_ROWS ? stripe->zones : column != NULL ? column->zones : NULL;
	if (*zones != NULL)
		return GPUAGG_OK;
	error->status = GPUAGG_UNSUPPORTED;
	snprintf(error->message, sizeof(error->message), "the stripe does not have the column");
	return error->status;
}

static bool
stripe_range(const GpuAggStripe *stripe, uint32_t attr, GpuAggZone *range)
{
	const GpuAggStripeColumn *column = gpuagg_stripe_column(stripe, attr);

	if (column != NULL)
		gpuagg_zones_range(column->zones, stripe->positions, range);
	return column != NULL;
}

static uint64_t
stripe_column_bytes(const GpuAggStripe *stripe, uint32_t attr)
{
	const GpuAggStripeColumn *column = gpuagg_stripe_column(stripe, attr);

	return column == NULL ? 0 : column->bytes;
}

static uint64_t
stripe_plain_bytes(const GpuAggStripe *stripe, uint32_t attr)
{
	const GpuAggStripeColumn *column = gpuagg_stripe_column(stripe, attr);

	return column == NULL ? 0 : column->plain_bytes;
}

static uint64_t
stripe_bytes(const GpuAggStripe *stripe)
{
	uint64_t	bytes = stripe->bytes + (stripe->pages != NULL ? stripe->pages->bytes : 0);

	for (const GpuAggStripeColumn *c = gpuagg_stripe_first(stripe); c != NULL; c = c->next)
		bytes += c->bytes;
	return bytes;
}

static void
stripes_limit(GpuAggDevice *device, uint64_t bytes)
{
	device->stripes.limit = bytes;
}

static uint64_t
stripes_used(GpuAggDevice *device)
{
	return atomic_load_explicit(&device->stripes.used, memory_order_relaxed);
}

/* A dictionary with its code tables */
static void
dictionary_free(GpuAggDictionary *d)
{
	gpuagg_host_code_tables_free(d);
	gpuagg_host_dictionary_free(d);
}

static void
dictionary_info(GpuAggDictionary *d, GpuAggDictionaryInfo *info)
{
	gpuagg_host_dictionary_info(d, info);
	info->bytes += gpuagg_host_code_tables_used(d);
}

const GpuAggStripeOps gpuagg_host_stripe_ops = {
	.create = stripe_create,
	.free = stripe_free,
	.add_column = stripe_add_column,
	.drop_column = stripe_drop_column,
	.pages = stripe_pages,
	.zones = stripe_zones,
	.range = stripe_range,
	.bytes = stripe_bytes,
	.column_bytes = stripe_column_bytes,
	.plain_bytes = stripe_plain_bytes,
	.limit = stripes_limit,
	.used = stripes_used,
	.dictionary_create = gpuagg_host_dictionary_create,
	.dictionary_free = dictionary_free,
	.dictionary_info = dictionary_info,
	.dictionary_encode = gpuagg_host_dictionary_encode,
	.dictionary_read = gpuagg_host_dictionary_read,
	.code_table = gpuagg_host_code_table,
	.code_table_leave = gpuagg_host_code_table_leave,
	.code_table_given = gpuagg_host_code_table_given,
	.code_table_give = gpuagg_host_code_table_give,
	.code_tables_drop = gpuagg_host_code_tables_drop,
	.code_table_texts = gpuagg_host_code_table_texts,
	.code_table_order = gpuagg_host_code_table_order,
	.ordered = 1 << 14,
	.rearrange = gpuagg_host_rearrange,
	.pack = gpuagg_host_pack,
	.compares = true,
};

/* ---------- keeping ---------- */

/* Are rows and lines one and the same? */
static bool
is_dense(const GpuAggFillRows *rows)
{
	return rows->nrows == rows->end - rows->line;
}

/* Bits of the lines that are rows */
static void
row_bits(const GpuAggFillRows *rows, uint64_t *bits)
{
	if (is_dense(rows))
		memset(bits, 0xFF, PAGE_WORDS * sizeof(*bits));
	else
		for (uint32_t k = 0; k < rows->nrows; k++)
			bits_set(bits, rows->lines[k] - rows->line);
}

static void
keep_validity(GpuAggStripe *stripe, const GpuAggFillRows *rows)
{
	uint64_t	bits[PAGE_WORDS] = {0};

	row_bits(rows, bits);
	bitmap_store_counted(stripe->valid, stripe->zones, rows->position + rows->line,
						 rows->end - rows->line, bits, NULL);
}

static void
keep_nulls(GpuAggStripeColumn *column, const GpuAggVector *v, const GpuAggFillRows *rows)
{
	uint64_t	bits[PAGE_WORDS] = {0};
	uint64_t	mine[PAGE_WORDS] = {0};
	const uint8_t *st = v->st + rows->row;
	bool		any = false;

	if (v->clean && !atomic_load_explicit(&column->has_nulls, memory_order_relaxed))
		return;
	for (uint32_t k = 0; !v->clean && k < rows->nrows; k++)
		if (st[k] != GPUAGG_ST_VALUE)
		{
			bits_set(bits, rows->lines[k] - rows->line);
			any = true;
		}
	if (any)
		atomic_store_explicit(&column->has_nulls, true, memory_order_relaxed);
	if (rows->beside)
		row_bits(rows, mine);
	bitmap_store_counted(column->nulls, column->zones, rows->position + rows->line,
						 rows->end - rows->line, bits, rows->beside ? mine : NULL);
}

/* How many of the rows lie in the zone of the first line */
static uint32_t
rows_of_zone(const GpuAggFillRows *rows)
{
	const uint32_t end = ((rows->position + rows->line) / GPUAGG_ZONE + 1) * GPUAGG_ZONE;
	uint32_t	n = rows->nrows;

	if (rows->position + rows->end > end)
		while (n > 0 && rows->position + rows->lines[n - 1] >= end)
			n--;
	return n;
}

static void
widen_numbers(GpuAggStripeColumn *column, uint32_t cls, const GpuAggVector *v,
			  const GpuAggFillRows *rows)
{
	GpuAggZone *zone = &column->zones[(rows->position + rows->line) / GPUAGG_ZONE];
	const int64_t *from = v->v.i + rows->row;
	const uint8_t *st = v->clean ? NULL : v->st + rows->row;
	const uint32_t n = rows_of_zone(rows);

	gpuagg_zone_widen_numbers(zone, cls, from, st, n);
	if (n < rows->nrows)
		gpuagg_zone_widen_numbers(zone + 1, cls, from + n, st == NULL ? NULL : st + n,
								  rows->nrows - n);
}

static void
widen_codes(GpuAggStripeColumn *column, const int32_t *codes, const uint8_t *st,
			const GpuAggFillRows *rows)
{
	GpuAggZone *zone = &column->zones[(rows->position + rows->line) / GPUAGG_ZONE];
	const uint32_t n = rows_of_zone(rows);

	gpuagg_zone_widen_codes(zone, codes, st, n);
	if (n < rows->nrows)
		gpuagg_zone_widen_codes(zone + 1, codes + n, st == NULL ? NULL : st + n, rows->nrows - n);
}

/* Strings as codes; what the dictionary cannot take makes it full. */
static void
keep_strings(GpuAggStripeColumn *column, const GpuAggVector *v, const GpuAggFillRows *rows)
{
	const uint8_t *st = v->clean ? NULL : v->st + rows->row;
	int32_t    *to = (int32_t *) column->values + rows->position;
	int32_t		codes[GPUAGG_MAX_LINES];

	(void) gpuagg_dictionary_encode(column->dictionary, v->v.b + rows->row, st, rows->nrows,
									codes);
	widen_codes(column, codes, st, rows);
	for (uint32_t k = 0; k < rows->nrows; k++)
		to[rows->lines[k]] = codes[k];
}

static void
keep_values(GpuAggStripeColumn *column, const GpuAggVector *v, const GpuAggFillRows *rows)
{
	const int64_t *from = v->v.i + rows->row;
	int32_t    *narrow = (int32_t *) column->values + rows->position;
	int64_t    *wide = (int64_t *) column->values + rows->position;
	const uint32_t n = rows->nrows;

	if (column->width == 8 && is_dense(rows))
		memcpy(wide + rows->line, from, n * sizeof(*wide));
	else if (column->width == 8)
		for (uint32_t k = 0; k < n; k++)
			wide[rows->lines[k]] = from[k];
	else if (is_dense(rows))
		for (uint32_t k = 0; k < n; k++)
			narrow[rows->line + k] = (int32_t) from[k];
	else
		for (uint32_t k = 0; k < n; k++)
			narrow[rows->lines[k]] = (int32_t) from[k];
}

void
gpuagg_stripe_fill(GpuAggStripe *stripe, const GpuAggVectors *vectors, const GpuAggFillRows *rows)
{
	const GpuAggProgram *p = vectors->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);

	if (!rows->beside)
		keep_validity(stripe, rows);
	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		GpuAggStripeColumn *column = attrs[i].reg == GPUAGG_NO_REG ? NULL :
			(GpuAggStripeColumn *) gpuagg_stripe_column(stripe, i);
		const GpuAggVector *v;

		if (column == NULL || !gpuagg_page_brings(rows->there, attrs[i].reg))
			continue;
		v = &vectors->reg[attrs[i].reg];
		atomic_store_explicit(&column->unpackable, false, memory_order_relaxed);
		keep_nulls(column, v, rows);
		if (classes[attrs[i].reg] == GPUAGG_CLASS_BYTES)
			keep_strings(column, v, rows);
		else
		{
			keep_values(column, v, rows);
			widen_numbers(column, classes[attrs[i].reg], v, rows);
		}
	}
}

void
gpuagg_stripe_clear(GpuAggStripe *stripe, GpuAggPositions positions)
{
	static const uint64_t none[PAGE_WORDS];

	bitmap_store_counted(stripe->valid, stripe->zones, positions.first, positions.count, none,
						 NULL);
}
