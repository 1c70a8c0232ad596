/*
 * host_rearrange.c
 *		Rows of stripes, copied into another in another order (host_rearrange.h).
 *
 * So many positions at a time as share a word of the new stripe's bitmaps, and so a zone.  Nobody
 * else knows the new stripe yet.
 */
#include <string.h>

#include "device/layout.h"
#include "host/bits.h"
#include "host/host_rearrange.h"
#include "host/host_zones.h"

/* Positions of one word, and where they come from */
typedef struct Rows
{
	const GpuAggStripe *from;
	uint32_t	first;
	uint32_t	to;
	uint32_t	n;
	uint64_t	valid;			/* a bit for each */
} Rows;

static uint64_t
bits_from(const _Atomic uint64_t *bits, uint32_t first, uint32_t n)
{
	const uint32_t shift = first % GPUAGG_BITS;
	const _Atomic uint64_t *at = bits + first / GPUAGG_BITS;
	uint64_t	word = atomic_load_explicit(at, memory_order_relaxed) >> shift;

	if (shift + n > GPUAGG_BITS)
		word |= atomic_load_explicit(at + 1, memory_order_relaxed) << (GPUAGG_BITS - shift);
	return n == GPUAGG_BITS ? word : word & ((UINT64_C(1) << n) - 1);
}

static void
bits_put(_Atomic uint64_t *bits, GpuAggZone *zones, uint32_t to, uint64_t word)
{
	if (word == 0)
		return;
	atomic_fetch_or_explicit(&bits[to / GPUAGG_BITS], word << to % GPUAGG_BITS,
							 memory_order_relaxed);
	gpuagg_zone_count(&zones[to / GPUAGG_ZONE], (uint64_t) __builtin_popcountll(word));
}

/* The zone gets the bounds of the rows that are values. */
static void
widen(GpuAggStripeColumn *column, const Rows *rows, uint64_t values)
{
	GpuAggZone *zone = &column->zones[rows->to / GPUAGG_ZONE];
	const int32_t *narrow = (const int32_t *) column->values + rows->to;
	int64_t		wide[GPUAGG_BITS];
	uint8_t		st[GPUAGG_BITS];

	for (uint32_t i = 0; i < rows->n; i++)
		st[i] = values >> i & 1 ? GPUAGG_ST_VALUE : GPUAGG_ST_NULL;
	if (column->dictionary != NULL)
	{
		gpuagg_zone_widen_codes(zone, narrow, st, rows->n);
		return;
	}
	if (column->width == 8)
		memcpy(wide, (const int64_t *) column->values + rows->to, rows->n * sizeof(*wide));
	else
		for (uint32_t i = 0; i < rows->n; i++)
			wide[i] = narrow[i];
	gpuagg_zone_widen_numbers(zone, gpuagg_key_class(column->type), wide, st, rows->n);
}

static void
copy_values(GpuAggStripeColumn *column, const GpuAggStripeColumn *from, const Rows *rows)
{
	char	   *to = column->values + (size_t) rows->to * column->width;

	if (!gpuagg_column_is_packed(from))
		memcpy(to, from->values + (size_t) rows->first * column->width,
			   (size_t) rows->n * column->width);
	else if (column->width == 8)
		for (uint32_t i = 0; i < rows->n; i++)
			((int64_t *) to)[i] = gpuagg_column_value(from, rows->first + i);
	else
		for (uint32_t i = 0; i < rows->n; i++)
			((int32_t *) to)[i] = (int32_t) gpuagg_column_value(from, rows->first + i);
}

static void
copy_column(GpuAggStripeColumn *column, const Rows *rows)
{
	const GpuAggStripeColumn *from = gpuagg_stripe_column(rows->from, column->attr);
	uint64_t	nulls = 0;

	if (from == NULL)
		return;
	if (atomic_load_explicit(&from->has_nulls, memory_order_relaxed))
		nulls = bits_from(from->nulls, rows->first, rows->n) & rows->valid;
	if (nulls != 0)
		atomic_store_explicit(&column->has_nulls, true, memory_order_relaxed);
	bits_put(column->nulls, column->zones, rows->to, nulls);
	copy_values(column, from, rows);
	widen(column, rows, rows->valid & ~nulls);
}

static void
copy_rows(GpuAggStripe *to, Rows *rows)
{
	rows->valid = bits_from(rows->from->valid, rows->first, rows->n);
	bits_put(to->valid, to->zones, rows->to, rows->valid);
	for (GpuAggStripeColumn *c = gpuagg_stripe_first(to); c != NULL; c = c->next)
		copy_column(c, rows);
}

GpuAggStatus
gpuagg_host_rearrange(GpuAggStripe *to, const GpuAggStripeRange *ranges, uint32_t nranges,
					  GpuAggError *error)
{
	uint32_t	at = 0;

	memset(error, 0, sizeof(*error));
	for (uint32_t i = 0; i < nranges; i++)
	{
		const GpuAggPositions *range = &ranges[i].positions;

		for (uint32_t done = 0; done < range->count;)
		{
			const uint32_t room = GPUAGG_BITS - at % GPUAGG_BITS;
			const uint32_t left = range->count - done;
			Rows		rows = {
				.from = ranges[i].stripe,
				.first = range->first + done,
				.to = at,
				.n = left < room ? left : room
			};

			copy_rows(to, &rows);
			done += rows.n;
			at += rows.n;
		}
	}
	return GPUAGG_OK;
}
