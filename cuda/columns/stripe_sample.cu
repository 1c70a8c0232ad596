/*
 * stripe_sample.cu
 *		Samples of lines from what is kept: which lines of the table lie where in a
 *		stripe, and of its valid positions those that a sample has.
 *
 * A task holds what had been told of a stripe when it was given that, until it ends: pages that
 * are told meanwhile take no memory from kernels, and no place in what the task reads.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"

#define SAMPLE_THREADS 256
#define SAMPLE_BLOCKS 8			/* of a multiprocessor */
#define WARP_LANES 32

/* A page for a warp; the first and last word of its positions are its neighbours', too. */
static __global__ void
__launch_bounds__(SAMPLE_THREADS)
stripe_sample_kernel(const GpuAggStripePage *pages, uint32_t npages, uint32_t positions,
					 const uint32_t *valid, const GpuAggSample sample, uint32_t *taken)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;

	for (; i < npages; i += gridDim.x * blockDim.x / WARP_LANES)
	{
		const GpuAggStripePage page = pages[i];
		const uint32_t end = min(page.first + page.count, positions);

		for (uint32_t word = page.first / 32; word * 32 < end; word++)
		{
			const uint32_t at = word * 32 + lane;
			const bool	chosen = at >= page.first && at < end &&
				gpuagg_sample_has_line(&sample, page.block, at - page.first + 1);
			uint32_t	bits = __ballot_sync(0xFFFFFFFFu, chosen);

			if (lane == 0 && bits != 0)
				bits &= valid[word];
			if (lane == 0 && bits != 0)
				atomicOr(&taken[word], bits);
		}
	}
}

bool
gpuagg_cuda_stripe_sample(const GpuAggStripe *stripe, const GpuAggStripePages *pages,
						  uint32_t positions, const GpuAggSample *sample, uint32_t *taken,
						  cudaStream_t stream, GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const uint32_t most = (uint32_t) device->sms * SAMPLE_BLOCKS;
	const uint32_t useful = (pages->n + SAMPLE_THREADS / WARP_LANES - 1) /
		(SAMPLE_THREADS / WARP_LANES);

	if (pages->n == 0)
		return true;
	stripe_sample_kernel<<<useful < most ? useful : most, SAMPLE_THREADS, 0, stream>>>(
		pages->there, pages->n, positions, stripe->valid, *sample, taken);
	return CUDA_LAUNCHED(device, error);
}

void
gpuagg_cuda_pages_release(GpuAggDevice *device, GpuAggStripePages *pages)
{
	if (pages == NULL || --pages->refs > 0)
		return;
	gpuagg_cuda_stripe_release(device, pages->there, pages->bytes);
	free(pages);
}

/* There, in the stripe stream; NULL: *error tells */
static GpuAggStripePages *
pages_make(GpuAggDevice *device, const GpuAggStripePage *pages, uint32_t npages,
		   GpuAggError *error)
{
	GpuAggStripePages *made = (GpuAggStripePages *) calloc(1, sizeof(*made));

	if (made == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	made->refs = 1;
	made->n = npages;
	made->bytes = gpuagg_cuda_align((npages + 1) * sizeof(*pages));
	made->there = (GpuAggStripePage *) gpuagg_cuda_stripe_alloc(device, made->bytes, error);
	if (made->there != NULL &&
		CUDA_OK(device, cudaMemcpyAsync(made->there, pages, npages * sizeof(*pages),
										cudaMemcpyHostToDevice, device->stripe_stream), error) &&
		gpuagg_cuda_stripe_done(device, error))
		return made;
	gpuagg_cuda_pages_release(device, made);
	return NULL;
}

GpuAggStatus
gpuagg_cuda_stripe_pages(GpuAggStripe *stripe, const GpuAggStripePage *pages, uint32_t npages,
						 GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	gpuagg_cuda_pages_release(stripe->device, stripe->pages);
	stripe->pages = pages_make(stripe->device, pages, npages, error);
	return error->status;
}
