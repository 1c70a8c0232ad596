/*
 * cuda_results.cu
 *		Groups of a finished task, on their way to the worker's messages.
 *
 * Groups lie in one or more tables: the task's own, or those that grouping in
 * device memory has left.  Finishing sizes their runs of slots
 * (return_groups.cu), which are numbered through.  Then windows of some
 * megabytes are written on the card and copied to pinned memory, one ahead of
 * the one that is being read; where memory is short they are smaller.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"
#include "cuda/columns/cuda_made.h"
#include "cuda/provider/provider.h"
#include "device/ops/group.h"

/* Runs of a window, at most */
#define WINDOW_RUNS 8192

/*
 * Groups of a window: long against a copy's overhead, and with the starts of
 * its runs 8 MiB of pinned memory
 */
#define WINDOW_BYTES (((size_t) 8 << 20) - WINDOW_RUNS * sizeof(uint64_t))
#define WINDOW_LEAST_BYTES ((size_t) 256 << 10)

static const uint64_t *
run_bytes(const GpuAggTask *task)
{
	return (const uint64_t *) task->sizes->data;
}

static const uint32_t *
run_groups(const GpuAggTask *task)
{
	return (const uint32_t *) (task->sizes->data + task->nruns * sizeof(uint64_t));
}

static uint64_t
table_runs(const GpuAggTableRef *table)
{
	return (table->capacity + GPUAGG_RETURN_SLOTS - 1) / GPUAGG_RETURN_SLOTS;
}

/* ---------- the form of groups ---------- */

static const GpuAggEncoding *
strings_device(const GpuAggTask *task)
{
	return task->strings != NULL ? task->strings->device : NULL;
}

static const GpuAggCudaPrepared *
results_prepared(const GpuAggTask *task)
{
	const GpuAggCudaPrepared *there;

	return gpuagg_cuda_returned(task, &there);
}

static const GpuAggLayout *
results_layout(const GpuAggTask *task)
{
	return task->strings != NULL ? &task->strings->layout : &results_prepared(task)->layout;
}

/* May groups be of different sizes? */
static bool
results_vary(const GpuAggTask *task)
{
	return task->strings != NULL || results_prepared(task)->has_strings;
}

/* Bytes of the group at `row`, as return_groups.cu has written it */
static size_t
group_bytes(const GpuAggTask *task, const char *row)
{
	return gpuagg_group_bytes(task->strings != NULL ? task->strings->program :
													  gpuagg_cuda_program(results_prepared(task)),
							  results_layout(task), row);
}

/* ---------- sizes ---------- */

/* How groups are returned; counts of values, which are no codes, never are. */
static GpuAggReturn
returned(const GpuAggTask *task)
{
	const bool	counted = gpuagg_cuda_regroup_counted(task) && !gpuagg_cuda_regrouped(task);
	GpuAggReturn r = {NULL, counted ? NULL : strings_device(task), task->wanted};

	(void) gpuagg_cuda_returned(task, &r.prepared);
	return r;
}

/* Sizes of all tables, on the card */
static void
sizes_of_tables(GpuAggTask *task, size_t split)
{
	const GpuAggReturn r = returned(task);
	uint64_t	first = 0;
	uint64_t	base = 0;

	for (uint32_t i = 0; i < task->ntables; i++)
	{
		gpuagg_cuda_size(&r, &task->tables[i], base, (uint64_t *) task->device_sizes + first,
						 (uint32_t *) (task->device_sizes + split) + first, task->streams->group);
		first += table_runs(&task->tables[i]);
		base += task->tables[i].capacity;
	}
}

/* Of the tables in which the groups are */
static bool
sizes_launch(GpuAggTask *task, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;
	size_t		split;

	task->nruns = 0;
	for (uint32_t i = 0; i < task->ntables; i++)
		task->nruns += table_runs(&task->tables[i]);
	/* without a gap, which would be copied with them and which nothing has written */
	split = task->nruns * sizeof(uint64_t);
	task->device_sizes_bytes = gpuagg_cuda_align(split + task->nruns * sizeof(uint32_t));
	task->device_sizes = (char *) gpuagg_cuda_alloc(task, task->device_sizes_bytes, stream, error);
	task->sizes = gpuagg_cuda_pin(task->device, task->device_sizes_bytes, error);
	task->sizes_events = gpuagg_cuda_events(task->device, error);
	if (task->device_sizes == NULL || task->sizes == NULL || task->sizes_events == NULL ||
		!gpuagg_cuda_strings_follow(task, error) || !gpuagg_cuda_wanted_launch(task, error))
		return false;
	sizes_of_tables(task, split);
	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(task->sizes->data, task->device_sizes,
								split + task->nruns * sizeof(uint32_t), cudaMemcpyDeviceToHost,
								stream),
				error) &&
		CUDA_OK(task->device, cudaEventRecord(task->sizes_events->done, stream), error) &&
		gpuagg_cuda_notify(task->device, task->streams, error);
}

