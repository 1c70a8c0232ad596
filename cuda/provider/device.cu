/*
 * device.cu
 *		The CUDA device: opening a card, and its table of functions.
 *
 * Opening makes the context, begins to register shared_buffers (registration.cu),
 * so that kernels read heap pages in place, and measures how fast that memory can
 * be copied.  It is called with all signals blocked, which the threads that are
 * started here inherit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cuda/columns/cuda_made.h"
#include "cuda/compile/compile.h"
#include "cuda/draw/draws.h"
#include "cuda/probe/cuda_probe.h"
#include "cuda/provider/provider.h"

/* Older cards are not in the fat binary. */
#define MIN_CAPABILITY 75

/* A batch: at 8 MiB, what launching it costs is 4 % of reading it */
#define BATCH_PAGES 1024
#define BATCHES_AHEAD 3

/* Bytes copied to measure the link, and how often */
#define LINK_PROBE_BYTES ((size_t) 64 << 20)
#define LINK_PROBE_RUNS 3

/* ---------- cards ---------- */

/* As nvidia-smi writes it */
static void
card_uuid(char *to, size_t bytes, const cudaDeviceProp *prop)
{
	const unsigned char *b = (const unsigned char *) prop->uuid.bytes;

	snprintf(to, bytes, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
			 b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* ---------- opening ---------- */

static int
capability(const cudaDeviceProp *prop)
{
	return prop->major * 10 + prop->minor;
}

static GpuAggStatus
card_check(const cudaDeviceProp *prop, GpuAggError *error)
{
	if (capability(prop) < MIN_CAPABILITY)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "%s has compute capability %d.%d; 7.5 is needed",
								 prop->name, prop->major, prop->minor);
	if (!prop->canMapHostMemory || !prop->memoryPoolsSupported)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "%s cannot map host memory or has no memory pools",
								 prop->name);
	return GPUAGG_OK;
}

static bool
pool_setup(GpuAggDevice *d, GpuAggError *error)
{
	/* it goes when the device is idle (trim), not whenever somebody waits for something */
	uint64_t	keep = UINT64_MAX;

	return CUDA_OK(NULL, cudaDeviceGetDefaultMemPool(&d->pool, d->ordinal), error) &&
		CUDA_OK(NULL,
				cudaMemPoolSetAttribute(d->pool, cudaMemPoolAttrReleaseThreshold, &keep), error);
}

/* The best of some copies from shared_buffers, of what is registered of them */
static bool
link_measure(GpuAggDevice *d, GpuAggError *error)
{
	const char *from;
	size_t		bytes;
	GpuAggStreamPair *streams = gpuagg_cuda_stream_pair(d, false, error);
	GpuAggEvents *e = gpuagg_cuda_events(d, error);
	void	   *to = NULL;
	bool		ok = streams != NULL && e != NULL &&
		CUDA_OK(d, cudaMallocFromPoolAsync(&to, LINK_PROBE_BYTES, d->pool, streams->decode), error);

	gpuagg_cuda_registration_first(d, &from, &bytes);
	if (bytes > LINK_PROBE_BYTES)
		bytes = LINK_PROBE_BYTES;
	for (int i = 0; ok && i < LINK_PROBE_RUNS; i++)
	{
		uint64_t	ns;

		ok = CUDA_OK(d, cudaEventRecord(e->decode, streams->decode), error) &&
			CUDA_OK(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams->decode),
					error) &&
			CUDA_OK(d, cudaEventRecord(e->decoded, streams->decode), error) &&
			CUDA_OK(d, cudaStreamSynchronize(streams->decode), error);
		ns = ok ? gpuagg_cuda_elapsed(e->decode, e->decoded) : 0;
		if (ns > 0 && (uint64_t) ((double) bytes * 1e9 / (double) ns) > d->link_rate)
			d->link_rate = (uint64_t) ((double) bytes * 1e9 / (double) ns);
	}
	if (to != NULL)
		(void) cudaFreeAsync(to, streams->decode);
	if (streams != NULL)
		(void) cudaStreamSynchronize(streams->decode);
	gpuagg_cuda_events_free(d, e);
	gpuagg_cuda_stream_pair_free(d, streams);
	return ok;
}

static void
device_destroy(GpuAggDevice *d)
{
	gpuagg_compile_close(d);
	gpuagg_codegen_forget();
	gpuagg_cuda_completion_flags_close(d->completion_flags);
	gpuagg_cuda_registration_close(d);
	if (!d->lost)
	{
		gpuagg_cuda_stripes_close(d);
		gpuagg_cuda_memory_close(d);
		if (d->pool != NULL)
			(void) cudaMemPoolTrimTo(d->pool, 0);
	}
	if (d->event_fd >= 0)
		close(d->event_fd);
	free(d);
}

