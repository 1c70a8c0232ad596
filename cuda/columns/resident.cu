/*
 * resident.cu
 *		Stripes as a task's input: which path they take (resident.h), and their
 *		batches.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_made.h"
#include "cuda/columns/resident_memory.h"
#include "device/choice/slices.h"

/* ---------- rows as they lie ---------- */

/* Tiles and lists of all stripes of a launch */
static void
shape_of(const GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n,
		 GpuAggResidentShape *shape)
{
	shape->pending = pending;
	shape->n = n;
	shape->choose = gpuagg_cuda_program(task->prepared)->filter_reg != GPUAGG_NO_REG;
	for (uint32_t i = 0; i < n; i++)
	{
		shape->tiles += gpuagg_cuda_resident_tiles(&pending[i]);
		shape->nwithout += pending[i].nwithout;
	}
}

/* What of the launch follows from its batch */
static GpuAggStripeRun
run_of(const GpuAggStripeRun *run, const GpuAggBatch *batch, const GpuAggResidentShape *shape,
	   const GpuAggResidentParts *parts)
{
	GpuAggStripeRun r = *run;

	r.inputs = parts->inputs;
	r.n = shape->n;
	r.tiles = shape->tiles;
	r.head = batch->decoded.head;
	return r;
}

/* Positions that pass the filter, by the interpreter */
static bool
choose_positions(GpuAggTask *task, GpuAggBatch *batch, const GpuAggStripeRun *run,
				 GpuAggError *error)
{
	const GpuAggProgram *p = batch->program;
	const uint32_t sms = task->device->sms;
	size_t		scratch_bytes;
	char	   *scratch;

	if (!gpuagg_cuda_task_scratch(task, p, gpuagg_cuda_stripe_choose_threads(sms), &scratch,
								  &scratch_bytes, error))
		return false;
	gpuagg_cuda_stripe_choose(task->device_prepared, run, scratch,
							  (uint32_t) gpuagg_cuda_scratch_bytes(p, 1), sms,
							  task->streams->group);
	gpuagg_cuda_free(task, scratch, scratch_bytes, task->streams->group);
	return CUDA_LAUNCHED(task->device, error);
}

/* All that is beside it has been enqueued: grouping begins; faults that are injected */
static bool
launch_begin(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;

	batch->generation = task->generation;
	if (!gpuagg_cuda_resident_wait(task, batch, error) ||
		!gpuagg_cuda_code_tables_complete(task, NULL, stream, error) ||
		!CUDA_OK(task->device, cudaEventRecord(batch->events->group, stream), error))
		return false;
	if (task->fault == GPUAGG_FAULT_TRAP)
		gpuagg_cuda_trap(1, stream);
	return true;
}

/* Nothing more is to be told of them than that they are done, or the task's error. */
static void
push_done(GpuAggTask *task, GpuAggPendingStripe *pending, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		gpuagg_cuda_batch_push(task, pending[i].done);
		pending[i].done = NULL;
	}
}

/* ---------- a kernel of the query's own ---------- */

/* What a compiled kernel has left over, through the interpreter */
static bool
leftover_launch(GpuAggTask *task, GpuAggBatch *batch, char *scratch, GpuAggError *error)
{
	const uint32_t scratch_stride = (uint32_t) gpuagg_cuda_scratch_bytes(batch->program, 1);
	const GpuAggLocalShape none = {0, 0, 0};
	GpuAggResident *r = batch->resident;
	cudaStream_t stream = task->streams->group;
	size_t		at = 0;

	for (uint32_t i = 0; i < r->n; i++)
		at += gpuagg_cuda_align(r->inputs[i].positions);
	if (batch->flags == NULL)
	{
		batch->flags = (uint8_t *) gpuagg_cuda_alloc(task, at, stream, error);
		batch->flags_bytes = at;
		if (batch->flags == NULL)
			return false;
	}
	at = 0;
	for (uint32_t i = 0; i < r->n; i++)
	{
		GpuAggDecodedBatch decoded = batch->decoded;

		decoded.nrows = r->inputs[i].positions;
		decoded.valid = batch->flags + at;
		decoded.resident = r->inputs[i].columns;
		at += gpuagg_cuda_align(decoded.nrows);
		if (decoded.nrows == 0)
			continue;
		if (!r->flagged)
			gpuagg_cuda_stripe_flags(&r->inputs[i], true, decoded.valid, decoded.head,
									 task->device->sms, stream);
		gpuagg_cuda_group(batch->prepared, &decoded, &task->table, &none, task->prepared->stride,
						  scratch, scratch_stride, task->batch_blocks, stream);
	}
	r->flagged = true;
	return true;
}

