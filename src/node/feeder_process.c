/*
 * feeder_process.c
 *		A feeder: a parallel worker that reads pages for a task of its leader
 *		(feeders.h).
 *
 * PostgreSQL has restored the leader's transaction, its serializable one, too, settings
 * and rights; the scan's own snapshot comes beside them.  The loop is that of
 * device_task.c without a device: batches go out until as many are in flight as the
 * feed allows, and releases come in.  An ERROR goes to the leader by PostgreSQL's way
 * for parallel workers, and before our pins go the device's worker is told that the task
 * is spoiled.  A leader that has let go of the queues needs no more pages; what the device
 * may still read of ours then nobody receives (ipc/README.md: Leaving early).
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/table.h"
#include "executor/instrument.h"
#include "fmgr.h"
#include "heap/feed.h"
#include "miscadmin.h"
#include "node/feeder_process.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "tcop/tcopprot.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

extern PGDLLEXPORT void gpuagg_feeder_main(dsm_segment *seg, shm_toc *toc);

typedef struct Feeder
{
	GpuAggFeederTask *task;
	GpuAggFeed *feed;
	shm_mq_handle *pages;
	shm_mq_handle *releases;
	uint64		next_batch;
	bool		left;			/* the leader needs no more */
} Feeder;

static shm_mq_handle *
feeder_queue(shm_toc *toc, uint64 key, Size bytes, dsm_segment *seg, bool send)
{
	shm_mq	   *mq = (shm_mq *) ((char *) shm_toc_lookup(toc, key, false) +
								 ParallelWorkerNumber * bytes);

	if (send)
		shm_mq_set_sender(mq, MyProc);
	else
		shm_mq_set_receiver(mq, MyProc);
	return shm_mq_attach(mq, seg, NULL);
}

static void
feeder_send(Feeder *feeder, const void *msg, Size bytes)
{
	if (shm_mq_send(feeder->pages, bytes, msg, false, true) != SHM_MQ_SUCCESS)
		feeder->left = true;
}

/* Takes the releases that are there; waits for one first if asked to. */
static void
feeder_release(Feeder *feeder, bool wait)
{
	Size		bytes;
	void	   *data;

	for (;;)
	{
		shm_mq_result res = shm_mq_receive(feeder->releases, &bytes, &data, !wait);

		if (res == SHM_MQ_DETACHED)
			feeder->left = true;
		if (res != SHM_MQ_SUCCESS)
			return;
		if (bytes != sizeof(GpuAggFeederRelease) ||
			!gpuagg_feed_release(feeder->feed, ((GpuAggFeederRelease *) data)->batch_id))
			elog(ERROR, "unexpected message from the leader");
		wait = false;
	}
}

static GpuAggStatus
feeder_batch(Feeder *feeder, GpuAggError *error)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status = gpuagg_feed_next(feeder->feed, feeder->next_batch, &msg, &bytes,
										   error);

	if (status != GPUAGG_OK || msg == NULL)
		return status;
	feeder->next_batch++;
	feeder_send(feeder, msg, bytes);
	if (feeder->task->fault)
		ereport(ERROR, (errmsg("gpuagg.debug_fault = feeder")));
	return status;
}

/* All blocks that can be had, until the device has consumed their pages */
static void
feeder_run(Feeder *feeder)
{
	GpuAggFeederEnd end = {.msg.type = GPUAGG_MSG_FINISH};
	GpuAggStatus status = GPUAGG_OK;

	while (!feeder->left && status == GPUAGG_OK && gpuagg_feed_more(feeder->feed))
	{
		bool		room = gpuagg_feed_has_room(feeder->feed, 0);

		CHECK_FOR_INTERRUPTS();
		feeder_release(feeder, !room);
		if (room && !feeder->left)
			status = feeder_batch(feeder, &end.error);
	}
	if (status != GPUAGG_OK)
		end.msg.type = GPUAGG_MSG_FAILED;
	end.pages = gpuagg_feed_pages(feeder->feed);
	if (!feeder->left)
		feeder_send(feeder, &end, sizeof(end));
	while (!feeder->left && gpuagg_feed_batches(feeder->feed) > 0)
		feeder_release(feeder, true);
}

/* By an ERROR, or because we are told to end: pins go next. */
static void
feeder_leaves(int code, Datum arg)
{
	gpuagg_client_spoil(((Feeder *) DatumGetPointer(arg))->task->ticket);
}

static void
feeder_scan(Feeder *feeder, shm_toc *toc, Relation rel, Snapshot snapshot)
{
	GpuAggFeederTask *task = feeder->task;
	GpuAggSampleState sample = {
		.method = task->sample_method,
		.sample = task->sample,
		.bulkread = task->bulkread
	};
	GpuAggCached *cached = !task->cached ? NULL :
		gpuagg_cached_restore(rel, task->share.nblocks,
							  shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_CACHED, false));

	feeder->feed = gpuagg_feed_begin(rel, snapshot, task->share.nblocks, &sample, cached,
									 &task->share, task->batch_pages, task->batches_ahead);
	PG_ENSURE_ERROR_CLEANUP(feeder_leaves, PointerGetDatum(feeder));
	{
		feeder_run(feeder);
	}
	PG_END_ENSURE_ERROR_CLEANUP(feeder_leaves, PointerGetDatum(feeder));
	gpuagg_feed_end(feeder->feed);
}

/* The leader counts those that are active after it saw that no block is left. */
void
gpuagg_feeder_main(dsm_segment *seg, shm_toc *toc)
{
	Feeder		feeder = {.task = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_TASK, false)};
	BufferUsage *buffers = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_BUFFERS, false);
	WalUsage   *wal = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_WAL, false);
	Snapshot	snapshot;
	Relation	rel;

	feeder.pages = feeder_queue(toc, GPUAGG_FEEDER_KEY_PAGES, GPUAGG_FEEDER_PAGES_BYTES, seg,
								true);
	feeder.releases = feeder_queue(toc, GPUAGG_FEEDER_KEY_RELEASES,
								   GPUAGG_FEEDER_RELEASES_BYTES, seg, false);
	pg_atomic_fetch_add_u32(&feeder.task->active, 1);
	debug_query_string = shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_QUERY, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);

	InstrStartParallelQuery();
	snapshot = RegisterSnapshot(RestoreSnapshot(shm_toc_lookup(toc, GPUAGG_FEEDER_KEY_SNAPSHOT,
															   false)));
	rel = table_open(feeder.task->relid, AccessShareLock);
	feeder_scan(&feeder, toc, rel, snapshot);
	table_close(rel, AccessShareLock);
	UnregisterSnapshot(snapshot);
	InstrEndParallelQuery(&buffers[ParallelWorkerNumber], &wal[ParallelWorkerNumber]);
}
