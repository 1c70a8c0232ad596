/*
 * job_step.c
 *		One task in the device worker: a state machine that never waits.
 *
 * A job is stepped whenever anything happened.  A step takes messages from
 * the client (job_input.c), polls the device, and sends (what it has finished:
 * job_results.c).  The two directions do not wait for each other: while the
 * outgoing queue is full, messages are still taken, because a client that is
 * busy sending does not receive.  For the same reason a failed job goes on to
 * read (and drop) messages until its FAILED message is out.
 *
 *		BEGIN -> QUEUED -> RUNNING -> FINISHING -> RESULTS -> CLOSING
 *									-> DRAINING -> released
 * A failure leads from any state to CLOSING, the client's cancel flag or its
 * leaving to DRAINING.  Only an idle device task is ended, so that the slot
 * is given up after the last read of the client's pages.
 *
 * An ERROR (out of memory, a message too long) fails the job, not the worker.
 *
 * Which queued job begins next, queue.c says.  A job reserves its estimate; growth beyond
 * that is bounded by the device's own account.
 */
#include "postgres.h"

#include "cache/cache.h"
#include "ipc/stat.h"
#include "settings.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/job_input.h"
#include "worker/job_made.h"
#include "worker/job_results.h"
#include "worker/job_share.h"
#include "worker/job_step.h"
#include "worker/job_tables.h"

/* A task that takes so many times as long as predicted has hung up. */
#define GPUAGG_LATE 100

/* -------------------------------------------------------------- sending --- */

/*
 * Tries to send what the queue had no room for.  True if nothing is left.
 * A client that has left is noticed by its cancel flag.
 */
static bool
job_flush(GpuAggWorkerJob *job)
{
	shm_mq_result res;

	if (job->unsent == NULL)
		return true;
	res = shm_mq_send(job->out, job->unsent_bytes, job->unsent, true, true);
	if (res == SHM_MQ_WOULD_BLOCK)
		return false;
	pfree(job->unsent);
	job->unsent = NULL;
	return true;
}

/*
 * Is there something that the client can do?  Of batches nobody waits to hear who has said that
 * this is all (post_batch_done), nor that nothing need be said, if groups come soon.
 */
static bool
reply_wakes(const GpuAggWorkerJob *job, const GpuAggMsg *msg)
{
	if (msg->type == GPUAGG_MSG_SETTLED)
		return job->tables[0]->cache.ahead.early || !gpuagg_job_is_short(job);
	return job->state == GPUAGG_JOB_RUNNING || msg->type != GPUAGG_MSG_BATCH_DONE;
}

/* False: there is none. */
static bool
post_reply(GpuAggWorkerJob *job)
{
	GpuAggReply *reply;

	if (dlist_is_empty(&job->replies))
		return false;
	reply = dlist_container(GpuAggReply, node,
							dlist_pop_head_node(&job->replies));
	gpuagg_job_post(job, reply + 1, reply->bytes,
					reply_wakes(job, (const GpuAggMsg *) (reply + 1)));
	pfree(reply);
	return true;
}

static void
post_batch_done(GpuAggWorkerJob *job, const GpuAggCompletion *completion)
{
	GpuAggMsg	head = {
		.type = GPUAGG_MSG_BATCH_DONE,
		.count = completion->nlisted,
		.batch_id = completion->batch_id
	};
	Size		refs = completion->nlisted * sizeof(GpuAggRowRef);
	char	   *msg;

	if (refs == 0)
	{
		/* once it has said that this is all, the client waits for groups */
		gpuagg_job_post(job, &head, sizeof(head), job->state == GPUAGG_JOB_RUNNING);
		return;
	}
	msg = MemoryContextAlloc(job->context, sizeof(head) + refs);
	memcpy(msg, &head, sizeof(head));
	memcpy(msg + sizeof(head), completion->listed, refs);
	gpuagg_job_post(job, msg, sizeof(head) + refs, true);
	pfree(msg);
}

