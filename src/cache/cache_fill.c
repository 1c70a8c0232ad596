/*
 * cache_fill.c
 *		Pages that come to the column cache: a job's batches fill blocks (cache_fill.h).
 *
 * A page that the client offers is decoded into a stripe while it is grouped.  Where
 * nothing is held of its block it gets positions (cache_position.h), and is this job's
 * alone until its batch is complete.  Where the block is held for other columns, the job's
 * are added at its positions: which rows there are stays as it is, and so does each column
 * that is there, or that another job brings.  So any number of jobs fill beside any number of
 * readers, and a client that lets go of its pages while the device reads them spoils nothing
 * that counts.
 *
 * A page counts as held when its batch is complete, without an error and without rows left
 * to PostgreSQL, and not before: batches that have not come that far when the job leaves
 * are forgotten.
 */
#include "postgres.h"

#include "cache/cache_compare.h"
#include "cache/cache_fill.h"
#include "cache/cache_former.h"
#include "cache/cache_pack.h"
#include "cache/cache_position.h"
#include "cache/cache_publish.h"
#include "cache/cache_settled.h"
#include "cache/cache_table.h"
#include "cache/cache_wal.h"

typedef enum GpuAggFillWay
{
	FILL_NOT,
	FILL_SAME,					/* it is the same page, and lacks nothing: only that is new */
	FILL_PLACE,					/* nothing of the block is held */
	FILL_REPLACE,				/* what is held of it is of no use any more */
	FILL_ADD					/* it is the same page, held for other columns */
} GpuAggFillWay;

/* The extent that a page is to be kept in; NULL: it is not to be kept. */
static GpuAggCacheUse *
page_use(GpuAggCacheJob *cached, const GpuAggMsgPage *page)
{
	GpuAggCacheUse *use;

	if (page->keep == GPUAGG_KEEP_NOT || page->keep == GPUAGG_KEEP_COMPARE ||
		page->block >= cached->nblocks || cached->nuses == 0)
		return NULL;
	use = &cached->uses[page->block / GPUAGG_EXTENT_BLOCKS];
	return use->filler && !use->full ? use : NULL;
}

/* Lines of these pages, in the mean */
static double
lines_mean(const GpuAggMsgPage *pages, uint32 npages)
{
	uint64		lines = 0;

	for (uint32 i = 0; i < npages; i++)
		lines += pages[i].nlines;
	return (double) lines / npages;
}

/*
 * What to do with a page that is what is held of its block.  Columns that are held, or that others
 * bring, are *there: a job writes none of these again, for what it reads of a page counts only if
 * its client has held the page to the end.  Where there are more columns than can be told apart
 * so, all are brought anew, to other positions.
 */
static GpuAggFillWay
same_way(const GpuAggCacheJob *cached, const GpuAggCacheUse *use, uint32 block, uint64 *there)
{
	bool		lacks = false;
	bool		begun = false;
	bool		beyond = false;

	for (int i = 0; i < cached->ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(use->extent, cached->columns[i]);
		const bool	begins = fill != NULL && gpuagg_bit(fill->begun, block);

		begun |= begins;
		if (!gpuagg_cache_is_rows(cached->columns[i]) && !begins &&
			(fill == NULL || !gpuagg_bit(fill->filled, block)))
			lacks = true;
		else if (cached->registers[i] < GPUAGG_THERE_COLUMNS)
			*there |= UINT64CONST(1) << cached->registers[i];
		else
			beyond = true;
	}
	if (!lacks)
		return FILL_SAME;
	if (!beyond)
		return FILL_ADD;
	*there = 0;
	return begun ? FILL_NOT : FILL_REPLACE;
}

/*
 * Is a page what it was when it was kept?  So it is if its LSN is the same, or if the WAL has been
 * read beyond it, and tells that what came after the block's did not change rows.  An all-visible
 * one is, too, if the map page has the LSN that is remembered, and nothing was logged of the heap
 * page between what the client read of the map and of the page, nor before the page was kept.
 */
