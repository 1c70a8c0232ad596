/*
 * batch.cu
 *		Batches of a task: their memory, their way through the interpreter, and what of
 *		them comes back.
 *
 * What a batch needs on the card is one allocation, whose first part the host writes in
 * pinned memory.  What it holds, and which kernels are enqueued for it, is known where the
 * input is: of pages and rows in provider/batch_input.cu, of stripes in columns/.
 */
#include <stdlib.h>

#include "cuda/groupby/groupby.h"
#include "cuda/task/task.h"

/* Where in the staging memory the upload begins */
#define UPLOAD_OFF 256

/* ---------- memory ---------- */

/* Entries that the block-local tables of one launch can leave behind */
uint32_t
gpuagg_cuda_spill_room(const GpuAggTask *task, uint32_t nrows)
{
	uint32_t	blocks = task->batch_blocks;
	uint32_t	useful = (nrows + GPUAGG_GROUP_THREADS - 1) / GPUAGG_GROUP_THREADS;

	return task->local.limit == 0 ? 0 :
		(blocks < useful ? blocks : useful) * task->local.copies * task->local.capacity;
}

void
gpuagg_cuda_batch_release(GpuAggTask *task, GpuAggBatch *batch)
{
	gpuagg_cuda_free(task, batch->memory, batch->bytes, task->streams->group);
	gpuagg_cuda_free(task, batch->columns, batch->columns_bytes, task->streams->group);
	batch->memory = batch->columns = NULL;
}

void
gpuagg_cuda_batch_free(GpuAggTask *task, GpuAggBatch *batch)
{
	if (batch == NULL)
		return;
	gpuagg_cuda_batch_release(task, batch);
	gpuagg_cuda_free(task, batch->flags, batch->flags_bytes, task->streams->group);
	free(batch->resident);
	gpuagg_cuda_unpin(task->device, batch->staging);
	gpuagg_cuda_unpin(task->device, batch->copies);
	gpuagg_cuda_unpin(task->device, batch->list);
	gpuagg_cuda_events_free(task->device, batch->events);
	free(batch);
}

GpuAggBatch *
gpuagg_cuda_batch_make(GpuAggTask *task, size_t bytes, size_t upload, cudaStream_t stream,
					   GpuAggError *error)
{
	GpuAggBatch *batch = (GpuAggBatch *) calloc(1, sizeof(*batch));

	if (batch == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	batch->bytes = bytes;
	batch->events = gpuagg_cuda_events(task->device, error);
	if (batch->events != NULL)
		batch->staging = gpuagg_cuda_pin(task->device, UPLOAD_OFF + upload, error);
	if (batch->staging != NULL)
		batch->memory = (char *) gpuagg_cuda_alloc(task, bytes, stream, error);
	if (batch->memory != NULL)
	{
		memset(batch->staging->data, 0, UPLOAD_OFF + gpuagg_cuda_align(sizeof(GpuAggBatchHead)));
		return batch;
	}
	gpuagg_cuda_batch_free(task, batch);
	return NULL;
}

char *
gpuagg_cuda_staged(const GpuAggBatch *batch, const void *there)
{
	return batch->staging->data + UPLOAD_OFF + ((const char *) there - batch->memory);
}

/* ---------- launching ---------- */

bool
gpuagg_cuda_batch_upload(GpuAggTask *task, GpuAggBatch *batch, size_t bytes,
			 cudaStream_t stream, GpuAggError *error)
{
	return CUDA_OK(task->device,
				   cudaMemcpyAsync(batch->memory, batch->staging->data + UPLOAD_OFF, bytes,
								   cudaMemcpyHostToDevice, stream), error);
}

bool
gpuagg_cuda_batch_report(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;
	GpuAggReport *report = (GpuAggReport *) batch->staging->data;

	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device, cudaEventRecord(batch->events->grouped, stream), error) &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(&report->batch, batch->decoded.head, sizeof(report->batch),
								cudaMemcpyDeviceToHost, stream), error) &&
		(task->table.head == NULL ||
		 CUDA_OK(task->device,
				 cudaMemcpyAsync(&report->table, task->table.head, sizeof(report->table),
								 cudaMemcpyDeviceToHost, stream), error)) &&
		CUDA_OK(task->device, cudaEventRecord(batch->events->done, stream), error) &&
		gpuagg_cuda_notify(task->device, task->streams, error);
}

