/*
 * worker_main.c
 *		The device worker: the one process that touches its device.  Of several GPUs each
 *		has one (README.md).
 *
 * A background worker with shared memory and no database connection.  It
 * opens the primary device (devices.c), then turns in one loop: wait for its
 * latch (clients, signals) or a device's event; take new tasks; step every
 * job; admit queued ones.  Nothing in the loop waits for one task (job_step.c).
 *
 * Ends.  SIGTERM, gpuagg.reset_device(), an ERROR outside of a job's step and
 * a lost device all leave through proc_exit(1), after which the postmaster
 * starts a new worker.
 * The exit callback stops the device, then gives up every slot, so that
 * clients find their queues detached and no page in use, and let
 * PostgreSQL's plan answer.
 *
 * A host device that cannot be opened leaves the worker alive in state
 * "failed"; it tries again every minute.  A host device lost GPUAGG_MAX_LOSSES
 * times in short succession is left alone for a while, too; a GPU is turned
 * off, and the host device takes its place.
 */
#include "postgres.h"

#include <unistd.h>

#include "beyond.h"
#include "cache/cache.h"
#include "cache/cache_files.h"
#include "cache/cache_pack.h"
#include "cache/cache_wal.h"
#include "compat.h"
#include "miscadmin.h"
#include "postmaster/interrupt.h"
#include "settings.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/constant_codes.h"
#include "worker/devices.h"
#include "worker/events.h"
#include "worker/job_made.h"
#include "worker/job_share.h"
#include "worker/job_step.h"
#include "worker/kernel_states.h"
#include "worker/queue.h"
#include "worker/worker_main.h"

/* So long a host device that was lost too often is left alone. */
#define GPUAGG_LOSS_WAIT_MS 30000

/* A device that cannot be opened is tried again after that long. */
#define GPUAGG_RETRY_MS 60000

/*
 * With jobs on a device, look at it this often even without its event:
 * task_idle need not raise one, and a GPU that fails may not.
 */
#define GPUAGG_DRAIN_MS 2
#define GPUAGG_BUSY_MS 100

/* Without jobs the WAL is read this often, for a while. */
#define GPUAGG_FOLLOW_MS 100

/* A device without jobs for so long gives back the memory that it kept for the next. */
#define GPUAGG_TRIM_MS 10000

/* What the views show is refreshed at most this often. */
#define GPUAGG_PUBLISH_MS 50

/* With jobs the loop turns far more often than this. */
#define GPUAGG_STILL_MS 1000

/* At exit a device gets this long to come to rest. */
#define GPUAGG_EXIT_MS 10000

static uint32 seen_announced;
static int	published_jobs = 0;
static bool registering;			/* the primary device goes on starting */
static TimestampTz published_at;
static TimestampTz left_at;		/* when the last job left; 0: trimmed since */
static uint32 wait_event_main;

static GpuAggWorkerJob *
job_at(dlist_node *node)
{
	return dlist_container(GpuAggWorkerJob, node, node);
}

/* ------------------------------------------------------------ the state --- */

static void
worker_register(void)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	TimestampTz now = GetCurrentTimestamp();

	pg_atomic_write_u32(&state->reset, 0);
	pg_atomic_write_u64(&state->backlog_us, 0);
	SpinLockAcquire(&state->mutex);
	state->facts.worker_pid = MyProcPid;
	state->facts.started_at = now;
	state->facts.starts++;
	gpuagg_shmem_changed(state);
	pg_atomic_write_u32(&state->worker_procno, GPUAGG_MY_PROCNO);
	gpuagg_worker_status(GPUAGG_STARTING, NULL);
}

/* How far is a device that goes on starting while it takes tasks? */
static void
worker_registers(void)
{
	const GpuAggDeviceInfo *info = &gpuagg_worker_state()->facts.info;
	bool		before = registering;

	registering = info->registering != 0;
	if (before && !registering)
		ereport(LOG,
				(errmsg("gpuagg: device \"%s\" reads %u %% of shared_buffers in place",
						info->name, 100 - info->unregistered)));
}

