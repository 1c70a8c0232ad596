/*
 * job.c
 *		What all who work on a job may do (job.h).
 *
 * A failed job goes on to read (and drop) messages until its FAILED message is out (job_step.c).
 */
#include "postgres.h"

#include "ipc/stat.h"
#include "utils/memutils.h"
#include "worker/encoding.h"
#include "worker/job.h"
#include "worker/job_share.h"

/*
 * Sends a message.  What does not fit at once is kept; shm_mq remembers how
 * much of it went out and wants the same bytes again, not the same address.
 * Without memory to keep it the stream is broken, and the client must find
 * the queue detached.  Unless flush is set, the client is not woken before
 * another message, soon to come, or a good part of the queue is full.
 */
void
gpuagg_job_post(GpuAggWorkerJob *job, const void *msg, Size bytes, bool flush)
{
	Assert(job->unsent == NULL);
	if (shm_mq_send(job->out, bytes, msg, true, flush) != SHM_MQ_WOULD_BLOCK)
		return;
	job->unsent = MemoryContextAllocExtended(job->context, bytes,
											 MCXT_ALLOC_HUGE |
											 MCXT_ALLOC_NO_OOM);
	if (job->unsent == NULL)
	{
		job->done = false;
		gpuagg_job_drain(job);
		return;
	}
	memcpy(job->unsent, msg, bytes);
	job->unsent_bytes = bytes;
}

void
gpuagg_job_reply(GpuAggWorkerJob *job, const void *msg, Size bytes)
{
	GpuAggReply *reply = MemoryContextAllocHuge(job->context,
												sizeof(GpuAggReply) + bytes);

	reply->bytes = bytes;
	memcpy(reply + 1, msg, bytes);
	dlist_push_tail(&job->replies, &reply->node);
}

/*
 * Once per job, before the client can know that it is over.  Further windows
 * of the hash space read the pages again, but their rows are the same.
 */
void
gpuagg_job_count(GpuAggWorkerJob *job)
{
	if (job->counted)
		return;
	job->counted = true;
	if (job->config.hash_window.index == 0)
	{
		gpuagg_stat_add(GPUAGG_STAT_rows_scanned, job->rows_scanned);
		gpuagg_stat_add(GPUAGG_STAT_rows_passed, job->rows_passed);
		gpuagg_stat_add(GPUAGG_STAT_rows_evaluated, job->rows_evaluated);
	}
	gpuagg_stat_add(GPUAGG_STAT_pages, job->pages_read);
	gpuagg_stat_add(GPUAGG_STAT_bytes, job->pages_read * BLCKSZ);
}

void
gpuagg_job_fail(GpuAggWorkerJob *job, const GpuAggError *error)
{
	if (error->status == GPUAGG_DEVICE_LOST)
		gpuagg_worker_lost(job->on, error->message);
	if (error->status == GPUAGG_DEVICE_FAULT ||
		error->status == GPUAGG_INJECTED)
		gpuagg_stat_add(GPUAGG_STAT_errors, 1);
	if (error->status == GPUAGG_REFUSED)
		gpuagg_stat_add(GPUAGG_STAT_refused, 1);
	gpuagg_job_count(job);
	if (job->task != NULL)
	{
		GpuAggTaskStats stats = {0};

		job->on->ops->task_stats(job->task, &stats);
		job->failed_groups = stats.groups;
		job->on->ops->task_cancel(job->task);
	}
	gpuagg_share_leave(job);
	job->failure = *error;
	if (error->status == GPUAGG_VALUE_ERROR && (error->detail & GPUAGG_ST_NEEDS_PG) != 0 &&
		gpuagg_encoding_outgrown(job))
	{
		/* which the next task knows; without what is kept it reads strings */
		job->failure.status = GPUAGG_UNSUPPORTED;
		strlcpy(job->failure.message, "a column has more strings than a table of them has room for",
				sizeof(job->failure.message));
	}
	job->state = GPUAGG_JOB_CLOSING;
}

void
gpuagg_job_fail_with(GpuAggWorkerJob *job, GpuAggStatus status,
					 const char *message)
{
	GpuAggError error = {.status = status};

	strlcpy(error.message, message, sizeof(error.message));
	gpuagg_job_fail(job, &error);
}

void
gpuagg_job_drain(GpuAggWorkerJob *job)
{
	gpuagg_job_count(job);
	gpuagg_share_leave(job);
	if (job->task != NULL)
		job->on->ops->task_cancel(job->task);
	if (job->unsent != NULL)
	{
		/* be it DONE: the client must find its queues detached */
		job->done = false;
		pfree(job->unsent);
	}
	job->unsent = NULL;
	job->state = GPUAGG_JOB_DRAINING;
	pg_atomic_write_u32(&job->slot->phase, GPUAGG_PHASE_DRAINING);
}

GpuAggStatus
gpuagg_job_try_task(GpuAggWorkerJob *job, GpuAggError *error)
{
	GpuAggTask *task = NULL;

	error->status = job->on->ops->task_begin(job->on->device, job->program, &job->config,
											 &task, error);
	if (error->status == GPUAGG_OK)
		job->task = task;
	return error->status;
}

/*
 * A client whose job has begun is not sent back to the queue for lack of memory: it asks
 * for the device alone, since others were there (passes_crowded in node/run/passes.c).
 */
bool
gpuagg_job_begin_task(GpuAggWorkerJob *job)
{
	GpuAggError error = {0};

	if (job->task != NULL || gpuagg_job_try_task(job, &error) == GPUAGG_OK)
		return true;
	gpuagg_job_fail(job, &error);
	return false;
}

void
gpuagg_job_batch_added(GpuAggWorkerJob *job, GpuAggStatus status, GpuAggError *error)
{
	if (status == GPUAGG_OK)
	{
		job->inflight++;
		return;
	}
	error->status = status;
	gpuagg_job_fail(job, error);
}
