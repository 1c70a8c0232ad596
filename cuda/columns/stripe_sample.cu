/*
 * stripe_sample.cu
 *		Samples of lines from what is kept: which lines of the table lie where in a
 *		stripe, and of its valid positions those that a sample has.
 *
 * All of it is enqueued in the stripe stream, so that pages which are told anew cannot
 * take their memory from a kernel that reads those before.
 */
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
gpuagg_cuda_stripe_sample(const GpuAggStripe *stripe, uint32_t positions,
						  const GpuAggSample *sample, uint32_t *taken, GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const uint32_t most = (uint32_t) device->sms * SAMPLE_BLOCKS;
	const uint32_t useful = (stripe->npages + SAMPLE_THREADS / WARP_LANES - 1) /
		(SAMPLE_THREADS / WARP_LANES);

	if (stripe->npages == 0)
		return true;
	stripe_sample_kernel<<<useful < most ? useful : most, SAMPLE_THREADS, 0,
						   device->stripe_stream>>>(stripe->pages, stripe->npages, positions,
													stripe->valid, *sample, taken);
	return CUDA_LAUNCHED(device, error);
}

GpuAggStatus
gpuagg_cuda_stripe_pages(GpuAggStripe *stripe, const GpuAggStripePage *pages, uint32_t npages,
						 GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const size_t bytes = npages * sizeof(*pages);

	memset(error, 0, sizeof(*error));
	gpuagg_cuda_stripe_release(device, stripe->pages, gpuagg_cuda_stripe_pages_bytes(stripe));
	stripe->npages = npages;
	stripe->pages =
		(GpuAggStripePage *) gpuagg_cuda_stripe_alloc(device, gpuagg_cuda_align(bytes), error);
	if (stripe->pages == NULL ||
		CUDA_OK(device, cudaMemcpyAsync(stripe->pages, pages, bytes, cudaMemcpyHostToDevice,
										device->stripe_stream), error))
		return error->status;
	gpuagg_cuda_stripe_release(device, stripe->pages, gpuagg_cuda_stripe_pages_bytes(stripe));
	stripe->pages = NULL;
	return error->status;
}
