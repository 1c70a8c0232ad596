/*
 * cache_extent.c
 *		What is held of an extent (cache_extent.h), and how it goes.
 */
#include "postgres.h"

#include "cache/cache_extent.h"
#include "cache/cache_memory.h"
#include "cache/cache_pin.h"
#include "cache/cache_rest.h"
#include "port/pg_bitutils.h"

GpuAggCacheFill *
gpuagg_cache_fill(const GpuAggCacheExtent *extent, const GpuAggCacheColumn *column)
{
	for (int i = 0; i < extent->nfills; i++)
		if (extent->fills[i]->column == column)
			return extent->fills[i];
	return NULL;
}

uint64
gpuagg_cache_fill_bytes(const GpuAggCacheExtent *extent, const GpuAggCacheFill *fill)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	uint64		bytes = 0;

	for (int i = 0; i < extent->nstripes; i++)
		if (extent->stripes[i].stripe != NULL)
			bytes += gpuagg_cache_is_rows(fill->column) ?
				ops->bytes(extent->stripes[i].stripe) :
				ops->column_bytes(extent->stripes[i].stripe, fill->column->attr);
	return bytes;
}

uint64
gpuagg_cache_fill_saved(const GpuAggCacheExtent *extent, const GpuAggCacheFill *fill)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	const uint32 attr = fill->column->attr;
	uint64		saved = 0;

	for (int i = 0; i < extent->nstripes && ops->pack != NULL; i++)
		if (extent->stripes[i].packed && extent->stripes[i].stripe != NULL &&
			!gpuagg_cache_is_rows(fill->column))
			saved += ops->plain_bytes(extent->stripes[i].stripe, attr) -
				ops->column_bytes(extent->stripes[i].stripe, attr);
	return saved;
}

bool
gpuagg_cache_may_have(const GpuAggCacheExtent *extent,
					  GpuAggCacheColumn *const *columns, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
		if (gpuagg_cache_is_rows(columns[i]) && extent->nfills > 0 &&
			gpuagg_cache_fill(extent, columns[i]) == NULL)
			return false;
	return true;
}

/* Blocks that are filled in one column at least, into words that are clear */
static void
held_any(const GpuAggCacheExtent *extent, uint32 words, uint64 *held)
{
	for (int i = 0; i < extent->nfills; i++)
		for (uint32 w = 0; w < words; w++)
			held[w] |= extent->fills[i]->filled[w];
}

/* Those that are filled in all of some columns; false: there are none. */
static bool
held_all(const GpuAggCacheExtent *extent, GpuAggCacheColumn *const *columns,
		 int ncolumns, uint32 words, uint64 *held)
{
	for (int i = 0; i < ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(extent, columns[i]);

		if (fill == NULL)
			return false;
		for (uint32 w = 0; w < words; w++)
			held[w] = i == 0 ? fill->filled[w] : held[w] & fill->filled[w];
	}
	return true;
}

/* Is all of it filled in all of some columns?  That is what an extent mostly is. */
static bool
held_whole(const GpuAggCacheExtent *extent, GpuAggCacheColumn *const *columns, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(extent, columns[i]);

		if (fill == NULL || fill->nfilled < extent->room)
			return false;
	}
	return true;
}

uint32
gpuagg_cache_held(const GpuAggCacheExtent *extent, GpuAggCacheColumn *const *columns,
				  int ncolumns, uint32 nblocks, uint64 *held)
{
	uint32		words = GPUAGG_BITMAP_WORDS(nblocks);
	uint32		reach = Min(nblocks, extent->room);
	uint32		n = 0;

	if (reach == nblocks && held_whole(extent, columns, ncolumns))
	{
		memset(held, 0xFF, words * sizeof(uint64));
		if (nblocks % 64 != 0)
			held[words - 1] &= (UINT64CONST(1) << nblocks % 64) - 1;
		return nblocks;
	}
	memset(held, 0, words * sizeof(uint64));
	if (gpuagg_cache_is_rows(columns[0]))
		held_any(extent, GPUAGG_BITMAP_WORDS(reach), held);
	else if (!held_all(extent, columns, ncolumns, GPUAGG_BITMAP_WORDS(reach), held))
	{
		memset(held, 0, words * sizeof(uint64));
		return 0;
	}
	if (reach % 64 != 0)
		held[reach / 64] &= (UINT64CONST(1) << reach % 64) - 1;
	for (uint32 w = 0; w < words; w++)
		n += pg_popcount64(held[w]);
	return n;
}

