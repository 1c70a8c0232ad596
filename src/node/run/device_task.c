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
 * The rows of a plan come as blocks instead (block_feed.c).
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
 * Answers go to what the demand has found, which has its own.
 */
#include "postgres.h"

#include "cost/profile.h"
#include "device/batch_memory.h"
#include "executor/executor.h"
#include "heap/cache_request.h"
#include "heap/written.h"
#include "ipc/client.h"
#include "ipc/shmem.h"
#include "ipc/stat.h"
#include "miscadmin.h"
#include "node/leftover/leftover.h"
#include "node/regroup/regroup_run.h"
#include "node/run/await_fill.h"
#include "node/run/block_feed.h"
#include "node/run/chosen_rows.h"
#include "node/run/device_task_inside.h"
#include "node/run/run_notes.h"
#include "node/scan/strange_columns.h"
#include "pgstat.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "utils/rel.h"

/* Tables that the worker knows of ahead of the one that is fed */
#define TABLES_AHEAD 16

/* Messages of evaluated rows in flight */
#define ROWS_AHEAD 4

/* --------------------------------------------------------------- cache --- */

/* Tells gpuagg.tasks of the pages that the device is to use, or was given. */
static void
task_progress(const GpuAggTaskRun *run)
{
	gpuagg_client_progress(run->client, gpuagg_inputs_used(run->inputs) +
						   gpuagg_inputs_fed(run->inputs));
}

static GpuAggStatus
task_send_map(GpuAggTaskRun *run)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status = GPUAGG_OK;
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	msg = gpuagg_inputs_next_map(run->inputs, &bytes);
	if (msg != NULL)
		status = gpuagg_client_send(run->client, msg, bytes, run->error);
	gpuagg_task_time_add(run, &run->tally->feed_time, start);
	return status;
}

/* Is it clear what of the table at work need not be fed? */
static bool
task_is_settled(const GpuAggTaskRun *run)
{
	const GpuAggCached *cached = gpuagg_inputs_at(run->inputs)->cached;

	return cached == NULL || gpuagg_cached_settled(cached);
}

/*
 * Looks at the next map page, or waits for what the worker says if asked to; *idle:
 * there was nothing to do.
 */
static GpuAggStatus
task_settle_step(GpuAggTaskRun *run, bool wait, bool *idle)
{
	const GpuAggCached *cached = gpuagg_inputs_at(run->inputs)->cached;
	bool		more = gpuagg_cached_more(cached);
	GpuAggStatus status = gpuagg_task_receive(run, wait && !more);

	if (status == GPUAGG_OK && run->done)
		status = gpuagg_task_garbled(run);
	if (status == GPUAGG_OK && more)
		status = task_send_map(run);
	/* what was received may be what there was to wait for, and nobody sets the latch again */
	*idle = !more && !gpuagg_cached_more(cached) && !task_is_settled(run);
	task_progress(run);
	return status;
}

/* Looks at all map pages of a table, until it is clear what need not be fed. */
static GpuAggStatus
task_settle(GpuAggTaskRun *run)
{
	GpuAggStatus status = GPUAGG_OK;
	bool		idle;

	while (status == GPUAGG_OK && !task_is_settled(run))
		status = task_settle_step(run, true, &idle);
	return status;
}

/*
 * Whether the next table may use the column cache.  The host device behind a GPU keeps
 * nothing, nor is anything kept of what is not read.  Samples take what there is, and add nothing,
 * for a device decodes no other lines.  Draws can only be made of what is kept.
 */
