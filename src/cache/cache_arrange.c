/*
 * cache_arrange.c
 *		Extents whose blocks lie mixed are laid in the order of the table again (cache_arrange.h).
 *
 * Pages that change beside users get new positions, where others have left some, or in a new
 * stripe.  So zones come to hold pages of all parts of the table, and tell little, and those whose
 * values have changed do not answer.  From time to time all blocks are copied in their order into
 * one stripe, on the device.  To users that is as if each block had been replaced (cache_former.h):
 * they read the old stripes, which are closed, and go when nobody reads them.  So it is, too, when
 * most of a packed stripe is of no use any more.
 */
#include "postgres.h"

#include "cache/cache_arrange.h"
#include "cache/cache_former.h"
#include "cache/cache_memory.h"
#include "cache/cache_pack.h"
#include "cache/cache_position.h"
#include "cache/cache_rest.h"
#include "ipc/stat.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/*
 * One block of so many has moved; or some have, and it is long ago that the extent was arranged.
 * Of an extent whose zones have saved nothing since then, as many blocks as it has.
 */
#define MOVED_PART 8
#define MOVED_LEAST 16
#define LONG_AGO_MS 10000

/* Of the worker's time one part of so many goes into this, at most. */
#define TIME_PART 20

/* Positions to spare, as a first stripe has them */
#define SPARE_PART 20

/* Closed stripes that others read still, at most: each may have a copy of all blocks. */
#define CLOSED_MOST 2

/* Formers of closed stripes are looked through so often at least. */
#define RELEASE_MS 100

static TimestampTz not_before = 0;

static uint32
closed_stripes(const GpuAggCacheExtent *extent)
{
	uint32		n = 0;

	for (int i = 0; i < extent->nstripes; i++)
		n += extent->stripes[i].closed && extent->stripes[i].stripe != NULL;
	return n;
}

/* Are columns that are being filled for most blocks held for nearly all?  Soon there is more. */
static bool
is_filled(const GpuAggCacheExtent *extent)
{
	bool		any = false;

	for (int i = 0; i < extent->nfills; i++)
	{
		const uint32 n = extent->fills[i]->nfilled;

		if (n < extent->nplaced / 2)
			continue;
		if (n < extent->nplaced - extent->nplaced / MOVED_PART)
			return false;
		any = true;
	}
	return any;
}

/* Is half of a stripe that takes no page free?  It is there for nothing. */
static bool
is_wasted(const GpuAggCacheExtent *extent)
{
	for (int i = 0; i < extent->nstripes; i++)
		if (extent->stripes[i].packed && !extent->stripes[i].closed &&
			extent->stripes[i].left > extent->stripes[i].used / 2)
			return true;
	return false;
}

static bool
is_due(const GpuAggCacheExtent *extent)
{
	const bool	wasted = is_wasted(extent);
	TimestampTz now;

	if (extent->table->dead || closed_stripes(extent) > CLOSED_MOST)
		return false;
	if (!extent->full && !wasted &&
		(extent->moved < MOVED_LEAST || !extent->zoned || !is_filled(extent) ||
		 (!extent->saved && extent->moved < extent->nplaced)))
		return false;
	now = GetCurrentTimestamp();
	if (extent->full)
		return now >= extent->arrange_from;
	return now >= not_before && now >= extent->arrange_from &&
		(wasted || extent->moved >= extent->nplaced / MOVED_PART ||
		 TimestampDifferenceExceeds(extent->arranged, now, LONG_AGO_MS));
}

/* A number for one more stripe; -1: there is none. */
static int
free_slot(const GpuAggCacheExtent *extent)
{
	int			slot = 0;

	while (slot < extent->nstripes && extent->stripes[slot].stripe != NULL)
		slot++;
	return slot < GPUAGG_EXTENT_SLOTS ? slot : -1;
}

/* Where the blocks lie, in their order; returns how many ranges that are. */
static uint32
ranges_in_order(const GpuAggCacheExtent *extent, GpuAggStripeRange *ranges, uint64 *positions)
{
	uint32		n = 0;

	*positions = 0;
	for (uint32 i = 0; i < extent->room; i++)
	{
		const GpuAggCacheBlock *block = &extent->blocks[i];

		if (block->stripe == GPUAGG_NO_STRIPE || block->positions == 0)
			continue;
		ranges[n++] = (GpuAggStripeRange) {
			extent->stripes[block->stripe].stripe, {block->position, block->positions}
		};
		*positions += block->positions;
	}
	return n;
}

/* Of 64 blocks, those that are held for all columns that the extent has, or begun for one */
static void
blocks_of_word(const GpuAggCacheExtent *extent, uint32 w, uint64 *whole, uint64 *begun)
{
	*whole = PG_UINT64_MAX;
	*begun = 0;
	for (int i = 0; i < extent->nfills; i++)
	{
		*whole &= extent->fills[i]->filled[w];
		*begun |= extent->fills[i]->begun[w];
	}
}

/* A block lies in another stripe from now on; users read it where it was. */
static void
block_moves(GpuAggCacheExtent *extent, uint32 number, int slot, bool whole, bool begun)
{
	GpuAggCacheBlock *block = &extent->blocks[number];
	GpuAggCacheStripe *stripe = &extent->stripes[slot];

	if (block->stripe == GPUAGG_NO_STRIPE)
		return;
	if (extent->users > 0 && block->positions > 0)
		gpuagg_cache_former_push(extent, number, begun);
	block->stripe = (uint8) slot;
	block->position = stripe->used;
	stripe->used += block->positions;
	/* bounds of a column that is not there are of anything */
	if (!whole)
		gpuagg_cache_loosen(extent, block);
}

