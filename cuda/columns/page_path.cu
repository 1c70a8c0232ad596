/*
 * page_path.cu
 *		Batches of pages through compiled kernels (page_path.h).
 */
#include <stdlib.h>

#include "cuda/columns/page_path.h"
#include "cuda/columns/resident.h"

/* Columns are made while the task has, with them, at most this part of its memory. */
#define MEMORY_SHARE 2

/*
 * Evaluated rows of a batch, at least, unless all is to be compiled: what a kernel saves
 * of fewer is less than what making columns and merging entries takes.
 */
#define LEAST_ROWS 4096

/* ---------- the kernel ---------- */

static bool
is_local(const GpuAggTask *task)
{
	return task->groupby == NULL && task->local.capacity > 0;
}

/* The way that the task's strategy is now */
static GpuAggPageWay *
way_now(const GpuAggTask *task, bool rows)
{
	return &task->page_path->ways[rows][is_local(task) ? 0 : 1];
}

static void
way_choose(const GpuAggTask *task, bool rows, GpuAggPageWay *way)
{
	GpuAggPathCase of = {};

	of.prepared = rows ? task->rows_prepared : task->prepared;
	of.there = rows ? task->device_rows_prepared : task->device_prepared;
	of.kept = task->groupby != NULL;
	of.strategy = of.kept ? (GpuAggStrategy) task->config.strategy :
		is_local(task) ? GPUAGG_STRATEGY_BLOCK_LOCAL : GPUAGG_STRATEGY_SINGLE_PASS;
	gpuagg_cuda_compiled_choose(task, &of, &way->compiled);
	way->asked = true;
}

static GpuAggKernelState
way_ask(GpuAggTask *task, bool rows)
{
	GpuAggPageWay *way;

	if (task->page_path == NULL)
		task->page_path = (GpuAggPagePath *) calloc(1, sizeof(*task->page_path));
	if (task->page_path == NULL)
		return GPUAGG_KERNEL_OFF;
	way = way_now(task, rows);

	/* what it groups into is settled from here on: stripes choose no more */
	task->fed = true;
	if (!way->asked)
		way_choose(task, rows, way);
	if (!way->compiled.open || way->compiled.refused)
		return GPUAGG_KERNEL_OFF;
	return gpuagg_cuda_compiled_ask(task, &way->compiled);
}

bool
gpuagg_cuda_page_waits(GpuAggTask *task)
{
	const GpuAggKernelState state = way_ask(task, false);

	if (task->page_path != NULL)
		task->page_path->waits = state == GPUAGG_KERNEL_WAIT;
	return state == GPUAGG_KERNEL_WAIT;
}

/* Whatever ends a task ends waiting, too. */
bool
gpuagg_cuda_page_poll(GpuAggTask *task)
{
	if (task->page_path == NULL || !task->page_path->waits)
		return false;
	return task->device->lost || task->error.status != GPUAGG_OK || !gpuagg_cuda_page_waits(task);
}

/* ---------- a batch ---------- */

/* Memory for columns; without any, the interpreter needs none. */
static char *
columns_memory(GpuAggTask *task, uint64_t bytes)
{
	const uint64_t limit = task->memory_limit > 0 ? task->memory_limit : task->device->memory_limit;
	GpuAggError error = {};

	if (limit > 0 && task->memory_used + bytes > limit / MEMORY_SHARE)
		return NULL;
	return (char *) gpuagg_cuda_alloc(task, bytes, task->streams->group, &error);
}

/* What kernels for stripes need to know of the batch */
static void
resident_set(GpuAggTask *task, GpuAggBatch *batch, GpuAggCompiledPath *path,
			 const GpuAggPageColumns *l, GpuAggResident *r)
{
	GpuAggFrameArgs *args = &r->frame;

	r->n = 1;
	r->path = path;
	gpuagg_page_columns_input(l, &r->inputs[0]);
	*args = path->args;
	args->inputs = (const GpuAggStripeInput *) (l->memory + l->input);
	args->n = 1;
	args->tiles = l->tiles;
	args->again = 1;
	args->head = batch->decoded.head;
	args->entries = l->memory + l->entries;
	args->nentries = (uint32_t *) (l->memory + l->nentries);
	batch->columns = l->memory;
	batch->columns_bytes = l->bytes;
	batch->decoded.spill = l->memory + l->entries;
	batch->nspilled = path->nentries;
	batch->resident = r;
	batch->compiled = true;
	task->stats.compiled = 1;
}

/* What may be too little, or too long for a kernel: only interpreted */
static bool
is_interpreted(const GpuAggTask *task, const GpuAggBatch *batch)
{
	const uint32_t nrows = batch->decoded.nrows;

	return nrows == 0 ||
		(batch->evaluated &&
		 (batch->odd ||
		  (nrows < LEAST_ROWS && task->config.compile.mode != GPUAGG_COMPILE_ALWAYS)));
}

GpuAggKernelState
gpuagg_cuda_page_open(GpuAggTask *task, GpuAggBatch *batch)
{
	const uint32_t nrows = batch->decoded.nrows;
	const bool	rows = batch->evaluated;
	GpuAggKernelState state;
	GpuAggCompiledPath *path;
	GpuAggPageColumns l;
	GpuAggResident *r;

	if (is_interpreted(task, batch))
		return GPUAGG_KERNEL_OFF;
	state = way_ask(task, rows);
	if (state != GPUAGG_KERNEL_READY)
		return state;
	path = &way_now(task, rows)->compiled;
	gpuagg_cuda_compiled_rows(task, nrows, path);
	gpuagg_page_columns_layout(batch->program, nrows,
							   (uint64_t) path->nentries * task->prepared->stride, &l);
	r = (GpuAggResident *) calloc(1, sizeof(*r));
	if (r != NULL)
		l.memory = columns_memory(task, l.bytes);
	if (l.memory == NULL)
	{
		free(r);
		return GPUAGG_KERNEL_OFF;
	}
	r->page_columns = l;
	resident_set(task, batch, path, &l, r);
	return GPUAGG_KERNEL_READY;
}

bool
gpuagg_cuda_page_group(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;
	GpuAggResident *r = batch->resident;
	const GpuAggPageColumns *l = &r->page_columns;

	batch->generation = task->generation;
	if (!CUDA_OK(task->device, cudaEventRecord(batch->events->group, stream), error))
		return false;
	if (task->fault == GPUAGG_FAULT_TRAP)
		gpuagg_cuda_trap(1, stream);
	gpuagg_cuda_page_columns(batch->prepared, &batch->decoded, l, task->device->sms, stream);
	batch->packed = r->path->frame == GPUAGG_FRAME_PACKED;
	if (batch->packed && gpuagg_cuda_groupby_room(task->groupby, l->nrows, &r->frame.records,
												  &r->frame.nrecords, error) != GPUAGG_OK)
		return false;
	gpuagg_cuda_compiled_entries(task, r->path, &r->frame,
								 (GpuAggTableHead *) (l->memory + l->entries_head), stream);
	if (!gpuagg_cuda_compiled_launch(task, r->path, &r->frame, error))
		return false;
	if (batch->program->select)
		gpuagg_cuda_selected_list(&batch->decoded, (const uint32_t *) (l->memory + l->rows),
								  task->batch_blocks, stream);
	return gpuagg_cuda_batch_report(task, batch, error);
}

void
gpuagg_cuda_page_free(GpuAggTask *task)
{
	for (uint32_t i = 0; task->page_path != NULL && i < 4; i++)
		gpuagg_cuda_compiled_free(task->device, &task->page_path->ways[i / 2][i % 2].compiled);
	free(task->page_path);
	task->page_path = NULL;
}
