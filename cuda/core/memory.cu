/*
 * memory.cu
 *		What is slow to make and kept for the next user: the pool of device memory
 *		between tasks, pinned host memory, stream pairs, events.
 */
#include <stdlib.h>
#include "cuda/core/cuda_device.h"

/* The least that is pinned at once */
#define PINNED_MIN ((size_t) 64 << 10)

/* Free pinned memory that is kept */
#define PINNED_KEEP ((size_t) 128 << 20)

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

/* Two streams of a priority; false: none */
static bool
streams_create(GpuAggDevice *device, int priority, GpuAggStreamPair *streams, GpuAggError *error)
{
	if (!CUDA_OK(device,
				 cudaStreamCreateWithPriority(&streams->decode, cudaStreamNonBlocking, priority),
				 error))
		return false;
	if (CUDA_OK(device,
				cudaStreamCreateWithPriority(&streams->group, cudaStreamNonBlocking, priority),
				error))
		return true;
	(void) cudaStreamDestroy(streams->decode);
	return false;
}

static void
streams_destroy(GpuAggStreamPair *streams)
{
	(void) cudaStreamDestroy(streams->group);
	(void) cudaStreamDestroy(streams->decode);
	free(streams);
}

GpuAggStreamPair *
gpuagg_cuda_stream_pair(GpuAggDevice *device, bool first, GpuAggError *error)
{
	GpuAggStreamPair *streams = device->stream_pairs[first];
	int			least;
	int			greatest;

	if (streams != NULL)
	{
		device->stream_pairs[first] = streams->next;
		return streams;
	}
	if (!CUDA_OK(device, cudaDeviceGetStreamPriorityRange(&least, &greatest), error))
		return NULL;
	streams = (GpuAggStreamPair *) calloc(1, sizeof(*streams));
	if (streams == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	streams->first = first;
	if (!streams_create(device, first ? greatest : least, streams, error))
	{
		free(streams);
		return NULL;
	}
	streams->completion_flag = gpuagg_cuda_completion_flag(device, error);
	if (streams->completion_flag != NULL)
		return streams;
	streams_destroy(streams);
	return NULL;
}

void
gpuagg_cuda_stream_pair_free(GpuAggDevice *device, GpuAggStreamPair *streams)
{
	if (streams == NULL)
		return;
	streams->next = device->stream_pairs[streams->first];
	device->stream_pairs[streams->first] = streams;
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
	for (int i = 0; i < 2; i++)
	{
		while (device->stream_pairs[i] != NULL)
		{
			GpuAggStreamPair *streams = device->stream_pairs[i];

			device->stream_pairs[i] = streams->next;
			streams_destroy(streams);
		}
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
