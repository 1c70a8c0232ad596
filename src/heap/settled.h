/*
 * settled.h
 *		Which transactions it depends on who sees a page's rows, and which of them have ended
 *		for a snapshot.
 *
 * A page is *settled* for a snapshot if each transaction that has inserted or deleted one of
 * its tuples had ended before the snapshot was taken.  How they ended never changes, so all
 * snapshots for which it is settled see the same rows of it, until its LSN is another one.
 * Why that is so: src/cache/VALIDITY.md.
 */
#ifndef GPUAGG_HEAP_SETTLED_H
#define GPUAGG_HEAP_SETTLED_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "ipc/protocol.h"
#include "utils/snapshot.h"

/* An MVCC snapshot of this transaction, as the device worker compares it with others */
extern void gpuagg_settled_snapshot(Snapshot snapshot, GpuAggSnapshot *of);

/*
 * Had all transactions ended before an MVCC snapshot that a tuple's visibility depends on?
 * Then the newest one that is not frozen becomes *newest, if that is older, or invalid.
 */
extern bool gpuagg_settled_tuple(HeapTupleHeader tuple, Snapshot snapshot, TransactionId *newest);

/* Of a tuple whose inserter had, and that nobody has deleted */
static inline void
gpuagg_settled_inserter(HeapTupleHeader tuple, TransactionId *newest)
{
	const TransactionId xmin = HeapTupleHeaderGetXmin(tuple);

	if (TransactionIdIsNormal(xmin) && TransactionIdFollows(xmin, *newest))
		*newest = xmin;
}

/*
 * May a page still be kept, once a tuple of it has been looked at?  surely: nobody has deleted
 * it, and its inserter had ended before the snapshot.
 */
static inline GpuAggKeep
gpuagg_settled_keep(GpuAggMsgPage *page, HeapTupleHeader tuple, Snapshot snapshot, bool visible,
					bool surely)
{
	if (page->keep == GPUAGG_KEEP_VISIBLE)
		return visible ? GPUAGG_KEEP_VISIBLE : GPUAGG_KEEP_NOT;
	if (page->keep == GPUAGG_KEEP_NOT)
		return GPUAGG_KEEP_NOT;
	if (surely)
	{
		gpuagg_settled_inserter(tuple, &page->newest);
		return GPUAGG_KEEP_SETTLED;
	}
	return gpuagg_settled_tuple(tuple, snapshot, &page->newest) ? GPUAGG_KEEP_SETTLED :
																 GPUAGG_KEEP_NOT;
}

#endif							/* GPUAGG_HEAP_SETTLED_H */
