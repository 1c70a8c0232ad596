/*
 * cuda_task.cu
 *		Tasks of the CUDA device: begin and end.
 *
 * A task ends only when the card has nothing left to do for it, so that what
 * it frees is not in use.  The first error stays with the task; batches that
 * complete later report it, too.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_made.h"
#include "cuda/draw/draws.h"
#include "cuda/provider/provider.h"
#include "device/choice/slices.h"

/* ---------- begin ---------- */

/*
 * The decode stream must not run ahead of the prepared program's upload.
 */
static bool
decode_waits(GpuAggTask *task, GpuAggError *error)
{
	GpuAggEvents *e = gpuagg_cuda_events(task->device, error);
	bool		ok;

	if (e == NULL)
		return false;
	ok = CUDA_OK(task->device, cudaEventRecord(e->done, task->streams->group), error) &&
		CUDA_OK(task->device, cudaStreamWaitEvent(task->streams->decode, e->done, 0), error);
	gpuagg_cuda_events_free(task->device, e);
	return ok;
}

static bool
task_prepare(GpuAggTask *task, const GpuAggProgram *program,
			 const GpuAggTaskConfig *config, GpuAggError *error)
{
	task->streams = gpuagg_cuda_stream_pair(
		task->device, gpuagg_slice_is_all(&config->compile, config->expected_rows), error);
	if (task->streams == NULL)
		return false;
	task->prepared = gpuagg_cuda_prepare(program, &task->prepared_bytes);
	if (task->prepared == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	task->prepared->sampled = gpuagg_sample_of_lines(&config->sample);
	task->prepared->sample = config->sample;
	if (program->nkeys > 0)
		task->prepared->hash_window = config->hash_window;
	if (!gpuagg_cuda_task_program_upload(task, config, error) ||
		!gpuagg_cuda_made_attach(task, &config->made, error) ||
		(config->codes.results != NULL &&
		 !gpuagg_cuda_strings_begin(task, config, error)))
		return false;
	if (program->select)
	{
		task->strategy = "select";
		gpuagg_cuda_task_blocks(task);
	}
	else if (config->make.nkeys > 0)
	{
		if (!gpuagg_cuda_task_table_begin(task, config, error) ||
			!gpuagg_cuda_making_begin(task, config, error))
			return false;
	}
	else if (!gpuagg_cuda_deferred_begin(task, config, error) ||
			 (task->groupby == NULL && !gpuagg_cuda_task_table_begin(task, config, error)))
		return false;
	return decode_waits(task, error);
}

/* Strings whose registers hold codes have a dictionary. */
static bool
dictionaries_copy(GpuAggTask *task, const GpuAggProgram *p, const GpuAggTaskConfig *config,
				  GpuAggError *error)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	const size_t bytes = p->nregs * sizeof(*task->dictionaries);

	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		const uint16_t reg = attrs[i].reg;

		if (reg == GPUAGG_NO_REG || gpuagg_key_class(attrs[i].type) != GPUAGG_CLASS_BYTES ||
			classes[reg] == GPUAGG_CLASS_BYTES)
			continue;
		if (config->codes.dictionaries == NULL || config->codes.dictionaries[reg] == NULL)
		{
			gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a string's code without a dictionary");
			return false;
		}
	}
	if (config->codes.dictionaries == NULL || bytes == 0)
		return true;
	task->dictionaries = (GpuAggDictionary **) malloc(bytes);
	if (task->dictionaries == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	memcpy(task->dictionaries, config->codes.dictionaries, bytes);
	return true;
}