static void
task_begin_input(GpuAggTaskRun *run, GpuAggCacheRequest *request)
{
	const GpuAggScan *scan = run->scan;
	const int	method = run->order->sample.method;
	const GpuAggTaskTable *table = run->inputs->inputs[run->inputs->begun].table;
	bool		cached;

	memset(request, 0, sizeof(*request));
	cached = scan->rows == NULL && table->end > table->first &&
		!run->order->uncached && !run->order->host &&
		gpuagg_cache_request(table->rel, scan->css.ss.ps.state->es_snapshot, run->program,
							 table->nblocks, request);
	run->outcome->cached |= cached;
	if (method == GPUAGG_SAMPLE_DRAWS)
		run->drawn_blocks = request->written =
			gpuagg_written_blocks(table->rel, table->nblocks, true);
	else if (method == GPUAGG_SAMPLE_NONE)
		request->compare = cached && gpuagg_debug_compare;
	else
		request->fill = 0;
	request->pack = cached ? gpuagg_debug_pack : GPUAGG_PACK_AUTO;
	(void) gpuagg_inputs_begin(run->inputs, cached ? request : NULL);
}

/*
 * Saves a warm query one of its two waits for the worker.  Not while stages are timed, for
 * that wait is how long it takes to begin; nor for tests, which wait there, too.
 */
static void
task_look_ahead(GpuAggTaskRun *run, GpuAggAhead *ahead)
{
	ahead->early = run->pass->share < 1;
	if (!run->timing && gpuagg_debug_wait == 0 && run->scan->rows == NULL &&
		run->order->sample.method == GPUAGG_SAMPLE_NONE)
		gpuagg_inputs_look_ahead(run->inputs, ahead);
}

/* Tells the worker of tables to come, so that it has answered when their turn does. */
static GpuAggStatus
task_announce(GpuAggTaskRun *run)
{
	GpuAggTaskInputs *inputs = run->inputs;
	int			until = Min(inputs->n, inputs->at + TABLES_AHEAD);
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && inputs->begun < until)
	{
		GpuAggTableMsg msg = {
			.msg.type = GPUAGG_MSG_TABLE,
			.msg.batch_id = GPUAGG_TABLE_BATCH(inputs->begun)
		};

		task_begin_input(run, &msg.cache);
		status = gpuagg_client_send(run->client, &msg, sizeof(msg), run->error);
	}
	return status;
}

/* The table at work is settled: its pages may be sent. */
static GpuAggStatus
task_begin_feed(GpuAggTaskRun *run)
{
	const GpuAggScan *scan = run->scan;
	GpuAggStatus status = GPUAGG_OK;

	if (run->order->sample.method == GPUAGG_SAMPLE_DRAWS &&
		gpuagg_inputs_used(run->inputs) < run->drawn_blocks)
		status = gpuagg_error_set(run->error, GPUAGG_UNSUPPORTED, 0,
								  "random draws need the whole table in the column cache");
	if (status == GPUAGG_OK && gpuagg_await_begin(run))
		return gpuagg_error_set(run->error, GPUAGG_BUSY, 0, "another task reads the table's pages");
	if (status == GPUAGG_OK && scan->rows == NULL)
		gpuagg_inputs_feed(run->inputs, scan, run->client,
						   gpuagg_batch_page_bytes(run->info->program, run->pass->page_lines),
						   run->order->host);
	run->tally->feeders_planned = run->inputs->feeders_planned;
	run->tally->feeders_launched = run->inputs->feeders_launched;
	return status;
}

/* All that there is to do before pages of the table at work are sent */
static GpuAggStatus
task_open_input(GpuAggTaskRun *run)
{
	GpuAggStatus status = task_announce(run);

	if (status == GPUAGG_OK)
		status = task_settle(run);
	return status == GPUAGG_OK ? task_begin_feed(run) : status;
}

static GpuAggStatus
task_next_input(GpuAggTaskRun *run)
{
	gpuagg_inputs_go_on(run->inputs);
	return task_open_input(run);
}

/* ------------------------------------------------------------- feeding --- */

static GpuAggStatus
task_send_pages(GpuAggTaskRun *run)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status;
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	status = gpuagg_inputs_next_pages(run->inputs, &msg, &bytes, run->error);
	if (status == GPUAGG_OK && msg != NULL)
	{
		status = gpuagg_client_send(run->client, msg, bytes, run->error);
		task_progress(run);
	}
	gpuagg_task_time_add(run, &run->tally->feed_time, start);
	return status;
}

