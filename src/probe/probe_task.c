/*
 * probe_task.c
 *		Probe sessions as a device: see probe_task.h.
 *
 * A session has a thread of its own, which runs the probes, keeps the points
 * of their curves, and rings the eventfd at its end.  Until then the worker's
 * thread only reads the progress and sets the cancel flag; after that the
 * session's thread is gone, and the worker's reads what it left.
 *
 * Points beyond MAX_POINTS are dropped: pictures can do without.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "probe/probe_run.h"
#include "probe/probe_task.h"

#define MAX_POINTS 65536

/* A record of points has at most so many: 32 kB. */
#define RECORD_POINTS 1024

typedef struct GpuAggProbeDevice
{
	const GpuAggDeviceOps *ops; /* of the device that is measured */
	GpuAggDevice *device;
	int			event_fd;
	bool		running;
} GpuAggProbeDevice;

typedef struct GpuAggProbeTask
{
	GpuAggProbeDevice *session;
	int			effort;
	GpuAggProbeLimits limits;
	pthread_t	thread;
	volatile int cancel;
	atomic_uint permille;
	atomic_bool finished;		/* the thread has left all below */
	struct timespec start;

	GpuAggError error;
	GpuAggProbeResult result;
	GpuAggCurvePoint *points;
	uint32_t	npoints;
	uint32_t	max_points;
	bool		sent_result;
	uint32_t	sent_points;
} GpuAggProbeTask;

static GpuAggProbeDevice *
session_of(GpuAggDevice *device)
{
	return (GpuAggProbeDevice *) device;
}

static GpuAggProbeTask *
task_of(GpuAggTask *task)
{
	return (GpuAggProbeTask *) task;
}

static GpuAggStatus
session_error(GpuAggError *error, GpuAggStatus status, const char *message)
{
	memset(error, 0, sizeof(*error));
	error->status = status;
	snprintf(error->message, sizeof(error->message), "%s", message);
	return status;
}

/* ---------- the session's thread ---------- */

static void
on_progress(void *context, const char *stage, double share)
{
	GpuAggProbeTask *task = context;

	(void) stage;
	share = share < 0 ? 0 : share < 1 ? share : 1;
	atomic_store(&task->permille, (unsigned) (share * 1000));
}

static void
on_point(void *context, const GpuAggCurvePoint *point)
{
	GpuAggProbeTask *task = context;

	if (task->npoints == task->max_points)
	{
		uint32_t	max = task->max_points == 0 ? RECORD_POINTS : task->max_points * 2;
		GpuAggCurvePoint *points;

		if (max > MAX_POINTS ||
			(points = realloc(task->points, max * sizeof(*points))) == NULL)
			return;
		task->points = points;
		task->max_points = max;
	}
	task->points[task->npoints++] = *point;
}

static void *
session_main(void *arg)
{
	GpuAggProbeTask *task = arg;
	GpuAggProbeDevice *session = task->session;
	const uint64_t one = 1;
	const GpuAggProbeObserver observer = {on_progress, on_point, task};

	task->error.status = gpuagg_probe_run(session->ops->probe, session->device, task->effort,
										  &task->limits, &task->cancel, &observer,
										  &task->result, &task->error);
	atomic_store(&task->finished, true);

	/* should the counter be full, then there is an event already */
	(void) !write(session->event_fd, &one, sizeof(one));
	return NULL;
}

/* ---------- the device ---------- */

