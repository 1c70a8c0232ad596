/*
 * host_input.c
 *		What tasks of the host device are given: pages, columns of stripes, draws,
 *		and rows that PostgreSQL evaluated.
 *
 * Each becomes a batch (host_task.c) that has a copy of all that the caller
 * said; pages and stripes stay where they are.
 */
#include <stdio.h>

#include "host/host_fault.h"
#include "host/host_task.h"

/* May anything more be enqueued? */
static GpuAggStatus
input_begin(GpuAggTask *task, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	if (task->fault == GPUAGG_FAULT_LOST)
		task->device->lost = true;
	return task->device->lost ? gpuagg_host_lost(error) : GPUAGG_OK;
}

GpuAggStatus
gpuagg_host_task_pages(GpuAggTask *task, uint64_t batch_id,
					   const GpuAggPage *pages, uint32_t npages,
					   GpuAggError *error)
{
	size_t		head = npages * sizeof(GpuAggPage);
	size_t		bitmaps = 0;
	GpuAggBatch *batch;
	uint8_t    *bitmap;

	if (input_begin(task, error) != GPUAGG_OK)
		return error->status;
	for (uint32_t i = 0; i < npages; i++)
		bitmaps += pages[i].visibility != NULL;
	batch = gpuagg_host_batch_new(task, GPUAGG_BATCH_PAGES, batch_id, npages,
								  head + bitmaps * GPUAGG_VISIBILITY_BYTES, error);
	if (batch == NULL)
		return error->status;
	batch->u.pages = (GpuAggPage *) batch->extra;
	bitmap = (uint8_t *) batch->extra + head;
	for (uint32_t i = 0; i < npages; i++)
	{
		batch->u.pages[i] = pages[i];
		if (pages[i].visibility == NULL)
			continue;
		memcpy(bitmap, pages[i].visibility, GPUAGG_VISIBILITY_BYTES);
		batch->u.pages[i].visibility = bitmap;
		bitmap += GPUAGG_VISIBILITY_BYTES;
	}
	gpuagg_host_batch_enqueue(task, batch);
	return GPUAGG_OK;
}

/* Has the stripe what the program loads? */
static bool
has_columns(const GpuAggStripe *stripe, const GpuAggProgram *p)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG && gpuagg_stripe_column(stripe, i) == NULL)
			return false;
	return true;
}

GpuAggStatus
gpuagg_host_task_resident(GpuAggTask *task, uint64_t batch_id, GpuAggStripe *stripe,
						  const GpuAggPositions *without, uint32_t nwithout,
						  GpuAggError *error)
{
	const bool	sampled = gpuagg_sample_of_lines(&task->sample);
	const size_t bytes = nwithout * sizeof(GpuAggPositions);
	GpuAggBatch *batch;

	if (input_begin(task, error) != GPUAGG_OK)
		return error->status;
	if (task->prepared->program->select || !has_columns(stripe, task->prepared->program))
	{
		error->status = GPUAGG_UNSUPPORTED;
		snprintf(error->message, sizeof(error->message),
				 "the stripe does not have the program's columns");
		return error->status;
	}
	if (sampled && stripe->pages == NULL)
	{
		error->status = GPUAGG_UNSUPPORTED;
		snprintf(error->message, sizeof(error->message), "lines of the stripe are not known");
		return error->status;
	}
	batch = gpuagg_host_batch_new(task, GPUAGG_BATCH_RESIDENT, batch_id, stripe->positions, bytes,
								  error);
	if (batch == NULL)
		return error->status;
	batch->u.resident.stripe = stripe;
	batch->u.resident.without = (GpuAggPositions *) batch->extra;
	batch->u.resident.nwithout = nwithout;
	if (nwithout > 0)
		memcpy(batch->extra, without, bytes);
	if (sampled)
	{
		batch->u.resident.sample = &task->sample;
		batch->u.resident.pages = stripe->pages;
		stripe->pages->refs++;
	}
	gpuagg_host_batch_enqueue(task, batch);
	return GPUAGG_OK;
}

static GpuAggStatus
draws_unsupported(GpuAggError *error)
{
	error->status = GPUAGG_UNSUPPORTED;
	snprintf(error->message, sizeof(error->message),
			 "the stripes do not have the program's columns, or draws are too many");
	return error->status;
}