bool
gpuagg_cuda_resident_again(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	GpuAggResident *r = batch->resident;
	size_t		scratch_bytes;
	char	   *scratch;
	bool		ok;

	if (!gpuagg_cuda_batch_begin(task, batch, &scratch, &scratch_bytes, error))
		return false;
	ok = gpuagg_cuda_compiled_repeats(r->path) ?
		gpuagg_cuda_compiled_again(task, r->path, &r->frame, error) :
		leftover_launch(task, batch, scratch, error);
	return gpuagg_cuda_batch_end(task, batch, ok, scratch, scratch_bytes, error);
}

/* What a kernel's arguments are for a launch over the batch's stripes */
static GpuAggFrameArgs *
frame_args(GpuAggTask *task, GpuAggBatch *batch, const GpuAggResidentShape *shape,
		   const GpuAggResidentParts *parts)
{
	GpuAggFrameArgs *args = &batch->resident->frame;

	batch->resident->path = &task->queue->compiled;
	*args = task->queue->compiled.args;
	args->inputs = parts->inputs;
	args->n = shape->n;
	args->tiles = shape->tiles;
	for (uint32_t i = 0; i < shape->n; i++)
		args->first_tile[i] = batch->resident->inputs[i].first_tile;
	args->head = batch->decoded.head;
	args->entries = batch->decoded.spill;
	args->nentries = parts->nentries;
	return args;
}

/* Room for records of all rows, of which the report tells how many there are */
static bool
packed_room(GpuAggTask *task, GpuAggBatch *batch, const GpuAggResidentShape *shape,
			GpuAggFrameArgs *args, GpuAggError *error)
{
	batch->packed = true;
	for (uint32_t i = 0; i < shape->n; i++)
		batch->decoded.nrows += shape->pending[i].positions;
	return gpuagg_cuda_groupby_room(task->groupby, batch->decoded.nrows, &args->records,
									&args->nrecords, error) == GPUAGG_OK;
}

static bool
compiled_launch(GpuAggTask *task, GpuAggBatch *batch, const GpuAggResidentShape *shape,
				const GpuAggResidentParts *parts, GpuAggError *error)
{
	GpuAggCompiledPath *path = &task->queue->compiled;
	GpuAggFrameArgs *args = frame_args(task, batch, shape, parts);

	if (!gpuagg_cuda_resident_upload(task, batch, shape, parts, error))
		return false;
	gpuagg_cuda_compiled_entries(task, path, args, parts->entries_head, task->streams->decode);
	return launch_begin(task, batch, error) &&
		(path->frame != GPUAGG_FRAME_PACKED || packed_room(task, batch, shape, args, error)) &&
		gpuagg_cuda_compiled_launch(task, path, args, error) &&
		gpuagg_cuda_batch_report(task, batch, error);
}

/*
 * May rows or entries be left over?  None of records, nor of a group that is always there,
 * unless that is merged into the task's.
 */
static bool
compiled_leaves(const GpuAggCompiledPath *path)
{
	return path->frame != GPUAGG_FRAME_PACKED &&
		(path->frame != GPUAGG_FRAME_PLAIN || path->nentries > 0);
}

static void
enqueue_compiled(GpuAggTask *task, GpuAggPendingStripe *pending, uint32_t n)
{
	GpuAggResidentShape shape = {};
	GpuAggResidentParts parts;
	GpuAggBatch *batch;
	GpuAggError error = {};

	shape_of(task, pending, n, &shape);
	shape.choose = false;
	shape.nspill = task->queue->compiled.nentries;
	if (compiled_leaves(&task->queue->compiled))
	{
		shape.nbitmaps = 1;
		for (uint32_t i = 0; i < n; i++)
			shape.left_words += gpuagg_cuda_resident_left_words(&pending[i]);
	}
	batch = gpuagg_cuda_resident_make(task, &shape, &parts, &error);
	if (batch == NULL)
	{
		(void) gpuagg_cuda_task_fail(task, &error);
		push_done(task, pending, n);
		return;
	}
	batch->compiled = true;
	batch->nspilled = shape.nspill;
	batch->decoded.nrows = 0;
	(void) gpuagg_cuda_batch_enqueued(task, batch,
									  compiled_launch(task, batch, &shape, &parts, &error), &error);
	push_done(task, pending + 1, n - 1);
}

