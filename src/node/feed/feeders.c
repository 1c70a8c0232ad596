/*
 * feeders.c
 *		The leader's side of processes that feed a task beside it (feeders.h).
 *
 * They are of one task (node/process/processes.h).
 *
 * A feeder's batch gets the number that the task's next batch has; BATCH_DONE of it
 * becomes a release to the feeder.  No more are passed on than the device wants in
 * flight; others wait in the feeders' queues, which hold some.
 *
 * They are of the task, not of a table: tables are opened to them one by one, some ahead,
 * and each process reads runs of blocks of whichever has its turn (heap/feed_share.h).
 * What a table's cached blocks are goes into an area of the segment, which grows.
 *
 * All is read when no block is left to be handed out and each feeder that was active
 * by then has sent its end.  A feeder counts itself active before it takes blocks, so
 * one that comes later finds none.
 *
 * Memory: the current context of begin, and the parallel context's own.
 */
#include "postgres.h"

#include "cost/predict.h"
#include "cost/profile.h"
#include "ipc/errors.h"
#include "ipc/stat.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "node/feed/feeder_process.h"
#include "node/feed/feeders.h"
#include "node/process/processes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/proc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* Beyond what the device wants ahead, as feed.c has it for small first batches */
#define SLACK_BATCHES 3

/* Blocks that a process takes at least: a batch; in tests of small tables a few */
#define RUN_LEAST GPUAGG_FEEDERS_LEAST
#define RUN_LEAST_FORCED 8

/* Of what is known of cached blocks of the second and later tables, before more memory is had */
#define CACHED_BYTES (64 * 1024)

typedef struct FeederBatch
{
	dlist_node	node;
	uint64		batch_id;		/* the leader's */
	uint64		theirs;
	int			feeder;
	uint32		npages;
	BlockNumber blocks[FLEXIBLE_ARRAY_MEMBER];
} FeederBatch;

struct GpuAggFeeders
{
	GpuAggProcesses processes;
	GpuAggFeederTask *task;
	GpuAggFeederTable *tables;
	const GpuAggTaskTable *read;	/* the same, as the leader has them */
	GpuAggFeedShare *share;
	pg_atomic_uint32 *waiting;	/* of each */
	dsa_area   *area;
	bool		sampled;
	int			launched;
	shm_mq_handle **pages;		/* of each; NULL: it has ended */
	shm_mq_handle **releases;
	uint32		ended;
	int			turn;			/* whose message is looked for next */
	int			sender;			/* of the message that is to be numbered */
	bool		alone;			/* the leader reads nothing */
	uint32		in_flight;
	dlist_head	batches;
	uint64		npages;			/* passed on */
	uint64		nread;			/* as those that have ended tell */
};

/* ----------------------------------------------------------------- plan --- */

/* Tests say how many, whatever it costs. */
static bool
feeders_forced(void)
{
	return gpuagg_debug_feeders > 0;
}

/*
 * Rows that are selected come in the order of the scan, which several processes do not
 * keep; draws are fed nothing.
 */
static bool
feeders_possible(const GpuAggScan *scan, const GpuAggPlanInfo *info)
{
	Snapshot	snapshot = scan->css.ss.ps.state->es_snapshot;

	return !IsParallelWorker() && gpuagg_debug_feeders != 0 && !info->program->select &&
		scan->sample.method != GPUAGG_SAMPLE_DRAWS &&
		(snapshot == NULL || snapshot->snapshot_type == SNAPSHOT_MVCC);
}

int
gpuagg_feeders_planned(const GpuAggScan *scan, const GpuAggPlanInfo *info, int device,
					   double pages, double page_ns, bool host)
{
	GpuAggRates rates;

	if (!feeders_possible(scan, info) || pages < 1)
		return 0;
	if (feeders_forced())
		return gpuagg_debug_feeders;
	if (host || max_parallel_workers_per_gather == 0)
		return 0;
	rates = gpuagg_profile_get(device)->rates;
	gpuagg_profile_feeder_rates(&rates);
	return gpuagg_predict_feeders(&rates, &info->predicted, pages, page_ns,
								  Min(max_parallel_workers_per_gather, max_parallel_workers));
}

/* ---------------------------------------------------------------- begin --- */

static Size
feeders_area_bytes(void)
{
	return add_size(dsa_minimum_size(), CACHED_BYTES);
}