static bool
page_is_same(const GpuAggCacheJob *cached, const GpuAggCacheUse *use, uint32 number,
			 const GpuAggMsgPage *in)
{
	const GpuAggCacheBlock *block = &use->extent->blocks[number];

	return in->nlines <= block->positions &&
		((in->lsn != 0 && in->lsn == block->lsn) ||
		 (in->lsn >= block->lsn && in->lsn <= gpuagg_cache_wal_position() &&
		  gpuagg_cache_wal_same(use->extent, number)) ||
		 (in->keep == GPUAGG_KEEP_VISIBLE && use->map_lsn != 0 &&
		  use->map_lsn == use->extent->map_lsn && in->lsn <= cached->wal &&
		  block->lsn <= cached->wal));
}

/* The page that came is what is held of the block, whatever its LSN is now. */
static void
block_is_same(const GpuAggCacheJob *cached, GpuAggCacheExtent *extent, uint32 number,
			  const GpuAggMsgPage *in)
{
	GpuAggCacheBlock *block = &extent->blocks[number];

	block->lsn = Max(block->lsn, in->lsn);
	extent->page_lsn = Max(extent->page_lsn, block->lsn);
	gpuagg_cache_wal_known(extent, number, cached->followed);
}

/*
 * After the client's map page another one may have been remembered: then it is too old.  Of a
 * page that is all-visible by the one that is remembered what is held is right; of two others
 * the one with the greater LSN is newer.
 */
static GpuAggFillWay
fill_way(const GpuAggCacheJob *cached, const GpuAggCacheUse *use, const GpuAggMsgPage *in,
		 uint64 *there)
{
	GpuAggCacheExtent *extent = use->extent;
	uint32		number = in->block % GPUAGG_EXTENT_BLOCKS;

	*there = 0;
	if (use->map_lsn < extent->map_lsn)
		return FILL_NOT;
	if (!gpuagg_cache_has(extent, number))
		return gpuagg_cache_is_begun(extent, number) ? FILL_NOT : FILL_PLACE;
	if (page_is_same(cached, use, number, in))
		return same_way(cached, use, number, there);
	if (in->lsn < extent->blocks[number].lsn)
		return FILL_NOT;
	return use->map_lsn > extent->map_lsn || in->keep == GPUAGG_KEEP_SETTLED ? FILL_REPLACE :
																			   FILL_NOT;
}

/* The block that a page goes to; NULL: no memory. */
static GpuAggCacheBlock *
fill_block(GpuAggCacheClient *client, GpuAggCacheUse *use, const GpuAggMsgPage *in,
		   double lines, GpuAggFillWay way)
{
	GpuAggCacheJob *cached = client->cached;
	const GpuAggCacheExpected expected = {
		gpuagg_extent_blocks(use->extent->number, cached->nblocks), lines
	};
	uint32		number = in->block % GPUAGG_EXTENT_BLOCKS;
	uint32		had = 0;
	GpuAggCacheBlock *block;

	if (!use->open)
	{
		if (!gpuagg_cache_open(use->extent, cached->columns, cached->ncolumns))
			return NULL;
		use->open = true;
		use->extent->fillers++;
	}
	if (way == FILL_ADD)
	{
		block_is_same(cached, use->extent, number, in);
		return &use->extent->blocks[number];
	}
	if (way == FILL_REPLACE)
	{
		had = use->extent->blocks[number].positions;
		gpuagg_cache_replace(use->extent, &use->reader, number);
	}
	block = gpuagg_cache_position(use->extent, number, in->nlines, in->lsn, had, &expected);
	if (block == NULL)
		return NULL;
	block->known = in->lsn;
	gpuagg_cache_wal_known(use->extent, number, cached->followed);
	gpuagg_cache_settled_by(use->extent, block, in->newest, &client->request.snapshot);
	return block;
}

/* The columns that a page brings come to its block. */
static void
columns_begin(const GpuAggCacheJob *cached, const GpuAggCachePageFill *page)
{
	for (int i = 0; i < cached->ncolumns; i++)
		if (gpuagg_page_brings(page->there, cached->registers[i]))
			gpuagg_cache_fill_begin(gpuagg_cache_fill(cached->uses[page->extent].extent,
													  cached->columns[i]), page->block);
}

