/*
 * xacts.c
 *		How the transactions stand, for one snapshot, that have written tuples (xacts.h).
 *
 * Repeatable reads only settle what precedes their snapshot's xmin: settled.c says why.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "heap/xacts.h"
#include "utils/snapmgr.h"

void
gpuagg_xacts_init(GpuAggXacts *xacts, Snapshot snapshot)
{
	memset(xacts, 0, sizeof(*xacts));
	xacts->snapshot = snapshot->snapshot_type == SNAPSHOT_MVCC ? snapshot : NULL;
	if (IsolationUsesXactSnapshot())
		xacts->settled = snapshot->xmin;
}

/* As HeapTupleSatisfiesMVCC goes about it */
static GpuAggXact
standing(TransactionId xid, Snapshot snapshot, bool committed)
{
	if (TransactionIdIsCurrentTransactionId(xid))
		return GPUAGG_XACT_OWN;
	if (XidInMVCCSnapshot(xid, snapshot))
		return GPUAGG_XACT_RUNNING;
	return committed || TransactionIdDidCommit(xid) ? GPUAGG_XACT_COMMITTED : GPUAGG_XACT_ABORTED;
}

GpuAggXact
gpuagg_xacts_ask(GpuAggXacts *xacts, TransactionId xid, bool committed)
{
	const uint32 place = xid % GPUAGG_XACTS;

	if (xacts->known[place].xid != xid)
	{
		xacts->known[place].is = standing(xid, xacts->snapshot, committed);
		xacts->known[place].xid = xid;
	}
	return xacts->known[place].is;
}
