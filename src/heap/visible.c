/*
 * visible.c
 *		Which lines of a page a snapshot sees, and whether the page may be kept (visible.h).
 *
 * Speed.  Where many rows have changed, this is what feeding takes.  Tuples are fetched ahead of
 * their turn, and judged by transactions that are known (xacts.h); bits are all that is written
 * for one.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "heap/settled.h"
#include "heap/visible.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/predicate.h"
#include "utils/rel.h"

/*
 * Tuple headers are fetched this far ahead: tuples lie in descending order
 * of addresses as far as they lie in any.
 */
#define PREFETCH_TUPLE_BYTES 1024
#define PREFETCH_LINE_BYTES 64

void
gpuagg_visible_init(GpuAggVisible *visible, Relation rel, Snapshot snapshot)
{
	visible->rel = rel;
	visible->snapshot = snapshot;
	gpuagg_xacts_init(&visible->xacts, snapshot);
}

/* The first tuples, which no other is far enough ahead of */
static inline void
fetch_first(Page page)
{
	const char *end = (const char *) page + BLCKSZ;

	for (int back = PREFETCH_LINE_BYTES; back <= PREFETCH_TUPLE_BYTES; back += PREFETCH_LINE_BYTES)
		__builtin_prefetch(end - back);
}

/* Asks PostgreSQL what a tuple's header does not say, or only of a transaction not known yet. */
static GpuAggVerdict
ask(GpuAggVisible *visible, HeapTuple tuple, Buffer buffer, TransactionId *newest)
{
	GpuAggVerdict verdict = {.known = true};

	verdict.visible = HeapTupleSatisfiesVisibility(tuple, visible->snapshot, buffer);
	verdict.settled = gpuagg_settled_tuple(tuple->t_data, &visible->xacts, newest);
	return verdict;
}

/*
 * May a page still be kept that has such a tuple?  One that was all-visible only if it still is,
 * one that is to be settled only if the tuple is.
 */
static inline GpuAggKeep
keep_with(GpuAggKeep keep, GpuAggVerdict verdict)
{
	const bool	may = keep == GPUAGG_KEEP_COMPARE ||
		(keep == GPUAGG_KEEP_VISIBLE ? verdict.visible : verdict.settled);

	return may ? keep : GPUAGG_KEEP_NOT;
}

bool
gpuagg_visible_lines(GpuAggVisible *visible, Buffer buffer, OffsetNumber lines, bool all_visible,
					 bool conflicts, GpuAggMsgPage *page, uint8 *bitmap)
{
	const Page	dp = BufferGetPage(buffer);
	const bool	judged = visible->xacts.snapshot != NULL;
	GpuAggKeep	keep = page->keep;
	TransactionId newest = InvalidTransactionId;
	bool		gap = false;
	HeapTupleData tuple;

	page->nlines = 0;
	page->has_visibility = 0;
	memset(bitmap, 0, GPUAGG_VISIBILITY_BYTES);
	tuple.t_tableOid = RelationGetRelid(visible->rel);
	if (!all_visible)
		fetch_first(dp);
	for (OffsetNumber line = FirstOffsetNumber; line <= lines; line++)
	{
		const ItemId lp = PageGetItemId(dp, line);
		GpuAggVerdict verdict = {.known = all_visible, .visible = true, .settled = true};

		if (!ItemIdIsNormal(lp))
		{
			gap |= !ItemIdIsRedirected(lp);
			continue;
		}
		if (ItemIdGetLength(lp) < SizeofHeapTupleHeader ||
			ItemIdGetOffset(lp) + ItemIdGetLength(lp) > BLCKSZ)
			return false;
		tuple.t_data = (HeapTupleHeader) PageGetItem(dp, lp);
		tuple.t_len = ItemIdGetLength(lp);
		ItemPointerSet(&tuple.t_self, page->block, line);
		if (!all_visible)
		{
			__builtin_prefetch((char *) tuple.t_data - PREFETCH_TUPLE_BYTES);
			if (judged)
				verdict = gpuagg_xacts_judge(&visible->xacts, tuple.t_data, &newest);
			if (!verdict.known)
				verdict = ask(visible, &tuple, buffer, &newest);
			/* the oracle of assertion builds */
			Assert(verdict.visible ==
				   HeapTupleSatisfiesVisibility(&tuple, visible->snapshot, buffer));
			keep = keep_with(keep, verdict);
		}
		if (conflicts)
			HeapCheckForSerializableConflictOut(verdict.visible, visible->rel, &tuple, buffer,
												visible->snapshot);
		if (!verdict.visible)
		{
			gap = true;
			continue;
		}
		bitmap[(line - 1) >> 3] |= (uint8) (1 << ((line - 1) & 7));
		page->nlines = line;
		page->has_visibility = gap;
	}
	page->keep = keep;
	page->newest = keep == GPUAGG_KEEP_SETTLED ? newest : InvalidTransactionId;
	return true;
}
