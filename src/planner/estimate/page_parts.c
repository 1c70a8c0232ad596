/*
 * page_parts.c
 *		Which part of a table's pages a run need not feed (page_parts.h).
 *
 * What the cache holds, and is still as it was: the less of both, for what was held and has
 * changed is among either.
 */
#include "postgres.h"

#include <math.h>

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "compat.h"
#include "heap/page_shares.h"
#include "ipc/cache_shared.h"
#include "planner/estimate/page_parts.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/* Fewer pages of a sample than this tell nothing of where the changed ones lie. */
#define FOUND_FEW 4

/* The part that the column cache has, changed or not */
static double
held_part(Relation relation, const GpuAggLower *lw, BlockNumber pages)
{
	AttrNumber	columns[GPUAGG_MAX_REGS];

	for (int i = 0; i < lw->ncolumns; i++)
		columns[i] = lw->columns[i].attno;
	return gpuagg_cache_fraction_together(RelationGetRelid(relation), GPUAGG_FILES_NUMBER(relation),
										  columns, lw->ncolumns, pages);
}

/* Up to where WAL is written, or replayed */
static XLogRecPtr
wal_written(void)
{
	return RecoveryInProgress() ? GetXLogReplayRecPtr(NULL) : GetXLogWriteRecPtr();
}

/*
 * Pages that have changed since the WAL was read, by how many have with so much WAL lately; a
 * sample of pages tells of few changes only by chance.  It tells where it saw more of them than
 * chance would have it, or fewer: of k pages some sqrt(k) more or less might have been.
 */
static void
changes_expected(GpuAggPageShares *shares, uint64 page_lsn, double changes, BlockNumber nblocks)
{
	const XLogRecPtr now = wal_written();
	const double one = shares->asked > 0 ? shares->compared / shares->asked : 0;
	double		found;
	double		expected;
	double		changed;

	if (changes < 0 || page_lsn == 0 || now < page_lsn || one * nblocks <= 1)
		return;
	found = (1 - shares->same) / one;
	expected = changes * (double) (now - page_lsn) / nblocks / one;
	if (found > expected + 2 * sqrt(expected) + 1)
		return;
	changed = Min(Min(expected, found + 2 * sqrt(found) + 2) * one, shares->compared);
	/* those that are few lie alone */
	if (found < FOUND_FEW)
		shares->gaps = Max(shares->gaps, changed);
	shares->changed = shares->same < 1 ?
		shares->changed * changed / (1 - shares->same) : changed * (1 - shares->visible);
	shares->same = 1 - changed;
}

void
gpuagg_page_parts(Relation relation, const GpuAggLower *lw, BlockNumber pages,
				  GpuAggPageParts *parts)
{
	const BlockNumber now = RelationGetNumberOfBlocks(relation);
	const BlockNumber nblocks = Min(pages, now);
	uint64		map_lsn = 0;
	uint64		page_lsn = 0;
	double		changes = 0;
	const double held = gpuagg_cache ? held_part(relation, lw, pages) : 0;
	GpuAggPageShares shares;

	if (held > 0)
		gpuagg_cache_lsns(RelationGetRelid(relation), GPUAGG_FILES_NUMBER(relation), &map_lsn,
						  &page_lsn, &changes);
	gpuagg_page_shares(relation, nblocks, map_lsn, page_lsn, &shares);
	if (gpuagg_debug_wal && gpuagg_cache_follows())
		changes_expected(&shares, page_lsn, changes, nblocks);
	parts->compared = gpuagg_debug_wal && gpuagg_cache_follows() ? 0 :
		Min(held, shares.compared);
	parts->cached = Min(held, shares.same);
	parts->recent = Min(held - parts->cached, NBuffers / (double) Max(pages, 1));
	parts->gaps = parts->cached > 0 ? shares.gaps : 0;
	parts->checked = parts->cached > 0 ? Min(1 - parts->cached, shares.changed) :
		1 - shares.visible;
}