static void
sizes_free(GpuAggTask *task)
{
	cudaStream_t stream = task->streams != NULL ? task->streams->group : NULL;

	gpuagg_cuda_free(task, task->device_sizes, task->device_sizes_bytes, stream);
	gpuagg_cuda_unpin(task->device, task->sizes);
	gpuagg_cuda_events_free(task->device, task->sizes_events);
	task->device_sizes = NULL;
	task->sizes = NULL;
	task->sizes_events = NULL;
}

/* Other tables have taken the place of those that were sized. */
static bool
sizes_again(GpuAggTask *task, GpuAggError *error)
{
	sizes_free(task);
	gpuagg_cuda_wanted_free(task);
	task->max_run = 0;
	task->results_bytes = 0;
	return sizes_launch(task, error);
}

/* All groups are in tables. */
static bool
sizes_begin(GpuAggTask *task, GpuAggError *error)
{
	if (task->groupby == NULL)
	{
		task->tables = &task->table;
		task->ntables = 1;
	}
	task->stage = GPUAGG_TASK_SIZING;
	return sizes_launch(task, error);
}

/* Has it happened?  Also true if it never will: then *error tells. */
static bool
reached(GpuAggTask *task, cudaEvent_t event, GpuAggError *error)
{
	cudaError_t rc = cudaEventQuery(event);

	if (rc == cudaErrorNotReady)
		return false;
	(void) gpuagg_cuda_failed(task->device, rc, "cudaEventQuery", __FILE__, __LINE__, error);
	return true;
}

/* Runs behind the first groups that will do are left out. */
static bool
sizes_add(GpuAggTask *task, GpuAggError *error)
{
	uint64_t	found = 0;

	if (!gpuagg_cuda_wanted_read(task, &found, &task->results_left, error))
		return false;
	task->groups = 0;
	for (uint64_t i = 0; i < task->nruns; i++)
	{
		if (task->groups >= task->results_left)
		{
			task->nruns = i;
			break;
		}
		if (run_bytes(task)[i] > task->max_run)
			task->max_run = run_bytes(task)[i];
		task->results_bytes += run_bytes(task)[i];
		task->groups += run_groups(task)[i];
	}
	if (task->wanted != NULL)
		task->groups = found;
	return true;
}

/* ---------- windows ---------- */

/* Bytes of the starts of a window's runs, in front of its groups */
static size_t
starts_bytes(const GpuAggTask *task)
{
	return gpuagg_cuda_align((task->nruns < WINDOW_RUNS ? task->nruns : WINDOW_RUNS) *
							 sizeof(uint64_t));
}

static char *
window_memory(GpuAggTask *task, GpuAggWindow *w, size_t bytes, GpuAggError *error)
{
	w->memory_bytes = starts_bytes(task) + (bytes > task->max_run ? bytes : task->max_run);
	return (char *) gpuagg_cuda_alloc(task, w->memory_bytes, task->streams->group, error);
}

static bool
window_alloc(GpuAggTask *task, GpuAggWindow *w, GpuAggError *error)
{
	size_t		bytes = task->results_bytes < WINDOW_BYTES ? task->results_bytes : WINDOW_BYTES;

	if (w->memory != NULL)
		return true;
	while ((w->memory = window_memory(task, w, bytes, error)) == NULL)
	{
		if (error->status != GPUAGG_OUT_OF_MEMORY || bytes <= WINDOW_LEAST_BYTES ||
			bytes <= task->max_run)
			return false;
		bytes /= 2;
	}
	memset(error, 0, sizeof(*error));
	w->events = gpuagg_cuda_events(task->device, error);
	w->pinned = gpuagg_cuda_pin(task->device, w->memory_bytes, error);
	return w->events != NULL && w->pinned != NULL;
}

