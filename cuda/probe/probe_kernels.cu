/*
 * probe_kernels.cu
 *		Chases, pairs of multiprocessors and random accesses (Karnagel et al.,
 *		Big Data causing Big (TLB) Problems, 3.2 and 3.3, and Inferring
 *		Kaveri's Shared Virtual Memory Implementation), and what they need.
 *
 * Reads go past the multiprocessor's own cache (ld.global.cg), but for chases
 * that ask for it: that cache is looked up by virtual address, so that what
 * hits it needs no TLB, and group tables, which other blocks change, are not
 * read through it either.
 */
#include "cuda/probe/probe_device.cuh"

#define FILL_THREADS 256
#define FILL_BLOCKS 4096

/* Enough loads in flight for one multiprocessor to be bound by translations */
#define PAIR_THREADS 512
#define PAIR_AHEAD 2

/* Cycles that one of a pair waits for the other */
#define PAIR_PATIENCE 40000000

/* How long a block stays, that others land on other multiprocessors */
#define PRESENT_CYCLES 40000

/* ---------- the card ---------- */

static __global__ void
list_units_kernel(GpuAggProbeReport *report)
{
	const uint32_t smid = this_smid();
	const long long start = clock64();

	if (smid < GPUAGG_MAX_SMIDS)
		report->present[smid] = 1;
	while (clock64() - start < PRESENT_CYCLES)
		;
}

static __global__ void
time_clock_kernel(uint64_t ns, GpuAggProbeReport *report)
{
	const uint64_t start_ns = timer_ns();
	const long long start = clock64();
	uint64_t	end_ns = start_ns;

	while (end_ns - start_ns < ns)
		end_ns = timer_ns();
	report->cycles = (uint64_t) (clock64() - start);
	report->ns = end_ns - start_ns;
}

static __global__ void
fill_words_kernel(uint64_t *words, uint64_t n)
{
	for (uint64_t i = this_thread(); i < n; i += all_threads())
		words[i] = scramble(i);
}

/* ---------- chases ---------- */

/* Where element i lies (GpuAggChase) */
static __host__ __device__ __forceinline__ char *
chain_element(const GpuAggChain *c, uint64_t i)
{
	return c->start + i * c->stride + gpuagg_chase_offset(c->stride, i);
}

/* The k-th element visited */
static __host__ __device__ __forceinline__ char *
chain_place(const GpuAggChain *c, uint64_t k)
{
	return chain_element(c, c->bits > 0 ? shuffled(k, c->count, c->bits) : k);
}

static __global__ void
write_chain_kernel(const GpuAggChain chain, uint64_t first, uint64_t n)
{
	for (uint64_t i = this_thread(); i < n; i += all_threads())
	{
		const uint64_t k = first + i;

		*(char **) chain_place(&chain, k) =
			chain_place(&chain, k + 1 < chain.count ? k + 1 : 0);
	}
}

template <bool OWN_CACHE>
static __device__ __forceinline__ uint64_t
follow(uint64_t at, uint64_t steps)
{
	#pragma unroll 4
	for (uint64_t i = 0; i < steps; i++)
	{
		if (OWN_CACHE)
			asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at) :: "memory");
		else
			asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) :: "memory");
	}
	return at;
}

template <bool OWN_CACHE>
static __global__ void
chase_chain_kernel(uint32_t smid, uint64_t untimed, uint64_t timed,
				   GpuAggProbeReport *report)
{
	uint64_t	at;
	uint64_t	start_ns;
	long long	start;

	if (!claim(smid, &report->claimed[0]))
		return;
	at = follow<OWN_CACHE>(report->at, untimed);

	/* no clock is read before the loads before it have come back */
	if (at == 0)
		return;
	start_ns = timer_ns();
	start = clock64();
	at = follow<OWN_CACHE>(at, timed);
	if (at == 0)
		return;
	report->cycles += (uint64_t) (clock64() - start);
	report->ns += timer_ns() - start_ns;
	report->at = at;
}

/* ---------- pairs ---------- */

/* Waits for the other block; false: it does not come. */
static __device__ bool
pair_meet(uint32_t blocks, GpuAggProbeReport *report)
{
	volatile uint32_t *ready = &report->ready;
	const long long start = clock64();

	atomicAdd(&report->ready, 1u);
	while (*ready < blocks)
		if (clock64() - start > PAIR_PATIENCE)
		{
			atomicExch(&report->alone, 1u);
			return false;
		}
	return true;
}

/* Reads until the clock says so; returns how many, and takes the sum along. */
static __device__ uint64_t
pair_read(const uint64_t *words, uint64_t n, uint64_t *random, long long until,
		  uint64_t *sum)
{
	uint64_t	reads = 0;

	while (clock64() < until)
	{
		uint64_t	word[PAIR_AHEAD];

		for (int j = 0; j < PAIR_AHEAD; j++)
			word[j] = __ldcg(words + random_below(random, n));
		for (int j = 0; j < PAIR_AHEAD; j++)
			*sum ^= word[j];
		reads += PAIR_AHEAD;
	}
	return reads;
}

