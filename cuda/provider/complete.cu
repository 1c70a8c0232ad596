/*
 * complete.cu
 *		Completions of the CUDA device's batches (batch_input.cu).
 *
 * Polling looks at a batch's counters when they have arrived.  Rows that found no
 * room send the batch through grouping once more, behind a larger table; a
 * list of rows (left to PostgreSQL, or selected) is fetched; then the batch is
 * complete.  Batches complete in their order: they are in the same streams.
 */
#include "cuda/columns/cuda_stripe.h"
#include "cuda/columns/resident.h"
#include "cuda/provider/provider.h"

/*
 * Block-local tables are given up for the rest of a task when more rows than
 * one in so many miss them, or bring a group that is new to all.
 */
#define LOCAL_MISS_SHARE 4

/*
 * They are taken up where more groups had been expected than there are, once a
 * group has had so many rows.
 */
#define LOCAL_GROUP_ROWS 64

/* Groups for which a table grows at first, of rows of stripes that found no room */
#define RESIDENT_GROWTH ((uint64_t) 1 << 16)

/* What the counters say of errors */
static GpuAggStatus
report_check(const GpuAggBatchHead *head, GpuAggError *error)
{
	if (head->corrupt != 0)
	{
		uint32_t	page = (head->corrupt - 1) >> 16;

		gpuagg_cuda_error(
			error, GPUAGG_CORRUPT_PAGE,
			"line pointer %u of page %u of the batch points outside of its page or tuple",
			((head->corrupt - 1) & 0xFFFF) + 1, page);
		error->detail = page;
	}
	else if (head->errors != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_VALUE_ERROR,
						  "evaluating an expression raised an error");
		error->detail = head->errors;
	}
	else if (head->nrefused != 0)
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a dictionary takes no more strings");
	return error->status;
}

static void
report_times(GpuAggTask *task, const GpuAggBatch *batch)
{
	const GpuAggEvents *e = batch->events;
	GpuAggTaskStats *stats = &task->stats;

	stats->kernel_ns += gpuagg_cuda_elapsed(e->group, e->grouped);
	if (batch->again || batch->decoded.npages == 0)
		return;
	stats->decode_ns += gpuagg_cuda_elapsed(e->decode, e->decoded);
	stats->link_bytes += (uint64_t) batch->decoded.npages * GPUAGG_PAGE_BYTES;
}

static void
local_switch(GpuAggTask *task, GpuAggStrategy strategy)
{
	task->local_settled = true;
	task->strategy = gpuagg_strategy_name(strategy);
	task->stats.switches++;
}

/*
 * Are block-local tables worth it, after all or no more?  Once decided, it
 * stays so.
 */
static void
local_decide(GpuAggTask *task, const GpuAggReport *report)
{
	const GpuAggBatchHead *head = &report->batch;
	const uint32_t windows = task->prepared->hash_window.count > 1 ?
		task->prepared->hash_window.count :
		1;

	if (task->groupby != NULL || task->local_settled || task->forced != GPUAGG_STRATEGY_AUTO ||
		gpuagg_cuda_program(task->prepared)->nkeys == 0)
		return;
	/* of those that passed, the window has its share */
	task->rows_grouped += head->rows_passed / windows + head->overflow;
	task->local_misses += head->local_misses;
	if (task->local.capacity > 0)
	{
		const uint64_t groups = report->table.count;

		if (task->local_misses * LOCAL_MISS_SHARE <= task->rows_grouped &&
			(groups <= task->local.limit || groups * LOCAL_MISS_SHARE <= task->rows_grouped))
			return;
		task->local.capacity = 0;
		local_switch(task, GPUAGG_STRATEGY_SINGLE_PASS);
	}
	else if (report->table.count * LOCAL_GROUP_ROWS <= task->rows_grouped)
	{
		gpuagg_cuda_task_local(task, (double) report->table.count);
		if (task->local.capacity > 0)
			local_switch(task, GPUAGG_STRATEGY_BLOCK_LOCAL);
	}
}

/* Through grouping once more, into a larger table */
static bool
batch_again(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	const GpuAggReport *report = (const GpuAggReport *) batch->staging->data;
	uint64_t	more = report->batch.overflow;
	size_t		reset = offsetof(GpuAggBatchHead, nspilled) - offsetof(GpuAggBatchHead, overflow);

	if (!batch->again && !batch->compiled)
	{
		batch->nspilled = report->batch.nspilled;
		more += batch->nspilled;
	}
	/* rows of stripes are many more than new groups; if not, there is a next time */
	if (batch->resident != NULL && more > RESIDENT_GROWTH + 8 * report->table.count)
		more = RESIDENT_GROWTH + 8 * report->table.count;
	if (more > 0 && batch->generation == task->generation &&
		gpuagg_cuda_task_grow(task, &report->table, more, error) != GPUAGG_OK)
		return false;
	batch->again = true;
	return CUDA_OK(task->device,
				   cudaMemsetAsync(&batch->decoded.head->overflow, 0, reset, task->streams->group),
				   error) &&
		(batch->compiled ? gpuagg_cuda_resident_again(task, batch, error) :
		 gpuagg_cuda_batch_group(task, batch, false, error));
}