/* Writes n runs from `first` on, of whichever tables they are. */
static void
runs_return(GpuAggTask *task, uint64_t first, uint32_t n, const uint64_t *starts, char *out)
{
	const GpuAggReturn r = returned(task);
	uint64_t	base = 0;

	for (uint32_t i = 0; n > 0; i++)
	{
		const uint64_t runs = table_runs(&task->tables[i]);
		const uint32_t some = runs - first < n ? (uint32_t) (runs - first) : n;

		if (first >= runs)
		{
			first -= runs;
			base += task->tables[i].capacity;
			continue;
		}
		gpuagg_cuda_return_groups(&r, &task->tables[i], base, first, some, starts, out,
								  task->streams->group);
		base += task->tables[i].capacity;
		starts += some;
		n -= some;
		first = 0;
	}
}

/*
 * Puts the next runs on their way.  Starts of runs lie in front of the groups,
 * here and there.
 */
static bool
window_launch(GpuAggTask *task, GpuAggWindow *w, GpuAggError *error)
{
	const size_t skip = starts_bytes(task);
	cudaStream_t stream = task->streams->group;
	uint64_t	first = task->next_run;
	uint64_t   *starts;
	uint32_t	n = 0;

	if (!window_alloc(task, w, error))
		return false;
	starts = (uint64_t *) w->pinned->data;
	w->bytes = w->at = 0;
	while (first + n < task->nruns && n < WINDOW_RUNS &&
		   w->bytes + run_bytes(task)[first + n] <= w->memory_bytes - skip)
	{
		starts[n] = w->bytes;
		w->bytes += run_bytes(task)[first + n++];
	}
	task->next_run += n;
	w->busy = w->bytes > 0;
	if (!w->busy)
		return true;
	if (!CUDA_OK(task->device, cudaEventRecord(w->events->group, stream), error) ||
		!CUDA_OK(task->device,
				 cudaMemcpyAsync(w->memory, starts, n * sizeof(uint64_t),
								 cudaMemcpyHostToDevice, stream), error))
		return false;
	runs_return(task, first, n, (const uint64_t *) w->memory, w->memory + skip);
	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(w->pinned->data + skip, w->memory + skip,
								w->bytes, cudaMemcpyDeviceToHost, stream), error) &&
		CUDA_OK(task->device, cudaEventRecord(w->events->done, stream), error) &&
		gpuagg_cuda_notify(task->device, task->streams, error);
}

/* Every free window gets runs, as long as there are any. */
static bool
windows_fill(GpuAggTask *task, GpuAggError *error)
{
	for (uint32_t i = 0; i < GPUAGG_WINDOWS; i++)
	{
		GpuAggWindow *w = &task->windows[(task->window + i) % GPUAGG_WINDOWS];

		while (!w->busy && task->next_run < task->nruns)
			if (!window_launch(task, w, error))
				return false;
	}
	return true;
}

/* ---------- finish ---------- */

/*
 * Sizes are here.  True: others are on their way, of groups that are made of these, or of
 * these because the others found no room.
 */
static bool
sized(GpuAggTask *task, GpuAggError *error)
{
	bool		launched;
	bool		again;

	if (!gpuagg_cuda_regroup_made(task, &again, error))
		return false;
	if (again)
		return sizes_again(task, error);
	if (!sizes_add(task, error) || !gpuagg_cuda_regroup_launch(task, &launched, error))
		return false;
	if (launched)
		return sizes_again(task, error);
	if (windows_fill(task, error))
		task->stage = GPUAGG_TASK_RESULTS;
	return false;
}

bool
gpuagg_cuda_task_finish(GpuAggTask *task, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	if (task->error.status == GPUAGG_OK && task->device->lost)
		(void) gpuagg_cuda_task_fail(task, &task->device->lost_error);
	if (task->error.status != GPUAGG_OK)
	{
		*error = task->error;
		return true;
	}
	if (task->first != NULL)
		return false;
	gpuagg_cuda_batches_free(task);
	if (task->groupby != NULL && task->stage <= GPUAGG_TASK_GROUPING &&
		task->fault != GPUAGG_FAULT_FINISH)
	{
		const bool	ready = task->stage == GPUAGG_TASK_GROUPING ||
			(gpuagg_cuda_deferred_end_input(task, error) &&
			 gpuagg_cuda_resident_finish(task, error));

		if (ready && !gpuagg_cuda_deferred_finish(task, error))
			return false;
		if (error->status == GPUAGG_OK && sizes_begin(task, error))
			return false;
	}
	else if (task->making != NULL && task->stage <= GPUAGG_TASK_GROUPING &&
			 task->fault != GPUAGG_FAULT_FINISH)
	{
		if (!gpuagg_cuda_making_finish(task, error))
			return false;
		if (error->status == GPUAGG_OK)
			task->stage = GPUAGG_TASK_RESULTS;
	}
	else if (task->stage <= GPUAGG_TASK_GROUPING)
	{
		if (task->fault == GPUAGG_FAULT_FINISH)
			(void) gpuagg_cuda_injected("finish", error);
		else if (gpuagg_cuda_program(task->prepared)->select)
			task->stage = GPUAGG_TASK_RESULTS;	/* its rows are listed already */
		else if (sizes_begin(task, error))
			return false;
	}
	else if (task->stage == GPUAGG_TASK_SIZING)
	{
		if (!reached(task, task->sizes_events->done, error))
			return false;
		if (error->status == GPUAGG_OK && sized(task, error))
			return false;
	}
	if (error->status != GPUAGG_OK)
		(void) gpuagg_cuda_task_fail(task, error);
	return true;
}

