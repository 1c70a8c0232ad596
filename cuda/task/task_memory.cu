/*
 * task_memory.cu
 *		Device memory of a task, charged to it and to the device; and what every task
 *		takes of it for its program.
 */
#include "cuda/task/task.h"

void *
gpuagg_cuda_alloc(GpuAggTask *task, size_t bytes, cudaStream_t stream, GpuAggError *error)
{
	GpuAggDevice *device = task->device;
	void	   *p = NULL;

	if (task->memory_limit > 0 && task->memory_used + bytes > task->memory_limit)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY,
						  "the task's %llu kB of device memory are used up",
						  (unsigned long long) task->memory_limit / 1024);
		return NULL;
	}
	if (device->memory_limit > 0 && device->memory_used + bytes > device->memory_limit)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY,
						  "the device's %llu kB of memory are used up",
						  (unsigned long long) device->memory_limit / 1024);
		return NULL;
	}
	if (!CUDA_OK(device, cudaMallocFromPoolAsync(&p, bytes, device->pool, stream), error))
		return NULL;
	device->memory_used += bytes;
	task->memory_used += bytes;
	if (task->memory_used > task->memory_peak)
		task->memory_peak = task->memory_used;
	return p;
}

static uint64_t
left_of(uint64_t limit, uint64_t used)
{
	return limit == 0 ? UINT64_MAX : limit > used ? limit - used : 0;
}

uint64_t
gpuagg_cuda_memory_left(const GpuAggTask *task)
{
	const uint64_t own = left_of(task->memory_limit, task->memory_used);
	const uint64_t all = left_of(task->device->memory_limit, task->device->memory_used);

	return own < all ? own : all;
}

void
gpuagg_cuda_free(GpuAggTask *task, void *p, size_t bytes, cudaStream_t stream)
{
	if (p == NULL)
		return;
	if (!task->device->lost)
		(void) cudaFreeAsync(p, stream);
	task->device->memory_used -= bytes;
	task->memory_used -= bytes;
}

/*
 * Large ones, which have look-up tables, are copied from where they are, by the driver's
 * own pinned memory: ours would be kept for tasks that have none.
 */
GpuAggCudaPrepared *
gpuagg_cuda_task_upload(GpuAggTask *task, const GpuAggCudaPrepared *prepared, size_t bytes,
						GpuAggPinned **staging, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;
	void	   *there = gpuagg_cuda_alloc(task, bytes, stream, error);
	const char *from = (const char *) prepared;

	if (there == NULL)
		return NULL;
	if (bytes <= GPUAGG_CUDA_STAGED_MOST &&
		(*staging = gpuagg_cuda_pin(task->device, bytes, error)) != NULL)
		from = (const char *) memcpy((*staging)->data, prepared, bytes);
	if ((bytes > GPUAGG_CUDA_STAGED_MOST || *staging != NULL) &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(there, from, bytes, cudaMemcpyHostToDevice, stream), error))
		return (GpuAggCudaPrepared *) there;
	gpuagg_cuda_free(task, there, bytes, stream);
	return NULL;
}

/* It is cleared, because operators copy NULLs with whatever their registers hold. */
bool
gpuagg_cuda_task_scratch(GpuAggTask *task, const GpuAggProgram *p, uint32_t threads,
						 char **scratch, size_t *bytes, GpuAggError *error)
{
	*scratch = NULL;
	*bytes = gpuagg_cuda_scratch_bytes(p, threads);
	if (*bytes == 0)
		return true;
	*scratch = (char *) gpuagg_cuda_alloc(task, *bytes, task->streams->group, error);
	return *scratch != NULL &&
		CUDA_OK(task->device,
				cudaMemsetAsync(*scratch, 0, *bytes, task->streams->group), error);
}
