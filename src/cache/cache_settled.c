/*
 * cache_settled.c
 *		Which of an extent's blocks a snapshot sees as they are held (cache_settled.h).
 *
 * A transaction that precedes a snapshot's xmin had ended before it.  Beyond that, while some
 * transaction runs for long, snapshots are compared: a page that was settled for one of them is
 * so for each later one.  The extent remembers the latest of those by which its pages were kept.
 */
#include "postgres.h"

#include "access/transam.h"
#include "cache/cache_settled.h"
#include "port/pg_bitutils.h"

/* The number of a transaction with its epoch; 0 of none */
static uint64
full_xid(const GpuAggSnapshot *snapshot, uint32 xid)
{
	return xid == InvalidTransactionId ? 0 :
		snapshot->next - (int32) ((uint32) snapshot->next - xid);
}

/* Was a snapshot taken when another was, by which pages were kept, or later? */
static bool
is_not_older(uint32 xmax, uint32 running, const GpuAggSnapshot *kept_by)
{
	return TransactionIdFollows(xmax, kept_by->later_xmax) ||
		(xmax == kept_by->later_xmax && running <= kept_by->running);
}

void
gpuagg_cache_settled_by(GpuAggCacheExtent *extent, GpuAggCacheBlock *block, uint32 newest,
						const GpuAggSnapshot *snapshot)
{
	uint32		word;

	block->newest = full_xid(snapshot, newest);
	if (newest == InvalidTransactionId)
		return;
	if (extent->newest == 0 ||
		is_not_older(snapshot->later_xmax, snapshot->running, &extent->kept_by))
		extent->kept_by = *snapshot;
	extent->newest = Max(extent->newest, block->newest);
	word = (block - extent->blocks) / 64;
	extent->newest_of[word] = Max(extent->newest_of[word], block->newest);
}


uint32
gpuagg_cache_seen(const GpuAggCacheExtent *extent, const GpuAggSnapshot *snapshot,
				  uint32 nblocks, uint64 *held, uint32 n)
{
	const bool	later = is_not_older(snapshot->xmax, snapshot->running, &extent->kept_by);
	const uint64 end = full_xid(snapshot, later ? snapshot->xmax : snapshot->xmin);

	if (extent->newest < end)
		return n;
	for (uint32 w = 0; w < GPUAGG_BITMAP_WORDS(Min(nblocks, extent->room)); w++)
	{
		for (uint64 left = extent->newest_of[w] < end ? 0 : held[w]; left != 0; left &= left - 1)
		{
			if (extent->blocks[w * 64 + pg_rightmost_one_pos64(left)].newest < end)
				continue;
			held[w] &= ~(left & -left);
			n--;
		}
	}
	return n;
}
