/*
 * written.c
 *		Pages of a table that nobody has written to yet.
 *
 * Tables grow by many pages, since 16 always and before where several sessions fill one; what is
 * left over stays new, and is never all-visible, so no device has it.  But a page that is new now,
 * under its lock, has no row that a snapshot taken before could see: what has all others of the
 * snapshot has the table.
 *
 * Pages that are all-visible are not looked at.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "compat.h"
#include "heap/vismap.h"
#include "heap/written.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

static bool
page_is_new(Relation rel, BlockNumber block, BufferAccessStrategy strategy)
{
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
	bool		is_new;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	is_new = PageIsNew(BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	return is_new;
}

/*
 * New pages among those blocks that are not all-visible; with "settled" InvalidBlockNumber if
 * others are not, either.
 */
static BlockNumber
new_blocks(Relation rel, BlockNumber first, BlockNumber end, bool settled,
		   BufferAccessStrategy strategy)
{
	BlockNumber found = 0;
	Buffer		map = InvalidBuffer;

	for (BlockNumber block = first; block < end; block++)
	{
		CHECK_FOR_INTERRUPTS();
		if (VM_ALL_VISIBLE(rel, block, &map))
			continue;
		if (page_is_new(rel, block, strategy))
			found++;
		else if (settled)
		{
			found = InvalidBlockNumber;
			break;
		}
	}
	if (BufferIsValid(map))
		ReleaseBuffer(map);
	return found;
}

BlockNumber
gpuagg_written_blocks(Relation rel, BlockNumber nblocks, bool settled)
{
	BufferAccessStrategy strategy;
	BlockNumber written = nblocks;
	BlockNumber visible;

	/* as a rule all are, which is known soon */
	visibilitymap_count(rel, &visible, NULL);
	if (visible >= nblocks)
		return nblocks;
	strategy = GetAccessStrategy(BAS_BULKREAD);
	for (BlockNumber first = 0; first < nblocks; first += GPUAGG_EXTENT_BLOCKS)
	{
		const BlockNumber n = Min(nblocks - first, GPUAGG_EXTENT_BLOCKS);
		BlockNumber found;

		if (gpuagg_vismap_whole(rel, first / GPUAGG_EXTENT_BLOCKS, n) != InvalidXLogRecPtr)
			continue;
		found = new_blocks(rel, first, first + n, settled, strategy);
		if (found == InvalidBlockNumber)
		{
			written = nblocks;
			break;
		}
		written -= found;
	}
	FreeAccessStrategy(strategy);
	return written;
}

bool
gpuagg_written_visible(Relation rel, BlockNumber nblocks, BlockNumber *written)
{
	BlockNumber visible;

	*written = gpuagg_written_blocks(rel, nblocks, true);
	visibilitymap_count(rel, &visible, NULL);
	return visible >= *written;
}

XLogRecPtr
gpuagg_written_extent(Relation rel, uint32 extent, uint32 nblocks)
{
	const BlockNumber first = extent * GPUAGG_EXTENT_BLOCKS;
	XLogRecPtr	lsn = gpuagg_vismap_whole(rel, extent, nblocks);
	uint64		words[GPUAGG_EXTENT_BITMAP_BYTES / sizeof(uint64)];
	uint8	   *bits = (uint8 *) words;
	BufferAccessStrategy strategy;
	BlockNumber found;

	if (lsn != InvalidXLogRecPtr)
		return lsn;
	lsn = gpuagg_vismap_read(rel, extent, nblocks, bits);
	if (lsn == InvalidXLogRecPtr)
		return lsn;
	strategy = GetAccessStrategy(BAS_BULKREAD);
	found = new_blocks(rel, first, first + nblocks, true, strategy);
	FreeAccessStrategy(strategy);
	return found != InvalidBlockNumber && found + gpuagg_vismap_count(bits) == nblocks ?
		lsn :
		InvalidXLogRecPtr;
}