GpuAggStatus
gpuagg_cuda_task_begin(GpuAggDevice *device, const GpuAggProgram *program,
					   const GpuAggTaskConfig *config, GpuAggTask **result,
					   GpuAggError *error)
{
	GpuAggTask *task;

	*result = NULL;
	memset(error, 0, sizeof(*error));
	if (device->lost)
	{
		*error = device->lost_error;
		return error->status;
	}
	if (config->fault == GPUAGG_FAULT_BEGIN)
		return gpuagg_cuda_injected("begin", error);
	task = (GpuAggTask *) calloc(1, sizeof(*task));
	if (task == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	task->device = device;
	task->fault = config->fault;
	task->memory_limit = config->memory_limit;
	task->config = *config;
	task->config.codes.dictionaries = NULL;
	task->config.codes.places = NULL;
	task->config.codes.results = NULL;
	task->config.make.dictionaries = NULL;
	task->config.made.n = 0;
	if (!dictionaries_copy(task, program, config, error))
	{
		free(task);
		return error->status;
	}
	if (!task_prepare(task, program, config, error))
	{
		/* what was enqueued is little, and must be over before it is freed */
		if (task->streams != NULL && !device->lost)
			(void) cudaStreamSynchronize(task->streams->group);
		gpuagg_cuda_task_end(task);
		return error->status;
	}
	*result = task;
	return GPUAGG_OK;
}

/* ---------- end ---------- */

void
gpuagg_cuda_task_cancel(GpuAggTask *task)
{
	GpuAggError error = {};

	gpuagg_cuda_error(&error, GPUAGG_CANCELLED, "the task was cancelled");
	(void) gpuagg_cuda_task_fail(task, &error);
}

static bool
stream_idle(GpuAggTask *task, cudaStream_t stream)
{
	cudaError_t rc = cudaStreamQuery(stream);
	GpuAggError error;

	if (rc == cudaErrorNotReady)
		return false;
	if (rc != cudaSuccess)
	{
		/* nothing runs in a context that is lost */
		(void) gpuagg_cuda_failed(task->device, rc, "cudaStreamQuery", __FILE__, __LINE__, &error);
		(void) gpuagg_cuda_task_fail(task, &error);
	}
	return true;
}

bool
gpuagg_cuda_task_idle(GpuAggTask *task)
{
	return task->device->lost ||
		(stream_idle(task, task->streams->decode) && stream_idle(task, task->streams->group));
}

void
gpuagg_cuda_task_stats(GpuAggTask *task, GpuAggTaskStats *stats)
{
	*stats = task->stats;
	stats->groups = task->found > 0 ? task->found : gpuagg_cuda_regroup_finer(task);
	stats->regrouped = gpuagg_cuda_regrouped(task);
	stats->memory_bytes = task->memory_peak;
	gpuagg_cuda_draws_stats(task, stats);
	stats->device_ns = stats->transfer_ns + stats->decode_ns + stats->kernel_ns;
	stats->strategy = task->strategy;
}

void
gpuagg_cuda_task_end(GpuAggTask *task)
{
	GpuAggDevice *device = task->device;
	cudaStream_t stream = task->streams != NULL ? task->streams->group : NULL;

	gpuagg_cuda_batches_free(task);
	gpuagg_cuda_resident_free(task);
	gpuagg_cuda_page_free(task);
	gpuagg_cuda_making_free(task);
	gpuagg_cuda_draws_free(task);
	gpuagg_cuda_results_free(task);
	gpuagg_cuda_wanted_free(task);
	gpuagg_cuda_regroup_free(task);
	gpuagg_cuda_strings_free(task);
	gpuagg_cuda_deferred_free(task);
	gpuagg_cuda_task_table_free(task);
	gpuagg_cuda_free(task, task->device_prepared, task->prepared_bytes, stream);
	gpuagg_cuda_free(task, task->device_rows_prepared, task->rows_prepared_bytes, stream);
	gpuagg_cuda_unpin(device, task->prepared_staging);
	gpuagg_cuda_unpin(device, task->rows_prepared_staging);
	gpuagg_cuda_stream_pair_free(device, task->streams);
	free(task->dictionaries);
	free(task->made_at);
	free(task->prepared);
	free(task->rows_prepared);
	free(task);
}
