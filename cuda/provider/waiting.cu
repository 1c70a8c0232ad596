/*
 * waiting.cu
 *		Pages that found no memory while batches before them were in flight.
 *
 * Those give theirs back as they complete; then the pages are handed in again,
 * as if they came only now.  The client keeps its pins meanwhile, as it does for
 * batches in flight.  Batches without any before them do not wait: there is
 * nothing to wait for.
 */
#include <stdlib.h>

#include "cuda/core/cuda_device.h"

typedef struct GpuAggWaiting
{
	struct GpuAggWaiting *next;
	uint64_t	batch_id;
	uint32_t	npages;
	GpuAggPage *pages;			/* with their bitmaps behind them */
} GpuAggWaiting;

static GpuAggWaiting *
waiting_make(uint64_t batch_id, const GpuAggPage *pages, uint32_t npages)
{
	GpuAggWaiting *w = (GpuAggWaiting *) calloc(1, sizeof(*w));
	uint8_t    *bitmaps;

	if (w == NULL)
		return NULL;
	w->batch_id = batch_id;
	w->npages = npages;
	w->pages = (GpuAggPage *) malloc((size_t) npages * (sizeof(GpuAggPage) + GPUAGG_VISIBILITY_BYTES));
	if (w->pages == NULL)
	{
		free(w);
		return NULL;
	}
	memcpy(w->pages, pages, npages * sizeof(GpuAggPage));
	bitmaps = (uint8_t *) (w->pages + npages);
	for (uint32_t i = 0; i < npages; i++)
		if (pages[i].visibility != NULL)
		{
			w->pages[i].visibility = bitmaps + (size_t) i * GPUAGG_VISIBILITY_BYTES;
			memcpy(bitmaps + (size_t) i * GPUAGG_VISIBILITY_BYTES, pages[i].visibility,
				   GPUAGG_VISIBILITY_BYTES);
		}
	return w;
}

static void
waiting_free(GpuAggWaiting *w)
{
	free(w->pages);
	free(w);
}

bool
gpuagg_cuda_waiting_add(GpuAggTask *task, uint64_t batch_id, const GpuAggPage *pages,
						uint32_t npages, GpuAggError *error)
{
	GpuAggWaiting **link = &task->waiting;
	GpuAggWaiting *w;

	if (task->waiting == NULL &&
		(error->status != GPUAGG_OUT_OF_MEMORY || task->first == NULL))
		return false;
	w = waiting_make(batch_id, pages, npages);
	if (w == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	while (*link != NULL)
		link = &(*link)->next;
	*link = w;
	memset(error, 0, sizeof(*error));
	return true;
}

void
gpuagg_cuda_waiting_resume(GpuAggTask *task)
{
	GpuAggWaiting *w = task->waiting;

	/* those that find no memory again come back to the list, in order */
	task->waiting = NULL;
	while (w != NULL)
	{
		GpuAggWaiting *next = w->next;
		GpuAggError error = {};

		if (gpuagg_cuda_task_pages(task, w->batch_id, w->pages, w->npages, &error) != GPUAGG_OK)
			(void) gpuagg_cuda_task_fail(task, &error);
		waiting_free(w);
		w = next;
	}
}

void
gpuagg_cuda_waiting_free(GpuAggTask *task)
{
	while (task->waiting != NULL)
	{
		GpuAggWaiting *w = task->waiting;

		task->waiting = w->next;
		waiting_free(w);
	}
}