bool
gpuagg_cache_has(const GpuAggCacheExtent *extent, uint32 block)
{
	for (int i = 0; block < extent->room && i < extent->nfills; i++)
		if (gpuagg_bit(extent->fills[i]->filled, block))
			return true;
	return false;
}

bool
gpuagg_cache_is_begun(const GpuAggCacheExtent *extent, uint32 block)
{
	for (int i = 0; block < extent->room && i < extent->nfills; i++)
		if (gpuagg_bit(extent->fills[i]->begun, block))
			return true;
	return false;
}

void
gpuagg_cache_leave_positions(GpuAggCacheExtent *extent, uint32 block)
{
	gpuagg_cache_forget(extent, block);
	for (int i = 0; i < extent->nfills; i++)
		extent->fills[i]->begun[block / 64] &= ~(UINT64CONST(1) << block % 64);
}

void
gpuagg_cache_forget(GpuAggCacheExtent *extent, uint32 block)
{
	uint64		bit = UINT64CONST(1) << block % 64;

	if (block >= extent->room)
		return;
	extent->forgotten++;
	for (int i = 0; i < extent->nfills; i++)
	{
		GpuAggCacheFill *fill = extent->fills[i];

		if ((fill->filled[block / 64] & bit) == 0)
			continue;
		fill->filled[block / 64] &= ~bit;
		fill->nfilled--;
		fill->npositions -= extent->blocks[block].positions;
	}
}

void
gpuagg_cache_fill_begin(GpuAggCacheFill *fill, uint32 block)
{
	Assert(!gpuagg_bit(fill->filled, block) && !gpuagg_bit(fill->begun, block));
	fill->begun[block / 64] |= UINT64CONST(1) << block % 64;
}

void
gpuagg_cache_fill_end(GpuAggCacheFill *fill, uint32 block, bool done)
{
	const uint64 bit = UINT64CONST(1) << block % 64;

	fill->begun[block / 64] &= ~bit;
	if (!done || gpuagg_bit(fill->filled, block))
		return;
	fill->filled[block / 64] |= bit;
	fill->nfilled++;
	fill->npositions += fill->extent->blocks[block].positions;
}

void
gpuagg_cache_reader_add(GpuAggCacheExtent *extent, GpuAggCacheReader *reader)
{
	reader->version = extent->version;
	reader->map_lsn = extent->map_lsn;
	dlist_push_tail(&extent->readers, &reader->node);
	extent->users++;
}

/*
 * For assertions: are as many blocks filled as are counted, and nothing of them being filled; by
 * nobody at all, if the last user has left?
 */
static pg_attribute_unused() bool
is_sound(const GpuAggCacheExtent *extent)
{
	for (int i = 0; i < extent->nfills; i++)
	{
		const GpuAggCacheFill *fill = extent->fills[i];
		uint32		n = 0;

		for (uint32 w = 0; w < GPUAGG_BITMAP_WORDS(extent->room); w++)
		{
			n += pg_popcount64(fill->filled[w]);
			if ((fill->begun[w] & (extent->users == 0 ? PG_UINT64_MAX : fill->filled[w])) != 0)
				return false;
		}
		if (n != fill->nfilled)
			return false;
	}
	return true;
}

void
gpuagg_cache_reader_remove(GpuAggCacheExtent *extent, GpuAggCacheReader *reader)
{
	dlist_delete(&reader->node);
	extent->users--;
	Assert(is_sound(extent));
}

/* ---------------------------------------------------------------- going --- */

void
gpuagg_cache_free_none(GpuAggCacheExtent *extent)
{
	for (uint32 i = 0; i < extent->free.nparts; i++)
		gpuagg_cache_free(&extent->table->directory, extent->free.parts[i].ranges);
	gpuagg_cache_free(&extent->table->directory, extent->free.parts);
	extent->free = (GpuAggCacheFree) {0};
	for (int i = 0; i < extent->nstripes; i++)
		extent->stripes[i].left = 0;
}

