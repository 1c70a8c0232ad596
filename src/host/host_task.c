/*
 * host_task.c
 *		Tasks of the host device: morsels of batches to the pool, completions out.
 *		host_input.c: batches in.
 *
 * A batch belongs to the task from task_pages (task_rows) on.  It waits in
 * `queued` as long as it has morsels that no thread has taken, and goes to
 * `completed` when the last morsel is done; task_poll takes it from there and
 * frees it at its next call.
 *
 * The first failure, or task_cancel, stops the task: nobody takes morsels any
 * more, threads return at the next block of rows, and every batch completes
 * with that error.
 *
 * Locks: the pool's lock guards queues and counters.  It is never held
 * while pages are read or groups are touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/ops/group.h"
#include "host/host_fault.h"
#include "host/host_ordered.h"
#include "host/host_task.h"

/* A batch completed, or a finish is ready. */
static void
signal_event(GpuAggDevice *device)
{
	const uint64_t one = 1;
	ssize_t		rc;

	/* can fail only where the counter is full, that is, readable */
	rc = write(device->event_fd, &one, sizeof(one));
	(void) rc;
}

/* ---------- queues ---------- */

static void
queue_push(GpuAggBatchQueue *queue, GpuAggBatch *batch)
{
	batch->next = NULL;
	if (queue->first == NULL)
		queue->first = batch;
	else
		queue->last->next = batch;
	queue->last = batch;
}

static GpuAggBatch *
queue_pop(GpuAggBatchQueue *queue)
{
	GpuAggBatch *batch = queue->first;

	if (batch != NULL)
		queue->first = batch->next;
	return batch;
}

static void
free_batch(GpuAggTask *task, GpuAggBatch *batch)
{
	if (batch == NULL)
		return;
	gpuagg_memory_free(&task->memory, (void *) batch->completion.listed,
					   batch->listed_bytes);
	if (batch->kind == GPUAGG_BATCH_RESIDENT)
		gpuagg_stripe_pages_release(batch->u.resident.pages);
	gpuagg_memory_free(&task->memory, batch, batch->bytes);
}

/* Was it handed in, not made by the task itself? */
static bool
is_input(const GpuAggBatch *batch)
{
	return batch->kind == GPUAGG_BATCH_PAGES || batch->kind == GPUAGG_BATCH_ROWS ||
		batch->kind == GPUAGG_BATCH_RESIDENT || batch->kind == GPUAGG_BATCH_DRAWS;
}

static bool
is_done(const GpuAggBatch *batch)
{
	return batch->taken == batch->count && batch->morsels == 0;
}

/* Locked.  A batch whose last morsel is done. */
static void
complete(GpuAggTask *task, GpuAggBatch *batch)
{
	batch->completion.error = task->error;
	if (is_input(batch))
	{
		queue_push(&task->completed, batch);
		task->unfinished--;
	}
	signal_event(task->device);
}

/* Locked.  Nobody is to take what is queued. */
static void
drop_queued(GpuAggTask *task)
{
	GpuAggBatch *batch;

	atomic_store(&task->stop, true);
	gpuagg_pool_withdraw(task->device->pool, &task->source);
	while ((batch = queue_pop(&task->queued)) != NULL)
	{
		batch->taken = batch->count;
		if (is_done(batch))
			complete(task, batch);
	}
}

/* Pages, rows, positions or others of a batch that make a morsel */
static uint32_t
morsel_size(const GpuAggTask *task, GpuAggBatchKind kind)
{
	switch (kind)
	{
		case GPUAGG_BATCH_PAGES:
			return gpuagg_host_morsel_pages(gpuagg_sample_of_lines(&task->sample));
		case GPUAGG_BATCH_ROWS:
			return GPUAGG_HOST_MORSEL_ROWS;
		case GPUAGG_BATCH_RESIDENT:
			return GPUAGG_HOST_MORSEL_POSITIONS;
		default:
			return 1;
	}
}