/* They have come, or will not. */
static void
columns_end(const GpuAggCacheJob *cached, const GpuAggCachePageFill *page, bool done)
{
	for (int i = 0; i < cached->ncolumns; i++)
		if (gpuagg_page_brings(page->there, cached->registers[i]))
			gpuagg_cache_fill_end(gpuagg_cache_fill(cached->uses[page->extent].extent,
													cached->columns[i]), page->block, done);
}

void
gpuagg_cache_pages(GpuAggCacheClient *client, uint64 batch_id,
				   const GpuAggMsgPage *in, GpuAggPage *pages, uint32 npages)
{
	GpuAggCacheJob *cached = client->cached;
	GpuAggCacheBatch *batch = NULL;
	double		mean = 0;

	if (client->request.compare && cached != NULL)
		gpuagg_cache_compare(client, in, pages, npages);
	for (uint32 i = 0; cached != NULL && i < npages; i++)
	{
		GpuAggCacheUse *use = page_use(cached, &in[i]);
		uint64		there;
		GpuAggFillWay way = use == NULL ? FILL_NOT : fill_way(cached, use, &in[i], &there);
		GpuAggCacheBlock *block;

		if (way == FILL_SAME)
			block_is_same(cached, use->extent, in[i].block % GPUAGG_EXTENT_BLOCKS, &in[i]);
		if (way < FILL_PLACE)
			continue;
		if (batch == NULL)
		{
			batch = gpuagg_cache_batch_add(client, batch_id, npages);
			mean = lines_mean(in, npages);
		}
		block = fill_block(client, use, &in[i], mean, way);
		use->full = block == NULL;
		if (use->full)
			continue;
		/* of a page without a line nothing is to be decoded */
		if (block->positions > 0)
			pages[i].stripe = use->extent->stripes[block->stripe].stripe;
		pages[i].position = block->position;
		pages[i].positions = block->positions;
		pages[i].beside = way == FILL_ADD;
		pages[i].there = there;
		batch->fills[batch->nfills++] = (GpuAggCachePageFill) {
			i, use->extent->number, in[i].block % GPUAGG_EXTENT_BLOCKS, block->position,
			block->stripe, there, use->extent->laid
		};
		columns_begin(cached, &batch->fills[batch->nfills - 1]);
	}
}

/* --------------------------------------------------------------- endings --- */

/* Did a dictionary refuse a string by now?  Then no page counts as kept. */
static bool
job_is_full(GpuAggCacheJob *cached)
{
	bool		full = false;

	for (int i = 0; i < cached->ncolumns; i++)
		full |= gpuagg_cache_is_full(cached->columns[i]);
	return full;
}

/* A page of which rows were listed is not whole in its stripe. */
static bool
page_was_listed(const GpuAggCompletion *completion, uint32 page)
{
	for (uint32 i = 0; i < completion->nlisted; i++)
		if (completion->listed[i].page == page)
			return true;
	return false;
}

/* One that was replaced meanwhile lies elsewhere, or nowhere. */
static bool
lies_there(const GpuAggCacheExtent *extent, const GpuAggCachePageFill *fill)
{
	const GpuAggCacheBlock *block = &extent->blocks[fill->block];

	return extent->laid == fill->laid && block->stripe == fill->stripe &&
		block->position == fill->position;
}

void
gpuagg_cache_fills_end(GpuAggCacheJob *cached, const GpuAggCacheBatch *batch,
					   const GpuAggCompletion *completion)
{
	const bool	good = completion != NULL && completion->error.status == GPUAGG_OK &&
		batch->nfills > 0 && !job_is_full(cached);

	for (uint32 i = 0; i < batch->nfills; i++)
	{
		const GpuAggCachePageFill *fill = &batch->fills[i];
		GpuAggCacheExtent *extent = cached->uses[fill->extent].extent;

		const bool	done = good && !page_was_listed(completion, fill->page);

		if (!lies_there(extent, fill))
			continue;
		columns_end(cached, fill, done);
		if (!done)
		{
			/* what was decoded may have been another page by then */
			gpuagg_cache_loosen(extent, &extent->blocks[fill->block]);
			continue;
		}
		cached->kept++;
		gpuagg_cache_note_kept();
		gpuagg_cache_pack_later(extent, 1);
	}
}