void
gpuagg_cache_stripe_gone(GpuAggCacheStripe *stripe)
{
	if (stripe->stripe != NULL)
		gpuagg_cache_stripe_ops()->free(stripe->stripe);
	stripe->stripe = NULL;
	stripe->closed = true;
	stripe->formers = 0;
}

static void
extent_free_stripes(GpuAggCacheExtent *extent)
{
	for (int i = 0; i < extent->nstripes; i++)
		gpuagg_cache_stripe_gone(&extent->stripes[i]);
	extent->nstripes = 0;
	extent->moved = extent->release_from = 0;
	extent->full = false;
	extent->nplaced = 0;
	gpuagg_cache_free(&extent->table->directory, extent->blocks);
	extent->blocks = NULL;
	for (uint32 i = 0; i < extent->room; i++)
		extent->changed_beyond = Max(extent->changed_beyond, extent->changed[i]);
	gpuagg_cache_free(&extent->table->directory, extent->changed);
	gpuagg_cache_free(&extent->table->directory, extent->doubt);
	gpuagg_cache_free(&extent->table->directory, extent->newest_of);
	extent->changed = extent->doubt = extent->newest_of = NULL;
	extent->room = 0;
	gpuagg_cache_free(&extent->table->directory, extent->formers);
	extent->formers = NULL;
	extent->nformers = extent->max_formers = extent->next_former = 0;
	gpuagg_cache_free_none(extent);
	extent->newest = 0;
}

/* The i-th column of an extent goes; without columns, positions and stripes do. */
void
gpuagg_cache_extent_drop(GpuAggCacheExtent *extent, int i)
{
	GpuAggCacheFill *fill = extent->fills[i];

	gpuagg_cache_fill_gone(fill);
	gpuagg_cache_release(fill);
	extent->fills[i] = extent->fills[--extent->nfills];
	extent->packing.fill = 0;
	for (int k = 0; k < extent->nstripes && !gpuagg_cache_is_rows(fill->column); k++)
		if (extent->stripes[k].stripe != NULL)
			gpuagg_cache_stripe_ops()->drop_column(extent->stripes[k].stripe, fill->column->attr);
	gpuagg_cache_free(&extent->table->directory, fill->filled);
	gpuagg_cache_free(&extent->table->directory, fill->begun);
	gpuagg_cache_free(&extent->table->directory, fill);
	if (extent->nfills == 0)
		extent_free_stripes(extent);
}

/* Columns of which nothing is filled are not the extent's; rows alone are what others tell. */
void
gpuagg_cache_drop_useless(GpuAggCacheExtent *extent)
{
	for (int i = extent->nfills - 1; i >= 0; i--)
		if (extent->fills[i]->nfilled == 0)
			gpuagg_cache_extent_drop(extent, i);
	for (int i = extent->nfills - 1; i >= 0 && extent->nfills > 1; i--)
		if (gpuagg_cache_is_rows(extent->fills[i]->column))
			gpuagg_cache_extent_drop(extent, i);
}

bool
gpuagg_cache_has_any(const GpuAggCacheExtent *extent)
{
	for (int i = 0; i < extent->nfills; i++)
		if (extent->fills[i]->nfilled > 0)
			return true;
	return false;
}

void
gpuagg_cache_begin_anew(GpuAggCacheExtent *extent)
{
	while (!gpuagg_cache_has_any(extent) && extent->nfills > 0)
		gpuagg_cache_extent_drop(extent, extent->nfills - 1);
}

void
gpuagg_cache_extent_free(GpuAggCacheExtent *extent)
{
	Assert(dlist_is_empty(&extent->readers));
	while (extent->nfills > 0)
		gpuagg_cache_extent_drop(extent, extent->nfills - 1);
	extent_free_stripes(extent);
	gpuagg_cache_pack_never(extent);
	gpuagg_cache_free(&extent->table->directory, extent->fills);
	extent->table->extents[extent->number] = NULL;
	extent->table->nheld--;
	gpuagg_cache_free(&extent->table->directory, extent);
}