/* A batch of a kind with `extra` bytes behind it */
GpuAggBatch *
gpuagg_host_batch_new(GpuAggTask *task, GpuAggBatchKind kind, uint64_t id, uint32_t count,
					  size_t extra, GpuAggError *error)
{
	size_t		bytes = sizeof(GpuAggBatch) + extra;
	GpuAggBatch *batch = gpuagg_memory_alloc(&task->memory, bytes);

	if (batch == NULL)
	{
		gpuagg_memory_error(&task->memory, error);
		return NULL;
	}
	memset(batch, 0, sizeof(*batch));
	batch->kind = kind;
	batch->bytes = bytes;
	batch->count = count;
	batch->completion.batch_id = id;
	return batch;
}

/* Hands a batch to the pool. */
void
gpuagg_host_batch_enqueue(GpuAggTask *task, GpuAggBatch *batch)
{
	GpuAggPool *pool = task->device->pool;
	const uint32_t morsel = morsel_size(task, batch->kind);

	gpuagg_pool_lock(pool);
	if (is_input(batch))
		task->unfinished++;
	if (task->error.status != GPUAGG_OK)
		batch->taken = batch->count;
	if (is_done(batch))
		complete(task, batch);
	else
	{
		queue_push(&task->queued, batch);
		gpuagg_pool_ready(pool, &task->source, (batch->count + morsel - 1) / morsel);
	}
	gpuagg_pool_unlock(pool);
}

/* ---------- the pool's side ---------- */

static bool
task_take(GpuAggSource *source, GpuAggJob *job)
{
	GpuAggTask *task = (GpuAggTask *) source;
	GpuAggBatch *batch = task->queued.first;
	uint32_t	morsel = morsel_size(task, batch->kind);

	if (morsel > batch->count - batch->taken)
		morsel = batch->count - batch->taken;
	job->work = batch;
	job->first = batch->taken;
	job->count = morsel;
	batch->taken += morsel;
	batch->morsels++;
	if (batch->taken == batch->count)
		queue_pop(&task->queued);
	return task->queued.first != NULL;
}

/* The thread's scanner; made at its first morsel of this task. */
static GpuAggScanner *
scanner_of(GpuAggTask *task, uint32_t thread, GpuAggError *error)
{
	if (task->scanners[thread] == NULL)
		task->scanners[thread] = gpuagg_scanner_create(&task->groups, task->prepared,
													   task->make.nkeys > 0 ? &task->make : NULL,
													   &task->memory, thread);
	if (task->scanners[thread] == NULL)
	{
		gpuagg_memory_error(&task->memory, error);
		return NULL;
	}
	task->scanners[thread]->codes = &task->codes;
	task->scanners[thread]->sample = gpuagg_sample_of_lines(&task->sample) ? &task->sample : NULL;
	return task->scanners[thread];
}

/*
 * The morsel are partitions: what all threads have kept of them.  Then nothing
 * is looked up any more, and the next one's directory takes the memory of this
 * one's, which is in the cache.
 */
static void
aggregate(GpuAggTask *task, GpuAggGrouper *grouper, const GpuAggJob *job,
		  GpuAggError *error)
{
	for (uint32_t p = job->first; p < job->first + job->count; p++)
	{
		for (int i = 0; i < task->device->threads && !atomic_load(&task->stop); i++)
			if (task->scanners[i] != NULL &&
				gpuagg_grouper_aggregate(grouper, p, task->scanners[i]->grouper,
										 error) != GPUAGG_OK)
				return;
		gpuagg_table_seal(&gpuagg_partitions(&task->groups.partitions)[p].table);
	}
}

/* The morsel are tables: which of their groups are wanted? */
static void
answer(GpuAggTask *task, const GpuAggJob *job, uint32_t thread, GpuAggError *error)
{
	const size_t bytes = task->regroup != NULL ? task->regroup->row_bytes : 0;
	char	   *made = bytes > 0 ? gpuagg_memory_alloc(&task->memory, bytes) : NULL;
	bool		good = bytes == 0 || made != NULL;

	if (!good)
		gpuagg_memory_error(&task->memory, error);
	for (uint32_t i = job->first;
		 good && i < job->first + job->count && !atomic_load(&task->stop); i++)
	{
		const GpuAggTable *t = gpuagg_host_result_table(task, i);

		good = t == NULL ||
			gpuagg_host_answer_table(&task->answer, thread, i, t, gpuagg_host_result_plan(task, i),
									 made, error);
	}
	gpuagg_memory_free(&task->memory, made, bytes);
}