/* ---------- stripes that are deferred ---------- */

/* A kernel of the query's own selects, which may do so from one launch to the next. */
static bool
selects(const GpuAggTask *task)
{
	return task->queue->compiles && task->queue->compiled.frame == GPUAGG_FRAME_SELECTED;
}

static bool
deferred_launch(GpuAggTask *task, GpuAggBatch *batch, const GpuAggResidentShape *shape,
				const GpuAggResidentParts *parts, GpuAggError *error)
{
	const GpuAggStripeRun run = run_of(&task->queue->deferral.run, batch, shape, parts);
	GpuAggCompiledPath *path = &task->queue->compiled;

	if (!gpuagg_cuda_resident_upload(task, batch, shape, parts, error) ||
		!launch_begin(task, batch, error))
		return false;
	if (shape->selects)
	{
		GpuAggFrameArgs *args = frame_args(task, batch, shape, parts);

		args->nused = run.nused;
		memcpy(args->used, run.used, sizeof(args->used));
		return gpuagg_cuda_compiled_launch(task, path, args, error) &&
			gpuagg_cuda_batch_report(task, batch, error);
	}
	if (shape->choose && !choose_positions(task, batch, &run, error))
		return false;
	gpuagg_cuda_stripe_take(&run, task->device->sms, task->streams->group);
	return gpuagg_cuda_batch_report(task, batch, error);
}

/* Where the columns are that grouping will read */
static void
sources_note(const GpuAggTask *task, const GpuAggPendingStripe *pending, GpuAggResident *r)
{
	const GpuAggStripeDeferral *d = &task->queue->deferral;
	GpuAggStripeColumn columns[GPUAGG_MAX_REGS];
	GpuAggError error;

	for (uint32_t i = 0; i < r->n; i++)
	{
		(void) gpuagg_cuda_stripe_columns(pending[i].stripe, gpuagg_cuda_program(task->prepared),
										  columns, &error);
		r->sources[i].key = (uint64_t) (uintptr_t) columns[d->key].values;
		r->sources[i].key_blocks = (uint64_t) (uintptr_t) columns[d->key].blocks;
		r->sources[i].arg = (uint64_t) (uintptr_t) columns[d->arg].values;
		r->sources[i].arg_blocks = (uint64_t) (uintptr_t) columns[d->arg].blocks;
		r->sources[i].taken = (uint64_t) (uintptr_t) r->inputs[i].leftover;
	}
}

static void
enqueue_deferred(GpuAggTask *task, GpuAggPendingStripe *pending, uint32_t n)
{
	GpuAggResidentShape shape = {};
	GpuAggResidentParts parts;
	GpuAggBatch *batch;
	GpuAggError error = {};

	shape_of(task, pending, n, &shape);
	shape.deferred = true;
	shape.selects = selects(task) &&
		gpuagg_cuda_compiled_prepare(task, pending, n, &task->queue->compiled);
	shape.choose &= !shape.selects;
	shape.nbitmaps = shape.choose ? 2 : 1;
	batch = gpuagg_cuda_resident_make(task, &shape, &parts, &error);
	if (batch == NULL)
	{
		(void) gpuagg_cuda_task_fail(task, &error);
		push_done(task, pending, n);
		return;
	}
	sources_note(task, pending, batch->resident);
	batch->decoded.nrows = 0;
	(void) gpuagg_cuda_batch_enqueued(task, batch,
									  deferred_launch(task, batch, &shape, &parts, &error), &error);
	push_done(task, pending + 1, n - 1);
}

void
gpuagg_cuda_resident_deferred(GpuAggTask *task, GpuAggBatch *batch)
{
	const GpuAggReport *report = (const GpuAggReport *) batch->staging->data;
	GpuAggStripeDeferral *d = &task->queue->deferral;
	GpuAggResident *r = batch->resident;

	r->head = batch->decoded.head;
	r->memory = batch->memory;
	r->bytes = batch->bytes;
	r->next = d->first;
	d->first = r;
	d->n += r->n;
	d->rows += report->batch.nkept;
	batch->memory = NULL;
	batch->resident = NULL;
}

