/*
 * job_start.c
 *		A job whose turn it is begins on its device (job_start.h).
 */
#include "postgres.h"

#include "utils/timestamp.h"
#include "worker/job_made.h"
#include "worker/job_share.h"
#include "worker/job_start.h"

/* It begins: whoever runs on its device has shared it. */
static void
note_shared(GpuAggWorkerJob *job)
{
	dlist_iter	iter;

	job->shared = job->on->nrunning > 0 || gpuagg_made_unused(job->on);
	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *other = dlist_container(GpuAggWorkerJob, node, iter.cur);

		other->shared |= other != job && other->on == job->on && other->admitted;
	}
}

/*
 * To wake a client costs more than anything else that is done for a short task.  So one
 * that has asked the cache, and can do nothing before CACHED, sleeps until that is there,
 * which is in the job's next step.
 */
static void
post_ready(GpuAggWorkerJob *job)
{
	const bool	cached = job->tables[0]->cache.request.relnumber != 0;
	GpuAggReadyMsg ready = {.msg.type = GPUAGG_MSG_READY};

	job->on->ops->info(job->on->device, &ready.info);
	gpuagg_job_post(job, &ready, sizeof(ready), !cached);
}

/*
 * Begins the job on the device.  If the device has no memory for it although
 * the estimates fit, it stays in the queue until fewer tasks run.  One that fails here
 * sends its FAILED message in its next step.  One that will follow another has no task of
 * the device's unless it comes to need one: for that to begin and end costs a GPU's worker
 * more than all else that it does for such a job.
 */
void
gpuagg_job_start(GpuAggWorkerJob *job)
{
	GpuAggDeviceInfo info;
	GpuAggError error = {0};

	if (!gpuagg_share_expected(job) && gpuagg_job_try_task(job, &error) != GPUAGG_OK)
	{
		if (error.status == GPUAGG_OUT_OF_MEMORY && job->on->nrunning > 0)
			job->retry_below = job->on->nrunning;
		else
			gpuagg_job_fail(job, &error);
		return;
	}
	job->on->ops->info(job->on->device, &info);
	job->estimate = Min(job->estimate, info.memory_limit);
	note_shared(job);
	job->admitted = true;
	job->state = GPUAGG_JOB_RUNNING;
	job->on->nrunning++;
	job->on->nshort += gpuagg_job_is_short(job);
	job->on->reserved += job->estimate;
	job->slot->begun_at = GetCurrentTimestamp();
	pg_atomic_write_u32(&job->slot->phase, GPUAGG_PHASE_RUNNING);
	post_ready(job);
}
