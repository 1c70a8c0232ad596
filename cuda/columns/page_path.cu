/*
 * page_path.cu
 *		Batches of pages through compiled kernels (page_path.h).
 */
#include <stdlib.h>

#include "cuda/columns/page_path.h"
#include "cuda/columns/resident.h"

/* Columns are made while the task has, with them, at most this part of its memory. */
#define MEMORY_SHARE 2

/* ---------- the kernel ---------- */

/* The way that the task's strategy is now */
static GpuAggPageWay *
way_now(const GpuAggTask *task)
{
	return &task->page_path->ways[task->groupby == NULL && task->local.capacity > 0 ? 0 : 1];
}

static GpuAggStrategy
way_strategy(const GpuAggTask *task)
{
	if (task->groupby != NULL)
		return (GpuAggStrategy) task->config.strategy;
	return task->local.capacity > 0 ? GPUAGG_STRATEGY_BLOCK_LOCAL : GPUAGG_STRATEGY_SINGLE_PASS;
}

static GpuAggKernelState
way_ask(GpuAggTask *task)
{
	GpuAggPageWay *way;

	if (task->page_path == NULL)
		task->page_path = (GpuAggPagePath *) calloc(1, sizeof(*task->page_path));
	if (task->page_path == NULL)
		return GPUAGG_KERNEL_OFF;
	way = way_now(task);

	/* what it groups into is settled from here on: stripes choose no more */
	task->fed = true;
	if (!way->asked)
		gpuagg_cuda_compiled_choose(task, way_strategy(task), task->groupby != NULL, NULL, 0, &way->compiled);
	way->asked = true;
	if (!way->compiled.open || way->compiled.refused)
		return GPUAGG_KERNEL_OFF;
	return gpuagg_cuda_compiled_ask(task, &way->compiled);
}

bool
gpuagg_cuda_page_waits(GpuAggTask *task)
{
	const GpuAggKernelState state = way_ask(task);

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
resident_set(GpuAggTask *task, GpuAggBatch *batch, GpuAggCompiledPath *path, const GpuAggPageColumns *l,
			 GpuAggResident *r)
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

bool
gpuagg_cuda_page_open(GpuAggTask *task, GpuAggBatch *batch)
{
	const uint32_t nrows = batch->decoded.nrows;
	GpuAggCompiledPath *path;
	GpuAggPageColumns l;
	GpuAggResident *r;

	if (nrows == 0 || way_ask(task) != GPUAGG_KERNEL_READY)
		return false;
	path = &way_now(task)->compiled;
	gpuagg_cuda_compiled_rows(task, nrows, path);
	gpuagg_page_columns_layout(batch->program, nrows, (uint64_t) path->nentries * task->prepared->stride, &l);
	r = (GpuAggResident *) calloc(1, sizeof(*r));
	if (r != NULL)
		l.memory = columns_memory(task, l.bytes);
	if (l.memory == NULL)
	{
		free(r);
		return false;
	}
	r->page_columns = l;
	resident_set(task, batch, path, &l, r);
	return true;
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
	return gpuagg_cuda_compiled_launch(task, r->path, &r->frame,
									   (GpuAggTableHead *) (l->memory + l->entries_head), error) &&
		gpuagg_cuda_batch_report(task, batch, error);
}

void
gpuagg_cuda_page_free(GpuAggTask *task)
{
	for (uint32_t i = 0; task->page_path != NULL && i < 2; i++)
		gpuagg_cuda_compiled_free(task->device, &task->page_path->ways[i].compiled);
	free(task->page_path);
	task->page_path = NULL;
}
