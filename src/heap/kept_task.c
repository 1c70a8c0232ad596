/*
 * kept_task.c
 *		A task that reads a table for what the device keeps of it (kept_task.h).
 */
#include "postgres.h"

#include "device/batch_memory.h"
#include "heap/kept_task.h"
#include "ipc/errors.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/rel.h"

bool
gpuagg_kept_task_begin(GpuAggKeptTask *task, GpuAggClientRequest *request)
{
	task->next_batch = 0;
	task->feed = NULL;
	task->cached = gpuagg_cached_begin(task->rel, task->nblocks, false);
	task->client = gpuagg_client_begin(request, task->error);
	return task->client != NULL;
}

void
gpuagg_kept_task_end(GpuAggKeptTask *task, bool done)
{
	if (done)
		gpuagg_client_end(task->client);
	else
		gpuagg_client_abort(task->client);
	if (task->feed != NULL)
		gpuagg_feed_end(task->feed);
}

GpuAggStatus
gpuagg_kept_task_garbled(GpuAggKeptTask *task)
{
	return gpuagg_error_set(task->error, GPUAGG_DEVICE_FAULT, 0,
							"unexpected message from the device worker");
}

static bool
take_message(GpuAggKeptTask *task, const GpuAggMsg *msg, Size bytes)
{
	switch ((GpuAggMsgType) msg->type)
	{
		case GPUAGG_MSG_CACHED:
			return gpuagg_cached_announced(task->cached, msg, bytes) == GPUAGG_OK;
		case GPUAGG_MSG_VALIDATED:
			return gpuagg_cached_validated(task->cached, msg, bytes) == GPUAGG_OK;
		case GPUAGG_MSG_BATCH_DONE:
			/* rows that only PostgreSQL reads keep their page from being kept */
			return gpuagg_cached_release(task->cached, msg->batch_id) ||
				(task->feed != NULL && gpuagg_feed_release(task->feed, msg->batch_id));
		default:
			return false;
	}
}

GpuAggStatus
gpuagg_kept_task_receive(GpuAggKeptTask *task, bool wait)
{
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status;

	CHECK_FOR_INTERRUPTS();
	status = gpuagg_client_receive(task->client, wait, &msg, &bytes, task->error);
	if (status != GPUAGG_OK || msg == NULL)
		return status;
	if (bytes < sizeof(GpuAggMsg))
		return gpuagg_kept_task_garbled(task);
	if (msg->type == GPUAGG_MSG_CACHED || msg->type == GPUAGG_MSG_VALIDATED ||
		msg->type == GPUAGG_MSG_BATCH_DONE || task->take == NULL)
		return take_message(task, msg, bytes) ? GPUAGG_OK : gpuagg_kept_task_garbled(task);
	return task->take(task, msg, bytes);
}

static GpuAggStatus
send_message(GpuAggKeptTask *task, const GpuAggMsg *msg, Size bytes)
{
	return msg == NULL ? GPUAGG_OK : gpuagg_client_send(task->client, msg, bytes, task->error);
}

GpuAggStatus
gpuagg_kept_task_settle(GpuAggKeptTask *task)
{
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && !gpuagg_cached_settled(task->cached))
	{
		Size		bytes = 0;

		if (!gpuagg_cached_more(task->cached))
			status = gpuagg_kept_task_receive(task, true);
		else
		{
			const GpuAggMsg *msg = gpuagg_cached_next(task->cached, task->next_batch, &bytes);

			task->next_batch += msg != NULL;
			status = send_message(task, msg, bytes);
		}
	}
	return status;
}

GpuAggStatus
gpuagg_kept_task_read(GpuAggKeptTask *task, const GpuAggProgram *program)
{
	static const GpuAggSampleTaken none = {.method = GPUAGG_SAMPLE_NONE};
	const GpuAggDeviceInfo *device = gpuagg_client_info(task->client);
	const double page_bytes = gpuagg_batch_page_bytes(program, GPUAGG_MAX_LINES);
	GpuAggStatus status = GPUAGG_OK;

	pgstat_count_heap_scan(task->rel);
	task->feed = gpuagg_feed_begin(task->rel, task->snapshot, task->nblocks, &none,
								   task->cached, false, gpuagg_batch_pages(device, page_bytes),
								   device->batches_ahead);
	while (status == GPUAGG_OK)
	{
		const GpuAggMsg *msg;
		Size		bytes;

		if (gpuagg_feed_more(task->feed) && gpuagg_feed_has_room(task->feed, 0))
		{
			status = gpuagg_feed_next(task->feed, task->next_batch, &msg, &bytes, task->error);
			task->next_batch += status == GPUAGG_OK && msg != NULL;
			if (status == GPUAGG_OK)
				status = send_message(task, msg, bytes);
		}
		else if (gpuagg_feed_batches(task->feed) > 0)
			status = gpuagg_kept_task_receive(task, true);
		else
			break;
		/* what has come need not wait */
		if (status == GPUAGG_OK)
			status = gpuagg_kept_task_receive(task, false);
	}
	return status;
}
