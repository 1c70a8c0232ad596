/*
 * client_slot.c
 *		A client takes a slot (client.h): waits for a device that is ready and for a place,
 *		makes the queues, and lets the worker see it.
 */
#include "postgres.h"

#include "compat.h"
#include "ipc/client_inside.h"
#include "ipc/errors.h"
#include "ipc/lock_waits.h"
#include "miscadmin.h"
#include "settings.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/*
 * A task that is redone because the GPU was lost waits so long for the
 * worker's restart, which the postmaster does after a second.
 */
#define GPUAGG_RESTART_MS 10000

/* While waiting for the worker, look whether it still exists this often. */
#define GPUAGG_CHECK_MS 1000

/*
 * While waiting for a place, look after each deadlock_timeout, but not more often than that,
 * whether somebody who has one waits for us; after the first time also each GPUAGG_CHECK_MS.
 */
#define LEAST_LOOK_MS 10

static uint32 wait_event_slot;

void
gpuagg_client_error(GpuAggError *error, GpuAggStatus status, const char *message)
{
	error->status = status;
	error->detail = 0;
	strlcpy(error->message, message, sizeof(error->message));
}

void
gpuagg_client_error_busy(GpuAggError *error)
{
	gpuagg_client_error(error, GPUAGG_BUSY,
			  "the device had no place for the task within gpuagg.queue_timeout");
}

/* The device's own words about why it is not there. */
GpuAggStatus
gpuagg_client_error_lost(const GpuAggClient *client, GpuAggError *error)
{
	GpuAggDeviceView view;
	char		why_not[GPUAGG_MESSAGE_BYTES];

	gpuagg_shmem_device(client->device, &view);
	gpuagg_client_error(error, GPUAGG_DEVICE_LOST, gpuagg_shmem_why_not(&view, why_not) ?
			  why_not : "the device worker has restarted, or did not answer in time");
	return error->status;
}

/*
 * Is the worker silent for longer than it is waited for?  A task that runs is given
 * up as late as one that the device does not get on with.
 */
bool
gpuagg_client_is_stuck(const GpuAggClient *client)
{
	int64		limit = client->admitted ? gpuagg_watchdog * INT64CONST(1000) :
		GPUAGG_SILENT_MS;

	return limit > 0 && gpuagg_shmem_silence(client->device) > limit;
}

/* Milliseconds until the deadline, at most limit; 0 if it has passed. */
static long
wait_ms(const GpuAggClient *client, long limit)
{
	long		left;

	if (client->deadline == 0)
		return limit;
	left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), client->deadline);
	return Min(limit, left);
}

/*
 * Is it in vain to wait for a place, because who has one waits for a lock of ours
 * (lock_waits.c)?  A ring may close at any time, and all who are in it stand still until then.
 */
bool
gpuagg_client_waits_in_vain(GpuAggClient *client, GpuAggError *error)
{
	TimestampTz now;

	if (client->look_at == 0 || (now = GetCurrentTimestamp()) < client->look_at)
		return false;
	client->look_at = TimestampTzPlusMilliseconds(now, Min(Max(DeadlockTimeout, LEAST_LOOK_MS),
														   GPUAGG_CHECK_MS));
	if (!gpuagg_lock_waits_task())
		return false;
	gpuagg_client_error(error, GPUAGG_BUSY,
			  "a session that has a place on the device waits for a lock of this one");
	return true;
}

/* Milliseconds until there is something to look at; 0 if begin's time is over */
long
gpuagg_client_look_ms(const GpuAggClient *client)
{
	long		left = client->look_at == 0 ? GPUAGG_CHECK_MS :
		TimestampDifferenceMilliseconds(GetCurrentTimestamp(), client->look_at) + 1;

	return wait_ms(client, Min(left, GPUAGG_CHECK_MS));
}

static bool
slot_claim(GpuAggClient *client)
{
	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(i);
		uint32		expected = 0;

		if (pg_atomic_read_u32(&slot->holders) == 0 &&
			pg_atomic_compare_exchange_u32(&slot->holders, &expected,
										   GPUAGG_HOLD_CLIENT))
		{
			client->slot = slot;
			return true;
		}
	}
	return false;
}

/* Not ready, but worth waiting for? */
static bool
device_coming(const GpuAggClient *client, const GpuAggClientRequest *request)
{
	GpuAggDeviceView view;
	long		age;

	gpuagg_shmem_device(client->device, &view);
	age = TimestampDifferenceMilliseconds(view.facts.since,
										  GetCurrentTimestamp());
	if (view.status == GPUAGG_STARTING)
		return age < GPUAGG_START_MS;
	return view.status == GPUAGG_STOPPED && request->host &&
		age < GPUAGG_RESTART_MS;
}

/*
 * Whoever has been told of a free slot and does not take it tells the next one: from
 * PostgreSQL 16 on ConditionVariableCancelSleep leaves that to us.
 */
void
gpuagg_client_wait_over(GpuAggClient *client, bool got)
{
	ConditionVariableCancelSleep();
	pg_atomic_fetch_sub_u32(&gpuagg_shared->waiting, 1);
	client->waiting = false;
	if (!got)
		ConditionVariableSignal(&gpuagg_shared->changed);
}