/* ---------- results ---------- */

/* How many groups, and *used of their bytes, fit into so many bytes */
static uint32_t
groups_fitting(const GpuAggTask *task, const char *groups, size_t bytes, size_t size,
			   size_t *used)
{
	const size_t row_bytes = results_layout(task)->row_bytes;
	const uint64_t left = task->results_left;
	uint32_t	n = 0;

	*used = 0;
	if (!results_vary(task))
	{
		const uint64_t fit = (bytes < size ? bytes : size) / row_bytes;

		n = (uint32_t) (fit < left ? fit : left);
		*used = n * row_bytes;
		return n;
	}
	while (*used < bytes && n < left)
	{
		const size_t more = group_bytes(task, groups + *used);

		if (*used + more > size)
			break;
		*used += more;
		n++;
	}
	return n;
}

/*
 * Copies whole groups from a window; returns their number.  The last run's may be more
 * than will do.
 */
static uint32_t
window_read(GpuAggTask *task, GpuAggWindow *w, char *buffer, size_t size, size_t *used,
			GpuAggError *error)
{
	const char *groups = w->pinned->data + starts_bytes(task) + w->at;
	const uint32_t n = groups_fitting(task, groups, w->bytes - w->at, size, used);

	if (n == 0)
	{
		*used = results_vary(task) ? group_bytes(task, groups) : results_layout(task)->row_bytes;
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY,
						  "a group of %zu bytes does not fit the result buffer", *used);
		return 0;
	}
	memcpy(buffer, groups, *used);
	task->results_left -= n;
	w->at = task->results_left > 0 ? w->at + *used : w->bytes;
	return n;
}

uint32_t
gpuagg_cuda_task_results(GpuAggTask *task, char *buffer, size_t size, size_t *used,
						 GpuAggError *error)
{
	GpuAggWindow *w = &task->windows[task->window];
	uint32_t	n;

	memset(error, 0, sizeof(*error));
	*used = 0;
	if (task->fault == GPUAGG_FAULT_RESULTS)
		(void) gpuagg_cuda_injected("results", error);
	else if (task->error.status != GPUAGG_OK)
		*error = task->error;
	if (error->status != GPUAGG_OK)
		return 0;
	if (task->stage != GPUAGG_TASK_RESULTS || !w->busy)
		return 0;
	if (!reached(task, w->events->done, error))
	{
		error->status = GPUAGG_BUSY;
		return 0;
	}
	if (error->status != GPUAGG_OK)
		return 0;
	if (w->at == 0)
		task->stats.transfer_ns += gpuagg_cuda_elapsed(w->events->group, w->events->done);
	n = window_read(task, w, buffer, size, used, error);
	if (n > 0 && w->at == w->bytes)
	{
		w->busy = false;
		task->window = (task->window + 1) % GPUAGG_WINDOWS;
		if (!windows_fill(task, error))
		{
			/* these groups are good; the next call tells */
			(void) gpuagg_cuda_task_fail(task, error);
			memset(error, 0, sizeof(*error));
		}
	}
	return n;
}

void
gpuagg_cuda_results_free(GpuAggTask *task)
{
	GpuAggDevice *device = task->device;
	cudaStream_t stream = task->streams != NULL ? task->streams->group : NULL;

	sizes_free(task);
	for (uint32_t i = 0; i < GPUAGG_WINDOWS; i++)
	{
		GpuAggWindow *w = &task->windows[i];

		gpuagg_cuda_free(task, w->memory, w->memory_bytes, stream);
		gpuagg_cuda_unpin(device, w->pinned);
		gpuagg_cuda_events_free(device, w->events);
	}
}
