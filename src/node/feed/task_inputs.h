/*
 * task_inputs.h
 *		The tables that a task reads, one after the other: what of each comes from the
 *		column cache, and its pages.
 */
#ifndef GPUAGG_NODE_TASK_INPUTS_H
#define GPUAGG_NODE_TASK_INPUTS_H

#include "postgres.h"

#include "heap/feed.h"
#include "node/feed/feeders.h"
#include "node/scan/order.h"

/* One of them */
typedef struct GpuAggTaskInput
{
	const GpuAggTaskTable *table;
	MemoryContext context;		/* Holds the fields below; NULL: not begun, or over. */
	GpuAggCached *cached;		/* NULL: no cache request. */
	bool		opened;			/* The cache is settled: it may be fed. */
	GpuAggFeed *feed;			/* The backend's own; NULL: it reads nothing of it so far. */
	uint64		next_batch;		/* Number of the next batch. */
} GpuAggTaskInput;

typedef struct GpuAggTaskInputs
{
	const GpuAggOrder *order;	/* The task's. */
	int			n;
	GpuAggTaskInput *inputs;	/* n tables, in the order in which they are read. */
	MemoryContext context;		/* The task's. */

	/* Places in the order */
	int			oldest;			/* Those before it are over. */
	int			read;			/* The one that the backend reads. */
	int			at;				/* The one that is settled or fed: the same, or a later one. */
	int			begun;			/* So many are begun, or over. */

	uint32		pins;			/* Pages that all feeds have pinned. */
	GpuAggFeeders *feeders;		/* Processes that feed beside the backend; NULL: none. */
	GpuAggFeedShare *share;		/* Where the backend takes blocks beside feeders, if any. */

	/* Feeders, and what tells how many pay */
	bool		feeders_tried;	/* They were asked for, and came or could not be had. */
	int			feeders_planned;	/* The most that were wanted. */
	int			feeders_launched;	/* Those that came. */
	uint64		opened_pages;	/* Pages of the tables that are opened. */
	uint64		opened_used;	/* Pages of these tables that the cache has. */
	uint64		behind;			/* Pages of the large tables that are not opened. */
	Oid			relid;			/* The first table. */
	instr_time	feed_time;		/* How long the backend fed before there were feeders. */
	uint64		feed_pages;		/* Pages that it fed in this time. */

	/* What feeds are begun with */
	const GpuAggScan *scan;
	double		page_bytes;
	const GpuAggDeviceInfo *device;

	/* Batches that the device has */
	uint32		pages_in_flight;	/* Batches of pages. */
	uint32		uses_in_flight; /* Batches of cached columns. */

	/* Pages of the tables that are over */
	uint64		fed;
	uint64		by_feeders;		/* Of the pages that were fed, those by feeders. */
	uint64		used;			/* Pages that the cache had. */
	uint64		done;			/* Pages of the cache that the device is through with. */
	uint64		compared;

	bool		foreseen;		/* Nothing is to be sent: what was looked at ahead is all. */
} GpuAggTaskInputs;

/* Of the tables that a task of the order reads.  Allocates in the current memory context. */
extern GpuAggTaskInputs *gpuagg_inputs_create(const GpuAggOrder *order);

/* Makes ready the next one that is not begun; NULL: it has not requested the cache. */
extern GpuAggTaskInput *gpuagg_inputs_begin(GpuAggTaskInputs *inputs,
											const GpuAggCacheRequest *request);

/* May the table behind the one at work be opened? */
extern bool gpuagg_inputs_may_go_on(const GpuAggTaskInputs *inputs,
									const GpuAggDeviceInfo *device);

/* The next one is at work. */
extern void gpuagg_inputs_go_on(GpuAggTaskInputs *inputs);

/*
 * Its pages; page_bytes: what each takes of the device's memory; host: the task is on the
 * host device.  Starts feeders if they pay for what of the task is not cached, and counts
 * them in the inputs.
 */
extern void gpuagg_inputs_feed(GpuAggTaskInputs *inputs, const GpuAggScan *scan,
							   const GpuAggClient *client, double page_bytes, bool host);