static __global__ void
__launch_bounds__(PAIR_THREADS)
read_pair_kernel(const GpuAggPairReads pair, GpuAggProbeReport *report)
{
	__shared__ int role;
	__shared__ unsigned long long last;
	__shared__ unsigned long long reads;
	__shared__ long long start;
	const uint64_t *words;
	uint64_t	sum = 0;
	uint64_t	random;
	uint64_t	mine;

	if (threadIdx.x == 0)
	{
		role = claim(pair.smid[0], &report->claimed[0]) ? 0 :
			pair.blocks == 2 && claim(pair.smid[1], &report->claimed[1]) ? 1 : -1;
		last = 0;
		reads = 0;
		if (role >= 0 && !pair_meet(pair.blocks, report))
			role = -1;
		start = clock64();
	}
	__syncthreads();
	if (role < 0)
		return;
	words = (const uint64_t *) (role == 0 ? pair.start[0] : pair.start[1]);
	random = scramble(threadIdx.x + role * PAIR_THREADS);
	(void) pair_read(words, pair.bytes / 8, &random,
					 start + (long long) pair.warm_cycles, &sum);
	__syncthreads();
	if (threadIdx.x == 0)
		start = clock64();
	__syncthreads();
	mine = pair_read(words, pair.bytes / 8, &random,
					 start + (long long) pair.cycles, &sum);
	consume(sum, report);
	atomicMax(&last, (unsigned long long) clock64());
	atomicAdd(&reads, (unsigned long long) mine);
	__syncthreads();
	if (threadIdx.x == 0 && role == 0)
	{
		report->events = reads;
		report->cycles = last - (unsigned long long) start;
	}
}

/* ---------- random accesses ---------- */

template <GpuAggRandomKind KIND>
static __device__ __forceinline__ uint64_t
access_random(char *start, uint64_t n, uint64_t *random)
{
	if (KIND == GPUAGG_RANDOM_READ32)
	{
		const uint4 *sector = (const uint4 *) start + 2 * random_below(random, n);
		const uint4 a = __ldcg(sector);
		const uint4 b = __ldcg(sector + 1);

		return (uint64_t) (a.x ^ a.y ^ a.z ^ a.w) << 32 | (b.x ^ b.y ^ b.z ^ b.w);
	}
	if (KIND == GPUAGG_RANDOM_READ8)
		return __ldcg((const unsigned long long *) start + random_below(random, n));
	asm volatile("red.global.add.u64 [%0], %1;"
				 :: "l"((uint64_t *) start + random_below(random, n)), "l"(UINT64_C(1)) : "memory");
	return 0;
}

template <GpuAggRandomKind KIND>
static __global__ void
__launch_bounds__(GPUAGG_RANDOM_THREADS)
access_random_kernel(char *start, uint64_t n, uint64_t rounds,
					 GpuAggProbeReport *report)
{
	uint64_t	random = scramble(this_thread());
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < rounds; i++)
	{
		uint64_t	got[GPUAGG_RANDOM_AHEAD];

		#pragma unroll
		for (int j = 0; j < GPUAGG_RANDOM_AHEAD; j++)
			got[j] = access_random<KIND>(start, n, &random);
		#pragma unroll
		for (int j = 0; j < GPUAGG_RANDOM_AHEAD; j++)
			sum ^= got[j];
	}
	consume(sum, report);
}

/* ---------- launches ---------- */

void
gpuagg_cuda_probe_present(uint32_t blocks, GpuAggProbeReport *report, cudaStream_t stream)
{
	list_units_kernel<<<blocks, 1, 0, stream>>>(report);
}

void
gpuagg_cuda_probe_clock(uint64_t ns, GpuAggProbeReport *report, cudaStream_t stream)
{
	time_clock_kernel<<<1, 1, 0, stream>>>(ns, report);
}

void
gpuagg_cuda_probe_fill(char *start, uint64_t bytes, cudaStream_t stream)
{
	fill_words_kernel<<<FILL_BLOCKS, FILL_THREADS, 0, stream>>>((uint64_t *) start, bytes / 8);
}

void
gpuagg_cuda_probe_chain(const GpuAggChain *chain, uint64_t first, uint64_t n,
						cudaStream_t stream)
{
	const uint64_t blocks = (n + FILL_THREADS - 1) / FILL_THREADS;

	write_chain_kernel<<<(uint32_t) (blocks < FILL_BLOCKS ? blocks : FILL_BLOCKS),
		FILL_THREADS, 0, stream>>> (*chain, first, n);
}

char *
gpuagg_cuda_probe_chain_start(const GpuAggChain *chain)
{
	return chain_place(chain, 0);
}

void
gpuagg_cuda_probe_chase(uint32_t smid, uint32_t blocks, bool own_cache,
						uint64_t untimed, uint64_t timed,
						GpuAggProbeReport *report, cudaStream_t stream)
{
	if (own_cache)
		chase_chain_kernel<true><<<blocks, 1, 0, stream>>>(smid, untimed, timed, report);
	else
		chase_chain_kernel<false><<<blocks, 1, 0, stream>>>(smid, untimed, timed, report);
}

void
gpuagg_cuda_probe_pair(const GpuAggPairReads *pair, uint32_t blocks,
					   GpuAggProbeReport *report, cudaStream_t stream)
{
	read_pair_kernel<<<blocks, PAIR_THREADS, 0, stream>>>(*pair, report);
}

void
gpuagg_cuda_probe_random(GpuAggRandomKind kind, char *start, uint64_t bytes,
						 uint32_t blocks, uint64_t rounds,
						 GpuAggProbeReport *report, cudaStream_t stream)
{
	if (kind == GPUAGG_RANDOM_READ32)
		access_random_kernel<GPUAGG_RANDOM_READ32><<<blocks, GPUAGG_RANDOM_THREADS, 0, stream>>>
			(start, bytes / 32, rounds, report);
	else if (kind == GPUAGG_RANDOM_ATOMIC8)
		access_random_kernel<GPUAGG_RANDOM_ATOMIC8><<<blocks, GPUAGG_RANDOM_THREADS, 0, stream>>>
			(start, bytes / 8, rounds, report);
	else
		access_random_kernel<GPUAGG_RANDOM_READ8><<<blocks, GPUAGG_RANDOM_THREADS, 0, stream>>>
			(start, bytes / 8, rounds, report);
}
