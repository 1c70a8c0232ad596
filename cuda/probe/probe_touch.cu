/*
 * probe_touch.cu
 *		First touch: what it takes from asking for memory to having written all
 *		of it, by the host or by the card.
 *
 * A card's own memory is mapped when it is asked for, pinned memory is also
 * cleared and locked then, and managed memory gets its pages where it is first
 * touched, one fault after the other.  Managed memory is asked for only where
 * the host may touch it while the card is at work, for tasks may be running.
 *
 * The session has taken nearly all memory of the card; where the rest does not
 * do, there is no such ceiling.
 */
#include <string.h>
#include <time.h>

#include "cuda/probe/cuda_probe.h"

#define TOUCH_BYTES ((size_t) 64 << 20)

typedef enum TouchMemory
{
	TOUCH_OWN,
	TOUCH_PINNED,
	TOUCH_MANAGED
} TouchMemory;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static cudaError_t
touch_take(TouchMemory memory, void **at)
{
	switch (memory)
	{
		case TOUCH_OWN:
			return cudaMalloc(at, TOUCH_BYTES);
		case TOUCH_PINNED:
			return cudaHostAlloc(at, TOUCH_BYTES, cudaHostAllocMapped);
		case TOUCH_MANAGED:
			break;
	}
	return cudaMallocManaged(at, TOUCH_BYTES, cudaMemAttachGlobal);
}

static bool
touch_give_back(TouchMemory memory, void *at, GpuAggError *error)
{
	return PROBE_OK(memory == TOUCH_PINNED ? cudaFreeHost(at) : cudaFree(at), error);
}

static bool
touch_write(GpuAggProbe *p, TouchMemory memory, bool by_host, void *at, GpuAggError *error)
{
	void	   *mapped = at;

	if (by_host)
	{
		memset(at, 1, TOUCH_BYTES);
		return true;
	}
	if (memory == TOUCH_PINNED && !PROBE_OK(cudaHostGetDevicePointer(&mapped, at, 0), error))
		return false;
	gpuagg_cuda_probe_fill((char *) mapped, TOUCH_BYTES, p->stream);
	return PROBE_LAUNCHED(error) && gpuagg_cuda_probe_wait(p, error);
}

static bool
can_manage(void)
{
	int			device = 0;
	int			can = 0;

	return cudaGetDevice(&device) == cudaSuccess &&
		cudaDeviceGetAttribute(&can, cudaDevAttrConcurrentManagedAccess, device) == cudaSuccess &&
		can != 0;
}

static GpuAggStatus
touch_rate(GpuAggProbe *p, TouchMemory memory, bool by_host, double *rate, GpuAggError *error)
{
	const double start = now();
	void	   *at = NULL;
	bool		written;

	if (!PROBE_OK(touch_take(memory, &at), error))
		return error->status == GPUAGG_OUT_OF_MEMORY ?
			gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "no memory to touch") : error->status;
	written = touch_write(p, memory, by_host, at, error);
	*rate = (double) TOUCH_BYTES / (now() - start);

	/* what failed first is what is told */
	if (!written)
	{
		GpuAggError ignored;

		(void) touch_give_back(memory, at, &ignored);
		return error->status;
	}
	return touch_give_back(memory, at, error) ? GPUAGG_OK : error->status;
}

GpuAggStatus
gpuagg_cuda_probe_first_touch(GpuAggProbe *p, GpuAggCeiling ceiling, double *rate,
							  GpuAggError *error)
{
	switch (ceiling)
	{
		case GPUAGG_CEILING_TOUCH:
			return touch_rate(p, TOUCH_OWN, false, rate, error);
		case GPUAGG_CEILING_TOUCH_PINNED_HOST:
		case GPUAGG_CEILING_TOUCH_PINNED_DEVICE:
			return touch_rate(p, TOUCH_PINNED, ceiling == GPUAGG_CEILING_TOUCH_PINNED_HOST,
							  rate, error);
		case GPUAGG_CEILING_TOUCH_MANAGED_HOST:
		case GPUAGG_CEILING_TOUCH_MANAGED_DEVICE:
			if (can_manage())
				return touch_rate(p, TOUCH_MANAGED, ceiling == GPUAGG_CEILING_TOUCH_MANAGED_HOST,
								  rate, error);
			break;
		default:
			break;
	}
	return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "the card has no such memory");
}
