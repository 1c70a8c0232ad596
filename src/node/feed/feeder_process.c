/*
 * feeder_process.c
 *		A feeder: a parallel worker that reads pages for a task of its leader
 *		(feeders.h).
 *
 * PostgreSQL has restored the leader's transaction, its serializable one, too, settings
 * and rights; the scan's own snapshot comes beside them.  The loop is that of
 * device_task.c without a device: batches go out until as many are in flight as the
 * feed allows, and releases come in.  It reads the runs of blocks that it takes of the
 * task's share; a table is left open until its last batch is consumed, while the next
 * one is read.  Where the leader has not opened the next table yet, it is told that we
 * wait.  An ERROR goes to the leader by PostgreSQL's way
 * for parallel workers, and before our pins go the device's worker is told that the task
 * is spoiled.  A leader that has let go of the queues needs no more pages; what the device
 * may still read of ours then nobody receives (ipc/README.md: Leaving early).
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "fmgr.h"
#include "heap/feed.h"
#include "miscadmin.h"
#include "node/feed/feeder_process.h"
#include "node/process/processes.h"
#include "storage/ipc.h"
#include "storage/shm_mq.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

extern PGDLLEXPORT void gpuagg_feeder_main(dsm_segment *seg, shm_toc *toc);

/* A table that it has read blocks of */
typedef struct FeederInput
{
	dlist_node	node;
	MemoryContext context;		/* of it and what follows */
	uint32		table;
	Relation	rel;
	GpuAggFeed *feed;
} FeederInput;

typedef struct Feeder
{
	GpuAggFeederTask *task;
	GpuAggFeederTable *tables;
	GpuAggFeedShare *share;
	pg_atomic_uint32 *waiting;	/* its own */
	dsa_area   *area;
	Snapshot	snapshot;
	dlist_head	inputs;
	FeederInput *at;			/* the one that is read; NULL: none yet */
	uint32		pins;			/* of all */
	uint64		npages;			/* of those that are closed */
	shm_mq_handle *pages;
	shm_mq_handle *releases;
	uint64		next_batch;
	bool		left;			/* the leader needs no more */
} Feeder;

static void
feeder_send(Feeder *feeder, const void *msg, Size bytes)
{
	if (shm_mq_send(feeder->pages, bytes, msg, false, true) != SHM_MQ_SUCCESS)
		feeder->left = true;
}

/* ---------------------------------------------------------------- tables --- */

static FeederInput *
input_open(Feeder *feeder, uint32 table)
{
	const GpuAggFeederTable *t = &feeder->tables[table];
	const GpuAggFeederTask *task = feeder->task;
	BlockNumber nblocks = feeder->share->tables[table].nblocks;
	GpuAggSampleTaken sample = {
		.method = task->sample_method,
		.sample = task->sample,
		.bulkread = task->bulkread
	};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg feeder's table",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	FeederInput *input = palloc0(sizeof(FeederInput));
	GpuAggCached *cached;

	input->context = context;
	input->table = table;
	input->rel = table_open(t->relid, AccessShareLock);
	cached = !DsaPointerIsValid(t->cached) ? NULL :
		gpuagg_cached_restore(input->rel, nblocks, dsa_get_address(feeder->area, t->cached));
	input->feed = gpuagg_feed_begin(input->rel, feeder->snapshot, nblocks, &sample, cached, true,
									t->batch_pages, task->batches_ahead);
	if (feeder->at != NULL)
		gpuagg_feed_whole_batches(input->feed);
	MemoryContextSwitchTo(old);
	dlist_push_head(&feeder->inputs, &input->node);
	return input;
}

/* All of its pages are consumed, or nobody needs them. */
static void
input_close(Feeder *feeder, FeederInput *input)
{
	feeder->npages += gpuagg_feed_pages(input->feed);
	feeder->pins -= gpuagg_feed_pins(input->feed);
	gpuagg_feed_end(input->feed);
	table_close(input->rel, AccessShareLock);
	dlist_delete(&input->node);
	MemoryContextDelete(input->context);
}

