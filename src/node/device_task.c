/*
 * device_task.c
 *		Drives one device task: begin, feed pages, answer row lists, finish,
 *		collect groups or chosen rows.
 *
 * The loop in task_feed keeps the device busy: it hands over batches until
 * as many are in flight as the device wants and the feed allows, takes
 * messages as they come, and waits only when there is nothing else to do.
 * BATCH_DONE frees a batch's pins at once, unless it lists rows that
 * PostgreSQL must evaluate; then the list goes to a queue and the pins stay
 * until its last row was looked at.  Evaluated rows are sent in messages of
 * their own, of which only a few are in flight at a time.  Of a program that
 * selects rows, the list of each batch goes to the store of chosen rows.
 *
 * A task that may use the column cache first settles with the worker what of
 * it is used (cached.c); these blocks are batches, too, which complete while
 * the rest is fed.
 *
 * Cleanup: pins belong to the resource owner.  Whatever ends the run early, ERROR,
 * FATAL or a device that failed, gpuagg_client_abort first waits until the device
 * reads nothing of ours, or has had its time (ipc/README.md: Leaving early).
 *
 * Memory: the current context, which the caller deletes after the run.
 * Answers go to scan->results or scan->chosen, which have their own.
 */
#include "postgres.h"

#include "cost/profile.h"
#include "device/batch_memory.h"
#include "executor/executor.h"
#include "heap/cache_request.h"
#include "heap/cached.h"
#include "heap/feed.h"
#include "ipc/client.h"
#include "ipc/stat.h"
#include "miscadmin.h"
#include "node/chosen_rows.h"
#include "node/device_task.h"
#include "node/feeders.h"
#include "pgstat.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "utils/rel.h"

/* Messages of evaluated rows in flight */
#define ROWS_AHEAD 4

/* Rows of one batch that PostgreSQL is to evaluate */
typedef struct GpuAggTodo
{
	struct GpuAggTodo *next;
	uint64		batch_id;
	uint32		count;
	uint32		done;
	GpuAggRowRef refs[FLEXIBLE_ARRAY_MEMBER];
} GpuAggTodo;

typedef struct GpuAggRun
{
	GpuAggScan *scan;
	const GpuAggProgram *program;
	GpuAggPass *pass;
	BlockNumber nblocks;
	bool		timing;
	GpuAggClient *client;
	GpuAggCached *cached;		/* NULL: no cache request */
	GpuAggFeed *feed;			/* NULL until the cache is settled */
	GpuAggFeeders *feeders;		/* NULL: the backend alone */
	uint64		next_batch;		/* number of the next batch */
	uint32		rows_in_flight; /* messages of rows */
	GpuAggTodo *todo;			/* oldest first */
	GpuAggTodo *todo_last;
	bool		collecting;		/* some groups are here */
	bool		done;			/* all groups are here */
	instr_time	first_groups;	/* when they came */
	GpuAggStatus status;
	GpuAggError *error;
} GpuAggRun;

static void
time_start(const GpuAggRun *run, instr_time *start)
{
	if (run->timing)
		INSTR_TIME_SET_CURRENT(*start);
}

static void
time_add(const GpuAggRun *run, instr_time *sum, instr_time start)
{
	instr_time	now;

	if (!run->timing)
		return;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_ACCUM_DIFF(*sum, now, start);
}

/* ------------------------------------------------------------ messages --- */

static GpuAggStatus
task_garbled(GpuAggRun *run)
{
	return gpuagg_error_set(run->error, GPUAGG_DEVICE_FAULT, 0,
							"unexpected message from the device worker");
}

static void
task_release(GpuAggRun *run, uint64 batch_id)
{
	instr_time	start;

	time_start(run, &start);
	if (!gpuagg_feed_release(run->feed, batch_id))
		gpuagg_feeders_release(run->feeders, batch_id);
	time_add(run, &run->scan->counters.feed_time, start);
}

/* Is it a batch of pages, and not one of rows? */
static bool
task_has_batch(const GpuAggRun *run, uint64 batch_id)
{
	return BufferIsValid(gpuagg_feed_buffer(run->feed, batch_id, 0)) ||
		(run->feeders != NULL && gpuagg_feeders_have(run->feeders, batch_id));
}

/*
 * A batch is consumed.  Batches that neither the cache nor the feed know are
 * ours of rows, if there is any.
 */
