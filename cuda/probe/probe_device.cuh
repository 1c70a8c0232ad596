/*
 * probe_device.cuh
 *		What the measuring kernels have in common: where a block runs, clocks,
 *		numbers that look random.
 */
#ifndef GPUAGG_CUDA_PROBE_DEVICE_CUH
#define GPUAGG_CUDA_PROBE_DEVICE_CUH

#include "cuda/probe/probe_kernels.h"

static __device__ __forceinline__ uint32_t
this_smid(void)
{
	uint32_t	smid;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
	return smid;
}

static __device__ __forceinline__ uint64_t
timer_ns(void)
{
	uint64_t	ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) :: "memory");
	return ns;
}

/* Every thread of all, from 0 */
static __device__ __forceinline__ uint64_t
this_thread(void)
{
	return (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint64_t
all_threads(void)
{
	return (uint64_t) gridDim.x * blockDim.x;
}

/* splitmix64's output function: neighbours become unrelated */
static __host__ __device__ __forceinline__ uint64_t
scramble(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Knuth's 64-bit linear congruence; only its upper bits are any good. */
static __device__ __forceinline__ uint64_t
next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state;
}

/* 0 to n - 1, from the upper bits */
static __device__ __forceinline__ uint64_t
random_below(uint64_t *state, uint64_t n)
{
	return __umul64hi(next_random(state), n);
}

/*
 * Element i of a fixed random order of 0 .. n - 1, where n - 1 has so many
 * bits: multiplications by odd numbers and shifts map the numbers of that
 * many bits to themselves one to one, and who lands beyond n goes on from
 * there, which keeps it so.
 */
static __host__ __device__ __forceinline__ uint64_t
shuffled(uint64_t i, uint64_t n, uint32_t bits)
{
	const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : ~UINT64_C(0);
	const uint32_t half = bits / 2 > 0 ? bits / 2 : 1;

	do
	{
		i = (i * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x9e3779b97f4a7c15)) & mask;
		i ^= i >> half;
		i = i * UINT64_C(0x94d049bb133111eb) & mask;
		i ^= i >> half;
		i = i * UINT64_C(0xd6e8feb86659fd93) & mask;
	}
	while (i >= n);
	return i;
}

/* Is this block the first on that multiprocessor?  For one thread of it */
static __device__ __forceinline__ bool
claim(uint32_t smid, uint32_t *claimed)
{
	return this_smid() == smid && atomicCAS(claimed, 0u, 1u) == 0;
}

/*
 * Keeps what was read alive: no sum is likely to be this, but nvcc cannot
 * rule it out.
 */
static __device__ __forceinline__ void
consume(uint64_t sum, GpuAggProbeReport *report)
{
	if (sum == UINT64_C(0x5bd1e9955bd1e995))
		report->sink = sum;
}

#endif							/* GPUAGG_CUDA_PROBE_DEVICE_CUH */
