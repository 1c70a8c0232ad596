/*
 * page_shares.h
 *		For the planner: how many of a table's pages are all-visible now, and how many are as
 *		the column cache has them.
 *
 * pg_class tells what VACUUM found last.  The visibility map tells what is so now, and pages
 * tell by their LSNs what has changed since they were kept.  Estimates: of a large table some
 * map pages are looked at, and some heap pages.
 */
#ifndef GPUAGG_HEAP_PAGE_SHARES_H
#define GPUAGG_HEAP_PAGE_SHARES_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "utils/relcache.h"

/* So many heap pages of a table are looked at, where the map does not tell. */
#define GPUAGG_SHARES_PAGES 64

typedef struct GpuAggPageShares
{
	double		visible;		/* 0 to 1 */
	double		same;			/* not changed since */
	double		changed;		/* neither all-visible nor the same */
	double		compared;		/* whose LSNs tell a run whether they are the same */
	double		gaps;			/* not the same, while the one before is */
	double		asked;			/* pages that were looked at, of those that are compared */
} GpuAggPageShares;

/*
 * Of the first nblocks pages.  map_lsn is the greatest LSN that a map page had when pages were
 * kept, page_lsn that of a page (ipc/cache_shared.h); 0: none were, and nothing is the same.
 */
extern void gpuagg_page_shares(Relation rel, BlockNumber nblocks, XLogRecPtr map_lsn,
							   XLogRecPtr page_lsn, GpuAggPageShares *shares);

#endif							/* GPUAGG_HEAP_PAGE_SHARES_H */
