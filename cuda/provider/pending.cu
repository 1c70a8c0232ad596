/*
 * pending.cu
 *		Pages that found no memory while batches before them were in flight, or
 *		that wait for a kernel of the query's own.
 *
 * Those give theirs back as they complete; then the pages are handed in again,
 * as if they came only now.  The client keeps its pins meanwhile, as it does for
 * batches in flight.  Batches without any before them do not wait: there is
 * nothing to wait for.  Those that wait for a kernel are handed in when it is there.
 */
#include <stdlib.h>

#include "cuda/provider/provider.h"

typedef struct GpuAggPending
{
	struct GpuAggPending *next;
	uint64_t	batch_id;
	uint32_t	npages;
	GpuAggPage *pages;			/* with their bitmaps behind them */
} GpuAggPending;

static GpuAggPending *
pending_make(uint64_t batch_id, const GpuAggPage *pages, uint32_t npages)
{
	GpuAggPending *w = (GpuAggPending *) calloc(1, sizeof(*w));
	uint8_t    *bitmaps;

	if (w == NULL)
		return NULL;
	w->batch_id = batch_id;
	w->npages = npages;
	w->pages = (GpuAggPage *) malloc((size_t) npages *
									 (sizeof(GpuAggPage) + GPUAGG_VISIBILITY_BYTES));
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
pending_free(GpuAggPending *w)
{
	free(w->pages);
	free(w);
}

bool
gpuagg_cuda_pending_add(GpuAggTask *task, uint64_t batch_id, const GpuAggPage *pages,
						uint32_t npages, bool waits, GpuAggError *error)
{
	GpuAggPending **link = &task->pending;
	GpuAggPending *w;

	if (task->pending == NULL && !waits &&
		(error->status != GPUAGG_OUT_OF_MEMORY || task->first == NULL))
		return false;
	w = pending_make(batch_id, pages, npages);
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
gpuagg_cuda_pending_resume(GpuAggTask *task)
{
	GpuAggPending *w = task->pending;

	/* those that find no memory again come back to the list, in order */
	task->pending = NULL;
	while (w != NULL)
	{
		GpuAggPending *next = w->next;
		GpuAggError error = {};

		if (gpuagg_cuda_task_pages(task, w->batch_id, w->pages, w->npages, &error) != GPUAGG_OK)
			(void) gpuagg_cuda_task_fail(task, &error);
		pending_free(w);
		w = next;
	}
}

void
gpuagg_cuda_pending_free(GpuAggTask *task)
{
	while (task->pending != NULL)
	{
		GpuAggPending *w = task->pending;

		task->pending = w->next;
		pending_free(w);
	}
}
