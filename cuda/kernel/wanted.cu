/*
 * wanted.cu
 *		Which groups of finished tables are wanted: the last one in the query's
 *		order, by radix selection over groups where they lie.
 *
 * First all groups are counted, and their sums looked at.  Then each step counts, of
 * the groups whose words begin like the last one's, how many have which next digit;
 * one thread adds them up and finds the last one's.  All steps are enqueued at once: those
 * behind the one that settles it return without looking at a group.
 */
#include "cuda/kernel/table.cuh"
#include "cuda/kernel/wanted.h"

#define WANTED_THREADS 256

static __global__ void
count_groups_kernel(const GpuAggCudaPrepared *prepared, const GpuAggTableRef table,
					GpuAggCudaWanted *w)
{
	unsigned int found = 0;
	unsigned int passed = 0;
	bool		finite = true;

	for (uint32_t i = threadIdx.x; i < GPUAGG_RETURN_SLOTS; i += WANTED_THREADS)
	{
		const char *row = run_entry(prepared, &table, blockIdx.x, i);

		if (row == NULL)
			continue;
		found++;
		finite &= gpuagg_answer_finite(&w->plan, row);
		passed += gpuagg_answer_passes(&w->plan, row);
	}
	found = __reduce_add_sync(0xFFFFFFFFu, found);
	passed = __reduce_add_sync(0xFFFFFFFFu, passed);
	if (!__all_sync(0xFFFFFFFFu, finite))
		w->infinite = 1;
	if (threadIdx.x % 32 != 0 || found == 0)
		return;
	atomicAdd(&w->found, (unsigned long long) found);
	atomicAdd(&w->passed, (unsigned long long) passed);
}

/* The highest digit of a word */
static __device__ uint32_t
top_shift(const GpuAggAnswerPlan *plan, uint32_t word)
{
	return (plan->words[word].bits - 1) / GPUAGG_WANTED_DIGIT * GPUAGG_WANTED_DIGIT;
}

static __global__ void
begin_kernel(GpuAggCudaWanted *w)
{
	w->bounded = w->plan.nwords > 0 && w->plan.first > 0 && w->passed > w->plan.first;
	w->settled = !w->bounded;
	if (!w->bounded)
		return;
	w->left = w->plan.first;
	w->shift = top_shift(&w->plan, 0);
}

/* Are a group's words, up to the digit that is looked at, those of the last one? */
static __device__ bool
begins_like_last(const GpuAggCudaWanted *w, const char *row, uint64_t position, uint64_t *word)
{
	for (uint32_t i = 0; i < w->word; i++)
		if (gpuagg_answer_word(&w->plan, i, row, position) != w->last[i])
			return false;
	*word = gpuagg_answer_word(&w->plan, w->word, row, position);
	/* in two steps, lest a shift be by the whole word */
	return ((*word ^ w->last[w->word]) >> w->shift) >> GPUAGG_WANTED_DIGIT == 0;
}

static __global__ void
count_digits_kernel(const GpuAggCudaPrepared *prepared, const GpuAggTableRef table,
					uint64_t base, GpuAggCudaWanted *w)
{
	__shared__ unsigned int bins[GPUAGG_WANTED_BINS];

	if (w->settled)
		return;
	for (uint32_t i = threadIdx.x; i < GPUAGG_WANTED_BINS; i += WANTED_THREADS)
		bins[i] = 0;
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < GPUAGG_RETURN_SLOTS; i += WANTED_THREADS)
	{
		const char *row = run_entry(prepared, &table, blockIdx.x, i);
		const uint64_t position = base + (uint64_t) blockIdx.x * GPUAGG_RETURN_SLOTS + i;
		uint64_t	word;

		if (row != NULL && gpuagg_answer_passes(&w->plan, row) &&
			begins_like_last(w, row, position, &word))
			atomicAdd(&bins[word >> w->shift & (GPUAGG_WANTED_BINS - 1)], 1u);
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < GPUAGG_WANTED_BINS; i += WANTED_THREADS)
		if (bins[i] > 0)
			atomicAdd(&w->bins[i], bins[i]);
}

/* All groups that begin like this are wanted: what follows may be anything. */
static __device__ void
settle(GpuAggCudaWanted *w)
{
	w->settled = 1;
	w->last[w->word] |= (UINT64_C(1) << w->shift) - 1;
	for (uint32_t i = w->word + 1; i < w->plan.nwords; i++)
		w->last[i] = ~UINT64_C(0);
}

static __global__ void
pick_digit_kernel(GpuAggCudaWanted *w)
{
	uint32_t	digit = 0;
	uint32_t	n;

	if (w->settled)
		return;
	while (digit + 1 < GPUAGG_WANTED_BINS && w->bins[digit] < w->left)
		w->left -= w->bins[digit++];
	n = w->bins[digit];
	w->last[w->word] |= (uint64_t) digit << w->shift;
	for (uint32_t i = 0; i < GPUAGG_WANTED_BINS; i++)
		w->bins[i] = 0;
	if (n == w->left)
		settle(w);
	else if (w->shift > 0)
		w->shift -= GPUAGG_WANTED_DIGIT;
	else if (w->word + 1 < w->plan.nwords)
		w->shift = top_shift(&w->plan, ++w->word);
	else
		w->settled = 1;
}

static uint32_t
table_runs(const GpuAggTableRef *table)
{
	return (uint32_t) ((table->capacity + GPUAGG_RETURN_SLOTS - 1) / GPUAGG_RETURN_SLOTS);
}

void
gpuagg_cuda_wanted_settle(const GpuAggCudaPrepared *prepared, const GpuAggTableRef *tables,
						  uint32_t ntables, uint32_t steps, GpuAggCudaWanted *w,
						  cudaStream_t stream)
{
	for (uint32_t i = 0; i < ntables; i++)
		if (tables[i].capacity > 0)
			count_groups_kernel<<<table_runs(&tables[i]), WANTED_THREADS, 0, stream>>>
				(prepared, tables[i], w);
	begin_kernel<<<1, 1, 0, stream>>>(w);
	for (; steps > 0; steps--)
	{
		uint64_t	base = 0;

		for (uint32_t i = 0; i < ntables; i++)
		{
			if (tables[i].capacity > 0)
				count_digits_kernel<<<table_runs(&tables[i]), WANTED_THREADS, 0, stream>>>
					(prepared, tables[i], base, w);
			base += tables[i].capacity;
		}
		pick_digit_kernel<<<1, 1, 0, stream>>>(w);
	}
}
