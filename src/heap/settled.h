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
#include "heap/xacts.h"
#include "ipc/protocol.h"
#include "utils/snapshot.h"

/* An MVCC snapshot of this transaction, as the device worker compares it with others */
extern void gpuagg_settled_snapshot(Snapshot snapshot, GpuAggSnapshot *of);

/*
 * Had all transactions ended before the snapshot that a tuple's visibility depends on?  Then the
 * newest one that is not frozen becomes *newest, if that is older, or invalid.
 */
extern bool gpuagg_settled_tuple(HeapTupleHeader tuple, GpuAggXacts *xacts, TransactionId *newest);

#endif							/* GPUAGG_HEAP_SETTLED_H */
