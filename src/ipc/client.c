/*
 * client.c
 *		The backend's side of a device task (client.h).
 *
 * Begin: wait until the device is ready, take a slot, make its two queues,
 * announce it, send the program, wait for READY.  All of it together takes
 * at most gpuagg.queue_timeout.
 *
 * Waiting: on our own latch, always interruptibly except for the half second
 * of gpuagg_client_abort.  Queue operations never block inside shm_mq, so that
 * every wait also notices what shm_mq cannot know: that the worker went away
 * before it attached.  Once it has attached, its exit callback detaches the
 * queues and sets our latch.
 *
 * Lifetimes: the handle lives in the memory context of gpuagg_client_begin;
 * the slot, and what the queues allocate (in a context below that one), until
 * gpuagg_client_end or _abort.  A FATAL exit reaches _abort through the
 * caller's PG_ENSURE_ERROR_CLEANUP (begin has its own), before buffer pins
 * are dropped.
 */
#include "postgres.h"

#include "compat.h"
#include "host/machine.h"
#include "ipc/client_inside.h"
#include "ipc/errors.h"
#include "ipc/segment.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "settings.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/s_lock.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Who aborts waits so long for the worker to give the slot up. */
#define GPUAGG_LEAVE_MS 500

/*
 * So many microseconds a client looks for its latch, with a look at the clock after so many
 * turns; and one client for so many cores.  Groups may come with the first answer: that is
 * as long as two waits for short ones, together.
 */
#define LOOK_US 400
#define LOOK_TURNS 64
#define LOOK_CORES 4

static uint32 wait_event_admission;
static uint32 wait_event_task;
static uint32 wait_event_leave;

/* ---------------------------------------------------------------- begin --- */

/* Has the worker taken the slot, or can it still? */
static bool
worker_present(const GpuAggClient *client)
{
	uint32		holders = pg_atomic_read_u32(&client->slot->holders);

	return (holders & GPUAGG_HOLD_WORKER) != 0 ||
		((holders & GPUAGG_HOLD_OPEN) != 0 &&
		 pg_atomic_read_u32(&gpuagg_shmem_state(client->device)->status) == GPUAGG_READY);
}

/*
 * A GPU answers in tens of microseconds, and to be woken takes longer (worker/events.c).
 * So we look for our latch for a while before we sleep, unless there are more who do than
 * cores to spare.  Who sets the latch of one that is awake needs no system call either.
 */
static void
client_look(const GpuAggClient *client)
{
	static int	cpus = 0;
	volatile Latch *latch = MyLatch;
	instr_time	start;
	instr_time	now;

	if (pg_atomic_read_u32(&gpuagg_shmem_state(client->device)->gpu) == 0 || latch->is_set)
		return;
	if (cpus == 0)
		cpus = gpuagg_host_cpus();
	INSTR_TIME_SET_CURRENT(start);
	if (pg_atomic_fetch_add_u32(&gpuagg_shared->looking, 1) < cpus / LOOK_CORES)
		do
		{
			for (int i = 0; i < LOOK_TURNS && !latch->is_set; i++)
				SPIN_DELAY();
			INSTR_TIME_SET_CURRENT(now);
			INSTR_TIME_SUBTRACT(now, start);
		} while (!latch->is_set && INSTR_TIME_GET_MICROSEC(now) < LOOK_US);
	pg_atomic_fetch_sub_u32(&gpuagg_shared->looking, 1);
}

/*
 * READY may come together with groups, long after the task has begun; from then on it is
 * waited for without a limit.
 */
static void
client_begun(GpuAggClient *client)
{
	client->deadline = client->look_at = 0;
	client->admitted = true;
}

/*
 * Sleeps until our latch is set, or for a second, after which the worker is asked
 * whether it still turns.  False if begin's time is over, or it does not.
 */
