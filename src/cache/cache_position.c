/*
 * cache_position.c
 *		Positions in stripes for the pages that a filler brings (cache_position.h).
 *
 * An extent's first stripe is made for all its blocks, from how many lines the
 * first pages have; what does not fit goes to further ones, small at first.  Positions
 * are handed out in the order in which pages come.  A block of which nothing is held, and
 * whose page has more lines than before, gets others, and its old ones are free
 * (cache_free.h).  So positions belong to one block, to what it was (cache_former.h), or
 * are free, and those that were never handed out lie at a stripe's end.  A stripe with packed
 * columns gives none.
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_former.h"
#include "cache/cache_free.h"
#include "cache/cache_memory.h"
#include "cache/cache_pin.h"
#include "cache/cache_position.h"
#include "cache/cache_priority.h"

/* A new stripe has so much more positions than the pages seen so far suggest. */
#define LINES_SPARE 1.05

/* A page that has grown may come to have so many more lines, in groups of so many. */
#define LINES_GROWTH 8
#define LINES_STEP 8

/* An array of the directory takes at most so much more than its elements. */
#define ARRAY_HEAD 64

/* What so many positions take of a column; of the rows, a bit each */
static uint64
positions_bytes(const GpuAggCacheColumn *column, uint64 positions)
{
	if (gpuagg_cache_is_rows(column))
		return positions / 8;
	return positions * (column->dictionary != NULL ? sizeof(int32) :
					 gpuagg_type_slot_bytes(column->type));
}

/*
 * What the least worthy column of an extent would be worth in one more stripe.  One that
 * is pinned needs it, whatever else is there.
 */
static double
stripe_priority(const GpuAggCacheExtent *extent, uint64 positions, uint64 npages)
{
	double		priority = 0;

	for (int i = 0; i < extent->nfills; i++)
	{
		const GpuAggCacheColumn *column = extent->fills[i]->column;
		uint64		bytes = positions_bytes(column, positions);
		double		one = gpuagg_cache_priority(column, npages, bytes);

		if (gpuagg_cache_would_secure(column, bytes))
			return GPUAGG_PINNED_PRIORITY;
		if (i == 0 || one < priority)
			priority = one;
	}
	return priority;
}

/* Adds what the stripe lacks of its extent's columns. */
static bool
stripe_columns(const GpuAggCacheExtent *extent, GpuAggStripe *stripe, double priority)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();

	for (int i = 0; i < extent->nfills; i++)
	{
		const GpuAggCacheColumn *column = extent->fills[i]->column;
		GpuAggError error;
		GpuAggStatus status;

		if (gpuagg_cache_is_rows(column) || ops->column_bytes(stripe, column->attr) > 0)
			continue;
		do
			status = ops->add_column(stripe, column->attr, column->type,
									 column->dictionary, &error);
		while (status == GPUAGG_OUT_OF_MEMORY && gpuagg_cache_evict(priority));
		if (status != GPUAGG_OK)
			return false;
	}
	return true;
}

static void
add_fill(GpuAggCacheExtent *extent, GpuAggCacheColumn *column)
{
	const Size	bitmap = Max(GPUAGG_BITMAP_WORDS(extent->room), 1) * sizeof(uint64);
	GpuAggCacheFill *fill;

	if (extent->nfills == extent->max_fills)
	{
		int			max = Max(8, 2 * extent->max_fills);

		extent->fills =
			gpuagg_cache_directory_lengthen(extent->table, extent->fills,
											extent->nfills * sizeof(GpuAggCacheFill *),
											max * sizeof(GpuAggCacheFill *));
		extent->max_fills = max;
	}
	fill = gpuagg_cache_directory_alloc(extent->table, sizeof(GpuAggCacheFill));
	fill->column = column;
	fill->extent = extent;
	fill->priority = gpuagg_cache_priority(column, 0, 1);
	fill->filled = gpuagg_cache_directory_alloc(extent->table, bitmap);
	fill->begun = gpuagg_cache_directory_alloc(extent->table, bitmap);
	extent->fills[extent->nfills++] = fill;
}

bool
gpuagg_cache_open(GpuAggCacheExtent *extent, GpuAggCacheColumn *const *columns,
				  int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
		if (gpuagg_cache_fill(extent, columns[i]) == NULL)
			add_fill(extent, columns[i]);
	for (int i = 0; i < extent->nstripes; i++)
		if (!extent->stripes[i].closed &&
			!stripe_columns(extent, extent->stripes[i].stripe,
						  stripe_priority(extent, extent->stripes[i].positions,
									 extent->nplaced)))
		{
			if (extent->users == 1)
				gpuagg_cache_drop_useless(extent);
			return false;
		}
	return true;
}

/* Those that take pages */
static uint32
open_stripes(const GpuAggCacheExtent *extent)
{
	uint32		n = 0;

	for (int i = 0; i < extent->nstripes; i++)
		n += !extent->stripes[i].closed;
	return n;
}

/*
 * Of how many parts of all blocks a further stripe is one.  Pages that have grown take few of
 * them, but what is replaced beside its readers takes as many again, and again while these stay:
 * so the last ones have room for all.
 */