/* Passes on what a feeder has read; *moved: there was something. */
static GpuAggStatus
task_pass_on(GpuAggTaskRun *run, bool *moved)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status;
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	status = gpuagg_inputs_pass_on(run->inputs, &msg, &bytes, run->error);
	*moved = status == GPUAGG_OK && msg != NULL;
	if (*moved)
	{
		status = gpuagg_client_send(run->client, msg, bytes, run->error);
		task_progress(run);
	}
	gpuagg_task_time_add(run, &run->tally->feed_time, start);
	return status;
}

static GpuAggStatus
task_send_rows(GpuAggTaskRun *run, GpuAggTaskInput *input)
{
	Size		bytes;
	const GpuAggMsg *msg = gpuagg_rows_message(*input->table->rows, input->next_batch++,
											   &bytes);

	run->rows_in_flight++;
	return gpuagg_client_send(run->client, msg, bytes, run->error);
}

static GpuAggRows *
task_rows(GpuAggTaskRun *run, const GpuAggTaskTable *table)
{
	const GpuAggScan *scan = run->scan;

	if (*table->rows == NULL)
		*table->rows = gpuagg_rows_create(table->row_plan, scan->css.ss.ps.state, scan->eflags,
										  run->info->program);
	gpuagg_rows_bind(*table->rows, run->program, gpuagg_task_long_values(run),
					 gpuagg_task_is_first(run),
					 gpuagg_leftover_keys(scan, run->info, table->row_plan));
	return *table->rows;
}

static void
note_strange_row(GpuAggTaskRun *run, Relation rel, Buffer buffer, OffsetNumber line)
{
	HeapTupleData tuple;
	GpuAggError error;

	if (gpuagg_rows_tuple(rel, buffer, line, &tuple, &error))
		gpuagg_note_strange(run->scan, run->info, rel, &tuple);
}

/* A row that a batch lists; where a feeder pins its page, we do once more. */
static GpuAggStatus
task_evaluate_row(GpuAggTaskRun *run, GpuAggTaskInput *input, GpuAggRows *rows,
				  const GpuAggRowRef *ref)
{
	bool		theirs;
	Buffer		buffer = gpuagg_inputs_pin(run->inputs, run->todo->batch_id, ref->page, &theirs);
	GpuAggStatus status;

	if (!BufferIsValid(buffer) || ref->line > MaxOffsetNumber)
		return gpuagg_task_garbled(run);
	status = gpuagg_rows_add(rows, input->table->rel, buffer, ref->line, run->error);
	run->outcome->met_long |= status == GPUAGG_VALUE_ERROR;
	if (status == GPUAGG_VALUE_ERROR)
		note_strange_row(run, input->table->rel, buffer, ref->line);
	if (theirs)
		ReleaseBuffer(buffer);
	return status;
}

/* The oldest list is done. */
static void
task_todo_done(GpuAggTaskRun *run)
{
	GpuAggTodo *todo = run->todo;

	run->todo = todo->next;
	gpuagg_task_release(run, todo->batch_id);
	pfree(todo);
}

