/*
 * sample_gpu.cu
 *		How many line pointers a second a GPU decides for TABLESAMPLE
 *		BERNOULLI.
 *
 * usage: sample_gpu ROUNDS
 *
 * A warp takes a page, a lane its lines in turn, by the function that the
 * decoder calls (cuda/kernel/decode.cu).  No page is read: the decision needs none.
 * Prints a line for each round, after some that do not count, by the GPU's
 * clock:
 *		gpu <tab> card <tab> decisions of a round <tab> decisions a second
 * Without rounds it only compares its samples with PostgreSQL's; without a GPU
 * it says so and prints nothing.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sample_known.h"
#include "test/bench/kernels/bench.cuh"

#define THREADS 256
#define LANES 32
/* 1.1 * 10^10 lines: a tenth of a second at 10^11 a second */
#define TIMED_PAGES 60000000u
/* An idle card takes some tenths of a second to its full clock */
#define WARM_ROUNDS 5

/* SUM: also of which lines; what is timed only counts them */
template <bool SUM>
static __global__ void
__launch_bounds__(THREADS)
decide_kernel(const GpuAggSample sample, uint32_t npages, SampleTally *tally)
{
	const uint32_t nwarps = gridDim.x * (THREADS / LANES);
	const uint32_t lane = threadIdx.x % LANES;
	uint32_t	count = 0;
	unsigned long long sum = 0;

	for (uint32_t block = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
		 block < npages; block += nwarps)
		for (uint32_t line = lane + 1; line <= KNOWN_LINES; line += LANES)
		{
			bool		chosen = gpuagg_sample_has_line(&sample, block, line);

			count += chosen;
			if (SUM && chosen)
				sum += 1000 * (unsigned long long) block + line;
		}
	if (count > 0)
		atomicAdd(&tally->count, (unsigned long long) count);
	if (SUM && sum > 0)
		atomicAdd(&tally->sum, sum);
}

static SampleTally
read_tally(const SampleTally *tally)
{
	SampleTally host;

	check(cudaMemcpy(&host, tally, sizeof(host), cudaMemcpyDeviceToHost), "decide_kernel");
	return host;
}

template <bool SUM>
static void
decide(const GpuAggSample &sample, uint32_t npages, int nblocks, SampleTally *tally)
{
	check(cudaMemsetAsync(tally, 0, sizeof(*tally)), "cudaMemset");
	decide_kernel<SUM><<<nblocks, THREADS>>>(sample, npages, tally);
	check(cudaGetLastError(), "decide_kernel");
}

static bool
check_known(int nblocks, SampleTally *tally)
{
	bool		good = true;

	for (int i = 0; i < SAMPLE_NKNOWN; i++)
	{
		const GpuAggSample sample = known_sample(sample_known[i].percent);
		const SampleTally known = sample_known[i].tally;

		decide<true>(sample, KNOWN_PAGES, nblocks, tally);
		SampleTally summed = read_tally(tally);
		decide<false>(sample, KNOWN_PAGES, nblocks, tally);
		SampleTally counted = read_tally(tally);
		if (summed.count == known.count && summed.sum == known.sum &&
			counted.count == known.count)
			continue;
		fprintf(stderr, "%g per cent: %llu lines (sum %llu), counted %llu, "
				"PostgreSQL has %llu (%llu)\n", sample_known[i].percent, summed.count,
				summed.sum, counted.count, known.count, known.sum);
		good = false;
	}
	return good;
}

/* A round that left lines out would be fast; six standard deviations */
static bool
plausible(unsigned long long count, double decisions)
{
	const double share = TIMED_PERCENT / 100;

	if (fabs((double) count - decisions * share) <
		6 * sqrt(decisions * share * (1 - share)))
		return true;
	fprintf(stderr, "%llu of %.0f lines chosen, which is not %g per cent\n", count,
			decisions, TIMED_PERCENT);
	return false;
}

static bool
time_rounds(int rounds, const cudaDeviceProp *card, int nblocks, SampleTally *tally)
{
	const GpuAggSample sample = known_sample(TIMED_PERCENT);
	const double decisions = (double) TIMED_PAGES * KNOWN_LINES;
	cudaEvent_t begin;
	cudaEvent_t end;
	float		ms;

	check(cudaEventCreate(&begin), "cudaEventCreate");
	check(cudaEventCreate(&end), "cudaEventCreate");
	for (int round = 0; round < WARM_ROUNDS + rounds; round++)
	{
		check(cudaEventRecord(begin), "cudaEventRecord");
		decide<false>(sample, TIMED_PAGES, nblocks, tally);
		check(cudaEventRecord(end), "cudaEventRecord");
		check(cudaEventSynchronize(end), "decide_kernel");
		check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
		if (!plausible(read_tally(tally).count, decisions))
			return false;
		if (round >= WARM_ROUNDS)
			printf("gpu\t%s\t%.0f\t%.6g\n", card->name, decisions, decisions / (ms / 1e3));
	}
	check(cudaEventDestroy(begin), "cudaEventDestroy");
	check(cudaEventDestroy(end), "cudaEventDestroy");
	return true;
}

int
main(int argc, char **argv)
{
	int			rounds = argc == 2 ? atoi(argv[1]) : -1;
	int			cards = 0;
	int			per_sm = 0;
	int			nblocks;
	bool		good;
	cudaDeviceProp card;
	SampleTally *tally;

	if (rounds < 0)
	{
		fprintf(stderr, "usage: sample_gpu ROUNDS\n");
		return 2;
	}
	if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0)
	{
		fprintf(stderr, "no GPU\n");
		return 0;
	}
	check(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
	check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, decide_kernel<false>,
														THREADS, 0), "occupancy");
	check(cudaMalloc(&tally, sizeof(*tally)), "cudaMalloc");
	nblocks = per_sm * card.multiProcessorCount;
	good = check_known(nblocks, tally);
	if (good && rounds > 0)
		good = time_rounds(rounds, &card, nblocks, tally);
	check(cudaFree(tally), "cudaFree");
	return good ? 0 : 1;
}
