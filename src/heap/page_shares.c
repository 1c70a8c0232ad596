/*
 * page_shares.c
 *		How many of a table's pages are all-visible, and as the cache has them (page_shares.h).
 *
 * A map page whose LSN is not greater than any that pages were kept with was not set since: what is
 * all-visible by it has not changed.  Where VACUUM has set bits, some of the pages are asked for
 * their LSNs: one that is greater than any that pages were kept with was changed.
 *
 * A page behind one that is the same is a gap for who reads the others alone.  The map tells of
 * gaps by its bits; of pages that were asked for their LSNs the part that follows one that is the
 * same serves, which is right of pages that lie anywhere, and next to nothing of a range.
 *
 * A map page takes a microsecond, and there is one for 255 MB of the table.  Heap pages are
 * looked at between a VACUUM and the next run, which remembers the map as it is then.
 */
#include "postgres.h"

#include "heap/page_shares.h"
#include "heap/vismap.h"
#include "port/pg_bitutils.h"
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
	double		gaps;
} Look;

/* Pages that are not all-visible, behind one that is */
static uint32
gaps_of_bits(const uint64 *words, uint32 nblocks)
{
	uint64		before = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < nblocks; i += 64)
	{
		const uint64 visible = words[i / 64];
		const uint64 blocks = nblocks - i < 64 ? (UINT64CONST(1) << (nblocks - i)) - 1 :
												 PG_UINT64_MAX;

		n += (uint32) pg_popcount64((visible << 1 | before) & ~visible & blocks);
		before = visible >> 63;
	}
	return n;
}

/*
 * The part of an extent's all-visible pages that has not changed, by some of them, and the gaps
 * among the others
 */
static double
unchanged(Look *look, uint32 extent, uint32 nblocks, const uint8 *bits, uint32 visible)
{
	const uint32 stride = Max(1, nblocks / look->heap_pages);
	uint32		asked = 0;
	uint32		same = 0;
	uint32		gaps = 0;
	bool		before = false;

	for (uint32 first = 0; first < nblocks && asked < look->heap_pages; first += stride)
	{
		const uint32 end = Min(first + stride, nblocks);
		uint32		i = first;
		bool		is_same;

		while (i < end && !gpuagg_vismap_bit(bits, i))
			i++;
		if (i == end)
			continue;
		is_same = gpuagg_vismap_page_lsn(look->rel, extent * GPUAGG_EXTENT_BLOCKS + i, NULL) <=
			look->page_lsn;
		asked++;
		same += is_same;
		gaps += before && !is_same;
		before = is_same;
	}
	if (asked == 0)
		return 0;
	look->gaps += visible * (double) gaps / asked;
	return (double) same / asked;
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
	look->gaps += gaps_of_bits(words, nblocks);
	look->same += lsn <= look->map_lsn ? visible :
										 visible * unchanged(look, extent, nblocks, bits, visible);
}

void
gpuagg_page_shares(Relation rel, BlockNumber nblocks, XLogRecPtr map_lsn, XLogRecPtr page_lsn,
				   GpuAggPageShares *shares)
{
	const uint32 nextents = (nblocks + GPUAGG_EXTENT_BLOCKS - 1) / GPUAGG_EXTENT_BLOCKS;
	const uint32 step = (nextents + MAPS - 1) / MAPS;
	Look		look = {.rel = rel,.map_lsn = map_lsn,.page_lsn = page_lsn};

	shares->visible = shares->same = shares->gaps = 0;
	if (nblocks == 0)
		return;
	look.heap_pages = Max(1, HEAP_PAGES * step / nextents);
	for (uint32 i = 0; i < nextents; i += step)
		look_at_extent(&look, i, Min(nblocks - i * GPUAGG_EXTENT_BLOCKS, GPUAGG_EXTENT_BLOCKS));
	shares->visible = look.visible / look.blocks;
	shares->same = look.same / look.blocks;
	shares->gaps = look.gaps / look.blocks;
}