/* Rows of the oldest list, which are joined when all else is sent */
static GpuAggStatus
task_take_joined(GpuAggTaskRun *run)
{
	GpuAggTodo *todo = run->todo;
	GpuAggTaskInput *input = gpuagg_inputs_of(run->inputs, todo->batch_id);
	GpuAggStatus status = GPUAGG_OK;

	if (!gpuagg_leftover_joined(run->scan))
		return gpuagg_error_set(run->error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a row that is joined has a value that only PostgreSQL reads");
	if (run->joined == NULL)
		run->joined = gpuagg_joined_rows_begin(run->scan, run->order, input->table->row_plan,
											   gpuagg_task_long_values(run),
											   gpuagg_task_is_first(run));
	for (; todo->done < todo->count && status == GPUAGG_OK; todo->done++)
	{
		const GpuAggRowRef *ref = &todo->refs[todo->done];
		bool		theirs;
		Buffer		buffer = gpuagg_inputs_pin(run->inputs, todo->batch_id, ref->page, &theirs);

		if (!BufferIsValid(buffer) || ref->line > MaxOffsetNumber)
			return gpuagg_task_garbled(run);
		status = gpuagg_joined_rows_take(run->joined, input->table, buffer, ref->line, run->error);
		run->evaluated += gpuagg_task_is_first(run);
		if (theirs)
			ReleaseBuffer(buffer);
	}
	run->outcome->met_long |= status == GPUAGG_VALUE_ERROR;
	if (status == GPUAGG_OK)
		task_todo_done(run);
	return status;
}

/* Are there rows to be joined, and will no more come? */
static bool
task_joins(const GpuAggTaskRun *run)
{
	return run->joined != NULL && !run->joined_all && run->todo == NULL &&
		!gpuagg_inputs_pages_left(run->inputs);
}

static GpuAggStatus
task_send_joined(GpuAggTaskRun *run)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status = gpuagg_joined_rows_next(
		run->joined, gpuagg_inputs_at(run->inputs)->next_batch, &msg, &bytes, run->error);

	run->outcome->met_long |= status == GPUAGG_VALUE_ERROR;
	if (status == GPUAGG_VALUE_ERROR)
		gpuagg_joined_rows_note(run->joined);
	if (status != GPUAGG_OK || msg == NULL)
	{
		run->joined_all = true;
		return status;
	}
	gpuagg_inputs_at(run->inputs)->next_batch++;
	run->rows_in_flight++;
	return gpuagg_client_send(run->client, msg, bytes, run->error);
}

/*
 * Evaluates rows of the oldest list, until its end or a message of rows is
 * full.
 */
static GpuAggStatus
task_evaluate(GpuAggTaskRun *run)
{
	GpuAggTodo *todo = run->todo;
	GpuAggTaskInput *input = gpuagg_inputs_of(run->inputs, todo->batch_id);
	GpuAggRows *rows;

	if (run->scan->lookups != NULL)
		return task_take_joined(run);
	rows = task_rows(run, input->table);
	while (todo->done < todo->count)
	{
		GpuAggStatus status;

		CHECK_FOR_INTERRUPTS();
		status = task_evaluate_row(run, input, rows, &todo->refs[todo->done]);
		if (status != GPUAGG_OK)
			return status;
		todo->done++;
		run->evaluated += gpuagg_task_is_first(run);
		if (gpuagg_rows_full(rows))
			return task_send_rows(run, input);
	}
	task_todo_done(run);
	return GPUAGG_OK;
}

/* Rows evaluated, but not sent, when no more will come? */
static GpuAggTaskInput *
task_rows_left(const GpuAggTaskRun *run)
{
	return run->todo != NULL || gpuagg_inputs_pages_left(run->inputs) ? NULL :
		gpuagg_inputs_with_rows(run->inputs);
}

/*
 * Anything that the device has not consumed and that we must see?  Cached blocks of the last
 * table are none: no page is pinned for them and nothing is sent because of them.
 */
static bool
task_in_flight(const GpuAggTaskRun *run)
{
	return gpuagg_inputs_pages_left(run->inputs) || run->rows_in_flight > 0 ||
		(run->inputs->uses_in_flight > 0 && run->inputs->at + 1 < run->inputs->n);
}

/* Feeders set the same latch as the device's worker. */
static GpuAggStatus
task_wait(GpuAggTaskRun *run)
{
	GpuAggStatus status;
	instr_time	start = {0};

	if (run->inputs->feeders == NULL)
		return gpuagg_task_receive(run, true);
	gpuagg_task_time_start(run, &start);
	status = gpuagg_client_sleep(run->client, run->error);
	gpuagg_task_time_add(run, &run->tally->wait_time, start);
	return status;
}