static GpuAggStatus
task_batch_done(GpuAggRun *run, const GpuAggMsg *msg, Size bytes)
{
	Size		refs = msg->count * sizeof(GpuAggRowRef);
	GpuAggStatus status = GPUAGG_OK;
	GpuAggTodo *todo;

	if (bytes != sizeof(GpuAggMsg) + refs)
		return task_garbled(run);
	if (run->cached != NULL &&
		gpuagg_cached_release(run->cached, msg->batch_id))
		return msg->count == 0 ? GPUAGG_OK : task_garbled(run);
	if (run->feed == NULL)
		return task_garbled(run);
	if (!task_has_batch(run, msg->batch_id))
	{
		if (run->rows_in_flight == 0 || msg->count > 0)
			return task_garbled(run);
		run->rows_in_flight--;
		return GPUAGG_OK;
	}
	if (msg->count == 0 || run->scan->tids != NULL)
	{
		if (msg->count > 0 && !gpuagg_chosen_rows_add(run->scan, run->feed, msg))
			status = task_garbled(run);
		task_release(run, msg->batch_id);
		return status;
	}

	todo = palloc(offsetof(GpuAggTodo, refs) + refs);
	todo->next = NULL;
	todo->batch_id = msg->batch_id;
	todo->count = msg->count;
	todo->done = 0;
	memcpy(todo->refs, msg + 1, refs);
	if (run->todo == NULL)
		run->todo = todo;
	else
		run->todo_last->next = todo;
	run->todo_last = todo;
	return GPUAGG_OK;
}

/* Further windows see the same rows and pages again. */
static bool
task_is_first(const GpuAggRun *run)
{
	return run->pass->hash_window.index == 0;
}

static void
task_done(GpuAggRun *run, const GpuAggDoneMsg *msg)
{
	GpuAggCounters *counters = &run->scan->counters;
	const GpuAggDeviceInfo *info = gpuagg_client_info(run->client);

	run->pass->rows = msg->rows_passed;
	run->pass->groups = msg->groups;
	if (task_is_first(run))
	{
		counters->runs++;
		counters->rows_scanned += msg->rows_scanned;
		counters->rows_passed += msg->rows_passed;
		counters->zones.read += msg->zones.read;
		counters->zones.skipped += msg->zones.skipped;
		counters->zones.answered += msg->zones.answered;
		/* adds to tuples_returned, which PostgreSQL's scans count row by row */
		pgstat_count_index_tuples(run->scan->rel, msg->rows_scanned);
	}
	counters->groups += msg->groups;
	counters->pages_kept += msg->pages_kept;
	gpuagg_stat_add(GPUAGG_STAT_pages_kept, msg->pages_kept);
	counters->switches += msg->switches;
	counters->compiled += msg->compiled;
	counters->memory_bytes = Max(counters->memory_bytes, msg->memory_bytes);
	counters->device_ns += msg->device_ns;
	counters->transfer_ns += msg->transfer_ns;
	counters->decode_ns += msg->decode_ns;
	counters->kernel_ns += msg->kernel_ns;
	counters->link_bytes += msg->link_bytes;
	counters->link_rate = info->link_rate;
	counters->draw_way = msg->draw_way;
	counters->draw_windows = msg->draw_windows;
	strlcpy(counters->device, info->kind, sizeof(counters->device));
	strlcpy(counters->device_name, info->name, sizeof(counters->device_name));
	strlcpy(counters->strategy, msg->strategy, sizeof(counters->strategy));
	run->done = true;
}

/* Emission begins with the first groups, not with the wait for them. */
static GpuAggStatus
task_groups(GpuAggRun *run, const GpuAggMsg *msg, Size bytes)
{
	if (run->scan->results == NULL)
		return task_garbled(run);
	if (!run->collecting)
		time_start(run, &run->first_groups);
	run->collecting = true;
	run->scan->counters.groups_returned += msg->count;
	return gpuagg_results_add(run->scan->results, (const char *) (msg + 1),
							  msg->count, bytes - sizeof(GpuAggMsg),
							  run->error);
}

/* What the worker says of the cache */
static GpuAggStatus
task_cached(GpuAggRun *run, const GpuAggMsg *msg, Size bytes)
{
	GpuAggStatus status = GPUAGG_DEVICE_FAULT;

	if (run->cached != NULL && run->feed == NULL)
		status = msg->type == GPUAGG_MSG_CACHED ?
			gpuagg_cached_announced(run->cached, msg, bytes) :
			gpuagg_cached_validated(run->cached, msg, bytes);
	return status == GPUAGG_OK ? status : task_garbled(run);
}

