/*
 * launch.cu
 *		How kernels are launched: block sizes and blocks on a multiprocessor, by
 *		the occupancy model (device/choice/occupancy.h), of what the card and the
 *		compiler say at open.
 *
 * Kernels that run for a batch leave room on each multiprocessor for a block
 * of the decoder: while one task groups, the link is to be busy for the next
 * batch, or for another task.  Kernels that work for a moment on a table take
 * the block size that needs the fewest rounds.
 */
#include "cuda/core/cuda_device.h"

/*
 * Units of allocation, and how many registers an instruction can name, are not
 * asked for but known: so are all cards since compute capability 7.0 (CUDA's
 * occupancy calculator, cuda_occupancy.h).
 */
void
gpuagg_cuda_limits(const cudaDeviceProp *prop, GpuAggUnitLimits *l)
{
	l->threads = (uint32_t) prop->maxThreadsPerMultiProcessor;
	l->blocks = (uint32_t) prop->maxBlocksPerMultiProcessor;
	l->warps = (uint32_t) (prop->maxThreadsPerMultiProcessor / prop->warpSize);
	l->registers = (uint32_t) prop->regsPerMultiprocessor;
	l->shared_bytes = (uint32_t) prop->sharedMemPerMultiprocessor;
	l->warp_threads = (uint32_t) prop->warpSize;
	l->block_threads = (uint32_t) prop->maxThreadsPerBlock;
	l->register_unit = 256;
	l->warp_unit = 4;
	l->shared_unit = prop->major < 8 ? 256 : 128;
	l->shared_reserved = (uint32_t) prop->reservedSharedMemPerBlock;
	l->thread_registers = 255;
}

bool
gpuagg_cuda_launches_add(GpuAggLaunches *d, const GpuAggKernelRef *ref, GpuAggError *error)
{
	for (; ref->name != NULL && d->nneeds < GPUAGG_MAX_KERNELS; ref++)
	{
		GpuAggKernelNeeds *n = &d->needs[d->nneeds];
		cudaFuncAttributes attr;

		if (!CUDA_OK(NULL, cudaFuncGetAttributes(&attr, ref->kernel), error))
			return false;
		n->ref = ref;
		n->need.registers = (uint32_t) attr.numRegs;
		n->need.shared_bytes = (uint32_t) attr.sharedSizeBytes;
		n->max_threads = (uint32_t) attr.maxThreadsPerBlock;
		d->nneeds++;
	}
	return true;
}

bool
gpuagg_cuda_launches_open(GpuAggLaunches *d, const cudaDeviceProp *prop, GpuAggError *error)
{
	d->sms = (uint32_t) prop->multiProcessorCount;
	gpuagg_cuda_limits(prop, &d->limits);
	d->block_bytes = (uint32_t) prop->sharedMemPerBlockOptin;
	return gpuagg_cuda_launches_add(d, gpuagg_cuda_decode_kernels, error) &&
		gpuagg_cuda_launches_add(d, gpuagg_cuda_group_kernels, error) &&
		gpuagg_cuda_launches_add(d, gpuagg_cuda_select_kernels, error) &&
		gpuagg_cuda_launches_add(d, gpuagg_cuda_merge_kernels, error) &&
		gpuagg_cuda_launches_add(d, gpuagg_cuda_grow_kernels, error) &&
		gpuagg_cuda_launches_add(d, gpuagg_cuda_return_kernels, error);
}

static const GpuAggKernelNeeds *
needs_of(const GpuAggLaunches *d, const GpuAggKernelRef *ref)
{
	const GpuAggKernelNeeds *n = d->needs;

	while (n->ref != ref)
		n++;
	return n;
}

uint32_t
gpuagg_cuda_batch_blocks(const GpuAggLaunches *d, const GpuAggKernelRef *ref,
						 uint32_t dynamic_bytes)
{
	GpuAggKernelNeed need = needs_of(d, ref)->need;
	GpuAggKernelBlocks decode;
	uint32_t	blocks;

	decode.need = needs_of(d, gpuagg_cuda_decode_kernels)->need;
	decode.threads = gpuagg_cuda_decode_kernels->threads;
	decode.blocks = GPUAGG_DECODE_BLOCKS;
	need.shared_bytes += dynamic_bytes;
	blocks = gpuagg_occupancy_beside(&d->limits, &need, ref->threads, &decode);

	/* where no two fit beside each other they take turns */
	return d->sms * (blocks > 0 ? blocks : 1);
}

GpuAggLaunch
gpuagg_cuda_launch(const GpuAggLaunches *d, const GpuAggKernelRef *ref, uint64_t threads)
{
	const GpuAggKernelNeeds *n = needs_of(d, ref);
	GpuAggUnitLimits limits = d->limits;
	GpuAggLaunch launch;

	limits.block_threads = n->max_threads;
	launch = gpuagg_occupancy_choose(&limits, &n->need, d->sms, threads);

	/* grids are strided: more blocks than run at once would only queue */
	if (launch.blocks > (uint64_t) launch.blocks_per_unit * d->sms)
		launch.blocks = (uint64_t) launch.blocks_per_unit * d->sms;
	return launch;
}