static void
post_failed(GpuAggWorkerJob *job)
{
	GpuAggFailedMsg failed = {
		.msg.type = GPUAGG_MSG_FAILED,
		.error = job->failure,
		.rows_passed = job->rows_passed,
		.groups = job->failed_groups,
		.shared = job->shared
	};

	job->failure.status = GPUAGG_OK;
	gpuagg_job_post(job, &failed, sizeof(failed), true);
}

/* -------------------------------------------------------------- endings --- */

/*
 * A client that has not got DONE finds its queues detached, and is woken for
 * that.  One that aborts sets the cancel flag before it looks whether we
 * hold the slot; we give the slot up before we look at the flag.
 */
void
gpuagg_job_release(GpuAggWorkerJob *job)
{
	GpuAggSlot *slot = job->slot;
	Latch	   *client = &GetPGProcByNumber(slot->procno)->procLatch;

	gpuagg_job_tables_leave(job);
	gpuagg_share_leave(job);
	if (job->task != NULL)
		job->on->ops->task_end(job->task);
	if (job->admitted)
	{
		job->on->nrunning--;
		job->on->nshort -= gpuagg_job_is_short(job);
		job->on->reserved -= job->estimate;
	}
	gpuagg_made_leave(job);
	if (!job->done && job->in != NULL)
		shm_mq_detach(job->in);
	if (!job->done && job->out != NULL)
		shm_mq_detach(job->out);
	dlist_delete(&job->node);
	MemoryContextDelete(job->context);

	if (!gpuagg_shmem_release(slot, GPUAGG_HOLD_WORKER) &&
		pg_atomic_read_u32(&slot->cancel))
		SetLatch(client);
}

/* ----------------------------------------------------------- the device --- */

/* Has a process that feeds it dropped pins, and said so before? */
static bool
job_fail_if_spoiled(GpuAggWorkerJob *job)
{
	if (pg_atomic_read_u64(&job->slot->spoiled) != job->slot->task)
		return false;
	if (job->state < GPUAGG_JOB_CLOSING)
		gpuagg_job_fail_with(job, GPUAGG_DEVICE_FAULT,
							 "a process that handed over pages has left");
	return true;
}

/*
 * Has the client left since the job's step began?  Then it may have dropped its pins,
 * and what the device has read is not to be kept.  The flag is set before the pins
 * are dropped; we look at it after the batch is complete.
 */
static bool
job_left(GpuAggWorkerJob *job)
{
	pg_read_barrier();
	if (!pg_atomic_read_u32(&job->slot->cancel))
		return job_fail_if_spoiled(job);
	gpuagg_stat_add(GPUAGG_STAT_cancelled, 1);
	gpuagg_job_drain(job);
	return true;
}

/* One completed batch; false if there is none. */
static bool
poll_batch(GpuAggWorkerJob *job)
{
	GpuAggCompletion completion;
	GpuAggJobTable *table;

	memset(&completion, 0, sizeof(completion));
	if (job->inflight == 0 ||
		!job->on->ops->task_poll(job->task, &completion))
		return false;
	job->inflight--;
	if (job_left(job))
		return true;
	table = gpuagg_job_table_find(job, completion.batch_id);
	table->rows_scanned += completion.rows_scanned;
	job->rows_scanned += completion.rows_scanned;
	job->rows_passed += completion.rows_passed;
	for (int i = 0; i < GPUAGG_STAGES - 1; i++)
		job->left[i] += completion.left[i];
	pg_atomic_write_u64(&job->slot->rows, job->rows_scanned);
	if (completion.error.status != GPUAGG_OK)
	{
		gpuagg_cache_completed(&table->cache, &completion);
		gpuagg_job_fail(job, &completion.error);
	}
	else if (!gpuagg_cache_is_part(&table->cache, completion.batch_id))
	{
		/* the client, which waits for these pages, first */
		if (!gpuagg_share_was_held(completion.batch_id))
			post_batch_done(job, &completion);
		gpuagg_cache_completed(&table->cache, &completion);
	}
	return true;
}

