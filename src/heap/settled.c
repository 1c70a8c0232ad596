/*
 * settled.c
 *		Which transactions it depends on who sees a page's rows (settled.h).
 *
 * Two snapshots of one server are compared by their xmax, which is the newest transaction that
 * had ended, and, if that is the same, by how many before it had not: these can only become
 * fewer.  So a snapshot's own transaction, which it does not list, is counted, too; and a
 * transaction that is just being prepared, which it may list twice, once.  (During recovery
 * subtransactions are counted as well; they leave the list together with their parents, or
 * before.)
 *
 * That holds of snapshots that this server's transactions have taken of those that ran.  One that
 * logical decoding has made of WAL is none of these, and a transaction that keeps its snapshot
 * may have imported it.  So such transactions only go by what precedes their xmin, which
 * has ended for each of the later snapshots, that is, those taken from now on.
 */
#include "postgres.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "heap/settled.h"
#include "utils/snapmgr.h"

static int
xids_compare(const void *a, const void *b)
{
	const TransactionId x = *(const TransactionId *) a;
	const TransactionId y = *(const TransactionId *) b;

	return x < y ? -1 : x > y;
}

/* How many different ones there are */
static uint32
count_distinct(const TransactionId *xids, uint32 n)
{
	TransactionId *sorted;
	uint32		distinct = n;

	if (n < 2 || max_prepared_xacts == 0)
		return n;
	sorted = palloc(n * sizeof(TransactionId));
	memcpy(sorted, xids, n * sizeof(TransactionId));
	qsort(sorted, n, sizeof(TransactionId), xids_compare);
	for (uint32 i = 1; i < n; i++)
		distinct -= sorted[i] == sorted[i - 1];
	pfree(sorted);
	return distinct;
}

void
gpuagg_settled_snapshot(Snapshot snapshot, GpuAggSnapshot *of)
{
	const TransactionId own = GetTopTransactionIdIfAny();

	of->next = U64FromFullTransactionId(ReadNextFullTransactionId());
	of->xmin = snapshot->xmin;
	if (IsolationUsesXactSnapshot())
	{
		of->xmax = snapshot->xmin;
		of->running = 0;
		of->later_xmax = (uint32) of->next;
		return;
	}
	of->xmax = of->later_xmax = snapshot->xmax;
	if (snapshot->takenDuringRecovery)
		of->running = snapshot->subxcnt;
	else
		of->running = count_distinct(snapshot->xip, snapshot->xcnt) +
			(TransactionIdIsValid(own) && TransactionIdPrecedes(own, snapshot->xmax));
}

/* Asks for the transaction, so that its other tuples can be judged without. */
static bool
is_past(GpuAggXacts *xacts, TransactionId xid, bool committed, TransactionId *newest)
{
	if (!TransactionIdIsNormal(xid))
		return true;
	if (!gpuagg_xacts_settled(xacts, xid, gpuagg_xacts_ask(xacts, xid, committed)))
		return false;
	gpuagg_xacts_newest(xid, newest);
	return true;
}

/* Who deleted or updated the tuple, or tried to; none, if it is locked at most */
static TransactionId
deleter(HeapTupleHeader tuple)
{
	if ((tuple->t_infomask & HEAP_XMAX_INVALID) != 0 ||
		HEAP_XMAX_IS_LOCKED_ONLY(tuple->t_infomask))
		return InvalidTransactionId;
	return HeapTupleHeaderGetUpdateXid(tuple);
}

bool
gpuagg_settled_tuple(HeapTupleHeader tuple, GpuAggXacts *xacts, TransactionId *newest)
{
	/* moved by a VACUUM FULL of old: rare enough */
	if (xacts->snapshot == NULL || (tuple->t_infomask & HEAP_MOVED) != 0)
		return false;
	/* whose inserter has rolled back nobody sees, whoever deletes it */
	return HeapTupleHeaderXminInvalid(tuple) ||
		(is_past(xacts, HeapTupleHeaderGetXmin(tuple), HeapTupleHeaderXminCommitted(tuple),
				 newest) &&
		 is_past(xacts, deleter(tuple), (tuple->t_infomask & HEAP_XMAX_COMMITTED) != 0, newest));
}
