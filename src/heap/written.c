/*
 * written.c
 *		Pages of a table that nobody has written to yet.
 *
 * Since 16 tables grow by many pages, which are filled in any order; what is left over stays
 * new, and is never all-visible, so no device has it.  But a page that is new now, under its
 * lock, has no row that a snapshot taken before could see: what has all others of the
 * snapshot has the table.
 *
 * Pages that are all-visible are not looked at.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "compat.h"
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

BlockNumber
gpuagg_written_blocks(Relation rel, BlockNumber nblocks, bool settled)
{
	BufferAccessStrategy strategy;
	BlockNumber written = nblocks;
	BlockNumber visible;
	Buffer		map = InvalidBuffer;

	/* as a rule all are, which is known soon */
	visibilitymap_count(rel, &visible, NULL);
	if (visible >= nblocks)
		return nblocks;
	strategy = GetAccessStrategy(BAS_BULKREAD);
	for (BlockNumber block = 0; block < nblocks; block++)
	{
		CHECK_FOR_INTERRUPTS();
		if (VM_ALL_VISIBLE(rel, block, &map))
			continue;
		if (page_is_new(rel, block, strategy))
			written--;
		else if (settled)
		{
			written = nblocks;
			break;
		}
	}
	if (BufferIsValid(map))
		ReleaseBuffer(map);
	FreeAccessStrategy(strategy);
	return written;
}
