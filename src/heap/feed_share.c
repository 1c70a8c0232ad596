/*
 * feed_share.c
 *		Which process of several that feed one task reads which blocks
 *		(feed_share.h).
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/syncscan.h"
#include "access/tableam.h"
#include "heap/feed_share.h"
#include "miscadmin.h"

/* A process takes this part of what is its equal share of the rest, */
#define RUN_PART 4

/* and at most so many blocks, which PostgreSQL's parallel scans take at most, too. */
#define RUN_MOST 8192

void
gpuagg_feed_share_init(GpuAggFeedShare *share, Relation rel, BlockNumber nblocks,
					   BlockNumber first, BlockNumber end, bool sampled, uint32 processes,
					   BlockNumber least)
{
	bool		synchronized = nblocks > NBuffers / 4 && synchronize_seqscans && !sampled &&
		end - first == nblocks;

	share->nblocks = nblocks;
	share->count = end - first;
	share->start = synchronized ? ss_get_location(rel, nblocks) : first;
	share->processes = processes;
	share->least = least;
	pg_atomic_init_u64(&share->taken, 0);
}

bool
gpuagg_feed_share_take(GpuAggFeedShare *share, BlockNumber *first, BlockNumber *n)
{
	uint64		taken = pg_atomic_read_u64(&share->taken);
	uint64		run;

	do
	{
		uint64		rest;

		if (taken >= share->count)
			return false;
		rest = share->count - taken;
		run = Min(Max(rest / (RUN_PART * share->processes), share->least), RUN_MOST);
		run = Min(run, rest);
	} while (!pg_atomic_compare_exchange_u64(&share->taken, &taken, taken + run));
	*first = (BlockNumber) ((share->start + taken) % share->nblocks);
	*n = (BlockNumber) run;
	return true;
}

bool
gpuagg_feed_share_more(GpuAggFeedShare *share)
{
	return pg_atomic_read_u64(&share->taken) < share->count;
}

void
gpuagg_feed_share_stop(GpuAggFeedShare *share)
{
	pg_atomic_write_u64(&share->taken, share->count);
}