static uint32
stripe_parts(const GpuAggCacheExtent *extent)
{
	const uint32 left = GPUAGG_EXTENT_STRIPES - Min(open_stripes(extent), GPUAGG_EXTENT_STRIPES);

	return left > GPUAGG_EXTENT_STRIPES / 2 ? GPUAGG_EXTENT_STRIPES :
		Max(1, GPUAGG_EXTENT_STRIPES >> (GPUAGG_EXTENT_STRIPES / 2 + 1 - left));
}

/* A block that has positions, and how many it has, are added. */
static void
count_lines(const GpuAggCacheBlock *block, uint32 *blocks, uint64 *lines)
{
	if (block->stripe == GPUAGG_NO_STRIPE)
		return;
	*blocks += 1;
	*lines += block->positions;
}

/*
 * Lines of a page, in the mean: of those that come, or of those that have positions or left them
 * to readers, whichever are more.  Of pages that were changed some have no row left, and yet
 * others take as many as they had.
 */
static double
lines_expected(const GpuAggCacheExtent *extent, const GpuAggCacheExpected *expected)
{
	uint32		blocks = 0;
	uint64		lines = 0;

	for (uint32 i = 0; i < extent->room; i++)
		count_lines(&extent->blocks[i], &blocks, &lines);
	for (uint32 i = extent->next_former; i < extent->nformers; i++)
		count_lines(&extent->formers[i].block, &blocks, &lines);
	return Max(expected->lines, (double) lines / Max(blocks, 1));
}

/*
 * Positions that a new stripe should have: for the blocks without any, but no
 * fewer than a part of all, for pages that were kept and have changed since need
 * new positions, too.
 */
static uint64
positions_expected(const GpuAggCacheExtent *extent, const GpuAggCacheExpected *expected,
				uint32 nlines)
{
	const double lines = LINES_SPARE * lines_expected(extent, expected);
	const uint32 part = expected->blocks / stripe_parts(extent);
	uint32		blocks = expected->blocks;

	blocks = Max(blocks - Min(blocks, extent->nplaced), part);
	return Max((uint64) (lines * blocks) + GPUAGG_MAX_LINES, nlines);
}

GpuAggStripe *
gpuagg_cache_stripe_make(const GpuAggCacheExtent *extent, uint32 positions, double priority)
{
	GpuAggStripe *stripe;
	GpuAggError error;
	GpuAggStatus status;

	do
		status = gpuagg_cache_stripe_ops()->create(gpuagg_cache_device(), positions, &stripe,
												   &error);
	while (status == GPUAGG_OUT_OF_MEMORY && gpuagg_cache_evict(priority));
	if (status != GPUAGG_OK)
		return NULL;
	if (stripe_columns(extent, stripe, priority))
		return stripe;
	gpuagg_cache_stripe_ops()->free(stripe);
	return NULL;
}

/*
 * One more stripe, with all of the extent's columns, for a page of so many lines and others; false:
 * there are too many, or no memory.
 */
static bool
add_stripe(GpuAggCacheExtent *extent, const GpuAggCacheExpected *expected, uint32 nlines)
{
	uint64		positions;
	GpuAggStripe *stripe;

	extent->full |= open_stripes(extent) == GPUAGG_EXTENT_STRIPES ||
		extent->nstripes == GPUAGG_EXTENT_SLOTS;
	if (extent->full)
		return false;
	positions = positions_expected(extent, expected, nlines);
	if (positions > PG_INT32_MAX)
		return false;
	stripe = gpuagg_cache_stripe_make(extent, (uint32) positions,
									  stripe_priority(extent, positions,
													  positions / Max(nlines, 1)));
	if (stripe == NULL)
		return false;
	extent->stripes[extent->nstripes++] =
		(GpuAggCacheStripe) {.stripe = stripe,.positions = (uint32) positions};
	return true;
}

static void *
lengthen_one(GpuAggCacheExtent *extent, void *array, Size old_bytes, Size bytes)
{
	return gpuagg_cache_lengthen(&extent->table->directory, array, old_bytes, bytes);
}

/*
 * Makes the arrays long enough for a block: at first for all that the table has,
 * for most tables are read whole.  False: there is no memory for that which is
 * worth less.
 */
