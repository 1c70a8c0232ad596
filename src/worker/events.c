/*
 * events.c
 *		What the worker's loop waits for (events.h).
 */
#include "postgres.h"

#include <sched.h>
#include <unistd.h>

#include "compat.h"
#include "host/host.h"
#include "host/machine.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "worker/events.h"

/*
 * A GPU's events follow each other in tens of microseconds.  To be woken takes
 * longer, in a virtual machine that sleeps 200 us and more, which is most of a
 * small task.  So the worker goes on looking for so long after an event, if
 * there are cores to spare.
 */
#define GPUAGG_POLL_US 1000
#define GPUAGG_POLL_CORES 4

/* Our latch, the postmaster, devices */
#define MAX_EVENTS (2 + GPUAGG_WORKER_DEVICES)

static WaitEventSet *events;
static bool may_poll;
static instr_time last_event;
static uint32 wait_event_main;

void
gpuagg_events_setup(void)
{
	events = gpuagg_wait_event_set_create(MAX_EVENTS);
	AddWaitEventToSet(events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL,
					  NULL);
	gpuagg_events_watch(&gpuagg_worker.primary);
	may_poll = gpuagg_worker.primary.ops != &gpuagg_host_ops &&
		gpuagg_host_cpus() >= GPUAGG_POLL_CORES;
}

void
gpuagg_events_watch(GpuAggWorkerDevice *on)
{
	on->event_fd = on->ops->event_fd(on->device);
	if (on->event_fd >= 0)
		AddWaitEventToSet(events, WL_SOCKET_READABLE, on->event_fd, NULL, on);
}

/*
 * Look again rather than sleep?  Jobs' steps ask the device itself, and see
 * what has completed before its event comes.
 */
bool
gpuagg_events_polls(void)
{
	instr_time	now;

	if (!may_poll)
		return false;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, last_event);
	if (INSTR_TIME_GET_MICROSEC(now) >= GPUAGG_POLL_US)
		return false;
	(void) sched_yield();
	return true;
}

void
gpuagg_events_wait(long timeout)
{
	WaitEvent	occurred[MAX_EVENTS];
	int			n;

	n = WaitEventSetWait(events, timeout, occurred, lengthof(occurred),
						 gpuagg_wait_event(&wait_event_main,
										   "GpuAggWorkerMain"));
	if (n > 0)
		INSTR_TIME_SET_CURRENT(last_event);
	for (int i = 0; i < n; i++)
	{
		const GpuAggWorkerDevice *on = occurred[i].user_data;
		uint64		count;

		if (occurred[i].events & WL_LATCH_SET)
			ResetLatch(MyLatch);
		if ((occurred[i].events & WL_SOCKET_READABLE) &&
			read(on->event_fd, &count, sizeof(count)) < 0 &&
			errno != EAGAIN && errno != EINTR)
			elog(ERROR, "could not read the device's event: %m");
	}
}
