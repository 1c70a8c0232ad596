/*
 * cache_pack.c
 *		Columns that rest are packed (cache_pack.h).
 *
 * Once few pages have come to an extent for a while, and nobody uses it, its columns are packed
 * where they lie, a stripe's column at a time, those first that are needed least; of a device that
 * reads plain ones faster, only as far as memory is short.  A column of which the stripe lacks
 * blocks stays plain, for these may come.  To a stripe with packed columns no page comes any more,
 * but for columns that it has not: blocks that change get positions in other stripes
 * (cache_position.c), and are packed when these rest, or the extent has been laid in order
 * (cache_arrange.c).
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_pack.h"
#include "cache/cache_priority.h"
#include "cache/cache_publish.h"
#include "cache/cache_rest.h"
#include "settings.h"
#include "utils/timestamp.h"

/*
 * An extent rests when few pages have come for so long: no more than one part of so many of those
 * that it has.
 */
#define REST_MS 3000
#define REST_PART 64

/* Fewer positions take little memory in any case. */
#define POSITIONS_LEAST (2 * GPUAGG_ZONE)

/* Nor does a part of all that the extent has; in such stripes lies what changes often. */
#define STRIPE_PART 8

/* Memory is short beyond this part of the limit: what comes has room then until more is packed. */
#define SHORT(limit) ((limit) - (limit) / 4)

/* After a column the worker has so many times as long for other work; with jobs, and without */
#define TIME_PART_BUSY 19
#define TIME_PART 3

/* Where memory is short somebody waits: he gives way to what is looked through for so long. */
#define NOW_MS 100

static void
waits_again(GpuAggCacheExtent *extent)
{
	GpuAggCachePacking *packing = &extent->packing;

	gpuagg_cache_pack_wait(extent);
	packing->came = packing->stripe = packing->fill = 0;
	packing->since = GetCurrentTimestamp();
}

void
gpuagg_cache_pack_later(GpuAggCacheExtent *extent, uint32 pages)
{
	GpuAggCachePacking *packing = &extent->packing;

	if (gpuagg_cache_stripe_ops()->pack == NULL)
		return;
	packing->came += pages;
	packing->stripe = packing->fill = 0;
	if (packing->waits && packing->came <= extent->nplaced / REST_PART)
		return;
	waits_again(extent);
}

/*
 * Is a column filled for all blocks of a stripe?  Not that of which nothing is held: it gets other
 * positions when it comes.
 */
static bool
is_whole(const GpuAggCacheExtent *extent, int stripe, const GpuAggCacheFill *fill)
{
	for (uint32 i = 0; i < extent->room; i++)
		if (extent->blocks[i].stripe == stripe && !gpuagg_bit(fill->filled, i) &&
			gpuagg_cache_has(extent, i))
			return false;
	return true;
}

/* Positions that a stripe has at least if it is packed */
static uint64
positions_least(const GpuAggCacheExtent *extent)
{
	uint64		used = 0;

	for (int i = 0; i < extent->nstripes; i++)
		used += extent->stripes[i].closed ? 0 : extent->stripes[i].used;
	return Max(POSITIONS_LEAST, used / STRIPE_PART);
}

static bool
may_pack(const GpuAggCacheExtent *extent, int stripe, const GpuAggCacheFill *fill, uint64 least)
{
	const GpuAggCacheStripe *s = &extent->stripes[stripe];

	return s->stripe != NULL && !s->closed && !gpuagg_cache_is_rows(fill->column) &&
		s->used >= least && is_whole(extent, stripe, fill);
}

/* The next column of an extent's stripes of so many positions; false: there is no other. */
static bool
next_column(GpuAggCacheExtent *extent, uint64 least, int *stripe, int *fill)
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

