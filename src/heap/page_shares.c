/*
 * page_shares.c
 *		How many of a table's pages are all-visible, and as the cache has them (page_shares.h).
 *
 * A map page whose LSN is not greater than any that pages were kept with was not set since: what is
 * all-visible by it has not changed.  Of all other pages some are asked for their LSNs: one that is
 * greater than any that pages were kept with was changed.  A page that follows one that is the same
 * is a gap for who reads the others alone.
 *
 * A map page takes a microsecond, and there is one for 255 MB of the table.
 */
#include "postgres.h"

#include "heap/page_shares.h"
#include "heap/vismap.h"
#include "storage/bufmgr.h"

/* Pages of the map that are looked at, of a table in all */
#define MAPS 64

typedef struct Look
{
	Relation	rel;
	XLogRecPtr	map_lsn;
	XLogRecPtr	page_lsn;
	uint32		heap_pages;		/* of an extent */
	double		blocks;			/* of the extents that were looked at */
	double		visible;
	double		same;
	double		changed;
	double		compared;
	double		gaps;
	double		asked;
} Look;

/* What some of an extent's pages tell of those that the map does not tell of */
typedef struct Sample
{
	uint32		asked;
	uint32		same;
	uint32		gaps;
} Sample;

/* Of those whose bit is not set, or of all */
static Sample
sample_pages(const Look *look, uint32 extent, uint32 nblocks, const uint8 *bits, bool all)
{
	const uint32 stride = Max(1, nblocks / look->heap_pages);
	Sample		sample = {0};
	bool		before = false;

	for (uint32 first = 0; first < nblocks && sample.asked < look->heap_pages; first += stride)
	{
		const uint32 end = Min(first + stride, nblocks);
		uint32		i = first;
		bool		is_same;

		while (!all && i < end && gpuagg_vismap_bit(bits, i))
			i++;
		if (i == end)
			continue;
		is_same = gpuagg_vismap_page_lsn(look->rel, extent * GPUAGG_EXTENT_BLOCKS + i, NULL) <=
			look->page_lsn;
		if (!is_same && (before || (!all && i > 0 && gpuagg_vismap_bit(bits, i - 1))))
			sample.gaps++;
		sample.asked++;
		sample.same += is_same;
		before = is_same;
	}
	return sample;
}

static void
look_at_extent(Look *look, uint32 extent, uint32 nblocks)
{
	uint64		words[GPUAGG_EXTENT_BITMAP_BYTES / sizeof(uint64)];
	uint8	   *bits = (uint8 *) words;
	const XLogRecPtr lsn = gpuagg_vismap_look(look->rel, extent, nblocks, bits);
	const uint32 visible = gpuagg_vismap_count(bits);
	const bool	all = XLogRecPtrIsInvalid(lsn) || lsn > look->map_lsn;
	const uint32 doubtful = all ? nblocks : nblocks - visible;
	Sample		sample;

	look->blocks += nblocks;
	look->visible += visible;
	if (XLogRecPtrIsInvalid(look->page_lsn))
		return;
	look->same += nblocks - doubtful;
	look->compared += doubtful;
	if (doubtful == 0)
		return;
	sample = sample_pages(look, extent, nblocks, bits, all);
	if (sample.asked == 0)
		return;
	look->asked += sample.asked;
	look->same += doubtful * (double) sample.same / sample.asked;
	look->changed += (nblocks - visible) * (1 - (double) sample.same / sample.asked);
	look->gaps += doubtful * (double) sample.gaps / sample.asked;
}

void
gpuagg_page_shares(Relation rel, BlockNumber nblocks, XLogRecPtr map_lsn, XLogRecPtr page_lsn,
				   GpuAggPageShares *shares)
{
	const uint32 nextents = (nblocks + GPUAGG_EXTENT_BLOCKS - 1) / GPUAGG_EXTENT_BLOCKS;
	const uint32 step = (nextents + MAPS - 1) / MAPS;
	Look		look = {.rel = rel,.map_lsn = map_lsn,.page_lsn = page_lsn};

	memset(shares, 0, sizeof(*shares));
	if (nblocks == 0)
		return;
	look.heap_pages = Max(1, GPUAGG_SHARES_PAGES * step / nextents);
	for (uint32 i = 0; i < nextents; i += step)
		look_at_extent(&look, i, Min(nblocks - i * GPUAGG_EXTENT_BLOCKS, GPUAGG_EXTENT_BLOCKS));
	shares->visible = look.visible / look.blocks;
	shares->same = look.same / look.blocks;
	shares->changed = look.changed / look.blocks;
	shares->compared = look.compared / look.blocks;
	shares->gaps = look.gaps / look.blocks;
	shares->asked = look.asked;
}
