/*
 * task_messages.c
 *		What the worker says of a task: batches that are consumed, groups, the end
 *		(device_task_inside.h).
 */
#include "postgres.h"

#include "ipc/client.h"
#include "ipc/shmem.h"
#include "ipc/stat.h"
#include "miscadmin.h"
#include "node/regroup/regroup_run.h"
#include "node/run/chosen_rows.h"
#include "node/run/device_task_inside.h"
#include "pgstat.h"
#include "utils/rel.h"

GpuAggStatus
gpuagg_task_garbled(GpuAggTaskRun *run)
{
	return gpuagg_error_set(run->error, GPUAGG_DEVICE_FAULT, 0,
							"unexpected message from the device worker");
}

void
gpuagg_task_release(GpuAggTaskRun *run, uint64 batch_id)
{
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	(void) gpuagg_inputs_release_pages(run->inputs, batch_id);
	gpuagg_task_time_add(run, &run->tally->feed_time, start);
}

/* A block of rows of a plan is consumed. */
static GpuAggStatus
task_block_done(GpuAggTaskRun *run, const GpuAggMsg *msg)
{
	if (run->rows_in_flight == 0 || msg->count > 0)
		return gpuagg_task_garbled(run);
	run->rows_in_flight--;
	gpuagg_plan_rows_done(run->scan->rows, msg->batch_id);
	return GPUAGG_OK;
}

/*
 * A batch is consumed.  Batches that neither the cache nor the feed know are
 * ours of rows, if there is any.
 */