static int
positions_compare(const void *a, const void *b)
{
	const GpuAggPositions *x = a;
	const GpuAggPositions *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/*
 * Positions of a stripe's blocks for which a column is filled, in order, into a list that has room
 * for all blocks; returns how many.  At others no value of the column need ever have been.
 */
static uint32
live_positions(const GpuAggCacheExtent *extent, int stripe, const GpuAggCacheFill *fill,
			   GpuAggPositions *live)
{
	uint32		n = 0;

	for (uint32 i = 0; i < extent->room; i++)
	{
		const GpuAggCacheBlock *block = &extent->blocks[i];

		if (block->stripe == stripe && block->positions > 0 && gpuagg_bit(fill->filled, i))
			live[n++] = (GpuAggPositions) {block->position, block->positions};
	}
	qsort(live, n, sizeof(*live), positions_compare);
	return n;
}

/* It has become smaller: it may be evicted, and is secured, by what it takes now. */
static void
column_shrinks(GpuAggCacheExtent *extent, GpuAggCacheColumn *column)
{
	gpuagg_cache_extent_wake(extent);
	gpuagg_cache_touch(extent, &column, 1);
	gpuagg_cache_extent_rest(extent);
	gpuagg_cache_table_changed(extent->table);
}

/*
 * Packs a column of an extent that nobody uses.  False: it has no other, and waits no more; or
 * there is no memory, and it waits as if pages had come.
 */
static bool
pack_one(GpuAggCacheExtent *extent, uint64 least)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	GpuAggCacheColumn *column;
	GpuAggCacheStripe *s;
	GpuAggPositions *live;
	uint32		nlive;
	uint64		bytes;
	GpuAggStatus status;
	GpuAggError error;
	int			stripe;
	int			fill;

	if (!next_column(extent, least, &stripe, &fill))
	{
		gpuagg_cache_pack_never(extent);
		return false;
	}
	s = &extent->stripes[stripe];
	column = extent->fills[fill]->column;
	bytes = ops->column_bytes(s->stripe, column->attr);
	/* an ERROR would end the worker, which has no need to pack */
	live = palloc_extended(Max(extent->room, 1) * sizeof(GpuAggPositions),
						   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	status = GPUAGG_OUT_OF_MEMORY;
	if (live != NULL)
	{
		nlive = live_positions(extent, stripe, extent->fills[fill], live);
		status = ops->pack(s->stripe, column->attr, live, nlive, &error);
		pfree(live);
	}
	if (status != GPUAGG_OK)
	{
		waits_again(extent);
		return false;
	}
	if (ops->column_bytes(s->stripe, column->attr) < bytes)
	{
		s->packed = true;
		column_shrinks(extent, column);
	}
	return true;
}

/* Is anything to be packed that rests, as much as there is now? */
static bool
is_wanted(void)
{
	if (gpuagg_pack == GPUAGG_PACK_OFF || dlist_is_empty(gpuagg_cache_pack_waiting()))
		return false;
	if (gpuagg_pack == GPUAGG_PACK_ON ||
		(gpuagg_pack == GPUAGG_PACK_AUTO && !gpuagg_cache_stripe_ops()->packed_slower))
		return true;
	return gpuagg_cache_used() > SHORT(gpuagg_cache_limit());
}

/*
 * Of the extents that wait and that nobody uses, the one that is needed least, or NULL.  rested:
 * only those that have been there since before `now` for long enough
 */
static GpuAggCacheExtent *
next_extent(bool rested, TimestampTz now)
{
	GpuAggCacheExtent *least = NULL;
	double		priority = 0;
	dlist_iter	iter;

	dlist_foreach(iter, gpuagg_cache_pack_waiting())
	{
		GpuAggCacheExtent *extent = dlist_container(GpuAggCacheExtent, packing.node, iter.cur);

		if (rested && !TimestampDifferenceExceeds(extent->packing.since, now, REST_MS))
			break;
		/* what is being looked at may not be evicted either; who leaves it wakes the worker */
		if (gpuagg_cache_is_idle(extent) && extent->nfills > 0 &&
			(rested || extent->fills[0]->queued) &&
			(least == NULL || gpuagg_cache_extent_priority(extent) < priority))
		{
			least = extent;
			priority = gpuagg_cache_extent_priority(extent);
		}
	}
	return least;
}

long
gpuagg_cache_pack_some(bool busy)
{
	static TimestampTz not_before = 0;
	const TimestampTz begin = GetCurrentTimestamp();
	GpuAggCacheExtent *extent;

	if (!is_wanted())
		return -1;
	if (begin < not_before)
		return TimestampDifferenceMilliseconds(begin, not_before) + 1;
	while ((extent = next_extent(true, begin)) != NULL)
	{
		if (!pack_one(extent, positions_least(extent)))
			continue;
		gpuagg_cache_publish();
		not_before = GetCurrentTimestamp();
		not_before += (busy ? TIME_PART_BUSY : TIME_PART) * (not_before - begin);
		return 1;
	}
	return is_wanted() ? REST_MS + 1 : -1;
}

bool
gpuagg_cache_pack_now(void)
{
	const TimestampTz begin = GetCurrentTimestamp();
	const uint64 used = gpuagg_cache_used();
	GpuAggCacheExtent *extent;

	if (gpuagg_pack == GPUAGG_PACK_OFF)
		return false;
	while ((extent = next_extent(false, begin)) != NULL)
	{
		if (!pack_one(extent, positions_least(extent)) && extent->packing.waits)
			return false;
		if (gpuagg_cache_used() < used)
			return true;
		if (TimestampDifferenceExceeds(begin, GetCurrentTimestamp(), NOW_MS))
			return false;
	}
	return false;
}

void
gpuagg_cache_pack_all(GpuAggCacheExtent *extent)
{
	while (gpuagg_pack != GPUAGG_PACK_OFF && extent->packing.waits &&
		   gpuagg_cache_is_idle(extent) && pack_one(extent, 1));
}