/* The kernel that does with the rows what the task is for */
static bool
batch_launch(GpuAggTask *task, GpuAggBatch *batch, bool local, char *scratch,
			 GpuAggError *error)
{
	const GpuAggLocalShape none = {0, 0, 0};
	const GpuAggProgram *p = batch->program;
	const uint32_t scratch_stride = (uint32_t) gpuagg_cuda_scratch_bytes(p, 1);
	const uint32_t blocks = task->batch_blocks;
	cudaStream_t stream = task->streams->group;

	batch->packed = task->groupby != NULL;
	if (batch->packed)
		return gpuagg_cuda_groupby_decoded(task->groupby, batch->prepared, p, &batch->decoded,
										   scratch, scratch_stride, blocks, error) == GPUAGG_OK;
	if (p->select)
		gpuagg_cuda_select(batch->prepared, &batch->decoded, scratch, scratch_stride, blocks,
						   stream);
	else
		gpuagg_cuda_group(batch->prepared, &batch->decoded, &task->table,
						  local ? &task->local : &none, task->prepared->stride, scratch,
						  scratch_stride, blocks, stream);
	return true;
}

bool
gpuagg_cuda_batch_begin(GpuAggTask *task, GpuAggBatch *batch, char **scratch, size_t *scratch_bytes,
						GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;

	batch->generation = task->generation;
	if (!CUDA_OK(task->device, cudaEventRecord(batch->events->group, stream), error) ||
		!gpuagg_cuda_task_scratch(task, batch->program,
								  task->batch_blocks * GPUAGG_GROUP_THREADS, scratch,
								  scratch_bytes, error))
		return false;
	if (task->fault == GPUAGG_FAULT_TRAP)
		gpuagg_cuda_trap(1, stream);
	if (batch->nspilled > 0)
	{
		const GpuAggLaunch launch = gpuagg_cuda_launch(&task->device->launches,
													   gpuagg_cuda_merge_kernels,
													   batch->nspilled);

		gpuagg_cuda_merge_spill(batch->prepared, &batch->decoded, batch->nspilled, &task->table,
								&launch, stream);
	}
	return true;
}

bool
gpuagg_cuda_batch_end(GpuAggTask *task, GpuAggBatch *batch, bool ok, char *scratch,
					  size_t scratch_bytes, GpuAggError *error)
{
	gpuagg_cuda_free(task, scratch, scratch_bytes, task->streams->group);
	return ok && gpuagg_cuda_batch_report(task, batch, error);
}

bool
gpuagg_cuda_batch_group(GpuAggTask *task, GpuAggBatch *batch, bool local, GpuAggError *error)
{
	size_t		scratch_bytes;
	char	   *scratch;
	bool		ok;

	if (!gpuagg_cuda_batch_begin(task, batch, &scratch, &scratch_bytes, error))
		return false;
	ok = batch_launch(task, batch, local, scratch, error);
	return gpuagg_cuda_batch_end(task, batch, ok, scratch, scratch_bytes, error);
}

/* ---------- a task's batches ---------- */

void
gpuagg_cuda_batch_push(GpuAggTask *task, GpuAggBatch *batch)
{
	if (task->first == NULL)
		task->first = batch;
	else
		task->last->next = batch;
	task->last = batch;
}

/*
 * A batch that was enqueued in part stays with the task, failed, until its
 * end: the card may be using it.
 */
GpuAggStatus
gpuagg_cuda_batch_enqueued(GpuAggTask *task, GpuAggBatch *batch, bool ok, GpuAggError *error)
{
	gpuagg_cuda_batch_push(task, batch);
	return ok ? GPUAGG_OK : gpuagg_cuda_task_fail(task, error);
}

GpuAggStatus
gpuagg_cuda_batch_failed(GpuAggTask *task, uint64_t batch_id, GpuAggError *error)
{
	GpuAggBatch *batch = (GpuAggBatch *) calloc(1, sizeof(*batch));

	(void) gpuagg_cuda_task_fail(task, error);
	if (batch == NULL || error->status == GPUAGG_DEVICE_LOST)
	{
		free(batch);
		return error->status;
	}
	batch->stage = GPUAGG_BATCH_DONE;
	batch->completion.batch_id = batch_id;
	gpuagg_cuda_batch_push(task, batch);
	if (!gpuagg_cuda_notify(task->device, task->streams, error))
		return error->status;
	memset(error, 0, sizeof(*error));
	return GPUAGG_OK;
}
