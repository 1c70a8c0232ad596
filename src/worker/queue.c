/*
 * queue.c
 *		Which of the tasks that wait for a device is begun next.
 *
 * Places.  At most gpuagg.running_tasks run on a device at once, and as many as its
 * memory holds.  Tasks that are predicted to be short have as many places again, of
 * their own: they never wait for a long one to end, only for the device's attention.
 *
 * Shares.  Of tasks that wait, the one of the role begins that has had the least of the
 * device, in proportion to its gpuagg.share: start-time fair queueing.  A role's clock
 * advances by what each of its tasks is predicted to take, divided by the share; one that
 * was away does not save up for later, for its clock starts at that of the task that was
 * begun last.  Tasks of one role keep their order.
 *
 * Memory.  The task whose turn it is may not fit.  Look-up tables that nobody uses give
 * way to it (job_made.h).  If that is not enough, others pass it for a while; then it
 * keeps all of its device waiting, until it fits.  A job that is alone always fits.  One
 * that has found no memory beside others comes back to be alone: its estimate is all of it.
 * Whoever runs waits for nobody else's task (node/row/plan_rows.c), so that time comes.
 */
#include "postgres.h"

#include "cache/cache.h"
#include "ipc/stat.h"
#include "settings.h"
#include "utils/timestamp.h"
#include "worker/job_made.h"
#include "worker/job_start.h"
#include "worker/queue.h"

/* So long others pass a task that does not fit. */
#define PASS_MS 1000

/* No task is free: a ping, or one that nothing is predicted of. */
#define LEAST_MS 0.05

/* The clock of a role, in ms of a device that is all its own, by share */
typedef struct RoleClock
{
	Oid			userid;			/* InvalidOid: free */
	double		at;
} RoleClock;

/* gpuagg.share is no more, whatever a client has written */
#define MOST_SHARE 1000

/* Roles that are told apart; those beyond start anew. */
#define ROLES 256

static RoleClock clocks[ROLES];
static double now_at;			/* of the task that was begun last */

/* ---------------------------------------------------------------- shares --- */

/* Of a role, whose place others take when it is behind all that is to come. */
static RoleClock *
role_clock(Oid userid)
{
	RoleClock  *oldest = &clocks[0];

	for (int i = 0; i < ROLES; i++)
	{
		if (clocks[i].userid == userid)
			return &clocks[i];
		if (clocks[i].at < oldest->at)
			oldest = &clocks[i];
	}
	oldest->userid = userid;
	oldest->at = now_at;
	return oldest;
}

/* When it would begin, by its role's clock */
static double
job_tag(const GpuAggWorkerJob *job)
{
	const double at = role_clock(job->slot->userid)->at;

	return Max(at, now_at);
}

static void
job_charge(const GpuAggWorkerJob *job)
{
	RoleClock  *clock = role_clock(job->slot->userid);
	const int	asked = job->slot->share;
	const int	share = Min(Max(asked, 1), MOST_SHARE);

	now_at = Max(clock->at, now_at);
	clock->at = now_at + Max(job->predicted_ms, LEAST_MS) / share;
}

/* ---------------------------------------------------------------- places --- */

/* Measurements are nobody's competitors: they have the device of their own. */
static bool
has_place(const GpuAggWorkerJob *job)
{
	const GpuAggWorkerDevice *on = job->on;

	if (gpuagg_running_tasks == 0 || on->measures != NULL)
		return true;
	return (gpuagg_job_is_short(job) ? on->nshort : on->nrunning - on->nshort) <
		gpuagg_running_tasks;
}

static bool
has_memory(const GpuAggWorkerJob *job)
{
	GpuAggDeviceInfo info;

	job->on->ops->info(job->on->device, &info);
	return Max(info.memory_used, job->on->reserved) + job->estimate <=
		info.memory_limit;
}

