/*
 * deferred.cu
 *		Tasks whose rows are kept as records while batches come, and grouped at
 *		the end: partitioned, window by window, or with windows side by side
 *		(groupby.h).
 *
 * Batches are decoded as always; instead of finding its group, a row is packed
 * (device/ops/record.h).  When the input has ended, finish steps through
 * grouping in device memory, and never waits for it; what it leaves are tables
 * for cuda_results.cu.  Memory is the task's: if records or groups do not fit,
 * the task ends with OUT_OF_MEMORY, and the client takes a smaller window of
 * the hash space.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/groupby/groupby.h"
#include "cuda/task/task.h"
#include "device/ops/regrouping_row.h"

static void *
deferred_alloc(void *task, size_t bytes, cudaStream_t stream, GpuAggError *error)
{
	return gpuagg_cuda_alloc((GpuAggTask *) task, bytes, stream, error);
}

static void
deferred_free(void *task, void *p, size_t bytes, cudaStream_t stream)
{
	gpuagg_cuda_free((GpuAggTask *) task, p, bytes, stream);
}

/* Hash windows of which each has no more of the table than a scope */
static uint32_t
windows_log2(const GpuAggTaskConfig *config, double groups, uint32_t stride)
{
	const uint32_t units = config->units.n > 0 ? gpuagg_spatial_ngroups(&config->units) :
		GPUAGG_SPATIAL_UNKNOWN;

	return gpuagg_spatial_log2(2 * groups * stride, (double) config->scope_bytes,
							   config->strategy == GPUAGG_STRATEGY_SPATIAL ? units :
							   GPUAGG_DEFERRED_WINDOWS);
}

/* Which window each multiprocessor begins with, on the card */
static bool
sm_windows_make(GpuAggTask *task, const GpuAggTaskConfig *config, uint32_t log2,
				GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;

	task->sm_windows_staging = gpuagg_cuda_pin(task->device, GPUAGG_SPATIAL_UNITS, error);
	if (task->sm_windows_staging == NULL)
		return false;
	gpuagg_spatial_windows(&config->units, 1u << log2,
						   (uint8_t *) task->sm_windows_staging->data);
	task->sm_windows = (uint8_t *) gpuagg_cuda_alloc(task, GPUAGG_SPATIAL_UNITS, stream, error);
	return task->sm_windows != NULL &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(task->sm_windows, task->sm_windows_staging->data,
								GPUAGG_SPATIAL_UNITS, cudaMemcpyHostToDevice, stream), error);
}

static GpuAggGroupByStrategy
groupby_strategy(uint32_t strategy)
{
	return strategy == GPUAGG_STRATEGY_PARTITIONED ? GPUAGG_GROUPBY_PARTITIONED :
		strategy == GPUAGG_STRATEGY_SPATIAL		   ? GPUAGG_GROUPBY_SPATIAL :
		strategy == GPUAGG_STRATEGY_SORTED		   ? GPUAGG_GROUPBY_SORTED :
													 GPUAGG_GROUPBY_SINGLE;
}

bool
gpuagg_cuda_deferred_begin(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggGroupByMemory memory = {deferred_alloc, deferred_free, task};
	const bool	wide = gpuagg_cuda_scratch_bytes(p, 1) > 0;
	GpuAggGroupByConfig c = {};
	GpuAggStatus status;
	bool		windowed;

	if (p->select || p->nkeys == 0 || config->strategy >= GPUAGG_NSTRATEGIES ||
		!(GPUAGG_STRATEGY_BIT(config->strategy) & GPUAGG_STRATEGIES_DEFERRING))
		return true;
	task->groupby_report = gpuagg_cuda_pin(task->device, sizeof(GpuAggGroupByReport), error);
	task->groupby_events = gpuagg_cuda_events(task->device, error);
	if (task->groupby_report == NULL || task->groupby_events == NULL)
		return false;
	c.strategy = groupby_strategy(config->strategy);
	windowed = c.strategy == GPUAGG_GROUPBY_SINGLE || c.strategy == GPUAGG_GROUPBY_SPATIAL;
	c.expected_groups = config->expected_groups /
		(config->hash_window.count > 1 ? config->hash_window.count : 1);
	c.launches = &task->device->launches;
	c.sms = c.launches->sms;
	c.sm_bytes = c.launches->limits.shared_bytes;
	c.block_bytes = c.launches->block_bytes;
	if (config->hash_window.count <= 1)
	{
		c.ordered = config->ordered;
		c.counted_key = (uint32_t) (1 + gpuagg_regrouping_counted_key(&config->regrouping, p));
	}
	if (windowed)
		c.windows_log2 = windows_log2(config, c.expected_groups, task->prepared->stride);
	c.slice_rows = gpuagg_slice_deferred_rows(&config->compile, config->expected_rows,
											  windowed ? 1u << c.windows_log2 : 0);
	if (c.strategy == GPUAGG_GROUPBY_SPATIAL)
	{
		if (!sm_windows_make(task, config, c.windows_log2, error))
			return false;
		c.sm_windows = task->sm_windows;
	}
	status = gpuagg_cuda_groupby_open(&c, task->prepared, task->device_prepared, &memory,
									 (GpuAggGroupByReport *) task->groupby_report->data,
									 task->streams->group, &task->groupby, error);
	if (status == GPUAGG_UNSUPPORTED)
	{
		/* strings, or too many fields: the table serves */
		gpuagg_cuda_groupby_end(task->groupby);
		task->groupby = NULL;
		memset(error, 0, sizeof(*error));
		return true;
	}
	task->strategy = gpuagg_strategy_name((GpuAggStrategy) config->strategy);
	task->batch_blocks = gpuagg_cuda_batch_blocks(&task->device->launches,
												  &gpuagg_cuda_pack_kernels[wide], 0);
	return status == GPUAGG_OK;
}