static bool
device_setup(GpuAggDevice *d, const GpuAggDeviceConfig *config, GpuAggError *error)
{
	cudaDeviceProp prop;
	int			count = 0;

	if (!CUDA_OK(NULL, cudaGetDeviceCount(&count), error))
		return false;
	if (config->ordinal < 0 || config->ordinal >= count)
	{
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "there is no CUDA device %d, only %d",
						  config->ordinal, count);
		return false;
	}
	if (!CUDA_OK(NULL, cudaGetDeviceProperties(&prop, config->ordinal), error) ||
		card_check(&prop, error) != GPUAGG_OK ||
		!CUDA_OK(NULL, cudaSetDevice(config->ordinal), error) ||
		!CUDA_OK(NULL, cudaFree(NULL), error))
		return false;
	d->ordinal = config->ordinal;
	d->sms = (uint32_t) prop.multiProcessorCount;
	d->memory_limit = config->memory_limit;
	snprintf(d->name, sizeof(d->name), "%.127s", prop.name);
	card_uuid(d->uuid, sizeof(d->uuid), &prop);
	gpuagg_compile_open(d, config, &prop);
	d->completion_flags = gpuagg_cuda_completion_flags_open(d->event_fd, error);
	return d->completion_flags != NULL && gpuagg_cuda_launches_open(&d->launches, &prop, error) &&
		gpuagg_cuda_launches_add(&d->launches, gpuagg_cuda_pack_kernels, error) &&
		gpuagg_cuda_registration_open(d, config, &prop, error) &&
		pool_setup(d, error) && link_measure(d, error);
}

static GpuAggStatus
cuda_open(const GpuAggDeviceConfig *config, GpuAggDevice **device, GpuAggError *error)
{
	GpuAggDevice *d = (GpuAggDevice *) calloc(1, sizeof(*d));

	*device = NULL;
	memset(error, 0, sizeof(*error));
	if (d == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");

	/* all kernels now, not each in the first query that needs it */
	(void) setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	d->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (d->event_fd < 0)
		gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT, "no eventfd");
	else if (device_setup(d, config, error))
	{
		*device = d;
		return GPUAGG_OK;
	}
	device_destroy(d);
	return error->status;
}

static void
cuda_close(GpuAggDevice *device)
{
	device_destroy(device);
}

/* ---------- telling ---------- */

static void
cuda_info(GpuAggDevice *device, GpuAggDeviceInfo *info)
{
	memset(info, 0, sizeof(*info));
	snprintf(info->kind, sizeof(info->kind), "cuda");
	snprintf(info->name, sizeof(info->name), "%s", device->name);
	snprintf(info->uuid, sizeof(info->uuid), "%s", device->uuid);
	info->ordinal = device->ordinal;
	info->memory_used = device->memory_used;
	info->memory_limit = device->memory_limit;
	info->batch_pages = BATCH_PAGES;
	info->batches_ahead = BATCHES_AHEAD;
	info->link_rate = device->link_rate;
	gpuagg_cuda_registration_info(device, info);
	info->decodes = 1;
	info->strategies = GPUAGG_STRATEGIES_ALWAYS |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_COPY) |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_PARTITIONED) |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SPATIAL) |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SORTED);
	info->orders = 1;
	info->draws = 1;
	info->lookups = 1;
	info->unit_shared_bytes = device->launches.limits.shared_bytes;
	info->block_shared_bytes = device->launches.block_bytes;
	gpuagg_compile_info(device, info);
}

static int
cuda_list(GpuAggDeviceInfo *cards, int max, GpuAggError *error)
{
	int			count = 0;

	memset(error, 0, sizeof(*error));
	if (!CUDA_OK(NULL, cudaGetDeviceCount(&count), error))
		return -1;
	for (int i = 0; i < count && i < max; i++)
	{
		cudaDeviceProp prop;

		if (!CUDA_OK(NULL, cudaGetDeviceProperties(&prop, i), error))
			return -1;
		memset(&cards[i], 0, sizeof(cards[i]));
		snprintf(cards[i].kind, sizeof(cards[i].kind), "cuda");
		snprintf(cards[i].name, sizeof(cards[i].name), "%.127s", prop.name);
		card_uuid(cards[i].uuid, sizeof(cards[i].uuid), &prop);
		cards[i].ordinal = i;
		cards[i].memory_limit = prop.totalGlobalMem;
	}
	return count < max ? count : max;
}

static int
cuda_event_fd(GpuAggDevice *device)
{
	return device->event_fd;
}

static const GpuAggDeviceOps cuda_ops = {
	GPUAGG_DEVICE_ABI,
	"cuda",
	cuda_list,
	cuda_open,
	cuda_close,
	cuda_info,
	gpuagg_cuda_trim,
	cuda_event_fd,
	gpuagg_cuda_task_begin,
	gpuagg_cuda_task_pages,
	gpuagg_cuda_task_rows,
	gpuagg_cuda_task_resident,
	gpuagg_cuda_task_draws,
	gpuagg_cuda_task_poll,
	gpuagg_cuda_task_finish,
	gpuagg_cuda_task_results,
	gpuagg_cuda_task_stats,
	gpuagg_cuda_task_cancel,
	gpuagg_cuda_task_idle,
	gpuagg_cuda_task_end,
	&gpuagg_cuda_probe_ops,
	&gpuagg_cuda_stripe_ops,
	&gpuagg_cuda_made_ops,
	gpuagg_compile_kernels,
};

extern "C" __attribute__((visibility("default"))) const GpuAggDeviceOps *
gpuagg_device_provider(void)
{
	return &cuda_ops;
}