static void
feeders_estimate(GpuAggProcesses *p, const GpuAggFeedersWork *work, Snapshot snapshot)
{
	int			n = p->pcxt->nworkers;

	gpuagg_processes_estimate(p, sizeof(GpuAggFeederTask));
	gpuagg_processes_estimate(p, mul_size(work->order->nread, sizeof(GpuAggFeederTable)));
	gpuagg_processes_estimate(p, gpuagg_feed_share_bytes(work->order->nread));
	gpuagg_processes_estimate(p, mul_size(n, sizeof(pg_atomic_uint32)));
	gpuagg_processes_estimate(p, feeders_area_bytes());
	gpuagg_processes_estimate(p, EstimateSnapshotSpace(snapshot));
	gpuagg_processes_estimate(p, mul_size(n, GPUAGG_FEEDER_PAGES_BYTES));
	gpuagg_processes_estimate(p, mul_size(n, GPUAGG_FEEDER_RELEASES_BYTES));
}

static void
feeders_describe(GpuAggFeeders *f, const GpuAggFeedersWork *work)
{
	GpuAggFeederTask *task = gpuagg_processes_put(&f->processes, GPUAGG_FEEDER_KEY_TASK,
												  sizeof(GpuAggFeederTask));
	const GpuAggSampleTaken *sample = &work->order->sample;

	task->leader = MyProc;
	task->ticket = work->ticket;
	task->sample_method = sample->method;
	task->sample = sample->sample;
	task->bulkread = sample->bulkread;
	task->fault = gpuagg_debug_fault == GPUAGG_FAULT_FEEDER;
	task->batches_ahead = work->batches_ahead;
	pg_atomic_init_u32(&task->active, 0);
	f->task = task;
	f->sampled = sample->method == GPUAGG_SAMPLE_SYSTEM;
}

/* All tables, none of them open */
static void
feeders_tables(GpuAggFeeders *f, const GpuAggFeedersWork *work)
{
	GpuAggProcesses *p = &f->processes;
	int			n = p->pcxt->nworkers;
	Size		bytes = feeders_area_bytes();

	f->read = work->order->read;
	f->tables = gpuagg_processes_put(p, GPUAGG_FEEDER_KEY_TABLES,
									 mul_size(work->order->nread, sizeof(GpuAggFeederTable)));
	f->share = gpuagg_processes_put(p, GPUAGG_FEEDER_KEY_SHARE,
									gpuagg_feed_share_bytes(work->order->nread));
	gpuagg_feed_share_init(f->share, work->order->nread, work->first, n + 1,
						   feeders_forced() ? RUN_LEAST_FORCED : RUN_LEAST);
	for (int i = work->first; i < work->order->nread; i++)
	{
		const GpuAggTaskTable *table = &work->order->read[i];

		f->tables[i].relid = RelationGetRelid(table->rel);
		gpuagg_feed_share_table(f->share, i, table->nblocks, table->first, table->end);
	}
	f->waiting = gpuagg_processes_put(p, GPUAGG_FEEDER_KEY_WAITING,
									  mul_size(n, sizeof(pg_atomic_uint32)));
	for (int i = 0; i < n; i++)
		pg_atomic_init_u32(&f->waiting[i], 0);
	f->area = dsa_create_in_place(gpuagg_processes_put(p, GPUAGG_FEEDER_KEY_CACHED, bytes), bytes,
								  LWTRANCHE_PARALLEL_QUERY_DSA, p->pcxt->seg);
}

static void
feeders_launch(GpuAggFeeders *f)
{
	GpuAggProcesses *p = &f->processes;

	f->pages = gpuagg_processes_queues(p, GPUAGG_FEEDER_KEY_PAGES, GPUAGG_FEEDER_PAGES_BYTES,
									   false);
	f->releases = gpuagg_processes_queues(p, GPUAGG_FEEDER_KEY_RELEASES,
										  GPUAGG_FEEDER_RELEASES_BYTES, true);
	f->launched = gpuagg_processes_launch(p);
	gpuagg_processes_watch(p, f->pages);
	gpuagg_processes_watch(p, f->releases);
	gpuagg_stat_add(GPUAGG_STAT_feeders, f->launched);
}

GpuAggFeeders *
gpuagg_feeders_begin(const GpuAggScan *scan, const GpuAggFeedersWork *work, int n)
{
	Snapshot	snapshot = scan->css.ss.ps.state->es_snapshot;
	GpuAggFeeders *f;

	if (!ActiveSnapshotSet())
		return NULL;
	f = palloc0(sizeof(GpuAggFeeders));
	dlist_init(&f->batches);
	gpuagg_processes_begin(&f->processes, GPUAGG_FEEDER_FUNCTION, n);
	feeders_estimate(&f->processes, work, snapshot);
	if (gpuagg_processes_segment(&f->processes))
	{
		feeders_describe(f, work);
		feeders_tables(f, work);
		SerializeSnapshot(snapshot, gpuagg_processes_put(&f->processes, GPUAGG_FEEDER_KEY_SNAPSHOT,
														 EstimateSnapshotSpace(snapshot)));
		feeders_launch(f);
	}
	f->alone = feeders_forced() && f->launched > 0;
	if (f->launched > 0)
		return f;
	if (f->area != NULL)
		dsa_detach(f->area);
	gpuagg_processes_end(&f->processes, true);
	return NULL;
}

