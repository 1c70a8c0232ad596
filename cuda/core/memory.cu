/*
 * memory.cu
 *		Memory of the CUDA device: budgets of device memory, pinned host
 *		memory, stream pairs, events.
 *
 * Device memory comes from the driver's stream-ordered pool and is charged
 * to the task and the device.  Pinned memory, streams and events are slow to
 * make, so they are kept for the next user.
 */
#include <stdlib.h>
#include "cuda/core/cuda_device.h"

/* The least that is pinned at once */
#define PINNED_MIN ((size_t) 64 << 10)

/* Free pinned memory that is kept */
#define PINNED_KEEP ((size_t) 128 << 20)

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

void
gpuagg_cuda_trim(GpuAggDevice *device)
{
	if (device->lost || device->memory_used > 0)
		return;

	/* nothing but frees can be left to wait for; stripes lie in the same pool */
	(void) cudaDeviceSynchronize();
	(void) cudaMemPoolTrimTo(device->pool, device->stripe_used);
}

GpuAggPinned *
gpuagg_cuda_pin(GpuAggDevice *device, size_t bytes, GpuAggError *error)
{
	size_t		size = PINNED_MIN;
	GpuAggPinned **link;
	GpuAggPinned *p;

	while (size < bytes)
		size *= 2;
	for (link = &device->pinned; (p = *link) != NULL; link = &p->next)
	{
		if (p->bytes != size)
			continue;
		*link = p->next;
		device->pinned_bytes -= size;
		return p;
	}
	p = (GpuAggPinned *) calloc(1, sizeof(*p));
	if (p == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	p->bytes = size;
	if (!CUDA_OK(device, cudaHostAlloc((void **) &p->data, size, cudaHostAllocDefault), error))
	{
		free(p);
		return NULL;
	}
	return p;
}

static void
pinned_destroy(GpuAggPinned *p)
{
	(void) cudaFreeHost(p->data);
	free(p);
}

void
gpuagg_cuda_unpin(GpuAggDevice *device, GpuAggPinned *p)
{
	if (p == NULL)
		return;
	if (device->pinned_bytes + p->bytes > PINNED_KEEP)
	{
		pinned_destroy(p);
		return;
	}
	p->next = device->pinned;
	device->pinned = p;
	device->pinned_bytes += p->bytes;
}

GpuAggStreamPair *
gpuagg_cuda_stream_pair(GpuAggDevice *device, GpuAggError *error)
{
	GpuAggStreamPair *streams = device->stream_pairs;

	if (streams != NULL)
	{
		device->stream_pairs = streams->next;
		return streams;
	}
	streams = (GpuAggStreamPair *) calloc(1, sizeof(*streams));
	if (streams == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else if (CUDA_OK(device, cudaStreamCreateWithFlags(&streams->decode, cudaStreamNonBlocking), error))
	{
		if (CUDA_OK(device, cudaStreamCreateWithFlags(&streams->group, cudaStreamNonBlocking), error))
		{
			streams->completion_flag = gpuagg_cuda_completion_flag(device, error);
			if (streams->completion_flag != NULL)
				return streams;
			(void) cudaStreamDestroy(streams->group);
		}
		(void) cudaStreamDestroy(streams->decode);
	}
	free(streams);
	return NULL;
}

void
gpuagg_cuda_stream_pair_free(GpuAggDevice *device, GpuAggStreamPair *streams)
{
	if (streams == NULL)
		return;
	streams->next = device->stream_pairs;
	device->stream_pairs = streams;
}

static void
events_destroy(GpuAggEvents *e)
{
	cudaEvent_t all[] = {e->decode, e->decoded, e->group, e->grouped, e->done};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] != NULL)
			(void) cudaEventDestroy(all[i]);
	free(e);
}

GpuAggEvents *
gpuagg_cuda_events(GpuAggDevice *device, GpuAggError *error)
{
	GpuAggEvents *e = device->events;

	if (e != NULL)
	{
		device->events = e->next;
		return e;
	}
	e = (GpuAggEvents *) calloc(1, sizeof(*e));
	if (e == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	if (CUDA_OK(device, cudaEventCreate(&e->decode), error) &&
		CUDA_OK(device, cudaEventCreate(&e->decoded), error) &&
		CUDA_OK(device, cudaEventCreate(&e->group), error) &&
		CUDA_OK(device, cudaEventCreate(&e->grouped), error) &&
		CUDA_OK(device, cudaEventCreate(&e->done), error))
		return e;
	events_destroy(e);
	return NULL;
}

void
gpuagg_cuda_events_free(GpuAggDevice *device, GpuAggEvents *e)
{
	if (e == NULL)
		return;
	e->next = device->events;
	device->events = e;
}

void
gpuagg_cuda_memory_close(GpuAggDevice *device)
{
	while (device->pinned != NULL)
	{
		GpuAggPinned *p = device->pinned;

		device->pinned = p->next;
		pinned_destroy(p);
	}
	while (device->stream_pairs != NULL)
	{
		GpuAggStreamPair *streams = device->stream_pairs;

		device->stream_pairs = streams->next;
		(void) cudaStreamDestroy(streams->decode);
		(void) cudaStreamDestroy(streams->group);
		free(streams);
	}
	while (device->events != NULL)
	{
		GpuAggEvents *e = device->events;

		device->events = e->next;
		events_destroy(e);
	}
}

uint64_t
gpuagg_cuda_elapsed(cudaEvent_t from, cudaEvent_t to)
{
	float		ms = 0;

	if (cudaEventElapsedTime(&ms, from, to) != cudaSuccess)
	{
		(void) cudaGetLastError();
		return 0;
	}
	return ms > 0 ? (uint64_t) ((double) ms * 1e6) : 0;
}