static void
input_close_if_over(Feeder *feeder, FeederInput *input)
{
	if (input != NULL && input != feeder->at && gpuagg_feed_batches(input->feed) == 0)
		input_close(feeder, input);
}

static FeederInput *
input_of(Feeder *feeder, uint64 batch_id)
{
	dlist_iter	iter;

	dlist_foreach(iter, &feeder->inputs)
	{
		FeederInput *input = dlist_container(FeederInput, node, iter.cur);

		if (input->table == GPUAGG_BATCH_TABLE(batch_id))
			return input;
	}
	return NULL;
}

/* A run of blocks; those of a table come one after the other. */
static void
input_run(Feeder *feeder, const GpuAggFeedRun *run)
{
	FeederInput *left = feeder->at;

	if (left == NULL || left->table != run->table)
	{
		feeder->at = input_open(feeder, run->table);
		input_close_if_over(feeder, left);
	}
	gpuagg_feed_run(feeder->at->feed, run->first, run->n);
}

/* -------------------------------------------------------------- messages --- */

static void
input_release(Feeder *feeder, uint64 batch_id)
{
	FeederInput *input = input_of(feeder, batch_id);
	uint32		pins = input == NULL ? 0 : gpuagg_feed_pins(input->feed);

	if (input == NULL || !gpuagg_feed_release(input->feed, batch_id))
		elog(ERROR, "unexpected message from the leader");
	feeder->pins -= pins - gpuagg_feed_pins(input->feed);
	input_close_if_over(feeder, input);
}

/* Takes the messages that are there; waits for one first if asked to. */
static void
feeder_release(Feeder *feeder, bool wait)
{
	Size		bytes;
	void	   *data;

	for (;;)
	{
		shm_mq_result res = shm_mq_receive(feeder->releases, &bytes, &data, !wait);
		uint64		batch_id;

		if (res == SHM_MQ_DETACHED)
			feeder->left = true;
		if (res != SHM_MQ_SUCCESS)
			return;
		if (bytes != sizeof(GpuAggFeederRelease))
			elog(ERROR, "unexpected message from the leader");
		batch_id = ((GpuAggFeederRelease *) data)->batch_id;
		if (batch_id != GPUAGG_FEEDER_WAKE)
			input_release(feeder, batch_id);
		wait = false;
	}
}

/*
 * Waits until the leader has opened a table, or says anything else.  What it opens after
 * the flag is set wakes us; what it opened before is seen.
 */
static void
feeder_wait(Feeder *feeder)
{
	pg_atomic_write_u32(feeder->waiting, 1);
	pg_memory_barrier();
	SetLatch(&feeder->task->leader->procLatch);
	if (gpuagg_feed_share_ahead(feeder->share) == 0 && !gpuagg_feed_share_over(feeder->share))
		feeder_release(feeder, true);
}

/* Are there pages to read?  Takes some of the share, and waits for it. */
static bool
feeder_more(Feeder *feeder)
{
	GpuAggFeedRun run;

	while (!feeder->left)
	{
		CHECK_FOR_INTERRUPTS();
		if (feeder->at != NULL && gpuagg_feed_more(feeder->at->feed))
			return true;
		switch (gpuagg_feed_share_take(feeder->share, &run))
		{
			case GPUAGG_SHARE_RUN:
				input_run(feeder, &run);
				break;
			case GPUAGG_SHARE_LATER:
				feeder_wait(feeder);
				break;
			case GPUAGG_SHARE_OVER:
				return false;
		}
	}
	return false;
}