GpuAggDevice *
gpuagg_probe_task_open(const GpuAggDeviceOps *ops, GpuAggDevice *device, GpuAggError *error)
{
	GpuAggProbeDevice *session;

	if (ops->probe == NULL)
	{
		session_error(error, GPUAGG_UNSUPPORTED, "this device cannot be measured");
		return NULL;
	}
	session = calloc(1, sizeof(*session));
	if (session == NULL)
	{
		session_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	session->ops = ops;
	session->device = device;
	session->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (session->event_fd < 0)
	{
		free(session);
		session_error(error, GPUAGG_DEVICE_FAULT, "no eventfd");
		return NULL;
	}
	return (GpuAggDevice *) session;
}

static void
session_close(GpuAggDevice *device)
{
	close(session_of(device)->event_fd);
	free(device);
}

/* While a session runs there is no room, so that the next one waits. */
static void
session_info(GpuAggDevice *device, GpuAggDeviceInfo *info)
{
	GpuAggProbeDevice *session = session_of(device);

	session->ops->info(session->device, info);
	info->memory_used = session->running;
	info->memory_limit = 1;
}

static int
session_event_fd(GpuAggDevice *device)
{
	return session_of(device)->event_fd;
}

/* ---------- tasks ---------- */

/* At most what the device's tasks have not taken of their memory */
static void
limit_memory(const GpuAggProbeDevice *session, GpuAggProbeLimits *limits)
{
	GpuAggDeviceInfo info;
	uint64_t	bytes;

	if (session->ops->trim != NULL)
		session->ops->trim(session->device);
	session->ops->info(session->device, &info);
	bytes = info.memory_limit > info.memory_used ? info.memory_limit - info.memory_used : 1;
	if (limits->memory_bytes == 0 || limits->memory_bytes > bytes)
		limits->memory_bytes = bytes;
}

static GpuAggStatus
session_begin(GpuAggDevice *device, const GpuAggProgram *program,
			  const GpuAggTaskConfig *config, GpuAggTask **task_out, GpuAggError *error)
{
	GpuAggProbeDevice *session = session_of(device);
	GpuAggProbeTask *task;
	sigset_t	all;
	sigset_t	old;
	int			rc;

	(void) program;
	if (session->running)
		return session_error(error, GPUAGG_OUT_OF_MEMORY, "the device is being measured");
	task = calloc(1, sizeof(*task));
	if (task == NULL)
		return session_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	task->session = session;
	task->effort = config->probe.effort;
	task->limits = config->probe.limits;
	limit_memory(session, &task->limits);
	clock_gettime(CLOCK_MONOTONIC, &task->start);

	/* signals are the main thread's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&task->thread, NULL, session_main, task);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc != 0)
	{
		free(task);
		return session_error(error, GPUAGG_DEVICE_FAULT, "no thread to measure with");
	}
	session->running = true;
	*task_out = (GpuAggTask *) task;
	return GPUAGG_OK;
}

static GpuAggStatus
session_pages(GpuAggTask *task, uint64_t batch_id, const GpuAggPage *pages,
			  uint32_t npages, GpuAggError *error)
{
	(void) task, (void) batch_id, (void) pages, (void) npages;
	return session_error(error, GPUAGG_UNSUPPORTED, "a measurement takes no pages");
}

static GpuAggStatus
session_rows(GpuAggTask *task, uint64_t batch_id, const GpuAggRowColumn *columns,
			 uint32_t nrows, GpuAggError *error)
{
	(void) task, (void) batch_id, (void) columns, (void) nrows;
	return session_error(error, GPUAGG_UNSUPPORTED, "a measurement takes no rows");
}

static bool
session_poll(GpuAggTask *task, GpuAggCompletion *completion)
{
	(void) task, (void) completion;
	return false;
}

static bool
session_finish(GpuAggTask *t, GpuAggError *error)
{
	GpuAggProbeTask *task = task_of(t);

	if (!atomic_load(&task->finished))
		return false;
	*error = task->error;
	return true;
}

/* Appends a record, if it fits. */
static bool
put_record(char *buffer, size_t size, size_t *used, GpuAggRecordKind kind,
		   const void *data, size_t bytes)
{
	GpuAggProbeRecord record = {kind, (uint32_t) gpuagg_align(bytes, 8)};

	if (size - *used < sizeof(record) + record.bytes)
		return false;
	memcpy(buffer + *used, &record, sizeof(record));
	*used += sizeof(record);
	memset(buffer + *used, 0, record.bytes);
	memcpy(buffer + *used, data, bytes);
	*used += record.bytes;
	return true;
}

static uint32_t
session_results(GpuAggTask *t, char *buffer, size_t size, size_t *used, GpuAggError *error)
{
	GpuAggProbeTask *task = task_of(t);
	uint32_t	n = 0;

	memset(error, 0, sizeof(*error));
	*used = 0;
	if (!task->sent_result)
	{
		if (!put_record(buffer, size, used, GPUAGG_RECORD_RESULT, &task->result,
						sizeof(task->result)))
		{
			session_error(error, GPUAGG_OUT_OF_MEMORY, "the result does not fit the buffer");
			*used = sizeof(GpuAggProbeRecord) + sizeof(task->result) + 8;
			return 0;
		}
		task->sent_result = true;
		n++;
	}
	while (task->sent_points < task->npoints)
	{
		uint32_t	count = task->npoints - task->sent_points;

		if (count > RECORD_POINTS)
			count = RECORD_POINTS;
		if (!put_record(buffer, size, used, GPUAGG_RECORD_POINTS,
						task->points + task->sent_points,
						count * sizeof(GpuAggCurvePoint)))
			break;
		task->sent_points += count;
		n++;
	}
	return n;
}

static void
session_stats(GpuAggTask *t, GpuAggTaskStats *stats)
{
	GpuAggProbeTask *task = task_of(t);
	struct timespec now;

	memset(stats, 0, sizeof(*stats));
	clock_gettime(CLOCK_MONOTONIC, &now);
	stats->device_ns = (uint64_t) (now.tv_sec - task->start.tv_sec) * 1000000000 +
		(uint64_t) now.tv_nsec - (uint64_t) task->start.tv_nsec;
	stats->permille = atomic_load(&task->permille);
	stats->strategy = "measuring";
}

static void
session_cancel(GpuAggTask *task)
{
	task_of(task)->cancel = 1;
}

static bool
session_idle(GpuAggTask *task)
{
	return atomic_load(&task_of(task)->finished);
}

static void
session_end(GpuAggTask *t)
{
	GpuAggProbeTask *task = task_of(t);

	task->cancel = 1;
	pthread_join(task->thread, NULL);
	task->session->running = false;
	free(task->points);
	free(task);
}

const GpuAggDeviceOps gpuagg_probe_task_ops = {
	.abi = GPUAGG_DEVICE_ABI,
	.kind = "session",
	.close = session_close,
	.info = session_info,
	.event_fd = session_event_fd,
	.task_begin = session_begin,
	.task_pages = session_pages,
	.task_rows = session_rows,
	.task_poll = session_poll,
	.task_finish = session_finish,
	.task_results = session_results,
	.task_stats = session_stats,
	.task_cancel = session_cancel,
	.task_idle = session_idle,
	.task_end = session_end
};