/*
 * The next thing that there is to do for the device; *idle: nothing but to wait for it;
 * *over: it has consumed all pages and rows.  Cached blocks may still be in flight then:
 * FINISH need not wait for them, which saves being woken once.
 */
static GpuAggStatus
task_feed_step(GpuAggTaskRun *run, bool *idle, bool *over)
{
	const GpuAggDeviceInfo *device = gpuagg_client_info(run->client);
	bool		moved = false;
	GpuAggTaskInput *left;
	GpuAggStatus status = gpuagg_task_receive(run, false);

	*idle = *over = false;
	if (status == GPUAGG_OK && run->done)
		status = gpuagg_task_garbled(run);
	if (status == GPUAGG_OK)
		status = task_pass_on(run, &moved);
	if (status != GPUAGG_OK || moved)
		return status;

	if (run->todo != NULL && run->rows_in_flight < ROWS_AHEAD)
		return task_evaluate(run);
	/* before pages of our own: feeders may wait for it */
	if (gpuagg_inputs_may_go_on(run->inputs, device))
		return task_next_input(run);
	if (gpuagg_inputs_has_room(run->inputs))
		return task_send_pages(run);
	if ((left = task_rows_left(run)) != NULL)
		return task_send_rows(run, left);
	if (task_joins(run) && run->rows_in_flight < ROWS_AHEAD)
		return task_send_joined(run);
	*idle = task_in_flight(run);
	*over = !*idle;
	return GPUAGG_OK;
}

/* All pages and rows to the device, until it has consumed them */
static GpuAggStatus
task_feed(GpuAggTaskRun *run)
{
	GpuAggStatus status = GPUAGG_OK;
	bool		over = false;
	bool		idle;

	while (status == GPUAGG_OK && !over)
	{
		status = task_feed_step(run, &idle, &over);
		if (status == GPUAGG_OK && idle)
			status = task_wait(run);
	}
	/* no batch of pages is in flight any more */
	gpuagg_await_end(run);
	return status;
}

static GpuAggStatus
task_finish(GpuAggTaskRun *run)
{
	GpuAggMsg	finish = {GPUAGG_MSG_FINISH, 0, 0};

	return gpuagg_client_send(run->client, &finish, sizeof(finish), run->error);
}

static GpuAggStatus
task_collect(GpuAggTaskRun *run)
{
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && !run->done)
		status = gpuagg_task_receive(run, true);
	if (run->collecting)
		gpuagg_task_time_add(run, &run->tally->collect_time, run->first_groups);
	return status;
}

static void
task_count_pages(GpuAggTaskRun *run)
{
	GpuAggTally *tally = run->tally;
	uint64		done = gpuagg_inputs_done(run->inputs);

	gpuagg_stat_add(GPUAGG_STAT_pages_cached, done);
	if (!gpuagg_task_is_first(run))
		return;
	tally->work.pages += gpuagg_inputs_fed(run->inputs);
	tally->work.feeder_pages += gpuagg_inputs_by_feeders(run->inputs);
	tally->work.cached_pages += done;
	tally->work.compared_pages += gpuagg_inputs_compared(run->inputs);
	tally->work.rows_evaluated += run->evaluated;
}

/* All groups here, and what was read counted */
static GpuAggStatus
task_complete(GpuAggTaskRun *run, GpuAggStatus status)
{
	if (status == GPUAGG_OK)
		status = task_collect(run);
	run->pass->pages = gpuagg_inputs_done(run->inputs) + gpuagg_inputs_fed(run->inputs);
	if (status == GPUAGG_OK)
		task_count_pages(run);
	return status;
}

static GpuAggStatus
task_drive(GpuAggTaskRun *run)
{
	GpuAggStatus status = task_open_input(run);

	if (status == GPUAGG_OK && run->inputs->foreseen)
		return task_complete(run, status);
	if (status == GPUAGG_OK)
		status = run->scan->rows != NULL ? gpuagg_block_feed(run) : task_feed(run);
	if (status == GPUAGG_OK)
		status = task_finish(run);
	return task_complete(run, status);
}

