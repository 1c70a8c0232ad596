/*
 * xacts.h
 *		How the transactions stand, for one snapshot, that have inserted and deleted tuples.
 *
 * PostgreSQL asks that of each tuple whose hint bits are not set, and sets them: 80 ns a tuple,
 * where a bulk UPDATE has left two of them a row.  But few transactions have written all of
 * them.  So the first tuple of a transaction is PostgreSQL's, and what it stands for is kept for
 * the tuples after it, whose hint bits stay as they are.
 *
 * A snapshot's answers never change: what was running for it stays so, and how a transaction
 * ended does not change.  Only the transaction's own rows depend on more (its commands), and are
 * always PostgreSQL's.
 */
#ifndef GPUAGG_HEAP_XACTS_H
#define GPUAGG_HEAP_XACTS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "utils/snapshot.h"

typedef enum GpuAggXact
{
	GPUAGG_XACT_UNKNOWN,		/* not asked yet */
	GPUAGG_XACT_OWN,			/* of this transaction */
	GPUAGG_XACT_RUNNING,		/* for the snapshot */
	GPUAGG_XACT_COMMITTED,
	GPUAGG_XACT_ABORTED
} GpuAggXact;

/* Transactions whose standing is kept: one in each place, by its last bits */
#define GPUAGG_XACTS 128

typedef struct GpuAggXacts
{
	Snapshot	snapshot;		/* MVCC; NULL: of another sort, nothing is kept */
	TransactionId settled;		/* only what precedes it can be settled; invalid: no bound */
	struct
	{
		TransactionId xid;
		GpuAggXact	is;
	}			known[GPUAGG_XACTS];
} GpuAggXacts;

/* What a tuple's header says of it, by transactions that are known */
typedef struct GpuAggVerdict
{
	bool		known;			/* false: nothing else is said */
	bool		visible;
	bool		settled;		/* all that it depends on had ended before the snapshot */
} GpuAggVerdict;

extern void gpuagg_xacts_init(GpuAggXacts *xacts, Snapshot snapshot);

/*
 * Asks PostgreSQL where it is not known; of a normal transaction, and an MVCC snapshot.
 * committed: so a hint bit says.
 */
extern GpuAggXact gpuagg_xacts_ask(GpuAggXacts *xacts, TransactionId xid, bool committed);

/* TransactionIdPrecedes of two normal ones, without a call */
static inline bool
gpuagg_xacts_before(TransactionId a, TransactionId b)
{
	return (int32) (a - b) < 0;
}

static inline void
gpuagg_xacts_newest(TransactionId xid, TransactionId *newest)
{
	if (!TransactionIdIsValid(*newest) || gpuagg_xacts_before(*newest, xid))
		*newest = xid;
}

static inline GpuAggXact
gpuagg_xacts_known(const GpuAggXacts *xacts, TransactionId xid)
{
	return xacts->known[xid % GPUAGG_XACTS].xid == xid ?
		xacts->known[xid % GPUAGG_XACTS].is : GPUAGG_XACT_UNKNOWN;
}

/* Had a transaction ended before the snapshot that is known to have ended? */
static inline bool
gpuagg_xacts_settled(const GpuAggXacts *xacts, TransactionId xid, GpuAggXact is)
{
	return is >= GPUAGG_XACT_COMMITTED &&
		(!TransactionIdIsValid(xacts->settled) || gpuagg_xacts_before(xid, xacts->settled));
}

/*
 * Of a transaction with that hint bit: what precedes the snapshot's oldest one has ended for it,
 * as the hint says.
 */
static inline GpuAggXact
gpuagg_xacts_hinted(const GpuAggXacts *xacts, TransactionId xid, bool committed)
{
	return committed && gpuagg_xacts_before(xid, xacts->snapshot->xmin) ?
		GPUAGG_XACT_COMMITTED : gpuagg_xacts_known(xacts, xid);
}

/*
 * HeapTupleSatisfiesMVCC of transactions that are known.  The newest of them that is not frozen
 * becomes *newest, if that is older, or invalid.
 */
static inline GpuAggVerdict
gpuagg_xacts_judge(const GpuAggXacts *xacts, HeapTupleHeader tuple, TransactionId *newest)
{
	const uint16 mask = tuple->t_infomask;
	const TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);
	const TransactionId xmax = HeapTupleHeaderGetRawXmax(tuple);
	GpuAggVerdict verdict = {.known = true, .visible = true, .settled = true};
	GpuAggVerdict unknown = {.known = false};
	GpuAggXact	is;

	if ((mask & HEAP_MOVED) != 0)
		return unknown;
	if ((mask & HEAP_XMIN_FROZEN) != HEAP_XMIN_FROZEN)
	{
		/* whose inserter has rolled back nobody sees, whoever deletes it */
		if ((mask & HEAP_XMIN_INVALID) != 0)
		{
			verdict.visible = false;
			return verdict;
		}
		if (!TransactionIdIsNormal(xmin))
			return unknown;
		is = gpuagg_xacts_hinted(xacts, xmin, (mask & HEAP_XMIN_COMMITTED) != 0);
		if (is <= GPUAGG_XACT_OWN)
			return unknown;
		verdict.visible = is == GPUAGG_XACT_COMMITTED;
		verdict.settled = gpuagg_xacts_settled(xacts, xmin, is);
		gpuagg_xacts_newest(xmin, newest);
		if (!verdict.visible)
			return verdict;
	}
	if ((mask & HEAP_XMAX_INVALID) != 0 || HEAP_XMAX_IS_LOCKED_ONLY(mask))
		return verdict;
	if ((mask & HEAP_XMAX_IS_MULTI) != 0 || !TransactionIdIsNormal(xmax))
		return unknown;
	is = gpuagg_xacts_hinted(xacts, xmax, (mask & HEAP_XMAX_COMMITTED) != 0);
	if (is <= GPUAGG_XACT_OWN)
		return unknown;
	verdict.visible = is != GPUAGG_XACT_COMMITTED;
	verdict.settled &= gpuagg_xacts_settled(xacts, xmax, is);
	gpuagg_xacts_newest(xmax, newest);
	return verdict;
}

#endif							/* GPUAGG_HEAP_XACTS_H */