static GpuAggStatus
task_message(GpuAggRun *run, const GpuAggMsg *msg, Size bytes)
{
	if (bytes < sizeof(GpuAggMsg))
		return task_garbled(run);
	switch ((GpuAggMsgType) msg->type)
	{
		case GPUAGG_MSG_BATCH_DONE:
			return task_batch_done(run, msg, bytes);
		case GPUAGG_MSG_RESULTS:
			return task_groups(run, msg, bytes);
		case GPUAGG_MSG_CACHED:
		case GPUAGG_MSG_VALIDATED:
			return task_cached(run, msg, bytes);
		case GPUAGG_MSG_DONE:
			if (bytes != sizeof(GpuAggDoneMsg))
				return task_garbled(run);
			task_done(run, (const GpuAggDoneMsg *) msg);
			return GPUAGG_OK;
		default:
			return task_garbled(run);
	}
}

/*
 * Takes the messages that are there; waits for one first if asked to.
 */
static GpuAggStatus
task_receive(GpuAggRun *run, bool wait)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status;
	instr_time	start;

	CHECK_FOR_INTERRUPTS();
	time_start(run, &start);
	status = gpuagg_client_receive(run->client, wait, &msg, &bytes,
								   run->error);
	if (wait)
		time_add(run, &run->scan->counters.wait_time, start);
	while (status == GPUAGG_OK && msg != NULL)
	{
		status = task_message(run, msg, bytes);
		if (status != GPUAGG_OK || run->done)
			break;
		CHECK_FOR_INTERRUPTS();
		status = gpuagg_client_receive(run->client, false, &msg, &bytes,
									   run->error);
	}
	return status;
}

/* --------------------------------------------------------------- cache --- */

/* Pages read, by whom ever */
static uint64
task_pages_fed(const GpuAggRun *run)
{
	return (run->feed != NULL ? gpuagg_feed_pages(run->feed) : 0) +
		(run->feeders != NULL ? gpuagg_feeders_pages(run->feeders) : 0);
}

/* Tells gpuagg.tasks of the pages that the device is to use, or was given. */
static void
task_progress(const GpuAggRun *run)
{
	gpuagg_client_progress(run->client, task_pages_fed(run) +
						   (run->cached != NULL ? run->cached->used : 0));
}

/* Those that it is through with, or was given */
static uint64
task_pages(const GpuAggRun *run)
{
	return (run->cached != NULL ? run->cached->done : 0) + task_pages_fed(run);
}

static GpuAggStatus
task_send_map(GpuAggRun *run)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status = GPUAGG_OK;
	instr_time	start;

	time_start(run, &start);
	msg = gpuagg_cached_next(run->cached, run->next_batch, &bytes);
	if (msg != NULL)
	{
		run->next_batch++;
		status = gpuagg_client_send(run->client, msg, bytes, run->error);
	}
	time_add(run, &run->scan->counters.feed_time, start);
	return status;
}

/* Looks at all map pages, until it is clear what need not be fed. */
static GpuAggStatus
task_settle(GpuAggRun *run)
{
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && !gpuagg_cached_settled(run->cached))
	{
		bool		more = gpuagg_cached_more(run->cached);

		status = task_receive(run, !more);
		if (status == GPUAGG_OK && run->done)
			status = task_garbled(run);
		if (status == GPUAGG_OK && more)
			status = task_send_map(run);
		task_progress(run);
	}
	return status;
}

/* ------------------------------------------------------------- feeding --- */

static GpuAggStatus
task_send_pages(GpuAggRun *run)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status;
	instr_time	start;

	time_start(run, &start);
	status = gpuagg_feed_next(run->feed, run->next_batch, &msg, &bytes,
							  run->error);
	if (status == GPUAGG_OK && msg != NULL)
	{
		run->next_batch++;
		status = gpuagg_client_send(run->client, msg, bytes, run->error);
		task_progress(run);
	}
	time_add(run, &run->scan->counters.feed_time, start);
	return status;
}

/* Passes on what a feeder has read; *moved: there was something. */
static GpuAggStatus
task_pass_on(GpuAggRun *run, bool *moved)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status;
	instr_time	start;

	time_start(run, &start);
	status = gpuagg_feeders_next(run->feeders, run->next_batch,
								 gpuagg_feed_batches(run->feed), &msg, &bytes, run->error);
	*moved = status == GPUAGG_OK && msg != NULL;
	if (*moved)
	{
		run->next_batch++;
		status = gpuagg_client_send(run->client, msg, bytes, run->error);
		task_progress(run);
	}
	time_add(run, &run->scan->counters.feed_time, start);
	return status;
}