/* Refreshes what the views show of the devices and their tasks. */
static void
worker_publish(void)
{
	dlist_iter	iter;

	gpuagg_devices_publish();
	worker_registers();
	gpuagg_kernels_publish();
	dlist_foreach(iter, &gpuagg_worker.jobs)
		gpuagg_job_publish(job_at(iter.cur));
}

/* While we stood still ourselves, nothing could come of any job. */
static void
worker_watch(TimestampTz now)
{
	bool		stood_still = TimestampDifferenceExceeds(published_at, now, GPUAGG_STILL_MS);
	dlist_iter	iter;

	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *job = job_at(iter.cur);

		job->alive |= stood_still;
		gpuagg_job_watch(job, now);
	}
}

/* ----------------------------------------------------------- the device --- */

/* SIGTERM, or gpuagg.reset_device() */
static bool
worker_told_to_stop(void)
{
	return ShutdownRequestPending ||
		pg_atomic_read_u32(&gpuagg_worker_state()->reset) != 0;
}

/* Sleeps that long unless told to stop. */
static void
worker_sleep(long ms)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);

	while (!worker_told_to_stop() &&
		   (ms = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
												 until)) > 0)
	{
		WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
				  ms, gpuagg_wait_event(&wait_event_main, "GpuAggWorkerMain"));
		ResetLatch(MyLatch);
	}
	if (worker_told_to_stop())
		proc_exit(1);
}

/*
 * A worker after the first, whose card cannot be opened: the others' devices run its
 * tasks.  It tries again after a while, in a new process; with a card that is off, when
 * it is told to.
 */
pg_noreturn static void
device_missing(void)
{
	GpuAggDeviceView view;

	gpuagg_shmem_device(gpuagg_worker.at, &view);
	gpuagg_worker_status(GPUAGG_FAILED, view.facts.gpu_why_not);
	do
		worker_sleep(GPUAGG_RETRY_MS);
	while (view.facts.gpu_off);
	proc_exit(1);
}

/* Opens the primary device, however many attempts it takes. */
static void
device_start(void)
{
	GpuAggError error = {0};

	if (gpuagg_devices_open_gpu())
		return;
	if (gpuagg_worker.at > 0)
		device_missing();
	if (gpuagg_worker_losses() >= GPUAGG_MAX_LOSSES)
	{
		gpuagg_worker_status(GPUAGG_FAILED, NULL);
		ereport(LOG,
				(errmsg("gpuagg: the device was lost %d times in short succession; waiting %d s",
						GPUAGG_MAX_LOSSES, GPUAGG_LOSS_WAIT_MS / 1000)));
		worker_sleep(GPUAGG_LOSS_WAIT_MS);
		gpuagg_worker_status(GPUAGG_STARTING, NULL);
	}
	while (!gpuagg_devices_open_host(&error))
	{
		gpuagg_worker_status(GPUAGG_FAILED, error.message);
		ereport(LOG,
				(errmsg("gpuagg: could not open the device: %s",
						error.message)));
		worker_sleep(GPUAGG_RETRY_MS);
		gpuagg_worker_status(GPUAGG_STARTING, NULL);
	}
}

/* ----------------------------------------------------------------- exit --- */

/* True if no task reads pages any more, after at most GPUAGG_EXIT_MS. */
static bool
device_settle(void)
{
	dlist_iter	iter;

	if (gpuagg_worker_hung)
		return false;
	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *job = job_at(iter.cur);

		if (job->task != NULL)
			job->on->ops->task_cancel(job->task);
	}
	for (int ms = 0; ms < GPUAGG_EXIT_MS; ms++)
	{
		bool		idle = true;

		dlist_foreach(iter, &gpuagg_worker.jobs)
		{
			GpuAggWorkerJob *job = job_at(iter.cur);

			if (job->task != NULL && !job->on->ops->task_idle(job->task))
				idle = false;
		}
		if (idle)
			return true;
		pg_usleep(1000);
	}
	return false;
}