static bool
fits_memory(const GpuAggWorkerJob *job)
{
	const bool	alone = job->on->nrunning == 0;

	if (!alone && job->retry_below > 0 && job->on->nrunning >= job->retry_below)
		return false;
	while (!has_memory(job))
	{
		if (!gpuagg_made_give_way(job->on))
			return alone;
	}
	return true;
}

/*
 * The one whose turn it is of those that wait for the device and have a place; passed:
 * those that others may pass now are left out.  NULL: none.
 */
static GpuAggWorkerJob *
next_job(const GpuAggWorkerDevice *on)
{
	GpuAggWorkerJob *best = NULL;
	double		best_tag = 0;
	dlist_iter	iter;

	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *job = dlist_container(GpuAggWorkerJob, node, iter.cur);
		double		tag;

		if (job->state != GPUAGG_JOB_QUEUED || job->on != on || job->passed ||
			!has_place(job))
			continue;
		tag = job_tag(job);
		if (best == NULL || tag < best_tag)
		{
			best = job;
			best_tag = tag;
		}
	}
	return best;
}

/* It has no memory now.  False: it has been passed for long enough, and all wait. */
static bool
may_be_passed(GpuAggWorkerJob *job, TimestampTz now)
{
	if (job->refused_at == 0)
		job->refused_at = now;
	job->passed = true;
	return TimestampDifferenceMilliseconds(job->refused_at, now) < PASS_MS;
}

static void
job_counts(const GpuAggWorkerJob *job, TimestampTz now)
{
	if (!job->waited)
		return;
	gpuagg_stat_add(GPUAGG_STAT_tasks_waited, 1);
	gpuagg_stat_add(GPUAGG_STAT_waited_ms,
					TimestampDifferenceMilliseconds(job->slot->started_at, now));
}

/* All that can begin on one device now; true: one of them has something to say. */
static bool
admit_on(const GpuAggWorkerDevice *on)
{
	GpuAggWorkerJob *job;
	bool		more = false;

	while ((job = next_job(on)) != NULL)
	{
		TimestampTz now = GetCurrentTimestamp();

		if (fits_memory(job))
			gpuagg_job_start(job);
		if (job->state == GPUAGG_JOB_QUEUED)
		{
			if (!may_be_passed(job, now))
				break;
			continue;
		}
		job_charge(job);
		job_counts(job, now);
		more |= job->state == GPUAGG_JOB_CLOSING ||
			(job->state == GPUAGG_JOB_RUNNING && job->tables[0]->cache.request.relnumber != 0);
	}
	return more;
}

/*
 * What is left waiting, for the planner: how long the long ones before it would take on
 * as many places as there are.
 */
static void
publish_backlog(void)
{
	double		ms = 0;
	dlist_iter	iter;

	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *job = dlist_container(GpuAggWorkerJob, node, iter.cur);

		if (job->state != GPUAGG_JOB_QUEUED)
			continue;
		job->waited = true;
		job->passed = false;
		if (job->on == &gpuagg_worker.primary && !gpuagg_job_is_short(job))
			ms += job->predicted_ms;
	}
	pg_atomic_write_u64(&gpuagg_worker_state()->backlog_us,
						(uint64) (Min(ms, 1e9) * 1000 / Max(gpuagg_running_tasks, 1)));
}

bool
gpuagg_queue_admit(void)
{
	static bool queued = false; /* at the end of the last turn */
	bool		waiting = false;
	bool		more = false;
	dlist_iter	iter;

	dlist_foreach(iter, &gpuagg_worker.jobs)
		waiting |= dlist_container(GpuAggWorkerJob, node, iter.cur)->state == GPUAGG_JOB_QUEUED;
	if (waiting)
	{
		for (int i = 0; i < GPUAGG_WORKER_DEVICES; i++)
			more |= admit_on(gpuagg_worker_device(i));
	}
	if (waiting || queued)
		publish_backlog();
	queued = waiting;
	return more;
}