static GpuAggStatus
task_batch_done(GpuAggTaskRun *run, const GpuAggMsg *msg, Size bytes)
{
	Size		refs = msg->count * sizeof(GpuAggRowRef);
	GpuAggStatus status = GPUAGG_OK;
	GpuAggTodo *todo;

	if (bytes != sizeof(GpuAggMsg) + refs)
		return gpuagg_task_garbled(run);
	if (run->scan->rows != NULL)
		return task_block_done(run, msg);
	if (gpuagg_inputs_release_use(run->inputs, msg->batch_id))
		return msg->count == 0 ? GPUAGG_OK : gpuagg_task_garbled(run);
	if (!gpuagg_inputs_have(run->inputs, msg->batch_id))
	{
		if (run->rows_in_flight == 0 || msg->count > 0)
			return gpuagg_task_garbled(run);
		run->rows_in_flight--;
		return GPUAGG_OK;
	}
	if (msg->count == 0 || run->found->tids != NULL)
	{
		if (msg->count > 0 && !gpuagg_chosen_rows_add(run->found->tids, run->inputs, msg,
													   &run->evaluated))
			status = gpuagg_task_garbled(run);
		gpuagg_task_release(run, msg->batch_id);
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

/* Adds to tuples_returned, which PostgreSQL's scans count row by row. */
static void
task_count_rows(GpuAggTaskRun *run, const uint64 *rows)
{
	for (int i = 0; run->scan->rows == NULL && i < run->inputs->n; i++)
		pgstat_count_index_tuples(run->inputs->inputs[i].table->rel, rows[i]);
}

static void
task_done(GpuAggTaskRun *run, const GpuAggDoneMsg *msg)
{
	GpuAggTally *tally = run->tally;
	const GpuAggDeviceInfo *info = gpuagg_client_info(run->client);

	run->pass->rows = msg->rows_passed;
	run->pass->groups = msg->groups;
	if (gpuagg_task_is_first(run))
	{
		tally->work.runs++;
		tally->work.rows_scanned += msg->rows_scanned;
		tally->work.rows_passed += msg->rows_passed;
		for (int i = 0; i < GPUAGG_STAGES - 1; i++)
			tally->work.left[i] += msg->left[i];
		tally->work.zones.read += msg->zones.read;
		tally->work.zones.skipped += msg->zones.skipped;
		tally->work.zones.answered += msg->zones.answered;
		task_count_rows(run, (const uint64 *) (msg + 1));
	}
	tally->work.groups += msg->groups;
	tally->work.pages_kept += msg->pages_kept;
	gpuagg_stat_add(GPUAGG_STAT_pages_kept, msg->pages_kept);
	tally->switches += msg->switches;
	tally->compiled += msg->compiled;
	tally->memory_bytes = Max(tally->memory_bytes, msg->memory_bytes);
	tally->device_ns += msg->device_ns;
	tally->transfer_ns += msg->transfer_ns;
	tally->decode_ns += msg->decode_ns;
	tally->kernel_ns += msg->kernel_ns;
	tally->link_bytes += msg->link_bytes;
	tally->link_rate = info->link_rate;
	tally->draw_way = msg->draw_way;
	tally->draw_windows = msg->draw_windows;
	if (gpuagg_shared->ndevices > 1 && info->uuid[0] != '\0')
		snprintf(tally->device, sizeof(tally->device), "%.7s:%d", info->kind, info->ordinal);
	else
		strlcpy(tally->device, info->kind, sizeof(tally->device));
	strlcpy(tally->device_name, info->name, sizeof(tally->device_name));
	strlcpy(tally->strategy, msg->strategy, sizeof(tally->strategy));
	run->done = true;
}

/* Has the device regrouped what it returns?  It was to be asked to. */
static GpuAggStatus
task_regrouped(GpuAggTaskRun *run, uint64 regrouped)
{
	if (regrouped == 0)
		return GPUAGG_OK;
	if (regrouped != 1 || !run->may_regroup)
		return gpuagg_task_garbled(run);
	return gpuagg_regroup_done(run->scan, run->order->demand, run->error);
}

/* Emission begins with the first groups, not with the wait for them. */
static GpuAggStatus
task_groups(GpuAggTaskRun *run, const GpuAggMsg *msg, Size bytes)
{
	if (run->found->results == NULL ||
		(run->collecting && run->found->regrouped != msg->batch_id))
		return gpuagg_task_garbled(run);
	if (!run->collecting)
	{
		GpuAggStatus status;

		gpuagg_task_time_start(run, &run->first_groups);
		status = task_regrouped(run, msg->batch_id);
		if (status != GPUAGG_OK)
			return status;
	}
	run->collecting = true;
	run->tally->work.groups_returned += msg->count;
	if (run->found->regrouped)
		run->found->made += msg->count;
	return gpuagg_results_add(run->found->results, (const char *) (msg + 1),
							  msg->count, bytes - sizeof(GpuAggMsg),
							  run->error);
}

/* Behind it follow the rows of each table. */
static bool
task_done_fits(const GpuAggTaskRun *run, const GpuAggMsg *msg, Size bytes)
{
	return bytes == sizeof(GpuAggDoneMsg) + run->inputs->n * sizeof(uint64) &&
		((const GpuAggDoneMsg *) msg)->ntables == run->inputs->n;
}

static GpuAggStatus
task_all_done(GpuAggTaskRun *run, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggDoneMsg *done = (const GpuAggDoneMsg *) msg;
	GpuAggStatus status;

	if (!task_done_fits(run, msg, bytes))
		return gpuagg_task_garbled(run);
	status = run->collecting ? GPUAGG_OK : task_regrouped(run, done->regrouped);
	if (status == GPUAGG_OK)
		task_done(run, done);
	return status;
}

static GpuAggStatus
task_message(GpuAggTaskRun *run, const GpuAggMsg *msg, Size bytes)
{
	if (bytes < sizeof(GpuAggMsg))
		return gpuagg_task_garbled(run);
	switch ((GpuAggMsgType) msg->type)
	{
		case GPUAGG_MSG_BATCH_DONE:
			return task_batch_done(run, msg, bytes);
		case GPUAGG_MSG_RESULTS:
			return task_groups(run, msg, bytes);
		case GPUAGG_MSG_CACHED:
		case GPUAGG_MSG_SETTLED:
		case GPUAGG_MSG_VALIDATED:
			return gpuagg_inputs_cached(run->inputs, msg, bytes) == GPUAGG_OK ?
				GPUAGG_OK : gpuagg_task_garbled(run);
		case GPUAGG_MSG_DONE:
			return task_all_done(run, msg, bytes);
		default:
			return gpuagg_task_garbled(run);
	}
}

GpuAggStatus
gpuagg_task_receive(GpuAggTaskRun *run, bool wait)
{
	const GpuAggMsg *msg;
	Size		bytes;
	const bool	foreseen = run->inputs->foreseen;
	GpuAggStatus status;
	instr_time	start = {0};

	CHECK_FOR_INTERRUPTS();
	gpuagg_task_time_start(run, &start);
	status = gpuagg_client_receive(run->client, wait, &msg, &bytes,
								   run->error);
	if (wait)
		gpuagg_task_time_add(run, &run->tally->wait_time, start);
	while (status == GPUAGG_OK && msg != NULL)
	{
		status = task_message(run, msg, bytes);
		/* groups may be there, too, but who feeds does not expect them */
		if (status != GPUAGG_OK || run->done || run->inputs->foreseen != foreseen)
			break;
		CHECK_FOR_INTERRUPTS();
		status = gpuagg_client_receive(run->client, false, &msg, &bytes,
									   run->error);
	}
	return status;
}