static bool
batch_fetch_list(GpuAggTask *task, GpuAggBatch *batch, uint32_t n, GpuAggError *error)
{
	const size_t bytes = n * sizeof(GpuAggRowRef);

	batch->list = gpuagg_cuda_pin(task->device, bytes, error);
	batch->stage = GPUAGG_BATCH_LISTING;
	return batch->list != NULL &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(batch->list->data, batch->decoded.skipped, bytes,
								cudaMemcpyDeviceToHost, task->streams->group), error) &&
		CUDA_OK(task->device, cudaEventRecord(batch->events->done, task->streams->group), error) &&
		gpuagg_cuda_notify(task->device, task->streams, error);
}

/* The counters have arrived; what is next?  Errors go to the task. */
static void
batch_advance(GpuAggTask *task, GpuAggBatch *batch)
{
	const GpuAggReport *report = (const GpuAggReport *) batch->staging->data;
	const GpuAggBatchHead *head = &report->batch;
	GpuAggCompletion *c = &batch->completion;
	GpuAggError error = {};
	bool		ok = true;

	if (batch->stage == GPUAGG_BATCH_LISTING)
	{
		c->listed = (const GpuAggRowRef *) batch->list->data;
		c->nlisted = head->nskipped;
		batch->stage = GPUAGG_BATCH_DONE;
		return;
	}
	report_times(task, batch);
	/* rows without place meet the filter once more */
	if (!batch->again)
		for (uint32_t s = 0; s < GPUAGG_STAGES - 1; s++)
			c->left[s] = head->left[s];
	if (batch->packed)
		gpuagg_cuda_groupby_settle(task->groupby, batch->decoded.nrows, head->nkept, head->nnulls);
	task->kept_nulls += head->nnulls;
	task->groups = report->table.count;
	if (!batch->again && (batch->columns != NULL || !batch->compiled))
		local_decide(task, report);
	if (report_check(head, &error) == GPUAGG_OK)
	{
		if (head->overflow > 0 || (head->nspilled > 0 && !batch->again))
		{
			ok = batch_again(task, batch, &error);
			if (ok)
				return;
		}
		else if (head->nskipped > 0)
		{
			ok = batch_fetch_list(task, batch, head->nskipped, &error);
			if (ok)
			{
				c->rows_scanned = head->rows_scanned;
				c->rows_passed = head->rows_passed;
				return;
			}
		}
	}
	c->rows_scanned = batch->decoded.npages > 0 || batch->resident != NULL ? head->rows_scanned : 0;
	c->rows_passed = head->rows_passed;
	if (error.status != GPUAGG_OK)
		(void) gpuagg_cuda_task_fail(task, &error);
	else if (batch->resident != NULL && batch->resident->deferred)
		gpuagg_cuda_resident_deferred(task, batch);
	batch->stage = GPUAGG_BATCH_DONE;
}

/* Has the card done what the batch waits for?  Lost devices have. */
static bool
batch_reached(GpuAggTask *task, GpuAggBatch *batch)
{
	GpuAggError error = {};
	cudaError_t rc;

	if (task->device->lost)
	{
		(void) gpuagg_cuda_task_fail(task, &task->device->lost_error);
		batch->stage = GPUAGG_BATCH_DONE;
		return true;
	}
	/* enqueued in part: its events may never come */
	if (task->error.status != GPUAGG_OK)
	{
		if (!gpuagg_cuda_task_idle(task))
			return false;
		batch->stage = GPUAGG_BATCH_DONE;
		return true;
	}
	if (batch->stage == GPUAGG_BATCH_WAITING)
	{
		if (!gpuagg_cuda_rows_group(task, batch, &error))
			(void) gpuagg_cuda_task_fail(task, &error);
		return false;
	}
	rc = cudaEventQuery(batch->events->done);
	if (rc == cudaErrorNotReady)
		return false;
	if (rc != cudaSuccess)
	{
		(void) gpuagg_cuda_failed(task->device, rc, "cudaEventQuery", __FILE__, __LINE__, &error);
		(void) gpuagg_cuda_task_fail(task, &error);
		batch->stage = GPUAGG_BATCH_DONE;
	}
	return true;
}

bool
gpuagg_cuda_task_poll(GpuAggTask *task, GpuAggCompletion *completion)
{
	GpuAggBatch *batch;

	gpuagg_cuda_batch_free(task, task->polled);
	task->polled = NULL;
	if (gpuagg_cuda_page_poll(task))
		gpuagg_cuda_pending_resume(task);
	(void) gpuagg_cuda_resident_poll(task);
	batch = task->first;
	while (batch != NULL && batch->stage != GPUAGG_BATCH_DONE)
	{
		if (!batch_reached(task, batch))
			return false;
		if (batch->stage != GPUAGG_BATCH_DONE)
			batch_advance(task, batch);
	}
	if (batch == NULL)
		return false;
	task->first = batch->next;
	task->polled = batch;

	/* the card is done with it, and others may be waiting for it */
	gpuagg_cuda_batch_release(task, batch);
	gpuagg_cuda_pending_resume(task);
	*completion = batch->completion;
	completion->error = task->error;
	if (task->error.status != GPUAGG_OK)
		completion->nlisted = 0;
	return true;
}