int
gpuagg_feeders_launched(const GpuAggFeeders *f)
{
	return f->launched;
}

GpuAggFeedShare *
gpuagg_feeders_share(GpuAggFeeders *f)
{
	return f->alone ? NULL : f->share;
}

bool
gpuagg_feeders_suffice(const GpuAggFeeders *f)
{
	return f->launched >= GPUAGG_FEEDERS_ENOUGH && f->npages > 0;
}

/* ---------------------------------------------------------------- tables --- */

/* One that goes without its end has raised an ERROR, or was killed. */
pg_noreturn static void
feeder_gone(void)
{
	CHECK_FOR_INTERRUPTS();
	ereport(ERROR,
			(errcode(ERRCODE_ADMIN_SHUTDOWN),
			 errmsg("a parallel worker that fed the device has gone")));
}

pg_noreturn static void
feeder_garbled(void)
{
	elog(ERROR, "unexpected message from a parallel worker that feeds the device");
}

/* There is always room.  False: it has gone. */
static bool
feeder_tell(GpuAggFeeders *f, int feeder, uint64 batch_id)
{
	GpuAggFeederRelease release = {.batch_id = batch_id};
	shm_mq_result res = shm_mq_send(f->releases[feeder], sizeof(release), &release, true, true);

	if (res == SHM_MQ_WOULD_BLOCK)
		feeder_garbled();
	return res == SHM_MQ_SUCCESS;
}

/* Whether one that waited has gone is found where its messages are looked for. */
static void
feeders_wake(GpuAggFeeders *f)
{
	for (int i = 0; i < f->launched; i++)
		if (f->pages[i] != NULL && pg_atomic_exchange_u32(&f->waiting[i], 0) != 0)
			(void) feeder_tell(f, i, GPUAGG_FEEDER_WAKE);
}

void
gpuagg_feeders_open(GpuAggFeeders *f, const GpuAggCached *cached, uint32 batch_pages)
{
	uint32		i = pg_atomic_read_u32(&f->share->open);
	GpuAggFeederTable *table = &f->tables[i];

	table->batch_pages = batch_pages;
	table->cached = InvalidDsaPointer;
	if (cached != NULL)
	{
		table->cached = dsa_allocate_extended(f->area, gpuagg_cached_copy_bytes(cached),
											  DSA_ALLOC_HUGE);
		gpuagg_cached_copy(cached, dsa_get_address(f->area, table->cached));
	}
	gpuagg_feed_share_open(f->share, f->read[i].rel, f->sampled);
	pg_memory_barrier();
	feeders_wake(f);
}

/* A run is of one table, so each process may take one before we look again. */
bool
gpuagg_feeders_want_table(const GpuAggFeeders *f)
{
	return gpuagg_feed_share_ahead(f->share) < f->share->processes;
}

/* -------------------------------------------------------------- messages --- */

static GpuAggStatus
feeder_ended(GpuAggFeeders *f, int feeder, const GpuAggMsg *msg, Size bytes, GpuAggError *error)
{
	const GpuAggFeederEnd *end = (const GpuAggFeederEnd *) msg;

	if (bytes != sizeof(*end))
		feeder_garbled();
	f->nread += end->pages;
	f->pages[feeder] = NULL;
	f->ended++;
	if (msg->type == GPUAGG_MSG_FINISH)
		return GPUAGG_OK;
	*error = end->error;
	return error->status;
}

/* A message of pages of an open table? */
static void
feeder_check(const GpuAggFeeders *f, const GpuAggMsg *msg, Size bytes)
{
	if (msg->type != GPUAGG_MSG_PAGES ||
		bytes < sizeof(GpuAggMsg) + msg->count * sizeof(GpuAggMsgPage) ||
		GPUAGG_BATCH_TABLE(msg->batch_id) >= pg_atomic_read_u32(&f->share->open))
		feeder_garbled();
}