/* All sources, whose rows have no NULLs */
static bool
deferred_read(GpuAggTask *task, GpuAggError *error)
{
	const GpuAggStripeDeferral *d = &task->queue->deferral;
	GpuAggSource *sources = (GpuAggSource *) malloc(d->n * sizeof(*sources));
	uint64_t   *rows = (uint64_t *) malloc(d->n * sizeof(*rows));
	uint32_t	n = 0;

	if (sources == NULL || rows == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else
	{
		for (const GpuAggResident *r = d->first; r != NULL; r = r->next)
			for (uint32_t i = 0; i < r->n; i++)
			{
				sources[n] = r->sources[i];
				rows[n++] = r->inputs[i].positions;
			}
		(void) gpuagg_cuda_groupby_sources(task->groupby, sources, rows, n, d->rows, error);
	}
	free(sources);
	free(rows);
	return error->status == GPUAGG_OK;
}

/* Rows of a stripe as records, by the interpreter */
static bool
deferred_pack(GpuAggTask *task, const GpuAggResident *r, const GpuAggStripeInput *input,
			  char *scratch, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	cudaStream_t stream = task->streams->group;
	GpuAggDecodedBatch decoded = {};

	if (input->positions == 0)
		return true;
	decoded.head = r->head;
	decoded.nrows = input->positions;
	decoded.resident = input->columns;
	decoded.valid = (uint8_t *) gpuagg_cuda_alloc(task, decoded.nrows, stream, error);
	if (decoded.valid == NULL)
		return false;
	gpuagg_cuda_stripe_flags(input, false, decoded.valid, decoded.head, task->device->sms, stream);
	(void) gpuagg_cuda_groupby_decoded(task->groupby, task->device_prepared, p, &decoded, scratch,
									(uint32_t) gpuagg_cuda_scratch_bytes(p, 1),
									task->batch_blocks, error);
	gpuagg_cuda_free(task, decoded.valid, decoded.nrows, stream);
	return error->status == GPUAGG_OK;
}

static bool
deferred_pack_all(GpuAggTask *task, GpuAggError *error)
{
	size_t		scratch_bytes;
	char	   *scratch;
	bool		ok = gpuagg_cuda_task_scratch(task, gpuagg_cuda_program(task->prepared),
											  task->batch_blocks * GPUAGG_GROUP_THREADS, &scratch,
											  &scratch_bytes, error);

	for (const GpuAggResident *r = task->queue->deferral.first; r != NULL; r = r->next)
		for (uint32_t i = 0; ok && i < r->n; i++)
			ok = deferred_pack(task, r, &r->inputs[i], scratch, error);
	gpuagg_cuda_free(task, scratch, scratch_bytes, task->streams->group);
	return ok;
}

bool
gpuagg_cuda_resident_finish(GpuAggTask *task, GpuAggError *error)
{
	if (task->queue == NULL || task->queue->deferral.n == 0)
		return true;
	return task->kept_nulls > 0 ? deferred_pack_all(task, error) : deferred_read(task, error);
}

/* ---------- the interpreter, and records ---------- */

static void
enqueue_rows(GpuAggTask *task, GpuAggPendingStripe *w)
{
	GpuAggResidentShape shape = {};
	GpuAggResidentParts parts;
	GpuAggBatch *batch;
	GpuAggError error = {};
	bool		ok;

	shape.pending = w;
	shape.n = 1;
	shape.nwithout = w->nwithout;
	shape.nspill = gpuagg_cuda_spill_room(task, w->positions);
	batch = gpuagg_cuda_resident_make(task, &shape, &parts, &error);
	if (batch == NULL)
	{
		(void) gpuagg_cuda_task_fail(task, &error);
		push_done(task, w, 1);
		return;
	}
	batch->decoded.nrows = w->positions;
	batch->decoded.valid = parts.flags;
	batch->decoded.resident = batch->resident->inputs[0].columns;
	ok = gpuagg_cuda_resident_upload(task, batch, &shape, &parts, &error) &&
		gpuagg_cuda_resident_wait(task, batch, &error);
	if (ok && w->positions > 0)
		gpuagg_cuda_stripe_flags(&batch->resident->inputs[0], false, parts.flags,
								 batch->decoded.head, task->device->sms, task->streams->group);
	ok = ok && gpuagg_cuda_batch_group(task, batch, task->local.capacity > 0, &error);
	(void) gpuagg_cuda_batch_enqueued(task, batch, ok, &error);
}

/* ---------- the path ---------- */

/*
 * The strategy for a task that begins with stripes: the one that was chosen for
 * them.  Left to itself, the device has few groups in shared memory, and makes
 * partitions of many.
 */
static GpuAggStrategy
resident_strategy(const GpuAggTask *task)
{
	const GpuAggStrategy chosen = (GpuAggStrategy) task->config.resident_strategy;

	if (chosen != GPUAGG_STRATEGY_AUTO && chosen < GPUAGG_NSTRATEGIES)
		return chosen;
	if (task->groupby != NULL)
		return (GpuAggStrategy) task->config.strategy;
	return task->local.capacity > 0 ? GPUAGG_STRATEGY_BLOCK_LOCAL : GPUAGG_STRATEGY_PARTITIONED;
}

/* Before anything is grouped: rows are kept, or no more */
static bool
strategy_take(GpuAggTask *task, GpuAggStrategy strategy, GpuAggError *error)
{
	GpuAggTaskConfig config = task->config;
	const bool	keeps = (GPUAGG_STRATEGY_BIT(strategy) & GPUAGG_STRATEGIES_DEFERRING) != 0;

	config.strategy = strategy;
	if (keeps && task->groupby != NULL && strategy != (GpuAggStrategy) task->config.strategy)
		gpuagg_cuda_deferred_free(task);
	if (keeps == (task->groupby != NULL))
		return true;
	return keeps ? gpuagg_cuda_task_defer_rows(task, &config, error) :
		gpuagg_cuda_task_group_rows(task, &config, error);
}

static bool
may_choose(const GpuAggTask *task)
{
	return !task->fed && task->forced == GPUAGG_STRATEGY_AUTO && !task->config.forced;
}

/* What would be compiled, before anything is settled */
static void
compiled_choose(GpuAggTask *task)
{
	GpuAggResidentQueue *q = task->queue;
	const bool	free_to = may_choose(task);
	GpuAggPathCase of = {};

	if (free_to)
		q->strategy = resident_strategy(task);
	else if (task->groupby != NULL)
		q->strategy = (GpuAggStrategy) task->config.strategy;
	else
		q->strategy = task->forced != GPUAGG_STRATEGY_AUTO ? task->forced :
															 GPUAGG_STRATEGY_SINGLE_PASS;
	of.prepared = task->prepared;
	of.there = task->device_prepared;
	of.strategy = q->strategy;
	of.kept = !free_to && task->groupby != NULL;
	of.pending = q->pending;
	of.n = q->n;
	gpuagg_cuda_compiled_choose(task, &of, &q->compiled);
}

/* Only which rows count is found out, if that can be; once, for what is deferred stays. */
static void
defer(GpuAggTask *task)
{
	GpuAggStripeDeferral *d = &task->queue->deferral;

	if (d->open)
		return;
	if (task->making != NULL)
		gpuagg_cuda_making_defers(task, d);
	else
		(void) gpuagg_cuda_stripe_defers(task, d);
}

/* Are rows of stripes kept, as the kernel keeps them, or not, as it does not? */
static bool
compiled_keeps_as(const GpuAggTask *task)
{
	return gpuagg_cuda_compiled_keeps(&task->queue->compiled) ==
		(task->groupby != NULL || task->making != NULL);
}

/* The kernel is there: rows are kept for the strategy, or groups are the task's table's. */
static bool
compiled_take(GpuAggTask *task, GpuAggError *error)
{
	GpuAggResidentQueue *q = task->queue;
	const bool	keeps = gpuagg_cuda_compiled_keeps(&q->compiled);

	if (may_choose(task) &&
		!strategy_take(task, keeps ? q->strategy : GPUAGG_STRATEGY_SINGLE_PASS, error))
		return false;
	q->compiles = compiled_keeps_as(task);
	if (!q->compiles)
		return true;
	task->stats.compiled = 1;
	if (!keeps)
		task->strategy = gpuagg_frame_strategy(q->compiled.frame);
	if (q->compiled.frame == GPUAGG_FRAME_SELECTED)
		defer(task);
	return true;
}

static bool
path_choose(GpuAggTask *task, GpuAggError *error)
{
	task->queue->chosen = true;
	if (may_choose(task) && !strategy_take(task, resident_strategy(task), error))
		return false;
	if (task->groupby != NULL || task->making != NULL)
		defer(task);
	return true;
}

/* Stripes of a launch, by the path that is open */
static void
enqueue(GpuAggTask *task, GpuAggPendingStripe *pending, uint32_t n)
{
	GpuAggResidentQueue *q = task->queue;

	/* what is deferred is never grouped here: whoever is to have it reads that alone */
	if (q->deferral.open)
	{
		if (task->making != NULL)
			gpuagg_cuda_making_note(task, pending, n);
		enqueue_deferred(task, pending, n);
	}
	else if (q->compiles && gpuagg_cuda_compiled_prepare(task, pending, n, &q->compiled))
		enqueue_compiled(task, pending, n);
	else
		for (uint32_t i = 0; i < n; i++)
			enqueue_rows(task, &pending[i]);
}

/* How many stripes, of those that are there, one launch takes */
static uint32_t
slice_of(const GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n)
{
	const uint64_t most = gpuagg_slice_rows(&task->config.compile, task->config.expected_rows);
	uint64_t	rows = pending[0].positions;
	uint32_t	k = 1;

	while (k < n && (most == 0 || rows + pending[k].positions <= most))
		rows += pending[k++].positions;
	return k;
}

static void
enqueue_all(GpuAggTask *task, uint32_t n)
{
	GpuAggPendingStripe *pending = task->queue->pending;

	while (n > 0)
	{
		const uint32_t k = slice_of(task, pending, n);

		enqueue(task, pending, k);
		pending += k;
		n -= k;
	}
}

/* May the stripes go now?  Not if their kernel is worth waiting for. */
static bool
compiled_settle(GpuAggTask *task, bool waits, GpuAggError *error)
{
	GpuAggResidentQueue *q = task->queue;
	GpuAggKernelState state;

	if (!q->asked)
		compiled_choose(task);
	q->asked = true;
	if (!q->compiled.open || q->compiles || q->compiled.refused ||
		(q->chosen && !compiled_keeps_as(task)))
		return true;
	state = gpuagg_cuda_compiled_ask(task, &q->compiled);
	if (state == GPUAGG_KERNEL_READY)
		(void) compiled_take(task, error);
	return state != GPUAGG_KERNEL_WAIT || !waits;
}

static bool
flush(GpuAggTask *task, bool waits)
{
	GpuAggResidentQueue *q = task->queue;
	const uint32_t n = q != NULL ? q->n : 0;
	GpuAggError error = {};

	if (n == 0)
		return false;
	if (gpuagg_cuda_input_check(task, &error) == GPUAGG_OK && !compiled_settle(task, waits, &error))
		return false;
	q->n = 0;
	if (error.status != GPUAGG_OK || (!q->compiles && !q->chosen && !path_choose(task, &error)))
	{
		(void) gpuagg_cuda_task_fail(task, &error);
		push_done(task, q->pending, n);
	}
	else
		enqueue_all(task, n);
	task->fed = true;
	for (uint32_t i = 0; i < n; i++)
		gpuagg_cuda_pending_stripe_free(&q->pending[i]);
	return true;
}

bool
gpuagg_cuda_resident_flush(GpuAggTask *task)
{
	return flush(task, false);
}

bool
gpuagg_cuda_resident_poll(GpuAggTask *task)
{
	return flush(task, true);
}

void
gpuagg_cuda_resident_free(GpuAggTask *task)
{
	GpuAggResidentQueue *q = task->queue;

	for (uint32_t i = 0; q != NULL && i < q->n; i++)
		gpuagg_cuda_pending_stripe_free(&q->pending[i]);
	while (q != NULL && q->deferral.first != NULL)
	{
		GpuAggResident *r = q->deferral.first;

		q->deferral.first = r->next;
		gpuagg_cuda_free(task, r->memory, r->bytes, task->streams->group);
		free(r);
	}
	for (uint32_t i = 0; q != NULL && i < q->nheld; i++)
		gpuagg_cuda_pages_release(task->device, q->held[i]);
	if (q != NULL)
	{
		gpuagg_cuda_compiled_free(task->device, &q->compiled);
		free(q->held);
	}
	free(q);
}
