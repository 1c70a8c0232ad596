/*
 * cache_pack.c
 *		Columns that rest are packed (cache_pack.h).
 *
 * Once no page has come to an extent for a while, and nobody uses it, its columns are packed
 * where they lie, a stripe's column at a time.  A column of which the stripe lacks blocks stays
 * plain, for these may come.  To a stripe with packed columns no page comes any more, but for
 * columns that it has not: blocks that change get positions in other stripes
 * (cache_position.c), and are packed when these rest, or the extent has been laid in order
 * (cache_arrange.c).
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_pack.h"
#include "cache/cache_publish.h"
#include "cache/cache_rest.h"
#include "settings.h"
#include "utils/timestamp.h"

/* An extent rests when nothing has come for so long. */
#define REST_MS 3000

/* Fewer positions take little memory in any case. */
#define POSITIONS_LEAST (2 * GPUAGG_ZONE)

/* After a column the worker has so many times as long for other work. */
#define TIME_PART 3

static bool
is_on(void)
{
	return gpuagg_pack && gpuagg_cache_stripe_ops()->pack != NULL;
}

void
gpuagg_cache_pack_later(GpuAggCacheExtent *extent)
{
	if (!is_on())
		return;
	gpuagg_cache_pack_wait(extent);
	extent->packing.since = GetCurrentTimestamp();
	extent->packing.stripe = extent->packing.fill = 0;
}

/* Are all blocks of a stripe filled? */
static bool
is_whole(const GpuAggCacheExtent *extent, int stripe, const GpuAggCacheFill *fill)
{
	for (uint32 i = 0; i < extent->room; i++)
		if (extent->blocks[i].stripe == stripe && !gpuagg_bit(fill->filled, i))
			return false;
	return true;
}

static bool
may_pack(const GpuAggCacheExtent *extent, int stripe, const GpuAggCacheFill *fill, uint32 least)
{
	const GpuAggCacheStripe *s = &extent->stripes[stripe];

	return s->stripe != NULL && !s->closed && !gpuagg_cache_is_rows(fill->column) &&
		s->used >= least &&
		is_whole(extent, stripe, fill);
}

/* The next column of an extent's stripes of so many positions; false: there is no other. */
static bool
next_column(GpuAggCacheExtent *extent, uint32 least, int *stripe, int *fill)
{
	GpuAggCachePacking *at = &extent->packing;

	for (; at->stripe < extent->nstripes; at->stripe++, at->fill = 0)
		for (; at->fill < extent->nfills; at->fill++)
			if (may_pack(extent, at->stripe, extent->fills[at->fill], least))
			{
				*stripe = at->stripe;
				*fill = at->fill++;
				return true;
			}
	return false;
}

/* Packs a column of an extent that nobody uses; false: it has no other, or there is no memory. */
static bool
pack_next(GpuAggCacheExtent *extent, uint32 least)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	GpuAggCacheStripe *s;
	uint32		attr;
	uint64		bytes;
	GpuAggError error;
	int			stripe;
	int			fill;

	if (!next_column(extent, least, &stripe, &fill))
		return false;
	s = &extent->stripes[stripe];
	attr = extent->fills[fill]->column->attr;
	bytes = ops->column_bytes(s->stripe, attr);
	if (ops->pack(s->stripe, attr, &error) != GPUAGG_OK)
		return false;
	s->packed |= ops->column_bytes(s->stripe, attr) < bytes;
	gpuagg_cache_table_changed(extent->table);
	return true;
}

/* As far as there is a column: then the extent waits for none any more. */
static bool
pack_one(GpuAggCacheExtent *extent, uint32 least)
{
	const bool	done = pack_next(extent, least);

	if (!done)
		gpuagg_cache_pack_never(extent);
	return done;
}

long
gpuagg_cache_pack_some(void)
{
	static TimestampTz not_before = 0;
	const TimestampTz begin = GetCurrentTimestamp();
	dlist_head *waiting = gpuagg_cache_pack_waiting();
	dlist_mutable_iter iter;

	if (dlist_is_empty(waiting) || !is_on())
		return -1;
	if (begin < not_before)
		return TimestampDifferenceMilliseconds(begin, not_before) + 1;
	dlist_foreach_modify(iter, waiting)
	{
		GpuAggCacheExtent *extent = dlist_container(GpuAggCacheExtent, packing.node, iter.cur);

		if (!TimestampDifferenceExceeds(extent->packing.since, begin, REST_MS))
			return REST_MS + 1;
		/* who leaves it wakes the worker */
		if (!gpuagg_cache_is_idle(extent) || !pack_one(extent, POSITIONS_LEAST))
			continue;
		gpuagg_cache_publish();
		not_before = GetCurrentTimestamp();
		not_before += TIME_PART * (not_before - begin);
		return 1;
	}
	return dlist_is_empty(waiting) ? -1 : REST_MS;
}

bool
gpuagg_cache_pack_now(void)
{
	dlist_head *waiting = gpuagg_cache_pack_waiting();
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, waiting)
	{
		GpuAggCacheExtent *extent = dlist_container(GpuAggCacheExtent, packing.node, iter.cur);
		const uint64 used = gpuagg_cache_used();

		/* what is being looked at may not be evicted either */
		if (!gpuagg_cache_is_idle(extent) || extent->nfills == 0 || !extent->fills[0]->queued)
			continue;
		while (pack_one(extent, POSITIONS_LEAST))
			if (gpuagg_cache_used() < used)
				return true;
	}
	return false;
}

void
gpuagg_cache_pack_all(GpuAggCacheExtent *extent)
{
	while (extent->packing.waits && gpuagg_cache_is_idle(extent) && pack_one(extent, 1));
}
