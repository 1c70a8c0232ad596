/*
 * stripe_queue.cu
 *		Stripes that a task is given, until they are enqueued (resident.cu).
 */
#include <stdlib.h>
#include <unistd.h>

#include "cuda/columns/resident.h"

/* Positions that are not input, but for those beyond the end */
static bool
without_copy(GpuAggPendingStripe *w, const GpuAggPositions *without, uint32_t n)
{
	while (n > 0 && without[n - 1].first >= w->positions)
		n--;
	w->nwithout = 0;
	w->without = NULL;
	if (n == 0)
		return true;
	w->without = (GpuAggPositions *) malloc(n * sizeof(*without));
	if (w->without == NULL)
		return false;
	memcpy(w->without, without, n * sizeof(*without));
	w->nwithout = n;
	return true;
}

void
gpuagg_cuda_pending_stripe_free(GpuAggPendingStripe *w)
{
	free(w->done);
	free(w->without);
}

/* Somebody is to poll the task. */
static void
wake(const GpuAggDevice *device)
{
	const uint64_t one = 1;

	/* full, it is readable already */
	if (write(device->event_fd, &one, sizeof(one)) < 0)
		return;
}

static bool
pages_hold(GpuAggResidentQueue *queue, GpuAggStripePages *pages)
{
	GpuAggStripePages **held = (GpuAggStripePages **) realloc(
		queue->held, (queue->nheld + 1) * sizeof(*queue->held));

	if (held == NULL)
		return false;
	queue->held = held;
	queue->held[queue->nheld++] = pages;
	pages->refs++;
	return true;
}

static GpuAggStatus
queue_add(GpuAggTask *task, const GpuAggPendingStripe *w, GpuAggError *error)
{
	if (task->queue == NULL)
		task->queue = (GpuAggResidentQueue *) calloc(1, sizeof(*task->queue));
	if (task->queue == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	if (w->pages != NULL && !pages_hold(task->queue, w->pages))
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	task->queue->pending[task->queue->n++] = *w;
	if (task->queue->n == GPUAGG_RESIDENT_STRIPES)
		(void) gpuagg_cuda_resident_flush(task);
	wake(task->device);
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_task_resident(GpuAggTask *task, uint64_t batch_id, GpuAggStripe *stripe,
						  const GpuAggPositions *without, uint32_t nwithout, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggStripeColumn columns[GPUAGG_MAX_REGS];
	GpuAggPendingStripe w = {};

	if (gpuagg_cuda_input_check(task, error) != GPUAGG_OK)
		return error->status == GPUAGG_DEVICE_LOST ? error->status :
			gpuagg_cuda_batch_failed(task, batch_id, error);
	if (p->select)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "no stripes for rows that are selected");
	if (task->prepared->sampled && stripe->pages == NULL)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "lines of a stripe are not known");
	if (!gpuagg_cuda_stripe_columns(stripe, p, columns, error))
		return error->status;
	if (gpuagg_cuda_input_faults(task, error) != GPUAGG_OK)
		return gpuagg_cuda_batch_failed(task, batch_id, error);
	w.stripe = stripe;
	w.positions = stripe->high_water;
	w.pages = task->prepared->sampled ? stripe->pages : NULL;
	w.done = (GpuAggBatch *) calloc(1, sizeof(*w.done));
	if (w.done == NULL || !without_copy(&w, without, nwithout))
	{
		free(w.done);
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	}
	w.done->stage = GPUAGG_BATCH_DONE;
	w.done->completion.batch_id = batch_id;
	if (queue_add(task, &w, error) != GPUAGG_OK)
		gpuagg_cuda_pending_stripe_free(&w);
	return error->status;
}
