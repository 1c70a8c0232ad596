/*
 * feeders.h
 *		Further processes that feed a task beside its backend, the leader.
 *
 * PostgreSQL's parallel workers, started for one task and ended with it.  Each pins
 * pages, decides what is visible on them and makes PAGES messages, which the leader
 * passes on under numbers of its own: the device worker knows one client.  The leader
 * tells a feeder when its batch is consumed.  README.md: Feeders.
 */
#ifndef GPUAGG_NODE_FEEDERS_H
#define GPUAGG_NODE_FEEDERS_H

#include "postgres.h"

#include "heap/cached.h"
#include "heap/feed_share.h"
#include "ipc/client.h"
#include "node/scan/order.h"

typedef struct GpuAggFeeders GpuAggFeeders;

/* What the feeders are to do */
typedef struct GpuAggFeedersWork
{
	GpuAggTicket ticket;		/* The task. */
	const GpuAggOrder *order;	/* Its order, which lasts as long as the feeders. */
	int			first;			/* The first table that is not fed yet. */
	uint32		batches_ahead;	/* As gpuagg_feed_begin has it. */
} GpuAggFeedersWork;

/* Tables of fewer blocks are no reason to have feeders: opening one takes as long as reading it. */
#define GPUAGG_FEEDERS_LEAST 256

/*
 * How many of them pay for a task of this plan that is fed so many pages, each of which has taken
 * so long so far (0: there was none); may read catalogs
 */
extern int	gpuagg_feeders_planned(const GpuAggScan *scan, const GpuAggPlanInfo *info, int device,
								   double pages, double page_ns, bool host);

/*
 * Starts n feeders, which wait for tables.  NULL: none could be had.  Until
 * gpuagg_feeders_end the backend is in parallel mode.  Whoever raises an ERROR leaves
 * them to the transaction's abort.
 */
extern GpuAggFeeders *gpuagg_feeders_begin(const GpuAggScan *scan, const GpuAggFeedersWork *work,
										   int n);

extern int	gpuagg_feeders_launched(const GpuAggFeeders *feeders);

/*
 * The next table may be read: what of it is cached is settled (NULL: it has requested no
 * cache).
 */
extern void gpuagg_feeders_open(GpuAggFeeders *feeders, const GpuAggCached *cached,
								uint32 batch_pages);

/* Should the next table be opened, lest somebody has nothing to read? */
extern bool gpuagg_feeders_want_table(const GpuAggFeeders *feeders);

/* Where blocks are handed out; NULL: the leader reads none itself */
extern GpuAggFeedShare *gpuagg_feeders_share(GpuAggFeeders *feeders);

/* Are they so many, and at work, that the leader need take no more blocks? */
extern bool gpuagg_feeders_suffice(const GpuAggFeeders *feeders);

/*
 * The next message of pages of any feeder, about this table; *msg is NULL if none waits,
 * or as many batches are in flight as the device wants, others so many of them.  Valid
 * until the next call, and not to be sent before it is numbered.  A status other than
 * GPUAGG_OK: a page that only PostgreSQL should check.
 */
extern GpuAggStatus gpuagg_feeders_next(GpuAggFeeders *feeders, uint32 others,
										const GpuAggMsg **msg, Size *bytes, uint32 *table,
										GpuAggError *error);

/* It is in flight with this number now. */
extern void gpuagg_feeders_number(GpuAggFeeders *feeders, const GpuAggMsg *msg, uint64 batch_id);

/* Have all blocks been read, and their pages passed on? */
extern bool gpuagg_feeders_read_all(const GpuAggFeeders *feeders);

/* How many batches of theirs are in flight?  Is this one? */
extern uint32 gpuagg_feeders_in_flight(const GpuAggFeeders *feeders);
extern bool gpuagg_feeders_have(const GpuAggFeeders *feeders, uint64 batch_id);

/* Pins the n-th page of a batch in flight, of rel, for the leader; InvalidBuffer: no such page */
extern Buffer gpuagg_feeders_pin(const GpuAggFeeders *feeders, Relation rel, uint64 batch_id,
								 uint32 n);

/* The batch is consumed: its feeder may unpin it.  False: there is none. */
extern bool gpuagg_feeders_release(GpuAggFeeders *feeders, uint64 batch_id);

/* Pages passed on so far; after gpuagg_feeders_read_all all that they read */
extern uint64 gpuagg_feeders_pages(const GpuAggFeeders *feeders);

/*
 * Ends them; the device reads none of their pages any more, or nobody receives what it
 * finds there.  Raises the ERROR that one of them has met.
 */
extern void gpuagg_feeders_end(GpuAggFeeders *feeders);

#endif							/* GPUAGG_NODE_FEEDERS_H */