static GpuAggStatus
feeder_batch(Feeder *feeder, GpuAggError *error)
{
	GpuAggFeed *feed = feeder->at->feed;
	uint32		pins = gpuagg_feed_pins(feed);
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status = gpuagg_feed_next(feed, GPUAGG_TABLE_BATCH(feeder->at->table) +
										   feeder->next_batch, &msg, &bytes, error);

	if (status != GPUAGG_OK || msg == NULL)
		return status;
	feeder->next_batch++;
	feeder->pins += gpuagg_feed_pins(feed) - pins;
	feeder_send(feeder, msg, bytes);
	if (feeder->task->fault)
		ereport(ERROR, (errmsg("gpuagg.debug_fault = feeder")));
	return status;
}

static bool
feeder_has_room(const Feeder *feeder)
{
	GpuAggFeed *feed = feeder->at->feed;

	return gpuagg_feed_has_room(feed, feeder->pins - gpuagg_feed_pins(feed));
}

/* Pages that it has read */
static uint64
feeder_npages(const Feeder *feeder)
{
	uint64		pages = feeder->npages;
	dlist_iter	iter;

	dlist_foreach(iter, (dlist_head *) &feeder->inputs)
		pages += gpuagg_feed_pages(dlist_container(FeederInput, node, iter.cur)->feed);
	return pages;
}

/* All blocks that can be had, until the device has consumed their pages */
static void
feeder_run(Feeder *feeder)
{
	GpuAggFeederEnd end = {.msg.type = GPUAGG_MSG_FINISH};
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && feeder_more(feeder))
	{
		bool		room = feeder_has_room(feeder);

		feeder_release(feeder, !room);
		if (room && !feeder->left)
			status = feeder_batch(feeder, &end.error);
	}
	if (status != GPUAGG_OK)
		end.msg.type = GPUAGG_MSG_FAILED;
	end.pages = feeder_npages(feeder);
	if (!feeder->left)
		feeder_send(feeder, &end, sizeof(end));
	while (!feeder->left && feeder->pins > 0)
		feeder_release(feeder, true);
	feeder->at = NULL;
	while (!dlist_is_empty(&feeder->inputs))
		input_close(feeder, dlist_head_element(FeederInput, node, &feeder->inputs));
}

/* By an ERROR, or because we are told to end: pins go next. */
static void
feeder_leaves(int code, Datum arg)
{
	gpuagg_client_spoil(((Feeder *) DatumGetPointer(arg))->task->ticket);
}

static void
feeder_scan(Feeder *feeder)
{
	PG_ENSURE_ERROR_CLEANUP(feeder_leaves, PointerGetDatum(feeder));
	{
		feeder_run(feeder);
	}
	PG_END_ENSURE_ERROR_CLEANUP(feeder_leaves, PointerGetDatum(feeder));
}

/* The leader counts those that are active after it saw that no block is left. */
void
gpuagg_feeder_main(dsm_segment *seg, shm_toc *toc)
{
	Feeder		feeder = {
		.task = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_TASK, false),
		.tables = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_TABLES, false),
		.share = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_SHARE, false),
		.waiting = (pg_atomic_uint32 *) shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_WAITING, false) +
			ParallelWorkerNumber
	};

	feeder.pages = gpuagg_process_queue(toc, seg, GPUAGG_FEEDER_KEY_PAGES,
										GPUAGG_FEEDER_PAGES_BYTES, true);
	feeder.releases = gpuagg_process_queue(toc, seg, GPUAGG_FEEDER_KEY_RELEASES,
										   GPUAGG_FEEDER_RELEASES_BYTES, false);
	dlist_init(&feeder.inputs);
	pg_atomic_fetch_add_u32(&feeder.task->active, 1);
	gpuagg_process_begin(toc);
	feeder.area = dsa_attach_in_place(shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_CACHED, false), seg);
	feeder.snapshot = RegisterSnapshot(RestoreSnapshot(shm_toc_lookup(toc,
															   GPUAGG_FEEDER_KEY_SNAPSHOT, false)));
	feeder_scan(&feeder);
	UnregisterSnapshot(feeder.snapshot);
	dsa_detach(feeder.area);
	gpuagg_process_end(toc);
}
