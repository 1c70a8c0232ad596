/*
 * feed.h
 *		Heap pages on their way to a device: pinned, checked for visibility and
 *		handed over as GPUAGG_MSG_PAGES messages.
 */
#ifndef GPUAGG_HEAP_FEED_H
#define GPUAGG_HEAP_FEED_H

#include "postgres.h"

#include "heap/cached.h"
#include "heap/scan_sample.h"
#include "ipc/protocol.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

typedef struct GpuAggFeed GpuAggFeed;

/*
 * Starts a scan of the first nblocks blocks of rel, which the caller has
 * locked.  batch_pages and batches_ahead are what the device would like; the feed
 * keeps to fewer where shared_buffers asks for it.  Of a sample of blocks it
 * reads only those; of a table of which the device has blocks already (cached,
 * settled, or NULL) only the others, and it says which of them may be kept.
 * given: only runs of blocks that gpuagg_feed_run gives it are read, for others feed the
 * task as well.  Allocates in the current memory context; holds no pin yet.
 */
extern GpuAggFeed *gpuagg_feed_begin(Relation rel, Snapshot snapshot,
									 BlockNumber nblocks,
									 const GpuAggSampleTaken *sample,
									 const GpuAggCached *cached,
									 bool given,
									 uint32 batch_pages,
									 uint32 batches_ahead);

/* Of one that has just begun, is given nothing: only n blocks from this one on are read. */
extern void gpuagg_feed_only(GpuAggFeed *feed, BlockNumber first, BlockNumber n);

/* Of one that has none left: the next n blocks to read, which may wrap around */
extern void gpuagg_feed_run(GpuAggFeed *feed, BlockNumber first, BlockNumber n);

/* Are there pages left to hand over? */
extern bool gpuagg_feed_more(const GpuAggFeed *feed);

/* Devices have enough to do: batches are full ones from the first. */
extern void gpuagg_feed_whole_batches(GpuAggFeed *feed);

/*
 * May another batch be in flight now, while other feeds of this backend hold so many
 * pins?
 */
extern bool gpuagg_feed_has_room(GpuAggFeed *feed, uint32 others);

/* Pins that it holds */
extern uint32 gpuagg_feed_pins(const GpuAggFeed *feed);

/* How many batches wait for their BATCH_DONE? */
extern uint32 gpuagg_feed_batches(const GpuAggFeed *feed);

/*
 * Pins the next pages and builds their message, which is valid until the next
 * call.  *msg is NULL if none of them holds a visible row, or is to be kept;
 * their pins are gone then.  Requires gpuagg_feed_has_room() and
 * gpuagg_feed_more().  A status other than GPUAGG_OK: a page that only
 * PostgreSQL should check.
 */
extern GpuAggStatus gpuagg_feed_next(GpuAggFeed *feed, uint64 batch_id,
									 const GpuAggMsg **msg, Size *bytes,
									 GpuAggError *error);

/* The n-th buffer of a batch in flight; InvalidBuffer: no such batch, page */
extern Buffer gpuagg_feed_buffer(const GpuAggFeed *feed, uint64 batch_id,
								 uint32 n);

/* Unpins a batch; false if none of this number is in flight. */
extern bool gpuagg_feed_release(GpuAggFeed *feed, uint64 batch_id);

/* Unpins everything; the device must read no page any more. */
extern void gpuagg_feed_end(GpuAggFeed *feed);

/* Pages read so far, those without a visible row included. */
extern uint64 gpuagg_feed_pages(const GpuAggFeed *feed);

#endif							/* GPUAGG_HEAP_FEED_H */