void
gpuagg_feeders_number(GpuAggFeeders *f, const GpuAggMsg *msg, uint64 batch_id)
{
	const GpuAggMsgPage *pages = (const GpuAggMsgPage *) (msg + 1);
	FeederBatch *batch = palloc(offsetof(FeederBatch, blocks) + msg->count * sizeof(BlockNumber));

	batch->batch_id = batch_id;
	batch->theirs = msg->batch_id;
	batch->feeder = f->sender;
	batch->npages = msg->count;
	for (uint32 i = 0; i < msg->count; i++)
		batch->blocks[i] = pages[i].block;
	dlist_push_tail(&f->batches, &batch->node);
	f->in_flight++;
	f->npages += msg->count;
	/* the queue's memory is ours until we take the next message */
	((GpuAggMsg *) msg)->batch_id = batch_id;
}

GpuAggStatus
gpuagg_feeders_next(GpuAggFeeders *f, uint32 others, const GpuAggMsg **msg, Size *bytes,
					uint32 *table, GpuAggError *error)
{
	*msg = NULL;
	for (int i = 0; i < f->launched; i++)
	{
		int			feeder = (f->turn + i) % f->launched;
		GpuAggStatus status;
		void	   *data;

		if (f->in_flight + others >= f->task->batches_ahead + SLACK_BATCHES)
			return GPUAGG_OK;
		if (f->pages[feeder] == NULL)
			continue;
		switch (shm_mq_receive(f->pages[feeder], bytes, &data, true))
		{
			case SHM_MQ_WOULD_BLOCK:
				continue;
			case SHM_MQ_DETACHED:
				feeder_gone();
			case SHM_MQ_SUCCESS:
				break;
		}
		if (*bytes < sizeof(GpuAggMsg))
			feeder_garbled();
		*msg = data;
		if ((*msg)->type != GPUAGG_MSG_FINISH && (*msg)->type != GPUAGG_MSG_FAILED)
		{
			feeder_check(f, *msg, *bytes);
			*table = GPUAGG_BATCH_TABLE((*msg)->batch_id);
			f->sender = feeder;
			f->turn = feeder + 1;
			return GPUAGG_OK;
		}
		status = feeder_ended(f, feeder, *msg, *bytes, error);
		*msg = NULL;
		if (status != GPUAGG_OK)
			return status;
	}
	return GPUAGG_OK;
}

/* Whether blocks are left is looked at first (gpuagg_feeder_main). */
bool
gpuagg_feeders_read_all(const GpuAggFeeders *f)
{
	if (!gpuagg_feed_share_over(f->share))
		return false;
	pg_read_barrier();
	return f->ended >= pg_atomic_read_u32(&f->task->active);
}

static FeederBatch *
feeders_find(const GpuAggFeeders *f, uint64 batch_id)
{
	dlist_iter	iter;

	dlist_foreach(iter, (dlist_head *) &f->batches)
	{
		FeederBatch *batch = dlist_container(FeederBatch, node, iter.cur);

		if (batch->batch_id == batch_id)
			return batch;
	}
	return NULL;
}

uint32
gpuagg_feeders_in_flight(const GpuAggFeeders *f)
{
	return f->in_flight;
}

bool
gpuagg_feeders_have(const GpuAggFeeders *f, uint64 batch_id)
{
	return feeders_find(f, batch_id) != NULL;
}

Buffer
gpuagg_feeders_pin(const GpuAggFeeders *f, Relation rel, uint64 batch_id, uint32 n)
{
	const FeederBatch *batch = feeders_find(f, batch_id);

	if (batch == NULL || n >= batch->npages)
		return InvalidBuffer;
	return ReadBuffer(rel, batch->blocks[n]);
}

bool
gpuagg_feeders_release(GpuAggFeeders *f, uint64 batch_id)
{
	FeederBatch *batch = feeders_find(f, batch_id);

	if (batch == NULL)
		return false;
	if (!feeder_tell(f, batch->feeder, batch->theirs))
		feeder_gone();
	dlist_delete(&batch->node);
	pfree(batch);
	f->in_flight--;
	return true;
}

uint64
gpuagg_feeders_pages(const GpuAggFeeders *f)
{
	return Max(f->npages, f->nread);
}

/* ------------------------------------------------------------------ end --- */

void
gpuagg_feeders_end(GpuAggFeeders *f)
{
	gpuagg_feed_share_stop(f->share);
	for (int i = 0; i < f->processes.pcxt->nworkers; i++)
	{
		if (f->pages[i] != NULL)
			shm_mq_detach(f->pages[i]);
		shm_mq_detach(f->releases[i]);
	}
	dsa_detach(f->area);
	gpuagg_processes_end(&f->processes, true);
}