/*
 * What a page takes the backend: pages that come from disk, or are not all-visible, take longer
 * than the profile says.  So far; before that, when a task over the table ran last.  0: too few
 * to tell
 */
extern double gpuagg_inputs_page_ns(const GpuAggTaskInputs *inputs);

/* The one at work, and one that a message of the worker is about; NULL: garbled */
extern GpuAggTaskInput *gpuagg_inputs_at(const GpuAggTaskInputs *inputs);
extern GpuAggTaskInput *gpuagg_inputs_of(const GpuAggTaskInputs *inputs, uint64 batch_id);

/* May more pages be sent?  With feeders it takes blocks of the share. */
extern bool gpuagg_inputs_has_room(GpuAggTaskInputs *inputs);

/* The next pages, or the next use of an extent of the one at work; *msg NULL: nothing */
extern GpuAggStatus gpuagg_inputs_next_pages(GpuAggTaskInputs *inputs, const GpuAggMsg **msg,
											 Size *bytes, GpuAggError *error);
extern const GpuAggMsg *gpuagg_inputs_next_map(GpuAggTaskInputs *inputs, Size *bytes);

/*
 * Before the task begins: if it reads one table, and all of that is all-visible, the worker may
 * need no more than this (inputs->foreseen).
 */
extern void gpuagg_inputs_look_ahead(GpuAggTaskInputs *inputs, GpuAggAhead *ahead);

/* What the worker says of the cache; a status other than GPUAGG_OK: garbled */
extern GpuAggStatus gpuagg_inputs_cached(GpuAggTaskInputs *inputs, const GpuAggMsg *msg,
										 Size bytes);

/* A batch is complete; false if none of this number is in flight. */
extern bool gpuagg_inputs_release_use(GpuAggTaskInputs *inputs, uint64 batch_id);
extern bool gpuagg_inputs_release_pages(GpuAggTaskInputs *inputs, uint64 batch_id);

/* The next pages that a feeder has read; *msg NULL: nothing */
extern GpuAggStatus gpuagg_inputs_pass_on(GpuAggTaskInputs *inputs, const GpuAggMsg **msg,
										  Size *bytes, GpuAggError *error);

/* Is it a batch of pages in flight?  Are there any, or will feeders send some? */
extern bool gpuagg_inputs_have(const GpuAggTaskInputs *inputs, uint64 batch_id);
extern bool gpuagg_inputs_pages_left(const GpuAggTaskInputs *inputs);

/*
 * The n-th buffer of such a batch; InvalidBuffer: none.  buffer: of one that no feeder has
 * read.  pin: *theirs: of one that a feeder has, pinned once more for the caller.
 */
extern Buffer gpuagg_inputs_buffer(const GpuAggTaskInputs *inputs, uint64 batch_id, uint32 n);
extern Buffer gpuagg_inputs_pin(const GpuAggTaskInputs *inputs, uint64 batch_id, uint32 n,
								bool *theirs);

/*
 * Pages fed so far, of these by feeders; those that the cache had, and of these in
 * completed batches; those whose LSNs told whether it had them
 */
extern uint64 gpuagg_inputs_fed(const GpuAggTaskInputs *inputs);
extern uint64 gpuagg_inputs_by_feeders(const GpuAggTaskInputs *inputs);
extern uint64 gpuagg_inputs_used(const GpuAggTaskInputs *inputs);
extern uint64 gpuagg_inputs_done(const GpuAggTaskInputs *inputs);
extern uint64 gpuagg_inputs_compared(const GpuAggTaskInputs *inputs);

/* A table with rows that PostgreSQL has evaluated, and are not sent; NULL: none */
extern GpuAggTaskInput *gpuagg_inputs_with_rows(const GpuAggTaskInputs *inputs);

/* Unpins everything and ends feeders; the device must read no page any more. */
extern void gpuagg_inputs_end(GpuAggTaskInputs *inputs);

#endif							/* GPUAGG_NODE_TASK_INPUTS_H */