static bool
poll_finish(GpuAggWorkerJob *job)
{
	GpuAggError error = {0};

	if (job->inflight > 0)
		return false;
	if (!gpuagg_job_begin_task(job))
		return true;
	if (!job->on->ops->task_finish(job->task, &error))
		return false;
	if (error.status != GPUAGG_OK)
		gpuagg_job_fail(job, &error);
	else
	{
		GpuAggTaskStats stats = {0};

		job->on->ops->task_stats(job->task, &stats);
		job->regrouped = stats.regrouped != 0;
		job->state = GPUAGG_JOB_RESULTS;
	}
	return true;
}

/*
 * The next thing to send, if the device has it.  False if there is none for
 * now.
 */
static bool
job_output(GpuAggWorkerJob *job)
{
	switch (job->state)
	{
		case GPUAGG_JOB_RUNNING:
			return gpuagg_job_tables_begin(job) || post_reply(job) || poll_batch(job);
		case GPUAGG_JOB_FINISHING:
			if (job->follower != NULL)
				return post_reply(job) || gpuagg_job_send_shared(job);
			return post_reply(job) || poll_batch(job) || poll_finish(job);
		case GPUAGG_JOB_RESULTS:
			return gpuagg_job_send_results(job);
		case GPUAGG_JOB_CLOSING:
			if (job->failure.status != GPUAGG_OK)
				post_failed(job);
			else
				gpuagg_job_drain(job);
			return true;
		default:
			return false;
	}
}

/* ----------------------------------------------------------------- step --- */

/*
 * Has the client nothing to say before it hears of the cache?  To look for a message that is not
 * there tells shm_mq that those before it are read, and that wakes who has sent them.
 */
static bool
job_is_silent(const GpuAggWorkerJob *job)
{
	return job->state == GPUAGG_JOB_RUNNING && job->begun_tables == 0 && !job->several &&
		job->tables[0]->cache.request.relnumber != 0;
}

/* One message from the client; false if there is none. */
static bool
job_receive(GpuAggWorkerJob *job)
{
	Size		bytes;
	void	   *data;

	if (job_is_silent(job))
		return false;
	if (job->state != GPUAGG_JOB_BEGIN && job->state != GPUAGG_JOB_RUNNING &&
		job->state != GPUAGG_JOB_CLOSING)
		return false;
	switch (shm_mq_receive(job->in, &bytes, &data, true))
	{
		case SHM_MQ_SUCCESS:
			if (job->state != GPUAGG_JOB_CLOSING)
				gpuagg_job_input(job, data, bytes);
			return true;
		case SHM_MQ_DETACHED:	/* clients set the cancel flag instead */
		case SHM_MQ_WOULD_BLOCK:
			break;
	}
	return false;
}

static bool
job_advance(GpuAggWorkerJob *job)
{
	int			received = 0;
	int			sent = 0;

	if (job->state != GPUAGG_JOB_DRAINING &&
		pg_atomic_read_u32(&job->slot->cancel))
	{
		if (job->state != GPUAGG_JOB_CLOSING)
			gpuagg_stat_add(GPUAGG_STAT_cancelled, 1);
		gpuagg_job_drain(job);
	}
	(void) job_fail_if_spoiled(job);
	while (received < GPUAGG_JOB_BUDGET && job_receive(job))
		received++;
	while (sent < GPUAGG_JOB_BUDGET && job_flush(job) && job_output(job))
		sent++;
	if (job->state == GPUAGG_JOB_DRAINING &&
		(job->task == NULL || job->on->ops->task_idle(job->task)))
	{
		gpuagg_job_release(job);
		return false;
	}
	job->alive |= received > 0 || sent > 0;
	return received == GPUAGG_JOB_BUDGET || sent == GPUAGG_JOB_BUDGET;
}

