/*
 * job_tables.c
 *		The tables that a job reads, and what each has to do with the column cache.
 *
 * Most jobs read one.  Several have one program and one task of the device, which
 * never learns where one table ends and the next begins; only the cache does, by the
 * numbers of batches.  What a table uses of the cache it leaves with the job: until the
 * device's task has finished it may read stripes again.
 */
#include "postgres.h"

#include "cache/cache.h"
#include "cache/cache_publish.h"
#include "device/ops/zone_answer.h"
#include "utils/memutils.h"
#include "worker/encoding.h"
#include "worker/job_called.h"
#include "worker/job_made.h"
#include "worker/job_share.h"
#include "worker/job_tables.h"

static GpuAggWorkerJob *
cache_job(GpuAggCacheClient *client)
{
	return ((GpuAggJobTable *) client)->job;
}

static void
cache_reply(GpuAggCacheClient *client, const void *msg, Size bytes)
{
	gpuagg_job_reply(cache_job(client), msg, bytes);
}

static void
cache_fail(GpuAggCacheClient *client, const char *message)
{
	gpuagg_job_fail_with(cache_job(client), GPUAGG_REFUSED, message);
}

/* READY, which has not gone out yet, goes with what follows; so progress is for us to tell. */
static void
cache_settled(GpuAggCacheClient *client)
{
	GpuAggWorkerJob *job = cache_job(client);

	job->state = GPUAGG_JOB_FINISHING;
	pg_atomic_write_u64(&job->slot->pages_done, job->slot->pages_total);
}

/* Codes differ from table to table, and with them what groups would be. */
static bool
cache_encode(GpuAggCacheClient *client, GpuAggDictionary *const *dictionaries)
{
	GpuAggWorkerJob *job = cache_job(client);
	GpuAggError error = {0};
	bool		encoded;

	if (job->called_wish)
	{
		gpuagg_job_called_begin(job, dictionaries);
		return true;
	}
	gpuagg_made_dictionaries(job, dictionaries);
	encoded = job->several || gpuagg_encoding_make(job, client, dictionaries, &error);
	client->program = job->program;
	if (error.status != GPUAGG_OK)
		gpuagg_job_fail(job, &error);
	return encoded;
}

static void
cache_answer(GpuAggCacheClient *client, const GpuAggZone *rows, const GpuAggZone *const *columns)
{
	GpuAggWorkerJob *job = cache_job(client);
	GpuAggLayout layout;

	if (job->zone_answer == NULL)
	{
		gpuagg_layout_compute(job->program, &layout);
		job->zone_answer = MemoryContextAlloc(job->context, layout.row_bytes);
		gpuagg_zone_answer_init(job->program, job->zone_answer);
	}
	gpuagg_zone_answer_add(job->program, job->zone_answer, rows, columns);
	((GpuAggJobTable *) client)->rows_scanned += rows->count;
	job->rows_scanned += rows->count;
	job->rows_passed += rows->count;
}

static bool
cache_resident(GpuAggCacheClient *client, uint64 batch_id, GpuAggStripe *stripe,
			   const GpuAggPositions *without, uint32 nwithout)
{
	GpuAggWorkerJob *job = cache_job(client);
	GpuAggError error = {0};
	GpuAggStatus status;

	if (!gpuagg_job_begin_task(job))
		return false;
	status = job->on->ops->task_resident(job->task, batch_id, stripe, without, nwithout, &error);
	gpuagg_job_batch_added(job, status, &error);
	return status == GPUAGG_OK;
}

static bool
cache_draws(GpuAggCacheClient *client, uint64 batch_id,
			const GpuAggStripeRange *ranges, uint32 nranges)
{
	GpuAggWorkerJob *job = cache_job(client);
	GpuAggError error = {0};
	GpuAggStatus status = job->on->ops->task_draws(job->task, batch_id, ranges,
												   nranges, &error);

	gpuagg_job_batch_added(job, status, &error);
	return status == GPUAGG_OK;
}

static bool
cache_hold(GpuAggCacheClient *client, uint32 extent, uint64 forgotten, const uint64 *used,
		   uint32 nblocks)
{
	return gpuagg_share_hold(cache_job(client), extent, forgotten, used, nblocks);
}

static const GpuAggCacheCalls cache_calls = {cache_reply,  cache_fail, cache_settled,  cache_encode,
											 cache_answer, cache_hold, cache_resident, cache_draws};

/* -------------------------------------------------------------- tables --- */

void
gpuagg_job_table_add(GpuAggWorkerJob *job, const GpuAggCacheRequest *request)
{
	GpuAggJobTable *table = MemoryContextAllocZero(job->context, sizeof(GpuAggJobTable));

	if (job->ntables == job->room_tables)
	{
		job->room_tables = Max(1, 2 * job->room_tables);
		job->tables = job->tables == NULL ?
			MemoryContextAlloc(job->context, sizeof(GpuAggJobTable *)) :
			repalloc_huge(job->tables, job->room_tables * sizeof(GpuAggJobTable *));
	}
	table->job = job;
	table->next_batch = GPUAGG_TABLE_BATCH(job->ntables);
	table->cache = (GpuAggCacheClient) {
		.calls = &cache_calls,
		.context = job->context,
		.program = job->program,
		.config = &job->config,
		.request = *request,
		.first_batch = table->next_batch,
		.shares_device = job->on == &gpuagg_worker.primary,
		.can_draw = job->on->ops->task_draws != NULL,
	};
	job->tables[job->ntables++] = table;
	if (request->relnumber != 0)
		gpuagg_cache_attach(&table->cache);
}

bool
gpuagg_job_tables_begin(GpuAggWorkerJob *job)
{
	while (job->begun_tables < job->ntables)
		if (gpuagg_cache_begin(&job->tables[job->begun_tables++]->cache))
			return true;
	return false;
}

GpuAggJobTable *
gpuagg_job_table_find(const GpuAggWorkerJob *job, uint64 batch_id)
{
	uint32		table = GPUAGG_BATCH_TABLE(batch_id);

	return table < job->ntables ? job->tables[table] : NULL;
}

void
gpuagg_job_tables_leave(GpuAggWorkerJob *job)
{
	bool		left = false;

	gpuagg_encoding_leave(job);
	gpuagg_job_called_leave(job);
	for (uint32 i = 0; i < job->ntables; i++)
		left |= gpuagg_cache_leave(&job->tables[i]->cache);
	if (left)
		gpuagg_cache_publish();
}

GpuAggDoneMsg *
gpuagg_job_tables_done(GpuAggWorkerJob *job, Size *bytes)
{
	GpuAggDoneMsg *done;
	uint64	   *rows;

	*bytes = sizeof(GpuAggDoneMsg) + job->ntables * sizeof(uint64);
	done = MemoryContextAllocZero(job->context, *bytes);
	rows = (uint64 *) (done + 1);
	done->msg.type = GPUAGG_MSG_DONE;
	done->ntables = job->ntables;
	for (uint32 i = 0; i < job->ntables; i++)
	{
		const GpuAggJobTable *table = job->tables[i];

		rows[i] = table->rows_scanned;
		done->pages_kept += gpuagg_cache_kept(&table->cache);
		gpuagg_cache_zones_count(&table->cache, &done->zones);
	}
	return done;
}