/* Tables of which a set at work is made, by number */
static uint32_t
regroup_tables(GpuAggTask *task)
{
	const int32_t parent = task->regroup->wish.sets[task->set].parent;

	return parent == GPUAGG_REGROUPING_FINER ? gpuagg_host_group_tables(task) :
		gpuagg_host_regroup_tables(task->regroup, (uint32_t) parent);
}

static const GpuAggTable *
regroup_table(GpuAggTask *task, uint32_t i)
{
	const int32_t parent = task->regroup->wish.sets[task->set].parent;

	return parent == GPUAGG_REGROUPING_FINER ? gpuagg_host_group_table(task, i) :
		gpuagg_host_regroup_result(task->regroup, (uint32_t) parent, i);
}

/* The morsel are such tables; or threads whose groups of the set to flush. */
static void
regroup(GpuAggTask *task, GpuAggBatchKind kind, const GpuAggJob *job, uint32_t thread)
{
	for (uint32_t i = job->first; i < job->first + job->count; i++)
	{
		const GpuAggTable *from;

		if (kind == GPUAGG_BATCH_REGROUP_FLUSH)
			gpuagg_host_regroup_flush(task->regroup, task->set, i);
		else if ((from = regroup_table(task, i)) != NULL && from->nrows > 0)
			gpuagg_host_regroup_table(task->regroup, task->set, thread, from, &task->stop);
	}
}