/* ----------------------------------------------------------------- run --- */

static void
task_cleanup(int code, Datum arg)
{
	gpuagg_run_abort((GpuAggTaskRun *) DatumGetPointer(arg));
}

static GpuAggClient *
task_begin(GpuAggTaskRun *run)
{
	const GpuAggPass *pass = run->pass;
	const GpuAggOrder *order = run->order;
	const GpuAggPlanInfo *info = run->info;
	const Relation rel = order->read[0].rel;
	GpuAggClientRequest request = {
		.program = run->program,
		.device = order->device,
		.config.expected_groups = pass->expected_groups,
		.config.expected_rows = Max(order->demand->expected.rows, 0) * pass->share,
		.config.sample = order->sample.sample,
		.config.answer = order->answer,
		.config.hash_window = pass->hash_window,
		.config.strategy = pass->strategy,
		.config.resident_strategy = pass->resident_strategy,
		.config.scope_bytes = pass->scope_bytes,
		.config.forced = pass->forced,
		.config.draw.way = pass->draw_way,
		.config.draw.windows = pass->draw_windows,
		.config.compile.mode = gpuagg_compile,
		.config.compile.interpreted_ns = (uint64) Max(info->predicted.interpreted, 0),
		.config.compile.compiled_ns = (uint64) Max(info->predicted.compiled, 0),
		.config.compile.program = gpuagg_compiled_program(info->program),
		.config.fault = pass->fault,
		.relid = rel != NULL ? RelationGetRelid(rel) : InvalidOid,
		.predicted_ms = info->predicted.startup * pass->share / 1e6,
		.total_pages = gpuagg_sample_share(&order->sample, order->nblocks),
		.several = run->inputs->n > 1,
		.host = order->host,
		.alone = pass->alone,
		.at_once = pass->share < 1
	};
	GpuAggClient *client;
	instr_time	start = {0};

	if (pass->hash_window.count <= 1)
	{
		gpuagg_regroup_wish(info, order->whole, &request.config.regrouping);
		if (request.config.regrouping.nsets > 0)
			request.config.expected_made = info->regroup->largest;
		gpuagg_regroup_order_wish(run->scan, info, order->whole, &order->answer,
								  &request.config.ordered);
	}
	run->may_regroup = request.config.regrouping.nsets > 0;
	/* what is wanted is of groups that the backend makes then */
	if (info->regroup != NULL && !run->may_regroup)
		memset(&request.config.answer, 0, sizeof(request.config.answer));
	run->found->ordered |= gpuagg_ordered_asked(&request.config.ordered);
	if (pass->strategy == GPUAGG_STRATEGY_SPATIAL || pass->draw_way == GPUAGG_DRAW_SPATIAL)
		request.config.units = gpuagg_profile_get(order->device)->rates.tlb_groups;
	gpuagg_task_time_start(run, &start);
	run->outcome->cached = false;
	task_begin_input(run, &request.cache);
	task_look_ahead(run, &request.ahead);
	client = gpuagg_client_begin(&request, run->error);
	gpuagg_task_time_add(run, &run->tally->start_time, start);
	run->outcome->on_gpu = request.on_gpu;
	return client;
}

static void
task_end(GpuAggTaskRun *run)
{
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	gpuagg_client_end(run->client);
	gpuagg_task_time_add(run, &run->tally->start_time, start);
}

/* What is known of a task that the worker has failed, or that was given up */
static void
task_failed(GpuAggTaskRun *run)
{
	const GpuAggClientFailure failure = gpuagg_client_failed(run->client);

	run->pass->rows = failure.rows;
	run->pass->groups = failure.groups;
	run->pass->shared = failure.shared;
}

