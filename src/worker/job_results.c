/*
 * job_results.c
 *		What a job tells its client when its device has finished: groups, or the look-up
 *		table that was made, then DONE; and the same of a pass that another job has made.
 */
#include "postgres.h"

#include "device/ops/zone_answer.h"
#include "ipc/stat.h"
#include "utils/memutils.h"
#include "worker/encoding.h"
#include "worker/job_made.h"
#include "worker/job_results.h"
#include "worker/job_share.h"
#include "worker/job_tables.h"

static void
post_done(GpuAggWorkerJob *job)
{
	Size		bytes;
	GpuAggDoneMsg *done = gpuagg_job_tables_done(job, &bytes);
	GpuAggTaskStats stats = {0};

	job->on->ops->task_stats(job->task, &stats);
	done->rows_scanned = job->rows_scanned;
	done->rows_passed = job->rows_passed;
	memcpy(done->left, job->left, sizeof(done->left));
	done->groups = stats.groups + job->zone_group;
	done->memory_bytes = stats.memory_bytes;
	done->device_ns = stats.device_ns;
	done->transfer_ns = stats.transfer_ns;
	done->decode_ns = stats.decode_ns;
	done->kernel_ns = stats.kernel_ns;
	done->link_bytes = stats.link_bytes;
	done->switches = stats.switches;
	done->compiled = stats.compiled;
	done->regrouped = job->regrouped;
	done->draw_way = stats.draw_way;
	done->draw_windows = stats.draw_windows;
	if (stats.strategy != NULL)
		strlcpy(done->strategy, stats.strategy, sizeof(done->strategy));
	gpuagg_job_tables_leave(job);
	gpuagg_job_count(job);
	gpuagg_stat_add(GPUAGG_STAT_tasks, 1);
	gpuagg_stat_add(GPUAGG_STAT_groups, done->groups);
	gpuagg_stat_add(GPUAGG_STAT_zones_skipped, done->zones.skipped);
	gpuagg_stat_add(GPUAGG_STAT_zones_answered, done->zones.answered);
	gpuagg_share_done(job, done, bytes);
	job->done = true;
	gpuagg_job_post(job, done, bytes, true);
	pfree(done);
}

static void
post_groups(GpuAggWorkerJob *job, GpuAggMsg *msg, uint32 n, Size bytes)
{
	memset(msg, 0, sizeof(*msg));
	msg->type = GPUAGG_MSG_RESULTS;
	msg->count = n;
	msg->batch_id = job->regrouped;
	gpuagg_share_groups(job, msg, sizeof(GpuAggMsg) + bytes);
	gpuagg_job_post(job, msg, sizeof(GpuAggMsg) + bytes, false);
}

/*
 * What zones have answered joins the one group that the device may have made of
 * the other rows, or is that group.
 */
static uint32
add_zone_answer(GpuAggWorkerJob *job, char *groups, uint32 n, Size *used)
{
	GpuAggLayout layout;

	if (n == 0)
	{
		gpuagg_layout_compute(job->program, &layout);
		memcpy(groups, job->zone_answer, layout.row_bytes);
		*used = layout.row_bytes;
		job->zone_group = true;
	}
	else
		gpuagg_zone_answer_merge(job->program, groups, job->zone_answer);
	pfree(job->zone_answer);
	job->zone_answer = NULL;
	return 1;
}

/* Of a job that makes a look-up table: MADE, then DONE */
static bool
send_made(GpuAggWorkerJob *job)
{
	GpuAggError error = {0};
	GpuAggMsg  *msg;
	Size		bytes;

	if (job->made_sent)
	{
		job->state = GPUAGG_JOB_CLOSING;
		post_done(job);
		return true;
	}
	msg = gpuagg_made_message(job, &bytes, &error);
	if (msg == NULL)
		gpuagg_job_fail(job, &error);
	else
	{
		job->made_sent = true;
		gpuagg_job_post(job, msg, bytes, false);
		pfree(msg);
	}
	return true;
}

/*
 * The next message of groups, or DONE; false if the device has none at hand.
 * A group too long for the usual buffer gets one of its own.
 */
static bool
send_groups(GpuAggWorkerJob *job)
{
	GpuAggMsg  *msg = (GpuAggMsg *) gpuagg_worker.results;
	bool		codes = gpuagg_encoding_has_codes(job);
	Size		size = (codes ? GPUAGG_CODED_BYTES : GPUAGG_RESULTS_BYTES) -
		sizeof(GpuAggMsg);
	Size		used = 0;
	GpuAggError error = {0};
	uint32		n;

	n = job->on->ops->task_results(job->task, (char *) (msg + 1), size,
								   &used, &error);
	if (n == 0 && error.status == GPUAGG_OUT_OF_MEMORY && used > size)
	{
		size = used;
		msg = MemoryContextAllocHuge(job->context, sizeof(GpuAggMsg) + size);
		memset(&error, 0, sizeof(error));
		n = job->on->ops->task_results(job->task, (char *) (msg + 1), size,
									   &used, &error);
	}
	if (job->zone_answer != NULL && error.status == GPUAGG_OK)
		n = add_zone_answer(job, (char *) (msg + 1), n, &used);
	if (n > 0 && error.status == GPUAGG_OK)
	{
		GpuAggMsg  *strings = msg;

		if (codes)
			strings = gpuagg_encoding_results(job, (char *) (msg + 1), n, &used,
											  &error);
		if (strings == NULL)
			gpuagg_job_fail(job, &error);
		else
			post_groups(job, strings, n, used);
		if (strings != NULL && strings != msg)
			pfree(strings);
	}
	else if (error.status == GPUAGG_OK)
	{
		job->state = GPUAGG_JOB_CLOSING;
		post_done(job);
	}
	else if (error.status != GPUAGG_BUSY)
		gpuagg_job_fail(job, &error);
	if ((char *) msg != gpuagg_worker.results)
		pfree(msg);
	return error.status != GPUAGG_BUSY;
}

bool
gpuagg_job_send_results(GpuAggWorkerJob *job)
{
	return job->config.make.nkeys > 0 ? send_made(job) : send_groups(job);
}

/* ------------------------------------------------------- a pass of others --- */

/* The last message of a pass that another job has made: nothing was read for this one. */
static void
post_shared_done(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	GpuAggDoneMsg *done = MemoryContextAlloc(job->context, bytes);

	memcpy(done, msg, bytes);
	done->device_ns = done->transfer_ns = done->decode_ns = done->kernel_ns = 0;
	done->link_bytes = done->pages_kept = 0;
	job->counted = true;
	gpuagg_job_tables_leave(job);
	gpuagg_stat_add(GPUAGG_STAT_tasks, 1);
	gpuagg_stat_add(GPUAGG_STAT_groups, done->groups);
	gpuagg_share_leave(job);
	job->done = true;
	job->state = GPUAGG_JOB_CLOSING;
	gpuagg_job_post(job, done, bytes, true);
	pfree(done);
}

/* Of a job that follows another one, which is to say all; false: that has not yet. */
bool
gpuagg_job_send_shared(GpuAggWorkerJob *job)
{
	const GpuAggMsg *msg;
	Size		bytes;

	switch (gpuagg_share_next(job, &msg, &bytes))
	{
		case GPUAGG_SHARE_WAIT:
			return false;
		case GPUAGG_SHARE_ALONE:
			break;
		case GPUAGG_SHARE_GROUPS:
			gpuagg_job_post(job, msg, bytes, false);
			break;
		case GPUAGG_SHARE_DONE:
			post_shared_done(job, msg, bytes);
			break;
	}
	return true;
}