/*
 * Should the device not come to rest, its tasks are left as they are: the
 * process, and with it every reader of pages, ends here.  What such a reader
 * still finds in pages that are no longer pinned, nobody receives.
 *
 * Clients of tasks that we hold are woken by their queues; those that wait
 * for us to take their task, by hand.
 */
static void
worker_exit(int code, Datum arg)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	dlist_mutable_iter iter;
	bool		settled;

	pg_atomic_write_u32(&state->worker_procno, PG_UINT32_MAX);
	gpuagg_worker_status(GPUAGG_STOPPED, NULL);
	settled = device_settle();
	gpuagg_worker_hung = !settled;
	dlist_foreach_modify(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *job = job_at(iter.cur);

		if (!settled)
		{
			job->task = NULL;
			job->ntables = 0;
		}
		gpuagg_job_release(job);
	}
	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(i);

		if ((pg_atomic_read_u32(&slot->holders) & GPUAGG_HOLD_OPEN) &&
			slot->device == gpuagg_worker.at)
			SetLatch(&GetPGProcByNumber(slot->procno)->procLatch);
	}
	gpuagg_cache_stop(gpuagg_worker.at);
	if (settled)
		gpuagg_devices_close();

	SpinLockAcquire(&state->mutex);
	state->facts.worker_pid = 0;
	state->facts.info.memory_used = 0;
	memset(&state->facts.host, 0, sizeof(state->facts.host));
	gpuagg_shmem_changed(state);
	pg_atomic_write_u32(&state->claimed, 0);
}

/*
 * A driver's own exit may wait for what hangs, and a thread of the host device may run
 * in memory that is freed; the kernel ends both.
 */
static void
worker_leave(int code, Datum arg)
{
	if (gpuagg_worker_hung)
		_exit(code);
}

/* ------------------------------------------------------------- the loop --- */

/*
 * One worker for each device.  After a crash the postmaster starts all that were asked
 * for, and the first of them, which cannot know, asks for the others again: whoever
 * comes second goes for good.
 */
static void
worker_claim(void)
{
	uint32		nobody = 0;

	if (!pg_atomic_compare_exchange_u32(&gpuagg_worker_state()->claimed, &nobody, MyProcPid))
		proc_exit(0);
}

static void
worker_setup(void)
{
	worker_claim();
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();

	dlist_init(&gpuagg_worker.jobs);
	gpuagg_worker.results = MemoryContextAlloc(TopMemoryContext,
											   GPUAGG_RESULTS_BYTES);
	on_proc_exit(worker_leave, (Datum) 0);
	before_shmem_exit(worker_exit, (Datum) 0);
	worker_register();
}

/* Takes new tasks; the counter says whether to look for any. */
static void
worker_take(void)
{
	uint32		announced = pg_atomic_read_u32(&gpuagg_worker_state()->announced);

	if (announced == seen_announced)
		return;
	seen_announced = announced;
	pg_memory_barrier();
	for (int i = 0; i < gpuagg_shared->nslots; i++)
		gpuagg_job_take(gpuagg_shmem_slot(i));
}

/* One turn; true if there is more to do at once. */
static bool
worker_turn(void)
{
	pg_atomic_uint64 *asked_at = &gpuagg_worker_state()->asked_at;
	dlist_mutable_iter iter;
	bool		more = false;

	if (pg_atomic_read_u64(asked_at) != 0)
		pg_atomic_write_u64(asked_at, 0);
	worker_take();
	gpuagg_cache_answer();
	if (gpuagg_kernels_turn())
		published_jobs = 1;		/* refreshes the views also without jobs */
	dlist_foreach_modify(iter, &gpuagg_worker.jobs)
		more |= gpuagg_job_step(job_at(iter.cur));
	more |= gpuagg_queue_admit();
	more |= gpuagg_share_turn();
	return more;
}

