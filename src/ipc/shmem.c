/*
 * shmem.c
 *		The service's main shared memory: slots and what workers tell.  shmem.h
 *		explains slots and who owns them.
 *
 * Also the cumulative counters (stat.h), which are nothing but atomics here.
 */
#include "postgres.h"

#include <time.h>

#include "ipc/shmem.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

GpuAggShared *gpuagg_shared = NULL;

int
gpuagg_shmem_tasks(void)
{
	int			n = 0;

	for (int i = 0; i < gpuagg_shared->nslots; i++)
		n += pg_atomic_read_u32(&gpuagg_shmem_slot(i)->holders) != 0;
	return n;
}

char *
gpuagg_shmem_queue_in(const GpuAggSlot *slot)
{
	Size		i = (const GpuAggSlotPadded *) slot - gpuagg_shared->slots;

	return gpuagg_shared->queues + i * GPUAGG_QUEUES_BYTES;
}

char *
gpuagg_shmem_queue_out(const GpuAggSlot *slot)
{
	return gpuagg_shmem_queue_in(slot) + GPUAGG_QUEUE_IN_BYTES;
}

/*
 * A waiting backend first counts itself, then looks for a free slot, then
 * sleeps; we free the slot, then look for waiting ones.  Both steps are full
 * barriers, so one of the two sees the other.
 */
bool
gpuagg_shmem_release(GpuAggSlot *slot, uint32 bits)
{
	if ((pg_atomic_fetch_and_u32(&slot->holders, ~bits) & ~bits) != 0)
		return false;
	if (pg_atomic_read_u32(&gpuagg_shared->waiting) == 0)
		return true;
	/* of several devices, who is woken first may wait for one that is not ready */
	if (gpuagg_shared->ndevices > 1)
		ConditionVariableBroadcast(&gpuagg_shared->changed);
	else
		ConditionVariableSignal(&gpuagg_shared->changed);
	return true;
}

/*
 * Microseconds of a clock that nobody sets, and that is the same for all processes (as PostgreSQL's
 * own is not since 19), so that a worker is not silent because somebody has set one; never 0
 */
static uint64
steady_us(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64) now.tv_sec * 1000000 + now.tv_nsec / 1000 + 1;
}

void
gpuagg_shmem_ask_worker(int at)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(at);
	uint64		never = 0;

	if (pg_atomic_read_u64(&device->asked_at) == 0)
		(void) pg_atomic_compare_exchange_u64(&device->asked_at, &never,
											  steady_us());
}

/* Asks before it wakes: a worker that is awake turns, and then has turned since. */
bool
gpuagg_shmem_wake_worker(int at)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(at);
	uint32		procno = pg_atomic_read_u32(&device->worker_procno);

	if (procno == PG_UINT32_MAX)
		return false;
	gpuagg_shmem_ask_worker(at);
	SetLatch(&GetPGProcByNumber(procno)->procLatch);
	return true;
}

/*
 * It goes on looking for a while (worker/events.c).  One that does not turn has a task to tell that
 * by.
 */
void
gpuagg_shmem_wake_ahead(int at)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(at);
	uint32		procno = pg_atomic_read_u32(&device->worker_procno);

	if (procno != PG_UINT32_MAX && pg_atomic_read_u32(&device->gpu) != 0)
		SetLatch(&GetPGProcByNumber(procno)->procLatch);
}

long
gpuagg_shmem_silence(int at)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(at);
	const uint64 asked = pg_atomic_read_u64(&device->asked_at);
	const uint64 now = steady_us();

	if (asked == 0 || asked > now || pg_atomic_read_u32(&device->status) != GPUAGG_READY)
		return 0;
	return (long) ((now - asked) / 1000);
}

/*
 * The worker is asked for before the server opens, and the postmaster starts it at
 * once.  One that does not come has not got a place.
 */
static const char *
why_starting(const GpuAggDeviceFacts *facts)
{
	if (facts->starts == 0 &&
		TimestampDifferenceExceeds(facts->since, GetCurrentTimestamp(),
								   GPUAGG_START_MS))
		return "the device worker has not started; it needs a place among max_worker_processes";
	return "the device is starting";
}

bool
gpuagg_shmem_why_not(const GpuAggDeviceView *view, char *why_not)
{
	const GpuAggDeviceFacts *facts = &view->facts;
	long		silence = gpuagg_shmem_silence(view->device);
	bool		stuck = view->status == GPUAGG_READY && silence > GPUAGG_SILENT_MS;
	const char *text = facts->why_not;

	if (stuck)
	{
		snprintf(why_not, GPUAGG_MESSAGE_BYTES,
				 "the device worker has not answered for %ld s", silence / 1000);
		return true;
	}
	if (view->status == GPUAGG_STARTING && text[0] == '\0')
		text = why_starting(facts);
	else if (view->status == GPUAGG_STOPPED && text[0] == '\0')
		text = "the device worker is not running";
	else if (text[0] == '\0')
		text = facts->gpu_why_not;
	strlcpy(why_not, text, GPUAGG_MESSAGE_BYTES);
	return view->status != GPUAGG_READY;
}

int
gpuagg_shmem_plan_device(void)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		if (gpuagg_shmem_is_gpu(i))
			return i;
	return 0;
}

void
gpuagg_shmem_device(int at, GpuAggDeviceView *view)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(at);

	view->device = at;
	SpinLockAcquire(&device->mutex);
	view->status = pg_atomic_read_u32(&device->status);
	view->gpu = pg_atomic_read_u32(&device->gpu) != 0;
	view->facts = device->facts;
	SpinLockRelease(&device->mutex);
}

const GpuAggDeviceView *
gpuagg_shmem_look(int at)
{
	static GpuAggDeviceView views[GPUAGG_MAX_CARDS];
	static uint64 known[GPUAGG_MAX_CARDS];
	GpuAggDeviceState *device = gpuagg_shmem_state(at);
	GpuAggDeviceView *view = &views[at];
	const uint64 changes = pg_atomic_read_u64(&device->changes);

	if (known[at] != changes)
		gpuagg_shmem_device(at, view);
	known[at] = changes;
	view->status = pg_atomic_read_u32(&device->status);
	view->gpu = pg_atomic_read_u32(&device->gpu) != 0;
	return view;
}

void
gpuagg_shmem_changed(GpuAggDeviceState *state)
{
	pg_atomic_fetch_add_u64(&state->changes, 1);
	SpinLockRelease(&state->mutex);
}

/* The host device's number comes after those of the cards. */
int
gpuagg_shmem_host_number(const GpuAggDeviceFacts *facts)
{
	int			number = 0;

	for (int i = 0; i < facts->ncards; i++)
		number = Max(number, facts->cards[i].ordinal + 1);
	return number;
}

int
gpuagg_shmem_number(const GpuAggDeviceView *view)
{
	return (view->gpu || view->device > 0) && view->facts.card >= 0 ?
		view->facts.cards[view->facts.card].ordinal : gpuagg_shmem_host_number(&view->facts);
}

uint32
gpuagg_shmem_reset_device(int at)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(at);
	uint32		starts;

	SpinLockAcquire(&device->mutex);
	device->facts.losses = 0;
	device->facts.gpu_off = false;
	starts = device->facts.starts;
	gpuagg_shmem_changed(device);

	pg_atomic_write_u32(&device->reset, 1);
	pg_memory_barrier();
	(void) gpuagg_shmem_wake_worker(at);
	return starts;
}

void
gpuagg_stat_add(GpuAggStat stat, uint64 n)
{
	if (n > 0)
		pg_atomic_fetch_add_u64(&gpuagg_shared->stats[stat], n);
}