/* The look-up table, of what all threads have kept */
static void
make(GpuAggTask *task, GpuAggError *error)
{
	const uint32_t n = (uint32_t) task->device->threads;
	GpuAggMadeRows **parts = gpuagg_memory_alloc(&task->memory, n * sizeof(*parts));

	if (parts == NULL)
	{
		gpuagg_memory_error(&task->memory, error);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		parts[i] = task->scanners[i] != NULL ? task->scanners[i]->kept : NULL;
	task->made = gpuagg_made_create(parts, n, &task->device->memory, error);
	gpuagg_memory_free(&task->memory, parts, n * sizeof(*parts));
}

static void
task_run(GpuAggSource *source, GpuAggJob *job, uint32_t thread)
{
	GpuAggTask *task = (GpuAggTask *) source;
	GpuAggBatch *batch = job->work;
	GpuAggScanResult *result = &task->results[thread];
	GpuAggScanner *scanner;

	memset(result, 0, sizeof(*result));
	job->result = result;
	if (batch->kind == GPUAGG_BATCH_FLUSH)
	{
		/* the morsel is the thread whose groups to flush */
		scanner = task->scanners[job->first];
		if (scanner != NULL && scanner->grouper->local.nrows > 0)
			gpuagg_grouper_flush(scanner->grouper, &result->error);
		return;
	}
	if (task->fault == GPUAGG_FAULT_PAGES && is_input(batch) &&
		batch->kind != GPUAGG_BATCH_ROWS)
	{
		gpuagg_host_injected("pages", &result->error);
		return;
	}
	if (batch->kind == GPUAGG_BATCH_ANSWER)
	{
		answer(task, job, thread, &result->error);
		return;
	}
	if (batch->kind == GPUAGG_BATCH_ORDER)
	{
		gpuagg_host_order(task);
		return;
	}
	if (batch->kind == GPUAGG_BATCH_REGROUP || batch->kind == GPUAGG_BATCH_REGROUP_FLUSH)
	{
		regroup(task, batch->kind, job, thread);
		return;
	}
	scanner = scanner_of(task, thread, &result->error);
	if (scanner == NULL)
		return;
	if (batch->kind == GPUAGG_BATCH_MAKE)
		make(task, &result->error);
	else if (batch->kind == GPUAGG_BATCH_AGGREGATE)
		aggregate(task, scanner->grouper, job, &result->error);
	else if (batch->kind == GPUAGG_BATCH_PAGES)
		gpuagg_scanner_pages(scanner, batch->u.pages + job->first, job->first,
							 job->count, &task->stop, result);
	else if (batch->kind == GPUAGG_BATCH_RESIDENT)
		gpuagg_scanner_resident(scanner, &batch->u.resident, job->first, job->count,
								&task->stop, result);
	else if (batch->kind == GPUAGG_BATCH_DRAWS)
		gpuagg_scanner_draws(scanner, &batch->u.draws, job->first, &task->stop, result);
	else
		gpuagg_scanner_rows(scanner, batch->u.columns, job->first, job->count,
							&task->stop, result);
}

/* Locked.  Add the rows that a morsel lists to its batch's. */
static GpuAggStatus
add_listed(GpuAggTask *task, GpuAggBatch *batch, GpuAggScanResult *result)
{
	GpuAggCompletion *c = &batch->completion;
	size_t		old = c->nlisted * sizeof(GpuAggRowRef);
	size_t		more = result->nlisted * sizeof(GpuAggRowRef);
	char	   *refs;

	if (more == 0)
		return GPUAGG_OK;
	refs = gpuagg_memory_grow(&task->memory, old + more);
	if (refs == NULL)
		return gpuagg_memory_error(&task->memory, &result->error);
	if (old > 0)
		memcpy(refs, c->listed, old);
	memcpy(refs + old, result->listed, more);
	gpuagg_memory_free(&task->memory, (void *) c->listed, batch->listed_bytes);
	c->listed = (const GpuAggRowRef *) refs;
	c->nlisted += result->nlisted;
	batch->listed_bytes = old + more;
	return GPUAGG_OK;
}

static void
task_done(GpuAggSource *source, GpuAggJob *job)
{
	GpuAggTask *task = (GpuAggTask *) source;
	GpuAggBatch *batch = job->work;
	GpuAggScanResult *result = job->result;

	if (result->error.status == GPUAGG_OK)
		add_listed(task, batch, result);
	gpuagg_memory_free(&task->memory, result->listed,
					   result->max_listed * sizeof(GpuAggRowRef));
	batch->completion.rows_scanned += result->rows_scanned;
	batch->completion.rows_passed += result->rows_passed;
	for (uint32_t s = 0; s < GPUAGG_STAGES - 1; s++)
		batch->completion.left[s] += result->left[s];
	if (result->error.status != GPUAGG_OK && task->error.status == GPUAGG_OK)
	{
		task->error = result->error;
		drop_queued(task);
	}
	batch->morsels--;
	if (atomic_load(&task->stop))
		batch->taken = batch->count;
	if (is_done(batch))
		complete(task, batch);
}

static const GpuAggSourceOps task_source_ops = {
	.take = task_take,
	.run = task_run,
	.done = task_done,
};

/* ---------- begin and end ---------- */

/* Of the task's groups, or of those that are made of them.  False: no memory */
static bool
answer_init(GpuAggTask *task, const GpuAggTaskConfig *config, const GpuAggProgram *program)
{
	const uint32_t threads = (uint32_t) task->device->threads;
	GpuAggProgram *made;
	bool		good;

	if (config->regrouping.nsets == 0)
		return gpuagg_host_answer_init(&task->answer, &config->answer, program, &task->memory,
									   threads);
	made = malloc(gpuagg_regrouping_program_bytes(&config->regrouping, false));
	if (made == NULL)
		return false;
	gpuagg_regrouping_program(&config->regrouping, program, false, made);
	good = gpuagg_host_answer_init(&task->answer, &config->answer, made, &task->memory, threads);
	free(made);
	return good;
}

GpuAggStatus
gpuagg_host_task_begin(GpuAggDevice *device, const GpuAggProgram *program,
					   const GpuAggTaskConfig *config, GpuAggTask **result,
					   GpuAggError *error)
{
	size_t		threads = (size_t) device->threads;
	GpuAggTask *task;

	*result = NULL;
	memset(error, 0, sizeof(*error));
	if (device->lost)
		return gpuagg_host_lost(error);
	if (config->fault == GPUAGG_FAULT_BEGIN)
		return gpuagg_host_injected("begin", error);
	task = calloc(1, sizeof(*task) + threads * (sizeof(GpuAggScanner *) +
												sizeof(GpuAggScanResult)));
	if (task == NULL)
		return gpuagg_memory_error(&device->memory, error);
	task->source.ops = &task_source_ops;
	task->device = device;
	task->results = (GpuAggScanResult *) (task + 1);
	task->scanners = (GpuAggScanner *_Atomic *) (task->results + threads);
	task->fault = config->fault;
	task->sample = config->sample;
	gpuagg_memory_init(&task->memory, &device->memory, config->memory_limit);
	task->prepared = gpuagg_prepared_create(program, config->codes.dictionaries, &task->memory,
											error);
	if (task->prepared == NULL)
	{
		free(task);
		return error->status;
	}
	if (!answer_init(task, config, program))
	{
		gpuagg_memory_error(&task->memory, error);
		gpuagg_prepared_free(task->prepared, &task->memory);
		free(task);
		return error->status;
	}
	gpuagg_made_attach(task->prepared->program, &config->made);
	gpuagg_host_codes_begin(&task->codes, &config->made);
	task->make = config->make;
	task->config = *config;
	if (task->make.nkeys > 0 && !gpuagg_host_made_fits(task->prepared->program, &task->make))
	{
		gpuagg_host_answer_free(&task->answer);
		gpuagg_prepared_free(task->prepared, &task->memory);
		free(task);
		error->status = GPUAGG_UNSUPPORTED;
		snprintf(error->message, sizeof(error->message),
				 "no look-up table can be made by this program");
		return error->status;
	}
	gpuagg_groups_init(&task->groups, task->prepared, &task->memory, device->threads, config);
	task->strategy = program->select ? "select" : task->make.nkeys > 0 ? "look-up table" :
		task->prepared->key_mode == GPUAGG_KEYS_NONE ? "plain" :
		gpuagg_strategy_name(task->groups.begun_with);
	atomic_store(&task->memory.fault, config->fault == GPUAGG_FAULT_MEMORY);
	*result = task;
	return GPUAGG_OK;
}

void
gpuagg_host_task_end(GpuAggTask *task)
{
	GpuAggBatch *batch;

	/* no thread works on it any more */
	while ((batch = queue_pop(&task->completed)) != NULL)
		free_batch(task, batch);
	free_batch(task, task->last);
	free_batch(task, task->polled);
	for (int i = 0; i < task->device->threads; i++)
		gpuagg_scanner_free(task->scanners[i]);
	gpuagg_host_made_ops.free(task->made);
	gpuagg_host_answer_free(&task->answer);
	gpuagg_host_regroup_free(task->regroup);
	gpuagg_host_ordered_free(task);
	gpuagg_groups_free(&task->groups);
	gpuagg_prepared_free(task->prepared, &task->memory);
	free(task);
}

void
gpuagg_host_task_cancel(GpuAggTask *task)
{
	GpuAggPool *pool = task->device->pool;

	gpuagg_pool_lock(pool);
	if (task->error.status == GPUAGG_OK)
	{
		task->error.status = GPUAGG_CANCELLED;
		snprintf(task->error.message, sizeof(task->error.message),
				 "the task was cancelled");
	}
	drop_queued(task);
	gpuagg_pool_unlock(pool);
}

bool
gpuagg_host_task_idle(GpuAggTask *task)
{
	GpuAggPool *pool = task->device->pool;
	bool		idle;

	gpuagg_pool_lock(pool);
	idle = task->source.running == 0 && task->queued.first == NULL;
	gpuagg_pool_unlock(pool);
	return idle;
}

bool
gpuagg_host_task_poll(GpuAggTask *task, GpuAggCompletion *completion)
{
	GpuAggPool *pool = task->device->pool;

	free_batch(task, task->polled);
	gpuagg_pool_lock(pool);
	task->polled = queue_pop(&task->completed);
	gpuagg_pool_unlock(pool);
	if (task->polled == NULL)
		return false;
	*completion = task->polled->completion;
	return true;
}

/* ---------- finish ---------- */

/* Without keys there is one group, whatever the input was. */
static void
finish_plain(GpuAggTask *task, GpuAggError *error)
{
	GpuAggGrouper *into = NULL;

	for (int i = 0; i < task->device->threads; i++)
	{
		GpuAggGrouper *from = task->scanners[i] != NULL ? task->scanners[i]->grouper : NULL;

		if (from == NULL)
			continue;
		if (into == NULL)
			into = from;
		else if (gpuagg_grouper_merge_only_row(into, from, error) != GPUAGG_OK)
			return;
	}
	if (into == NULL && scanner_of(task, 0, error) != NULL)
		into = task->scanners[0]->grouper;
	if (into != NULL && gpuagg_table_only_row(&into->local) == NULL)
		gpuagg_memory_error(&task->memory, error);
}

/* Do groups lie in more than one thread's table, or there and elsewhere? */
static bool
needs_flush(GpuAggTask *task)
{
	bool		partitioned = gpuagg_partitions(&task->groups.partitions) != NULL;
	uint32_t	locals = 0;

	for (int i = 0; i < task->device->threads; i++)
		if (task->scanners[i] != NULL && task->scanners[i]->grouper->local.nrows > 0)
			locals++;
	return locals > (partitioned ? 0 : 1);
}

static bool
needs_aggregating(GpuAggTask *task)
{
	for (int i = 0; i < task->device->threads; i++)
		if (task->scanners[i] != NULL && task->scanners[i]->grouper->spiller.records != NULL &&
			task->scanners[i]->grouper->spiller.records->kept > 0)
			return true;
	return false;
}

/* One more batch, of the task itself; false: no memory. */
static bool
enqueue_last(GpuAggTask *task, GpuAggTaskStage stage, GpuAggBatchKind kind,
			 uint32_t nmorsels, GpuAggError *error)
{
	task->last = gpuagg_host_batch_new(task, kind, 0, nmorsels, 0, error);
	if (task->last == NULL)
		return false;
	task->stage = stage;
	gpuagg_host_batch_enqueue(task, task->last);
	return true;
}

/* ---------- regrouping ---------- */

/* The finer groups are returned. */
static bool
regroup_give_up(GpuAggTask *task)
{
	gpuagg_host_regroup_free(task->regroup);
	task->regroup = NULL;
	return false;
}

/*
 * Enqueues the next of the first so many sets, of which all that it is made of is there.
 * False: there is none, or no memory.
 */
static bool
regroup_set(GpuAggTask *task, uint32_t sets)
{
	GpuAggError error;

	while (sets > 0 && task->regroup->sets[sets - 1].copied)
		sets--;
	if (sets == 0)
		return false;
	task->set = sets - 1;
	return (gpuagg_host_regroup_begin(task->regroup, task->set) &&
			enqueue_last(task, GPUAGG_TASK_REGROUPING, GPUAGG_BATCH_REGROUP, regroup_tables(task),
						 &error)) ||
		regroup_give_up(task);
}

static bool
regroup_begin(GpuAggTask *task)
{
	const GpuAggRegrouping *wish = &task->config.regrouping;

	if (wish->nsets == 0 || task->make.nkeys > 0)
		return false;
	task->regroup = gpuagg_host_regroup_create(wish, task->prepared, &task->config,
											   gpuagg_host_task_groups(task),
											   (uint32_t) task->device->threads, &task->memory);
	return task->regroup != NULL && regroup_set(task, wish->nsets);
}

/* The finer groups are complete, or a set's stage is.  True: work was handed to the pool. */
static bool
regroup_next(GpuAggTask *task)
{
	GpuAggHostRegroup *r = task->regroup;
	GpuAggError error;

	if (task->stage < GPUAGG_TASK_REGROUPING)
		return regroup_begin(task);
	if (r == NULL || task->stage > GPUAGG_TASK_REGROUP_FLUSHING)
		return false;
	if (!atomic_load(&r->failed) && task->stage == GPUAGG_TASK_REGROUPING &&
		gpuagg_host_regroup_needs_flush(r, task->set))
		return enqueue_last(task, GPUAGG_TASK_REGROUP_FLUSHING, GPUAGG_BATCH_REGROUP_FLUSH,
							r->threads, &error) || regroup_give_up(task);
	if (!atomic_load(&r->failed))
		gpuagg_host_regroup_end(r, task->set);
	if (atomic_load(&r->failed))
		return regroup_give_up(task);
	return regroup_set(task, task->set);
}

/*
 * Input is complete, or the last stage is: what is left to do?  True: work
 * was handed to the pool.
 */
static bool
next_stage(GpuAggTask *task, GpuAggError *error)
{
	if (task->stage == GPUAGG_TASK_INPUT && needs_flush(task))
		return enqueue_last(task, GPUAGG_TASK_FLUSHING, GPUAGG_BATCH_FLUSH,
							(uint32_t) task->device->threads, error);
	if (task->stage < GPUAGG_TASK_AGGREGATING && needs_aggregating(task))
		return enqueue_last(task, GPUAGG_TASK_AGGREGATING, GPUAGG_BATCH_AGGREGATE,
							1u << task->groups.partitions.bits, error);
	if (regroup_next(task))
		return true;
	if (task->stage < GPUAGG_TASK_ORDERING && gpuagg_ordered_asked(&task->config.ordered))
		return enqueue_last(task, GPUAGG_TASK_ORDERING, GPUAGG_BATCH_ORDER, 1, error);
	/* where none were made, all are returned that they would have been made of */
	if (task->config.regrouping.nsets > 0 && task->regroup == NULL)
		gpuagg_host_answer_all(&task->answer);
	if (task->stage >= GPUAGG_TASK_ANSWERING || !gpuagg_host_answer_looks(&task->answer))
		return false;
	gpuagg_host_answer_begin(&task->answer, task->prepared->dictionaries);
	return enqueue_last(task, GPUAGG_TASK_ANSWERING, GPUAGG_BATCH_ANSWER,
						gpuagg_host_result_tables(task), error);
}

static void
name_strategy(GpuAggTask *task)
{
	const GpuAggPartitions *ps = &task->groups.partitions;

	if (gpuagg_partitions(&task->groups.partitions) == NULL)
		return;
	task->strategy = gpuagg_strategy_name(gpuagg_partitions_keep(ps) ? GPUAGG_STRATEGY_PARTITIONED :
																	   GPUAGG_STRATEGY_SINGLE_PASS);
	task->switches = task->groups.begun_with == GPUAGG_STRATEGY_BLOCK_LOCAL;
	task->switches += ps->partitioned && !gpuagg_partitions_keep(ps);
}

bool
gpuagg_host_task_finish(GpuAggTask *task, GpuAggError *error)
{
	GpuAggDevice *device = task->device;
	bool		ready;

	memset(error, 0, sizeof(*error));
	gpuagg_pool_lock(device->pool);
	ready = task->unfinished == 0 && task->source.running == 0 &&
		(task->last == NULL || is_done(task->last));
	*error = task->error;
	gpuagg_pool_unlock(device->pool);
	if (!ready)
	{
		error->status = GPUAGG_OK;
		return false;
	}
	free_batch(task, task->last);
	task->last = NULL;
	if (device->lost)
		gpuagg_host_lost(error);
	if (error->status != GPUAGG_OK || task->stage == GPUAGG_TASK_RESULTS)
		return true;
	if (task->stage == GPUAGG_TASK_INPUT)
	{
		if (task->fault == GPUAGG_FAULT_FINISH)
		{
			gpuagg_host_injected("finish", error);
			return true;
		}
		if (task->make.nkeys > 0)
			return !enqueue_last(task, GPUAGG_TASK_MAKING, GPUAGG_BATCH_MAKE, 1, error);
		name_strategy(task);
		if (!task->prepared->program->select && task->prepared->key_mode == GPUAGG_KEYS_NONE)
			finish_plain(task, error);
	}
	if (task->stage != GPUAGG_TASK_MAKING && task->prepared->key_mode != GPUAGG_KEYS_NONE &&
		next_stage(task, error))
		return false;
	if (error->status == GPUAGG_OK)
	{
		gpuagg_host_answer_settle(&task->answer);
		task->stage = GPUAGG_TASK_RESULTS;
	}
	return true;
}

void
gpuagg_host_task_stats(GpuAggTask *task, GpuAggTaskStats *stats)
{
	GpuAggPool *pool = task->device->pool;

	stats->groups = task->stage == GPUAGG_TASK_RESULTS ? gpuagg_host_task_groups(task) :
		gpuagg_partitions_groups(&task->groups.partitions);
	stats->memory_bytes = atomic_load(&task->memory.peak);
	stats->regrouped = task->stage == GPUAGG_TASK_RESULTS && task->regroup != NULL;
	stats->strategy = task->strategy;
	stats->switches = task->switches;
	gpuagg_pool_lock(pool);
	stats->device_ns = gpuagg_pool_busy_ns(&task->source);
	gpuagg_pool_unlock(pool);
}