/* ---------- finish ---------- */

/* Everything that has groups, in one list */
static bool
tables_list(GpuAggTask *task, GpuAggError *error)
{
	const GpuAggTableRef *table = gpuagg_cuda_groupby_table(task->groupby);
	uint32_t	npieces;
	const GpuAggGroupByPiece *pieces = gpuagg_cuda_groupby_pieces(task->groupby, &npieces);

	task->groupby_tables = (GpuAggTableRef *) calloc(npieces + 1, sizeof(GpuAggTableRef));
	if (task->groupby_tables == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	task->tables = task->groupby_tables;
	if (table->slots != NULL)
		task->tables[task->ntables++] = *table;
	for (uint32_t i = 0; i < npieces; i++)
	{
		GpuAggTableRef *t = &task->tables[task->ntables];

		t->slots = pieces[i].rows;
		t->capacity = pieces[i].groups;
		t->dense = true;
		task->ntables += t->capacity > 0;
	}
	return true;
}

bool
gpuagg_cuda_deferred_end_input(GpuAggTask *task, GpuAggError *error)
{
	return CUDA_OK(task->device,
				   cudaEventRecord(task->groupby_events->group, task->streams->group), error);
}

/* Were rows to be sorted, and are not? */
static bool
sorted_otherwise(const GpuAggTask *task)
{
	return strcmp(task->strategy, gpuagg_strategy_name(GPUAGG_STRATEGY_SORTED)) == 0 &&
		gpuagg_cuda_groupby_runs(task->groupby) != GPUAGG_GROUPBY_SORTED;
}

bool
gpuagg_cuda_deferred_finish(GpuAggTask *task, GpuAggError *error)
{
	const bool	begun = task->stage == GPUAGG_TASK_GROUPING;
	cudaStream_t stream = task->streams->group;
	GpuAggEvents *e = task->groupby_events;
	GpuAggStatus status;

	task->stage = GPUAGG_TASK_GROUPING;
	if (begun)
	{
		cudaError_t rc = cudaEventQuery(e->done);

		if (rc == cudaErrorNotReady)
			return false;
		if (gpuagg_cuda_failed(task->device, rc, "cudaEventQuery", __FILE__, __LINE__,
							   error) != GPUAGG_OK)
			return true;
	}
	status = gpuagg_cuda_groupby_step(task->groupby, error);
	if (status == GPUAGG_OK)
	{
		if (begun)
			task->stats.kernel_ns += gpuagg_cuda_elapsed(e->group, e->done);
		task->found = gpuagg_cuda_groupby_found(task->groupby);
		if (sorted_otherwise(task))
			task->strategy = gpuagg_strategy_name(GPUAGG_STRATEGY_PARTITIONED);
		return tables_list(task, error) || error->status != GPUAGG_OK;
	}
	if (status != GPUAGG_BUSY)
		return true;
	return !CUDA_OK(task->device, cudaEventRecord(e->done, stream), error) ||
		!gpuagg_cuda_notify(task->device, task->streams, error);
}

void
gpuagg_cuda_deferred_free(GpuAggTask *task)
{
	gpuagg_cuda_groupby_end(task->groupby);
	task->groupby = NULL;
	gpuagg_cuda_unpin(task->device, task->groupby_report);
	task->groupby_report = NULL;
	gpuagg_cuda_events_free(task->device, task->groupby_events);
	task->groupby_events = NULL;
	if (task->streams != NULL)
		gpuagg_cuda_free(task, task->sm_windows, GPUAGG_SPATIAL_UNITS, task->streams->group);
	task->sm_windows = NULL;
	gpuagg_cuda_unpin(task->device, task->sm_windows_staging);
	task->sm_windows_staging = NULL;
	free(task->groupby_tables);
	task->groupby_tables = NULL;
}

/* ---------- either or ---------- */

bool
gpuagg_cuda_task_defer_rows(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	if (!gpuagg_cuda_deferred_begin(task, config, error))
		return false;
	if (task->groupby == NULL)
		return true;
	gpuagg_cuda_task_table_free(task);
	memset(&task->local, 0, sizeof(task->local));
	return true;
}

bool
gpuagg_cuda_task_group_rows(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	gpuagg_cuda_deferred_free(task);
	return gpuagg_cuda_task_table_begin(task, config, error);
}