static GpuAggStatus
task_send_rows(GpuAggRun *run)
{
	Size		bytes;
	const GpuAggMsg *msg = gpuagg_rows_message(run->scan->rows,
											   run->next_batch++, &bytes);

	run->rows_in_flight++;
	return gpuagg_client_send(run->client, msg, bytes, run->error);
}

static GpuAggRows *
task_rows(GpuAggRun *run)
{
	GpuAggScan *scan = run->scan;

	if (scan->rows == NULL)
		scan->rows = gpuagg_rows_create(scan->row_plan, scan->css.ss.ps.state, scan->eflags,
										scan->info->program);
	gpuagg_rows_bind(scan->rows, run->program);
	return scan->rows;
}

/* A row that a batch lists; a feeder pins its page, and we do once more. */
static GpuAggStatus
task_evaluate_row(GpuAggRun *run, GpuAggRows *rows, uint64 batch_id, const GpuAggRowRef *ref)
{
	Buffer		buffer = gpuagg_feed_buffer(run->feed, batch_id, ref->page);
	bool		theirs = !BufferIsValid(buffer) && run->feeders != NULL;
	GpuAggStatus status;

	if (theirs)
		buffer = gpuagg_feeders_pin(run->feeders, batch_id, ref->page);
	if (!BufferIsValid(buffer) || ref->line > MaxOffsetNumber)
		return task_garbled(run);
	status = gpuagg_rows_add(rows, run->scan->rel, buffer, ref->line, run->error);
	if (theirs)
		ReleaseBuffer(buffer);
	return status;
}

/*
 * Evaluates rows of the oldest list, until its end or a message of rows is
 * full.
 */