/*
 * Takes a slot of a device that is ready; waits for one and for a device
 * that is starting.  False with the reason if there is none to wait for.
 */
bool
gpuagg_client_take_slot(GpuAggClient *client, const GpuAggClientRequest *request,
		  GpuAggError *error)
{
	GpuAggDeviceState *device = gpuagg_shmem_state(client->device);
	bool		got = false;

	if (pg_atomic_read_u32(&device->status) == GPUAGG_READY &&
		pg_atomic_read_u32(&gpuagg_shared->waiting) == 0 && !gpuagg_client_is_stuck(client) &&
		slot_claim(client))
		return true;
	if (request->at_once)
	{
		if (pg_atomic_read_u32(&device->status) == GPUAGG_READY && !gpuagg_client_is_stuck(client))
			gpuagg_client_error_busy(error);
		else
			gpuagg_client_error_lost(client, error);
		return false;
	}

	pg_atomic_fetch_add_u32(&gpuagg_shared->waiting, 1);
	client->waiting = true;
	ConditionVariablePrepareToSleep(&gpuagg_shared->changed);
	for (;;)
	{
		long		ms;

		if (pg_atomic_read_u32(&device->status) != GPUAGG_READY)
		{
			if (!device_coming(client, request))
			{
				gpuagg_client_error_lost(client, error);
				if (pg_atomic_read_u32(&device->status) == GPUAGG_STARTING)
					error->detail = GPUAGG_LOST_STARTING;
				break;
			}
		}
		else if (gpuagg_client_is_stuck(client))
		{
			gpuagg_client_error_lost(client, error);
			break;
		}
		else if ((got = slot_claim(client)))
			break;

		(void) gpuagg_shmem_wake_worker(client->device);
		ms = gpuagg_client_look_ms(client);
		if (ms <= 0)
		{
			gpuagg_client_error_busy(error);
			break;
		}
		if (gpuagg_client_waits_in_vain(client, error))
			break;
		ConditionVariableTimedSleep(&gpuagg_shared->changed, ms,
									gpuagg_wait_event(&wait_event_slot,
													  "GpuAggSlot"));
	}
	gpuagg_client_wait_over(client, got);
	return got;
}

/*
 * Makes the queues.  We enter the worker, too, and ourselves first: whoever
 * enters second sets the other's latch, and the worker need not wake for
 * that.
 */
bool
gpuagg_client_make_queues(GpuAggClient *client, GpuAggError *error)
{
	uint32		procno;
	PGPROC	   *worker;
	shm_mq	   *in;
	shm_mq	   *out;
	MemoryContext old;

	procno = pg_atomic_read_u32(&gpuagg_shmem_state(client->device)->worker_procno);
	if (procno == PG_UINT32_MAX)
	{
		gpuagg_client_error_lost(client, error);
		return false;
	}
	worker = GetPGProcByNumber(procno);
	client->context = AllocSetContextCreate(CurrentMemoryContext,
											"gpuagg client",
											ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(client->context);
	in = shm_mq_create(gpuagg_shmem_queue_in(client->slot),
					   GPUAGG_QUEUE_IN_BYTES);
	shm_mq_set_sender(in, MyProc);
	shm_mq_set_receiver(in, worker);
	client->in = shm_mq_attach(in, NULL, NULL);
	out = shm_mq_create(gpuagg_shmem_queue_out(client->slot),
						GPUAGG_QUEUE_OUT_BYTES);
	shm_mq_set_receiver(out, MyProc);
	shm_mq_set_sender(out, worker);
	client->out = shm_mq_attach(out, NULL, NULL);
	MemoryContextSwitchTo(old);
	return true;
}

void
gpuagg_client_fill_slot(GpuAggClient *client, const GpuAggClientRequest *request)
{
	GpuAggSlot *slot = client->slot;

	pg_atomic_write_u32(&slot->cancel, 0);
	pg_atomic_write_u32(&slot->phase, GPUAGG_PHASE_QUEUED);
	pg_atomic_write_u64(&slot->pages_done, 0);
	pg_atomic_write_u64(&slot->rows, 0);
	pg_atomic_write_u64(&slot->memory, 0);
	slot->task = pg_atomic_add_fetch_u64(&gpuagg_shared->tasks, 1);
	slot->device = client->device;
	slot->procno = GPUAGG_MY_PROCNO;
	slot->pid = MyProcPid;
	slot->datid = MyDatabaseId;
	slot->userid = GetSessionUserId();
	slot->relid = request->relid;
	slot->host = request->host;
	slot->measure = request->measure;
	slot->share = gpuagg_share;
	slot->predicted_ms = request->predicted_ms;
	slot->begun_at = 0;
	slot->pages_total = request->total_pages;
	slot->started_at = GetCurrentTimestamp();
}

/*
 * Lets the worker see the slot.  Its OPEN bit is set after all the slot
 * holds (the atomic OR is a full barrier), the counter after that.  Who sends the worker
 * a message then wakes it.
 */
void
gpuagg_client_announce(GpuAggClient *client)
{
	pg_atomic_fetch_or_u32(&client->slot->holders, GPUAGG_HOLD_OPEN);
	pg_atomic_fetch_add_u32(&gpuagg_shmem_state(client->device)->announced, 1);
	gpuagg_shmem_ask_worker(client->device);
}
