/*
 * page_shares.c
 *		How many of a table's pages are all-visible, and as the cache has them (page_shares.h).
 *
 * A map page whose LSN is not greater than any that pages were kept with was not set since: what is
 * all-visible by it has not changed.  Where VACUUM has set bits, some of the pages are asked for their LSNs:
 * one that is greater than any that pages were kept with was changed.
 *
 * A map page takes a microsecond, and there is one for 255 MB of the table.  Heap pages are
 * looked at between a VACUUM and the next run, which remembers the map as it is then.
 */
#include "postgres.h"

#include "heap/page_shares.h"
#include "heap/vismap.h"
#include "storage/bufmgr.h"

/* Pages of the map that are looked at, and of the heap, of a table in all */
#define MAPS 64
#define HEAP_PAGES 64

typedef struct Look
{
	Relation	rel;
	XLogRecPtr	map_lsn;
	XLogRecPtr	page_lsn;
	uint32		heap_pages;		/* of an extent */
	double		blocks;			/* of the extents that were looked at */
	double		visible;
	double		same;
} Look;

/* The part of an extent's all-visible pages that has not changed, by some of them */
static double
unchanged(const Look *look, uint32 extent, uint32 nblocks, const uint8 *bits)
{
	const uint32 stride = Max(1, nblocks / look->heap_pages);
	uint32		asked = 0;
	uint32		same = 0;

	for (uint32 first = 0; first < nblocks && asked < look->heap_pages; first += stride)
	{
		const uint32 end = Min(first + stride, nblocks);
		uint32		i = first;

		while (i < end && !gpuagg_vismap_bit(bits, i))
			i++;
		if (i == end)
			continue;
		asked++;
		same += gpuagg_vismap_page_lsn(look->rel, extent * GPUAGG_EXTENT_BLOCKS + i, NULL) <= look->page_lsn;
	}
	return asked > 0 ? (double) same / asked : 0;
}

static void
look_at_extent(Look *look, uint32 extent, uint32 nblocks)
{
	uint64		words[GPUAGG_EXTENT_BITMAP_BYTES / sizeof(uint64)];
	uint8	   *bits = (uint8 *) words;
	const XLogRecPtr lsn = gpuagg_vismap_look(look->rel, extent, nblocks, bits);
	const uint32 visible = gpuagg_vismap_count(bits);

	look->blocks += nblocks;
	look->visible += visible;
	if (visible == 0 || XLogRecPtrIsInvalid(lsn) || XLogRecPtrIsInvalid(look->map_lsn))
		return;
	look->same += lsn <= look->map_lsn ? visible : visible * unchanged(look, extent, nblocks, bits);
}

void
gpuagg_page_shares(Relation rel, BlockNumber nblocks, XLogRecPtr map_lsn, XLogRecPtr page_lsn,
				   GpuAggPageShares *shares)
{
	const uint32 nextents = (nblocks + GPUAGG_EXTENT_BLOCKS - 1) / GPUAGG_EXTENT_BLOCKS;
	const uint32 step = (nextents + MAPS - 1) / MAPS;
	Look		look = {.rel = rel,.map_lsn = map_lsn,.page_lsn = page_lsn};

	shares->visible = shares->same = 0;
	if (nblocks == 0)
		return;
	look.heap_pages = Max(1, HEAP_PAGES * step / nextents);
	for (uint32 i = 0; i < nextents; i += step)
		look_at_extent(&look, i, Min(nblocks - i * GPUAGG_EXTENT_BLOCKS, GPUAGG_EXTENT_BLOCKS));
	shares->visible = look.visible / look.blocks;
	shares->same = look.same / look.blocks;
}