GpuAggStatus
gpuagg_host_task_draws(GpuAggTask *task, uint64_t batch_id, const GpuAggStripeRange *ranges,
					   uint32_t nranges, GpuAggError *error)
{
	const uint64_t morsels = (task->sample.cutoff + GPUAGG_DRAW_MORSEL - 1) / GPUAGG_DRAW_MORSEL;
	GpuAggBatch *batch;

	if (input_begin(task, error) != GPUAGG_OK)
		return error->status;
	for (uint32_t i = 0; i < nranges; i++)
		if (!has_columns(ranges[i].stripe, task->prepared->program))
			return draws_unsupported(error);
	if (task->prepared->program->select || morsels > UINT32_MAX)
		return draws_unsupported(error);
	batch = gpuagg_host_batch_new(task, GPUAGG_BATCH_DRAWS, batch_id, 0,
								  gpuagg_draw_segments(ranges, nranges) * sizeof(GpuAggDrawSegment),
								  error);
	if (batch == NULL)
		return error->status;
	gpuagg_draw_index(ranges, nranges, (GpuAggDrawSegment *) batch->extra,
					  &batch->u.draws);
	batch->u.draws.draws.key = gpuagg_draw_key(task->sample.seed);
	batch->u.draws.draws.draws = task->sample.cutoff;
	if (batch->u.draws.draws.rows > 0)
		batch->count = (uint32_t) morsels;
	gpuagg_host_batch_enqueue(task, batch);
	return GPUAGG_OK;
}

/* Classes of the program's outputs, in their order. */
static uint32_t
output_classes(const GpuAggProgram *p, uint8_t *classes)
{
	const uint8_t *reg = gpuagg_program_classes(p);
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < p->nkeys; i++)
		classes[n++] = reg[gpuagg_program_keys(p)[i].reg];
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		if (t[i].arg != GPUAGG_NO_REG)
			classes[n++] = reg[t[i].arg];
		if (t[i].filter != GPUAGG_NO_REG)
			classes[n++] = GPUAGG_CLASS_I64;
	}
	return n;
}

/* Bytes of one column's copy: states, values, strings. */
static size_t
column_bytes(const GpuAggRowColumn *column, uint32_t cls, uint32_t nrows)
{
	size_t		bytes = gpuagg_align((size_t) nrows, 8);
	const GpuAggBytes *b = column->values;

	if (cls != GPUAGG_CLASS_BYTES)
		return bytes + nrows * sizeof(int64_t);
	for (uint32_t i = 0; i < nrows; i++)
		if (column->states[i] == GPUAGG_ST_VALUE)
			bytes += b[i].len;
	return gpuagg_align(bytes, 8) + nrows * sizeof(GpuAggBytes);
}

static char *
copy_column(const GpuAggRowColumn *column, uint32_t cls, uint32_t nrows,
			char *to, GpuAggRowColumn *copy)
{
	size_t		size = cls == GPUAGG_CLASS_BYTES ? sizeof(GpuAggBytes) : sizeof(int64_t);
	GpuAggBytes *b;

	copy->states = (const uint8_t *) to;
	memcpy(to, column->states, nrows);
	to += gpuagg_align((size_t) nrows, 8);
	copy->values = to;
	memcpy(to, column->values, nrows * size);
	b = (GpuAggBytes *) to;
	to += nrows * size;
	if (cls != GPUAGG_CLASS_BYTES)
		return to;
	for (uint32_t i = 0; i < nrows; i++)
	{
		if (column->states[i] != GPUAGG_ST_VALUE)
			continue;
		if (b[i].len > 0)
			memcpy(to, b[i].data, b[i].len);
		b[i].data = to;
		to += b[i].len;
	}
	return (char *) gpuagg_align((uintptr_t) to, 8);
}

GpuAggStatus
gpuagg_host_task_rows(GpuAggTask *task, uint64_t batch_id,
					  const GpuAggRowColumn *columns, uint32_t nrows,
					  GpuAggError *error)
{
	uint8_t		classes[GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS];
	uint32_t	n = output_classes(task->prepared->program, classes);
	size_t		bytes = n * sizeof(GpuAggRowColumn);
	GpuAggBatch *batch;
	char	   *to;

	if (input_begin(task, error) != GPUAGG_OK)
		return error->status;
	if (task->fault == GPUAGG_FAULT_ROWS)
		return gpuagg_host_injected("rows", error);
	for (uint32_t i = 0; i < n; i++)
		bytes += column_bytes(&columns[i], classes[i], nrows);
	batch = gpuagg_host_batch_new(task, GPUAGG_BATCH_ROWS, batch_id, nrows, bytes, error);
	if (batch == NULL)
		return error->status;
	batch->u.columns = (GpuAggRowColumn *) batch->extra;
	to = (char *) (batch->u.columns + n);
	for (uint32_t i = 0; i < n; i++)
		to = copy_column(&columns[i], classes[i], nrows, to, &batch->u.columns[i]);
	gpuagg_host_batch_enqueue(task, batch);
	return GPUAGG_OK;
}