bool
gpuagg_job_step(GpuAggWorkerJob *job)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool more = true;

	PG_TRY();
	{
		more = job_advance(job);
	}
	PG_CATCH();
	{
		ErrorData  *edata;
		bool		memory;

		MemoryContextSwitchTo(context);
		EmitErrorReport();
		edata = CopyErrorData();
		FlushErrorState();
		memory = ERRCODE_TO_CATEGORY(edata->sqlerrcode) ==
			ERRCODE_INSUFFICIENT_RESOURCES;
		if (job->state >= GPUAGG_JOB_CLOSING)
			gpuagg_job_drain(job);
		else
			gpuagg_job_fail_with(job, memory ? GPUAGG_OUT_OF_MEMORY :
								 GPUAGG_DEVICE_FAULT, edata->message);
		FreeErrorData(edata);
	}
	PG_END_TRY();
	return more;
}

/* ----------------------------------------------------------------- take --- */

/*
 * A slot meant for the worker before us is given back at once, as that one
 * would have done at its exit.
 */
void
gpuagg_job_take(GpuAggSlot *slot)
{
	uint32		announced = GPUAGG_HOLD_CLIENT | GPUAGG_HOLD_OPEN;
	shm_mq	   *in = (shm_mq *) gpuagg_shmem_queue_in(slot);
	shm_mq	   *out = (shm_mq *) gpuagg_shmem_queue_out(slot);
	MemoryContext context;
	MemoryContext old;
	GpuAggWorkerJob *job;

	if (pg_atomic_read_u32(&slot->holders) != announced || slot->device != gpuagg_worker.at)
		return;
	context = AllocSetContextCreate(TopMemoryContext, "gpuagg job",
									ALLOCSET_SMALL_SIZES);
	job = MemoryContextAllocZero(context, sizeof(GpuAggWorkerJob));
	job->context = context;
	job->slot = slot;
	dlist_init(&job->replies);
	if (!pg_atomic_compare_exchange_u32(&slot->holders, &announced,
										GPUAGG_HOLD_CLIENT | GPUAGG_HOLD_WORKER))
	{
		MemoryContextDelete(context);
		return;
	}
	dlist_push_tail(&gpuagg_worker.jobs, &job->node);
	if (shm_mq_get_receiver(in) != MyProc)
	{
		pg_atomic_write_u32(&slot->cancel, 1);
		gpuagg_job_release(job);
		return;
	}
	old = MemoryContextSwitchTo(context);
	job->in = shm_mq_attach(in, NULL, NULL);
	job->out = shm_mq_attach(out, NULL, NULL);
	MemoryContextSwitchTo(old);
}

void
gpuagg_job_publish(GpuAggWorkerJob *job)
{
	GpuAggTaskStats stats = {0};

	if (job->task == NULL)
		return;
	job->on->ops->task_stats(job->task, &stats);
	pg_atomic_write_u64(&job->slot->memory, stats.memory_bytes);
	if (job->on->measures != NULL)
		pg_atomic_write_u64(&job->slot->pages_done, stats.permille);
}

/* Is it the device's turn, and not the client's or the queue's? */
static bool
job_waits_for_device(const GpuAggWorkerJob *job)
{
	if (job->task == NULL || job->on->measures != NULL || job->follower != NULL)
		return false;
	switch (job->state)
	{
		case GPUAGG_JOB_RUNNING:
			return job->unsent == NULL && job->inflight > 0;
		case GPUAGG_JOB_FINISHING:
		case GPUAGG_JOB_RESULTS:
			return job->unsent == NULL;
		case GPUAGG_JOB_DRAINING:
			return true;
		default:
			return false;
	}
}

/*
 * Tasks share a device, so that each may take as many times as long as there are of
 * them.
 */
void
gpuagg_job_watch(GpuAggWorkerJob *job, TimestampTz now)
{
	double		limit_ms;

	if (job->alive || job->alive_at == 0 || !job_waits_for_device(job))
	{
		job->alive = false;
		job->alive_at = now;
		return;
	}
	limit_ms = Max(gpuagg_watchdog * 1000.0, job->predicted_ms * GPUAGG_LATE) *
		job->on->nrunning;
	if (gpuagg_watchdog > 0 &&
		TimestampDifferenceMilliseconds(job->alive_at, now) > limit_ms)
		gpuagg_worker_hangs(job->on, psprintf("no sign of life of a task for %.0f s",
											  limit_ms / 1000));
}