static bool
client_wait(GpuAggClient *client, GpuAggError *error)
{
	long		ms;
	uint32		event;

	if (!client->admitted && pg_atomic_read_u32(&client->slot->phase) == GPUAGG_PHASE_RUNNING)
		client_begun(client);
	ms = gpuagg_client_look_ms(client);
	event = client->admitted ? gpuagg_wait_event(&wait_event_task, "GpuAggTask") :
		gpuagg_wait_event(&wait_event_admission, "GpuAggAdmission");

	if (ms <= 0)
	{
		gpuagg_client_error_busy(error);
		return false;
	}
	client_look(client);
	if (WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms,
				  event) & WL_TIMEOUT)
		(void) gpuagg_shmem_wake_worker(client->device);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	if (!gpuagg_client_is_stuck(client))
		return !gpuagg_client_waits_in_vain(client, error);
	gpuagg_client_error_lost(client, error);
	return false;
}

/*
 * The BEGIN message.  A program that might not fit the queue travels in a segment, or, if
 * there is none, in pieces.
 */
static GpuAggBeginMsg *
begin_message(GpuAggClient *client, const GpuAggClientRequest *request, Size *bytes,
			  GpuAggError *error)
{
	Size		program = request->program->bytes;
	GpuAggBeginMsg *msg;

	if (program > GPUAGG_QUEUE_IN_BYTES / 2)
		client->segment = gpuagg_segment_make(request->program, program);
	*bytes = sizeof(GpuAggBeginMsg) + (client->segment == NULL ? program : 0);
	if (*bytes > MaxAllocSize)
	{
		gpuagg_client_error(error, GPUAGG_OUT_OF_MEMORY,
							"there is no shared memory for look-up tables");
		return NULL;
	}
	msg = palloc(*bytes);
	memset(msg, 0, sizeof(*msg));
	msg->program_bytes = program;
	if (client->segment != NULL)
		msg->segment = dsm_segment_handle(client->segment);
	else
		memcpy(msg + 1, request->program, program);
	msg->msg.type = GPUAGG_MSG_BEGIN;
	msg->config = request->config;
	msg->host = request->host;
	msg->measure = request->measure;
	msg->several = request->several;
	msg->called = request->called;
	msg->alone = request->alone;
	msg->cache = request->cache;
	msg->ahead = request->ahead;
	msg->predicted_ms = request->predicted_ms;
	return msg;
}

/*
 * Announces the slot and sends the program, which wakes the worker, once: the message goes
 * into the queue before that, if it fits.
 */
static bool
begin_send(GpuAggClient *client, const GpuAggClientRequest *request,
		   GpuAggError *error)
{
	Size		bytes;
	GpuAggBeginMsg *msg = begin_message(client, request, &bytes, error);

	if (msg == NULL)
		return false;
	gpuagg_client_announce(client);
	for (;;)
	{
		shm_mq_result res = shm_mq_send(client->in, bytes, msg, true, true);

		if (res == SHM_MQ_SUCCESS)
			break;
		if (res == SHM_MQ_DETACHED || !worker_present(client))
		{
			gpuagg_client_error_lost(client, error);
			return false;
		}
		if (!client_wait(client, error))
			return false;
	}
	pfree(msg);
	return true;
}

static bool
begin_admitted(GpuAggClient *client, GpuAggError *error)
{
	for (;;)
	{
		const GpuAggMsg *msg;
		Size		bytes;

		if (gpuagg_client_receive(client, false, &msg, &bytes, error) != GPUAGG_OK)
			return false;
		if (msg != NULL)
		{
			Assert(msg->type == GPUAGG_MSG_READY);
			memcpy(&client->info, &((const GpuAggReadyMsg *) msg)->info,
				   sizeof(client->info));
			return true;
		}
		if (!worker_present(client))
		{
			gpuagg_client_error_lost(client, error);
			return false;
		}
		if (!client_wait(client, error))
			return false;
	}
}

static void
begin_cleanup(int code, Datum arg)
{
	gpuagg_client_abort((GpuAggClient *) DatumGetPointer(arg));
}