static bool
lengthen(GpuAggCacheExtent *extent, uint32 block, uint32 nlines,
		 const GpuAggCacheExpected *expected)
{
	uint32		room = Max(extent->room > 0 ? 2 * extent->room : expected->blocks, block + 64);
	const Size	words = GPUAGG_BITMAP_WORDS(extent->room) * sizeof(uint64);
	uint64		positions = positions_expected(extent, expected, nlines);
	Size		bitmap;
	Size		blocks;

	room = Min(room, GPUAGG_EXTENT_BLOCKS);
	bitmap = GPUAGG_BITMAP_WORDS(room) * sizeof(uint64);
	blocks = room * sizeof(GpuAggCacheBlock);
	if (!gpuagg_cache_make_room(2 * (extent->nfills + 1) * (bitmap + ARRAY_HEAD) +
								blocks + room * sizeof(uint64) + 2 * ARRAY_HEAD,
								stripe_priority(extent, positions, positions / Max(nlines, 1))))
		return false;
	for (int i = 0; i < extent->nfills; i++)
	{
		extent->fills[i]->filled = lengthen_one(extent, extent->fills[i]->filled, words, bitmap);
		extent->fills[i]->begun = lengthen_one(extent, extent->fills[i]->begun, words, bitmap);
	}
	extent->blocks = lengthen_one(extent, extent->blocks, extent->room * sizeof(GpuAggCacheBlock),
								  blocks);
	extent->changed = lengthen_one(extent, extent->changed, extent->room * sizeof(uint64),
								   room * sizeof(uint64));
	extent->doubt = lengthen_one(extent, extent->doubt, words, bitmap);
	extent->newest_of = lengthen_one(extent, extent->newest_of, words, bitmap);
	for (uint32 i = extent->room; i < room; i++)
	{
		extent->blocks[i].stripe = GPUAGG_NO_STRIPE;
		extent->changed[i] = extent->changed_beyond;
	}
	extent->room = room;
	return true;
}

void
gpuagg_cache_loosen(GpuAggCacheExtent *extent, const GpuAggCacheBlock *block)
{
	GpuAggCacheStripe *stripe = &extent->stripes[block->stripe];

	if (block->positions == 0)
		return;
	for (uint32 z = block->position / GPUAGG_ZONE;
		 z <= (block->position + block->positions - 1) / GPUAGG_ZONE && z < GPUAGG_TIGHT_ZONES; z++)
		stripe->loose[z / 64] |= UINT64CONST(1) << z % 64;
}

/* Those that were never handed out, in a stripe that has enough; false: none has. */
static bool
take_end(GpuAggCacheExtent *extent, GpuAggCacheBlock *block, uint32 positions)
{
	int			i = 0;

	while (i < extent->nstripes &&
		   (extent->stripes[i].closed || extent->stripes[i].packed ||
			extent->stripes[i].positions - extent->stripes[i].used < positions))
		i++;
	if (i == extent->nstripes)
		return false;
	block->stripe = (uint8) i;
	block->position = extent->stripes[i].used;
	block->positions = (uint16) positions;
	extent->stripes[i].used += positions;
	extent->stripes[i].told = false;
	extent->nplaced++;
	return true;
}

/* Those that others had before */
static bool
take_free(GpuAggCacheExtent *extent, GpuAggCacheBlock *block, uint32 positions)
{
	if (positions == 0 || !gpuagg_cache_free_take(extent, positions, block))
		return false;
	extent->nplaced++;
	gpuagg_cache_loosen(extent, block);
	return true;
}

/* One that has changed gets as many as it had, so that it fits where others were; or more. */
static uint32
positions_wanted(uint32 nlines, uint32 had)
{
	const uint32 grown = (nlines + nlines / LINES_GROWTH + LINES_STEP) / LINES_STEP * LINES_STEP;

	if (nlines <= had)
		return had;
	return had > 0 ? Min(grown, GPUAGG_MAX_LINES) : nlines;
}

/* Positions for a block that has none; nothing to spare is better than none. */
static bool
take_positions(GpuAggCacheExtent *extent, GpuAggCacheBlock *block, uint32 nlines, uint32 had,
			   const GpuAggCacheExpected *expected)
{
	const uint32 positions = positions_wanted(nlines, had);

	gpuagg_cache_formers_free(extent);
	return take_free(extent, block, positions) || take_end(extent, block, positions) ||
		(!extent->full && gpuagg_cache_formers_release(extent) > 0 &&
		 take_free(extent, block, positions)) ||
		(add_stripe(extent, expected, positions) && take_end(extent, block, positions)) ||
		take_free(extent, block, nlines);
}

GpuAggCacheBlock *
gpuagg_cache_position(GpuAggCacheExtent *extent, uint32 number, uint32 nlines,
				   uint64 lsn, uint32 had, const GpuAggCacheExpected *expected)
{
	GpuAggCacheBlock *block;

	if (number >= extent->room && !lengthen(extent, number, nlines, expected))
		return NULL;
	block = &extent->blocks[number];
	extent->moved += block->stripe != GPUAGG_NO_STRIPE;
	if (block->lsn != lsn || lsn == 0)
	{
		gpuagg_cache_forget(extent, number);
		if (block->stripe != GPUAGG_NO_STRIPE)
			gpuagg_cache_loosen(extent, block);
	}
	if (block->stripe != GPUAGG_NO_STRIPE && block->positions >= nlines &&
		!extent->stripes[block->stripe].packed)
	{
		if (block->positions > nlines)
			gpuagg_cache_loosen(extent, block);
	}
	else
	{
		gpuagg_cache_forget(extent, number);
		if (block->stripe != GPUAGG_NO_STRIPE)
		{
			gpuagg_cache_free_add(extent, block);
			block->stripe = GPUAGG_NO_STRIPE;
			extent->nplaced--;
		}
		if (!take_positions(extent, block, nlines, had, expected))
			return NULL;
	}
	block->lsn = lsn;
	extent->page_lsn = Max(extent->page_lsn, lsn);
	return block;
}
