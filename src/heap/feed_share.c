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

/* A process takes this part of what is its equal share of the rest of all tables. */
#define RUN_PART 4

/* Blocks that a process takes at most, as PostgreSQL's parallel scans do */
#define RUN_MOST 8192

static inline uint32
at_table(uint64 at)
{
	return (uint32) (at >> 32);
}

static inline uint64
at_begin(uint32 table)
{
	return (uint64) table << 32;
}

Size
gpuagg_feed_share_bytes(uint32 ntables)
{
	return offsetof(GpuAggFeedShare, tables) + mul_size(ntables, sizeof(GpuAggFeedShareTable));
}

void
gpuagg_feed_share_init(GpuAggFeedShare *share, uint32 ntables, uint32 first, uint32 processes,
					   BlockNumber least)
{
	share->ntables = ntables;
	share->processes = processes;
	share->least = least;
	pg_atomic_init_u32(&share->open, first);
	pg_atomic_init_u64(&share->at, at_begin(first));
	memset(share->tables, 0, ntables * sizeof(GpuAggFeedShareTable));
}

void
gpuagg_feed_share_table(GpuAggFeedShare *share, uint32 i, BlockNumber nblocks,
						BlockNumber first, BlockNumber end)
{
	GpuAggFeedShareTable *table = &share->tables[i];

	table->before = i == 0 ? 0 : table[-1].before + table[-1].count;
	table->nblocks = nblocks;
	table->count = end - first;
	table->start = first;
}

void
gpuagg_feed_share_open(GpuAggFeedShare *share, Relation rel, bool sampled)
{
	uint32		i = pg_atomic_read_u32(&share->open);
	GpuAggFeedShareTable *table = &share->tables[i];

	if (table->nblocks > NBuffers / 4 && synchronize_seqscans && !sampled &&
		table->count == table->nblocks)
		table->start = ss_get_location(rel, table->nblocks);
	pg_write_barrier();
	pg_atomic_write_u32(&share->open, i + 1);
}

/* How many blocks a process takes of a table of which so many have been taken */
static uint64
run_blocks(const GpuAggFeedShare *share, uint32 i, uint64 taken)
{
	const GpuAggFeedShareTable *table = &share->tables[i];
	const GpuAggFeedShareTable *last = &share->tables[share->ntables - 1];
	uint64		rest = last->before + last->count - table->before - taken;
	uint64		run = Min(Max(rest / (RUN_PART * share->processes), share->least), RUN_MOST);

	return Min(run, table->count - taken);
}

GpuAggFeedShareAnswer
gpuagg_feed_share_take(GpuAggFeedShare *share, GpuAggFeedRun *run)
{
	uint64		at = pg_atomic_read_u64(&share->at);

	for (;;)
	{
		uint32		i = at_table(at);
		uint64		taken = at - at_begin(i);
		const GpuAggFeedShareTable *table = &share->tables[i];
		uint64		n;

		if (i >= share->ntables)
			return GPUAGG_SHARE_OVER;
		if (i >= pg_atomic_read_u32(&share->open))
			return GPUAGG_SHARE_LATER;
		pg_read_barrier();
		n = run_blocks(share, i, taken);
		if (!pg_atomic_compare_exchange_u64(&share->at, &at,
											taken + n < table->count ? at + n : at_begin(i + 1)))
			continue;
		if (n > 0)
		{
			run->table = i;
			run->first = (BlockNumber) ((table->start + taken) % table->nblocks);
			run->n = (BlockNumber) n;
			return GPUAGG_SHARE_RUN;
		}
		at = at_begin(i + 1);
	}
}

bool
gpuagg_feed_share_over(const GpuAggFeedShare *share)
{
	return at_table(pg_atomic_read_u64((pg_atomic_uint64 *) &share->at)) >= share->ntables;
}

uint32
gpuagg_feed_share_ahead(const GpuAggFeedShare *share)
{
	uint32		i = at_table(pg_atomic_read_u64((pg_atomic_uint64 *) &share->at));
	uint32		open = pg_atomic_read_u32((pg_atomic_uint32 *) &share->open);

	return open > i ? open - i : 0;
}

void
gpuagg_feed_share_stop(GpuAggFeedShare *share)
{
	pg_atomic_write_u64(&share->at, at_begin(share->ntables));
}
