/*
 * visible.h
 *		Which lines of a page a snapshot sees, and whether the page may be kept.
 */
#ifndef GPUAGG_HEAP_VISIBLE_H
#define GPUAGG_HEAP_VISIBLE_H

#include "postgres.h"

#include "heap/xacts.h"
#include "ipc/protocol.h"
#include "storage/buf.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/* One scan's */
typedef struct GpuAggVisible
{
	Relation	rel;
	Snapshot	snapshot;
	GpuAggXacts xacts;
} GpuAggVisible;

extern void gpuagg_visible_init(GpuAggVisible *visible, Relation rel, Snapshot snapshot);

/*
 * Looks at each of so many lines of a page that is locked in share mode, page->block.  Sets
 * page->nlines to the last visible line (0: none) and the bitmap, page->has_visibility if the
 * device needs it, and page->newest (settled.h); clears page->keep if a tuple tells that the page
 * may not be kept.  all_visible: each tuple is; conflicts: a serializable transaction asks for
 * them.  False: a line pointer points outside the page.
 */
extern bool gpuagg_visible_lines(GpuAggVisible *visible, Buffer buffer, OffsetNumber lines,
								 bool all_visible, bool conflicts, GpuAggMsgPage *page,
								 uint8 *bitmap);

#endif							/* GPUAGG_HEAP_VISIBLE_H */