GpuAggClient *
gpuagg_client_begin(GpuAggClientRequest *request, GpuAggError *error)
{
	GpuAggClient *client = palloc0(sizeof(GpuAggClient));
	volatile bool begun = false;

	memset(error, 0, sizeof(*error));
	client->device = request->host ? 0 : request->device;
	client->rogue = request->rogue;
	request->on_gpu = false;
	client->look_at = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), DeadlockTimeout);
	if (gpuagg_queue_timeout > 0)
		client->deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													   gpuagg_queue_timeout);

	PG_ENSURE_ERROR_CLEANUP(begin_cleanup, PointerGetDatum(client));
	{
		if (gpuagg_client_take_slot(client, request, error))
		{
			request->on_gpu = !request->host &&
				pg_atomic_read_u32(&gpuagg_shmem_state(client->device)->gpu) != 0;
			gpuagg_client_fill_slot(client, request);
			begun = gpuagg_client_make_queues(client, error) &&
				begin_send(client, request, error) &&
				begin_admitted(client, error);
		}
	}
	PG_END_ENSURE_ERROR_CLEANUP(begin_cleanup, PointerGetDatum(client));

	/* after an error it goes with its resource owner */
	if (client->segment != NULL)
		dsm_detach(client->segment);
	client->segment = NULL;
	if (!begun)
	{
		gpuagg_client_abort(client);
		pfree(client);
		return NULL;
	}
	client_begun(client);
	return client;
}

const GpuAggDeviceInfo *
gpuagg_client_info(const GpuAggClient *client)
{
	return &client->info;
}

/* ------------------------------------------------------------- messages --- */

static GpuAggStatus
failed_status(GpuAggClient *client, const GpuAggMsg *msg, GpuAggError *error)
{
	const GpuAggFailedMsg *failed = (const GpuAggFailedMsg *) msg;

	client->failure.rows = failed->rows_passed;
	client->failure.groups = failed->groups;
	client->failure.shared = failed->shared != 0;
	memcpy(error, &failed->error, sizeof(*error));
	error->message[sizeof(error->message) - 1] = '\0';
	if (error->status == GPUAGG_REFUSED && !client->rogue)
		gpuagg_error_refused(error);
	return error->status;
}

/*
 * The worker has let go of our queues.  If it left a FAILED message, that is
 * why; else it is gone.
 */
static GpuAggStatus
detached_status(GpuAggClient *client, GpuAggError *error)
{
	Size		bytes;
	void	   *data;

	while (shm_mq_receive(client->out, &bytes, &data, true) == SHM_MQ_SUCCESS)
	{
		const GpuAggMsg *msg = data;

		if (msg->type == GPUAGG_MSG_FAILED)
			return failed_status(client, msg, error);
	}
	return gpuagg_client_error_lost(client, error);
}

GpuAggStatus
gpuagg_client_send(GpuAggClient *client, const void *msg, Size bytes,
				   GpuAggError *error)
{
	for (;;)
	{
		switch (shm_mq_send(client->in, bytes, msg, true, true))
		{
			case SHM_MQ_SUCCESS:
				return GPUAGG_OK;
			case SHM_MQ_DETACHED:
				return detached_status(client, error);
			case SHM_MQ_WOULD_BLOCK:
				if (!client_wait(client, error))
					return error->status;
				break;
		}
	}
}

GpuAggStatus
gpuagg_client_receive(GpuAggClient *client, bool wait, const GpuAggMsg **msg,
					  Size *bytes, GpuAggError *error)
{
	void	   *data;

	*msg = NULL;
	*bytes = 0;
	for (;;)
	{
		switch (shm_mq_receive(client->out, bytes, &data, true))
		{
			case SHM_MQ_SUCCESS:
				*msg = data;
				if ((*msg)->type == GPUAGG_MSG_FAILED)
					return failed_status(client, *msg, error);
				return GPUAGG_OK;
			case SHM_MQ_DETACHED:
				return gpuagg_client_error_lost(client, error);
			case SHM_MQ_WOULD_BLOCK:
				if (!wait)
					return GPUAGG_OK;
				if (!client_wait(client, error))
					return error->status;
				break;
		}
	}
}