static GpuAggStatus
task_evaluate(GpuAggRun *run)
{
	GpuAggRows *rows;
	GpuAggTodo *todo = run->todo;

	if (run->scan->lookups != NULL)
		return gpuagg_error_set(run->error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a row that is joined has a value that only PostgreSQL reads");
	rows = task_rows(run);

	while (todo->done < todo->count)
	{
		GpuAggStatus status;

		CHECK_FOR_INTERRUPTS();
		status = task_evaluate_row(run, rows, todo->batch_id, &todo->refs[todo->done]);
		if (status != GPUAGG_OK)
			return status;
		todo->done++;
		run->scan->counters.rows_evaluated += task_is_first(run);
		if (gpuagg_rows_full(rows))
			return task_send_rows(run);
	}
	run->todo = todo->next;
	task_release(run, todo->batch_id);
	pfree(todo);
	return GPUAGG_OK;
}

/* Rows evaluated, but not sent? */
static bool
task_rows_left(const GpuAggRun *run)
{
	return run->scan->rows != NULL &&
		gpuagg_rows_pending(run->scan->rows) > 0;
}

/* Pages that the device has not consumed, or that are still to come? */
static bool
task_pages_left(const GpuAggRun *run)
{
	return gpuagg_feed_batches(run->feed) > 0 ||
		(run->feeders != NULL && (gpuagg_feeders_in_flight(run->feeders) ||
								  !gpuagg_feeders_read_all(run->feeders)));
}

/* Anything that the device has not consumed? */
static bool
task_in_flight(const GpuAggRun *run)
{
	return task_pages_left(run) || run->rows_in_flight > 0 ||
		(run->cached != NULL && run->cached->in_flight > 0);
}

/* Feeders set the same latch as the device's worker. */
static GpuAggStatus
task_wait(GpuAggRun *run)
{
	GpuAggStatus status;
	instr_time	start;

	if (run->feeders == NULL)
		return task_receive(run, true);
	time_start(run, &start);
	status = gpuagg_client_sleep(run->client, run->error);
	time_add(run, &run->scan->counters.wait_time, start);
	return status;
}

/*
 * All pages and rows to the device, until it has consumed them.
 */
static GpuAggStatus
task_feed(GpuAggRun *run)
{
	GpuAggFeed *feed = run->feed;
	GpuAggStatus status;

	for (;;)
	{
		bool		moved = false;

		status = task_receive(run, false);
		if (status == GPUAGG_OK && run->done)
			status = task_garbled(run);
		if (status == GPUAGG_OK && run->feeders != NULL)
			status = task_pass_on(run, &moved);
		if (status != GPUAGG_OK)
			return status;

		if (moved)
			continue;
		if (run->todo != NULL && run->rows_in_flight < ROWS_AHEAD)
			status = task_evaluate(run);
		else if (gpuagg_feed_more(feed) && gpuagg_feed_has_room(feed))
			status = task_send_pages(run);
		else if (run->todo == NULL && task_rows_left(run) &&
				 !task_pages_left(run))
			status = task_send_rows(run);
		else if (task_in_flight(run))
			status = task_wait(run);
		else
			return GPUAGG_OK;
		if (status != GPUAGG_OK)
			return status;
	}
}

static GpuAggStatus
task_collect(GpuAggRun *run)
{
	GpuAggMsg	finish = {GPUAGG_MSG_FINISH, 0, 0};
	GpuAggStatus status = gpuagg_client_send(run->client, &finish,
											 sizeof(finish), run->error);

	while (status == GPUAGG_OK && !run->done)
		status = task_receive(run, true);
	if (run->collecting)
		time_add(run, &run->scan->counters.collect_time, run->first_groups);
	return status;
}

/* The feed, and processes beside us if they pay for what is not cached */
static void
task_begin_feed(GpuAggRun *run)
{
	const GpuAggDeviceInfo *device = gpuagg_client_info(run->client);
	GpuAggScan *scan = run->scan;
	double		page_bytes = gpuagg_batch_page_bytes(scan->info->program,
													 run->pass->page_lines);
	GpuAggFeedersWork work = {
		.nblocks = run->nblocks,
		.cached = run->cached,
		.batch_pages = gpuagg_batch_pages(device, page_bytes),
		.batches_ahead = device->batches_ahead
	};
	double		pages = gpuagg_sample_share(&scan->sample, run->nblocks) -
		(run->cached != NULL ? (double) run->cached->used : 0);
	GpuAggFeedShare *share = NULL;
	bool		alone = false;

	scan->counters.feeders_planned = gpuagg_feeders_planned(scan, pages, run->pass->host);
	if (scan->counters.feeders_planned > 0)
		run->feeders = gpuagg_feeders_begin(scan, &work, scan->counters.feeders_planned);
	scan->counters.feeders_launched = run->feeders == NULL ? 0 :
		gpuagg_feeders_launched(run->feeders);
	if (run->feeders != NULL)
		alone = (share = gpuagg_feeders_share(run->feeders)) == NULL;
	run->feed = gpuagg_feed_begin(scan->rel, scan->css.ss.ps.state->es_snapshot,
								  alone ? 0 : run->nblocks, &scan->sample, run->cached, share,
								  work.batch_pages, work.batches_ahead);
}

/* Feeders hold pages no longer than we do. */
static void
task_end_feed(GpuAggRun *run)
{
	if (run->feed != NULL)
		gpuagg_feed_end(run->feed);
	if (run->feeders != NULL)
		gpuagg_feeders_end(run->feeders);
	run->feeders = NULL;
}

static GpuAggStatus
task_drive(GpuAggRun *run)
{
	GpuAggScan *scan = run->scan;
	GpuAggStatus status = GPUAGG_OK;

	if (run->cached != NULL)
		status = task_settle(run);
	if (status == GPUAGG_OK && scan->sample.method == GPUAGG_SAMPLE_DRAWS &&
		(run->cached == NULL ? 0 : run->cached->used) < run->nblocks)
		status = gpuagg_error_set(run->error, GPUAGG_UNSUPPORTED, 0,
								  "random draws need the whole table in the column cache");
	if (status == GPUAGG_OK)
	{
		task_begin_feed(run);
		status = task_feed(run);
	}
	if (status == GPUAGG_OK)
		status = task_collect(run);
	run->pass->pages = task_pages(run);
	if (status == GPUAGG_OK && run->cached != NULL)
		gpuagg_stat_add(GPUAGG_STAT_pages_cached, run->cached->done);
	if (status == GPUAGG_OK && task_is_first(run))
	{
		scan->counters.pages += task_pages_fed(run);
		scan->counters.feeder_pages += task_pages_fed(run) - gpuagg_feed_pages(run->feed);
		if (run->cached != NULL)
			scan->counters.cached_pages += run->cached->done;
	}
	return status;
}

/* ----------------------------------------------------------------- run --- */

static void
task_cleanup(int code, Datum arg)
{
	gpuagg_client_abort(((GpuAggRun *) DatumGetPointer(arg))->client);
}

/*
 * The host device behind a GPU keeps nothing, nor is anything kept of samples.
 * Draws can only be made of what is kept.
 */
static void
task_cache_request(GpuAggRun *run, const GpuAggProgram *program, GpuAggCacheRequest *cache_request)
{
	GpuAggScan *scan = run->scan;

	scan->cache_requested = !scan->uncached && !run->pass->host &&
		(scan->sample.method == GPUAGG_SAMPLE_NONE ||
		 scan->sample.method == GPUAGG_SAMPLE_DRAWS) &&
		gpuagg_cache_request(scan->rel, scan->css.ss.ps.state->es_snapshot, program,
					run->nblocks, cache_request);
	if (scan->cache_requested)
		run->cached = gpuagg_cached_begin(scan->rel, run->nblocks);
}

static GpuAggClient *
task_begin(GpuAggRun *run, const GpuAggProgram *program)
{
	const GpuAggPass *pass = run->pass;
	GpuAggClientRequest request = {
		.program = program,
		.config.expected_groups = pass->expected_groups,
		.config.expected_rows = Max(run->scan->info->est_rows, 0),
		.config.sample = run->scan->sample.sample,
		.config.answer = run->scan->answer,
		.config.hash_window = pass->hash_window,
		.config.strategy = pass->strategy,
		.config.resident_strategy = pass->resident_strategy,
		.config.scope_bytes = pass->scope_bytes,
		.config.forced = pass->forced,
		.config.draw.way = pass->draw_way,
		.config.draw.windows = pass->draw_windows,
		.config.compile.mode = gpuagg_compile,
		.config.compile.interpreted_ns = (uint64) Max(run->scan->info->predicted.kernel, 0),
		.config.fault = pass->fault,
		.relid = RelationGetRelid(run->scan->rel),
		.predicted_ms = run->scan->info->predicted.startup / 1e6,
		.total_pages = gpuagg_sample_share(&run->scan->sample, run->nblocks),
		.host = pass->host
	};
	GpuAggClient *client;
	instr_time	start;

	if (pass->strategy == GPUAGG_STRATEGY_SPATIAL || pass->draw_way == GPUAGG_DRAW_SPATIAL)
		request.config.units = gpuagg_profile_get()->rates.tlb_groups;
	time_start(run, &start);
	task_cache_request(run, program, &request.cache);
	client = gpuagg_client_begin(&request, run->error);
	time_add(run, &run->scan->counters.start_time, start);
	run->scan->on_gpu = request.on_gpu;
	return client;
}

static void
task_end(GpuAggRun *run)
{
	instr_time	start;

	time_start(run, &start);
	gpuagg_client_end(run->client);
	time_add(run, &run->scan->counters.start_time, start);
}

bool
gpuagg_task_redoable(const GpuAggScan *scan, GpuAggStatus status)
{
	return scan->on_gpu && scan->sample.method != GPUAGG_SAMPLE_DRAWS &&
		(status == GPUAGG_DEVICE_FAULT || status == GPUAGG_DEVICE_LOST ||
		 status == GPUAGG_OUT_OF_MEMORY || status == GPUAGG_UNSUPPORTED);
}

GpuAggStatus
gpuagg_task_run(GpuAggScan *scan, const GpuAggProgram *program,
				BlockNumber nblocks, GpuAggPass *pass, GpuAggError *error)
{
	GpuAggRun  *run = palloc0(sizeof(GpuAggRun));

	if (scan->rows != NULL)
		gpuagg_rows_reset(scan->rows);
	run->scan = scan;
	run->program = program;
	run->pass = pass;
	run->nblocks = nblocks;
	run->timing = gpuagg_scan_timing(scan);
	run->error = error;
	run->client = task_begin(run, program);
	if (run->client == NULL)
		run->status = error->status;
	else
	{
		PG_ENSURE_ERROR_CLEANUP(task_cleanup, PointerGetDatum(run));
		{
			run->status = task_drive(run);
		}
		PG_END_ENSURE_ERROR_CLEANUP(task_cleanup, PointerGetDatum(run));

		if (run->status == GPUAGG_OK)
			task_end(run);
		else
		{
			gpuagg_client_failed(run->client, &pass->rows, &pass->groups);
			gpuagg_client_abort(run->client);
		}
		task_end_feed(run);
	}
	return run->status;
}