/* All do.  What is being decoded to where they were is nothing of them any more. */
static void
blocks_move(GpuAggCacheExtent *extent, int slot)
{
	const uint32 words = GPUAGG_BITMAP_WORDS(extent->room);

	for (uint32 w = 0; w < words; w++)
	{
		uint64		whole;
		uint64		begun;

		blocks_of_word(extent, w, &whole, &begun);
		for (uint32 i = 0; i < 64 && w * 64 + i < extent->room; i++)
			block_moves(extent, w * 64 + i, slot, whole >> i & 1, begun >> i & 1);
	}
	for (int i = 0; i < extent->nfills; i++)
		memset(extent->fills[i]->begun, 0, words * sizeof(uint64));
}

/* All stripes but one are closed, and those that no former lies in go. */
static void
close_others(GpuAggCacheExtent *extent, int slot)
{
	for (int i = 0; i < extent->nstripes; i++)
	{
		extent->stripes[i].closed = i != slot;
		extent->stripes[i].formers = 0;
	}
	for (uint32 i = extent->next_former; i < extent->nformers; i++)
		if (extent->formers[i].block.positions > 0 &&
			extent->formers[i].block.stripe != GPUAGG_NO_STRIPE)
			extent->stripes[extent->formers[i].block.stripe].formers++;
	for (int i = 0; i < extent->nstripes; i++)
		if (extent->stripes[i].closed && extent->stripes[i].formers == 0)
			gpuagg_cache_stripe_gone(&extent->stripes[i]);
	gpuagg_cache_free_none(extent);
	while (extent->stripes[extent->nstripes - 1].stripe == NULL)
		extent->nstripes--;
}

/* The extent's blocks have been copied into a stripe. */
static void
move_blocks(GpuAggCacheExtent *extent, int slot, const GpuAggCacheStripe *stripe)
{
	extent->nstripes = Max(extent->nstripes, slot + 1);
	extent->stripes[slot] = *stripe;
	blocks_move(extent, slot);
	close_others(extent, slot);
	extent->forgotten++;
	extent->laid++;
	extent->full = extent->zoned = extent->saved = false;
	extent->moved = 0;
}

/* False: no memory, or a device that fails.  What may raise an ERROR comes first. */
static bool
lay_in_order(GpuAggCacheExtent *extent)
{
	const int	slot = free_slot(extent);
	GpuAggStripeRange *ranges;
	GpuAggCacheStripe stripe = {0};
	GpuAggError error;
	uint64		positions;
	uint32		n;
	bool		done;

	if (slot < 0)
		return false;
	ranges = palloc_extended(Max(extent->room, 1) * sizeof(GpuAggStripeRange), MCXT_ALLOC_HUGE);
	n = ranges_in_order(extent, ranges, &positions);
	positions += positions / SPARE_PART + GPUAGG_MAX_LINES;
	if (extent->users > 0)
		gpuagg_cache_formers_begin(extent);
	if (positions <= PG_INT32_MAX)
	{
		stripe.positions = (uint32) positions;
		stripe.stripe = gpuagg_cache_stripe_make(extent, stripe.positions, 0);
	}
	done = stripe.stripe != NULL &&
		gpuagg_cache_stripe_ops()->rearrange(stripe.stripe, ranges, n, &error) == GPUAGG_OK;
	pfree(ranges);
	if (done)
		move_blocks(extent, slot, &stripe);
	else if (stripe.stripe != NULL)
		gpuagg_cache_stripe_ops()->free(stripe.stripe);
	return done;
}

static void
arrange(GpuAggCacheExtent *extent)
{
	const TimestampTz begin = GetCurrentTimestamp();
	const bool	done = lay_in_order(extent);
	const TimestampTz end = GetCurrentTimestamp();

	not_before = end + TIME_PART * (end - begin);
	if (done)
		extent->arranged = end;
	else
		extent->arrange_from = TimestampTzPlusMilliseconds(end, LONG_AGO_MS);
	if (done)
	{
		gpuagg_stat_add(GPUAGG_STAT_extents_arranged, 1);
		gpuagg_cache_pack_later(extent, extent->nplaced);
	}
}

/* Closed stripes go with the last of their formers that anybody reads, soon after he has left. */
static void
release_closed(GpuAggCacheExtent *extent)
{
	const TimestampTz now = GetCurrentTimestamp();

	if (TimestampDifferenceExceeds(extent->released, now, RELEASE_MS))
	{
		extent->release_from = 0;
		extent->released = now;
	}
	(void) gpuagg_cache_formers_release(extent);
}

/* What grows the directory may evict columns: not those of an extent that is being looked at. */
void
gpuagg_cache_arrange(GpuAggCacheExtent *extent)
{
	const bool	closed = closed_stripes(extent) > 0;

	if (!closed && !is_due(extent))
		return;
	gpuagg_cache_extent_wake(extent);
	if (closed)
		release_closed(extent);
	if (is_due(extent))
		arrange(extent);
	gpuagg_cache_extent_rest(extent);
}