GpuAggStatus
gpuagg_client_sleep(GpuAggClient *client, GpuAggError *error)
{
	return client_wait(client, error) ? GPUAGG_OK : error->status;
}

GpuAggTicket
gpuagg_client_ticket(const GpuAggClient *client)
{
	GpuAggTicket ticket = {
		.slot = (int) ((GpuAggSlotPadded *) client->slot - gpuagg_shared->slots),
		.task = client->slot->task
	};

	return ticket;
}

/* The slot may be a later task's by now, and that one's number is higher. */
void
gpuagg_client_spoil(GpuAggTicket ticket)
{
	GpuAggSlot *slot = gpuagg_shmem_slot(ticket.slot);
	uint64		before = pg_atomic_read_u64(&slot->spoiled);

	while (before < ticket.task &&
		   !pg_atomic_compare_exchange_u64(&slot->spoiled, &before, ticket.task))
		 /* somebody else was faster */ ;
	(void) gpuagg_shmem_wake_worker(slot->device);
}

GpuAggClientFailure
gpuagg_client_failed(const GpuAggClient *client)
{
	return client->failure;
}

void
gpuagg_client_progress(GpuAggClient *client, uint64 pages_done)
{
	pg_atomic_write_u64(&client->slot->pages_done, pages_done);
}

/* ------------------------------------------------------------------ end --- */

/*
 * Frees the local side of the queues.  Nobody needs to be told of it: the
 * slot's holders say when the queues are no longer in use.
 */
static void
queues_forget(GpuAggClient *client)
{
	if (client->context != NULL)
		MemoryContextDelete(client->context);
	client->context = NULL;
	client->in = client->out = NULL;
}

/*
 * After DONE the worker may still be tidying; the slot then becomes free when
 * it is through, not now.
 */
void
gpuagg_client_end(GpuAggClient *client)
{
	queues_forget(client);
	gpuagg_filling_end(gpuagg_client_ticket(client).slot);
	gpuagg_shmem_release(client->slot, GPUAGG_HOLD_CLIENT);
	client->slot = NULL;
}

/*
 * The worker may still be reading our pages when the time is over; see "Leaving
 * early" in README.md.
 */
static void
abort_wait(GpuAggSlot *slot)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													GPUAGG_LEAVE_MS);
	long		ms;

	while ((pg_atomic_read_u32(&slot->holders) & GPUAGG_HOLD_WORKER) &&
		   (ms = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until)) > 0)
	{
		WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms,
				  gpuagg_wait_event(&wait_event_leave, "GpuAggLeave"));
		ResetLatch(MyLatch);
	}
}

/*
 * Withdraws the announcement if the worker has not taken the slot yet;
 * otherwise tells the worker to stop and waits for a while that it gives the slot
 * up.  It then, or at its exit, sets our latch.
 */
void
gpuagg_client_abort(GpuAggClient *client)
{
	GpuAggSlot *slot = client->slot;

	if (client->waiting)
		gpuagg_client_wait_over(client, false);
	if (slot == NULL)
		return;

	HOLD_INTERRUPTS();
	pg_atomic_write_u32(&slot->cancel, 1);
	gpuagg_filling_end(gpuagg_client_ticket(client).slot);
	queues_forget(client);
	pg_atomic_fetch_and_u32(&slot->holders, ~(uint32) GPUAGG_HOLD_OPEN);
	if (pg_atomic_read_u32(&slot->holders) & GPUAGG_HOLD_WORKER)
		(void) gpuagg_shmem_wake_worker(client->device);
	abort_wait(slot);
	client->slot = NULL;
	gpuagg_shmem_release(slot, GPUAGG_HOLD_CLIENT);
	RESUME_INTERRUPTS();
}