/* The shorter one of two sleeps, of which -1 has no end */
static long
sooner(long a, long b)
{
	return a < 0 ? b : b < 0 ? a : Min(a, b);
}

/* Without jobs: how long the loop may sleep, after which the device is trimmed */
static long
worker_trim(void)
{
	const GpuAggWorkerDevice *on = &gpuagg_worker.primary;
	TimestampTz now;

	if (left_at == 0)
		return -1;
	now = GetCurrentTimestamp();
	if (!TimestampDifferenceExceeds(left_at, now, GPUAGG_TRIM_MS))
		return GPUAGG_TRIM_MS + 1;
	gpuagg_made_clear();
	gpuagg_constant_codes_clear();
	if (on->ops->trim != NULL)
		on->ops->trim(on->device);
	worker_publish();
	left_at = 0;
	worker_publish();
	return -1;
}

/* Without jobs: how long it may sleep, after reading on in the WAL */
static long
worker_rest(void)
{
	const long	follow_ms = gpuagg_cache_wal_idle() ? GPUAGG_FOLLOW_MS : -1;

	return sooner(worker_trim(), follow_ms);
}

/*
 * How long the loop may sleep.  Refreshes the views first if it is time or
 * the last task has left; if it is too early, the sleep ends in time for it.
 */
static long
worker_timeout(void)
{
	TimestampTz now;
	dlist_iter	iter;
	int			njobs = 0;
	long		ms = -1;

	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		GpuAggWorkerJob *job = job_at(iter.cur);

		njobs++;
		if (job->state == GPUAGG_JOB_DRAINING)
			ms = GPUAGG_DRAIN_MS;
		else if (ms < 0)
			ms = GPUAGG_BUSY_MS;
	}
	if (njobs == 0 && published_jobs == 0 && !registering)
		return worker_rest();

	now = GetCurrentTimestamp();
	if (njobs == 0 ||
		TimestampDifferenceExceeds(published_at, now, GPUAGG_PUBLISH_MS))
	{
		worker_publish();
		worker_watch(now);
		published_at = now;
		published_jobs = njobs;
		left_at = now;
	}
	else if (ms < 0 || ms > GPUAGG_PUBLISH_MS)
		ms = GPUAGG_PUBLISH_MS;
	if (njobs > 0)
		return ms;
	return registering ? GPUAGG_BUSY_MS : worker_rest();
}

void
gpuagg_worker_main(Datum arg)
{
	gpuagg_worker.at = DatumGetInt32(arg);
	worker_setup();
	gpuagg_made_shared_clear(gpuagg_worker.at);
	device_start();
	gpuagg_cache_start(gpuagg_worker.at, gpuagg_worker.primary.ops->stripes,
					   gpuagg_worker.primary.device,
					   gpuagg_worker.primary.ops->stripes == NULL ? 0 : gpuagg_devices_spare());
	gpuagg_events_setup();
	worker_publish();
	pg_atomic_write_u64(&gpuagg_worker_state()->asked_at, 0);
	gpuagg_worker_status(GPUAGG_READY, "");
	if (gpuagg_worker.at == 0)
		gpuagg_beyond_log();
	ereport(LOG,
			(errmsg("gpuagg: device \"%s\" is ready",
					gpuagg_worker_state()->facts.info.name)));

	for (;;)
	{
		bool		more = worker_turn();
		long		timeout = sooner(worker_timeout(),
									 sooner(gpuagg_cache_check_files(),
											gpuagg_cache_pack_some(published_jobs > 0)));

		if (worker_told_to_stop())
			proc_exit(1);
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		gpuagg_events_wait(more || gpuagg_events_polls() ? 0 : timeout);
	}
}