GpuAggTaskRun *
gpuagg_run_create(const GpuAggScan *scan, const GpuAggOrder *order, GpuAggPass *pass,
				  GpuAggTally *tally, GpuAggOutcome *outcome, GpuAggError *error)
{
	GpuAggTaskRun  *run = palloc0(sizeof(GpuAggTaskRun));

	run->scan = scan;
	run->order = order;
	run->info = order->demand->info;
	run->found = order->demand->found;
	run->program = order->program;
	run->pass = pass;
	run->tally = tally;
	run->outcome = outcome;
	run->inputs = gpuagg_inputs_create(order);
	run->timing = gpuagg_scan_timing(scan);
	run->error = error;
	return run;
}

GpuAggStatus
gpuagg_run_begin(GpuAggTaskRun *run)
{
	run->client = task_begin(run);
	return run->client != NULL ? GPUAGG_OK : run->error->status;
}

GpuAggStatus
gpuagg_run_step(GpuAggTaskRun *run, bool *idle, bool *over)
{
	GpuAggStatus status;

	*idle = *over = false;
	if (run->opened)
	{
		status = task_feed_step(run, idle, over);
		return status == GPUAGG_OK && *over ? task_finish(run) : status;
	}
	status = task_announce(run);
	if (status != GPUAGG_OK || !task_is_settled(run))
		return status == GPUAGG_OK ? task_settle_step(run, false, idle) : status;
	run->opened = true;
	*over = run->inputs->foreseen;
	return task_begin_feed(run);
}

GpuAggStatus
gpuagg_run_sleep(GpuAggTaskRun *run)
{
	GpuAggStatus status;
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	status = gpuagg_client_sleep(run->client, run->error);
	gpuagg_task_time_add(run, &run->tally->wait_time, start);
	return status;
}

GpuAggStatus
gpuagg_run_collect(GpuAggTaskRun *run)
{
	return task_complete(run, GPUAGG_OK);
}

void
gpuagg_run_abort(GpuAggTaskRun *run)
{
	if (run->client != NULL)
		gpuagg_client_abort(run->client);
}

void
gpuagg_run_end(GpuAggTaskRun *run, GpuAggStatus status)
{
	if (run->client == NULL)
		return;
	if (status == GPUAGG_OK)
		task_end(run);
	else
	{
		task_failed(run);
		gpuagg_client_abort(run->client);
	}
	run->client = NULL;
	if (run->joined != NULL)
		gpuagg_joined_rows_end(run->joined);
	run->joined = NULL;
	gpuagg_inputs_end(run->inputs);
}

static GpuAggStatus
task_run(GpuAggTaskRun *run)
{
	GpuAggStatus status = gpuagg_run_begin(run);

	if (status != GPUAGG_OK)
		return status;
	PG_ENSURE_ERROR_CLEANUP(task_cleanup, PointerGetDatum(run));
	{
		run->status = task_drive(run);
	}
	PG_END_ENSURE_ERROR_CLEANUP(task_cleanup, PointerGetDatum(run));
	gpuagg_run_end(run, run->status);
	return run->status;
}

GpuAggStatus
gpuagg_task_run(const GpuAggScan *scan, const GpuAggOrder *order, GpuAggPass *pass,
				GpuAggTally *tally, GpuAggOutcome *outcome, GpuAggError *error)
{
	GpuAggTaskRun  *run = gpuagg_run_create(scan, order, pass, tally, outcome, error);
	GpuAggStatus status;

	tally->feeders_planned = tally->feeders_launched = 0;
	/* before there is a task, for the plan may have tasks of its own */
	if (scan->rows != NULL && gpuagg_block_start(run) != GPUAGG_OK)
		return error->status;
	run->waiting = GPUAGG_MAY_WAIT;
	status = task_run(run);
	if (run->waiting == GPUAGG_WAITS)
	{
		gpuagg_await_wait(run);
		run = gpuagg_run_create(scan, order, pass, tally, outcome, error);
		run->waiting = GPUAGG_HAS_WAITED;
		status = task_run(run);
	}
	if (scan->rows != NULL)
		gpuagg_plan_rows_stop(scan->rows);
	return status;
}
