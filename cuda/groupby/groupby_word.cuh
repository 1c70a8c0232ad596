/*
 * groupby_word.cuh
 *		Words that keys become for sorting (groupby_sort.h), where groups begin among them, and what
 *		kernels have a thread for.
 */
#ifndef GPUAGG_CUDA_GROUPBY_WORD_CUH
#define GPUAGG_CUDA_GROUPBY_WORD_CUH

#include "cuda/groupby/groupby_sort.h"

#define GPUAGG_SORT_THREADS 256
#define GPUAGG_SORT_BLOCKS 8	/* of a multiprocessor */

typedef unsigned __int128 GpuAggWideWord;

static __device__ __forceinline__ uint64_t
first_row(void)
{
	return (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint64_t
next_row(void)
{
	return (uint64_t) gridDim.x * blockDim.x;
}

/* Blocks for so many things, a thread each */
static inline uint32_t
sort_blocks(uint64_t n, uint32_t sms)
{
	const uint64_t useful = (n + GPUAGG_SORT_THREADS - 1) / GPUAGG_SORT_THREADS;
	const uint64_t most = (uint64_t) sms * GPUAGG_SORT_BLOCKS;

	return (uint32_t) (useful < 1 ? 1 : useful < most ? useful : most);
}

/* Calls one of a function's three, with a 0 that is a word of the shape; returns what CUDA says. */
template <typename Function>
static inline cudaError_t
sort_with_word(const GpuAggSortShape *shape, Function function)
{
	return shape->word_bytes == 4 ? function((uint32_t) 0) :
		shape->word_bytes == 8	  ? function((uint64_t) 0) :
									function((GpuAggWideWord) 0);
}

/* What lies above so many bits */
template <typename Word>
static __device__ __forceinline__ Word
word_above(Word word, uint32_t bits)
{
	return bits >= 8 * sizeof(Word) ? 0 : word >> bits;
}

template <typename Word>
static __device__ __forceinline__ uint64_t
word_number(Word word, const GpuAggSortKey &key)
{
	const uint64_t all = key.bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << key.bits) - 1;

	return key.bits == 0 ? 0 : (uint64_t) (word >> key.shift) & all;
}

/* Does a group begin with word i? */
template <typename Word>
struct GroupBegins
{
	const Word *words;
	uint32_t	value_bits;

	__device__ __forceinline__ bool
	operator()(uint64_t i) const
	{
		return i == 0 ||
			word_above(words[i], value_bits) != word_above(words[i - 1], value_bits);
	}
};

#endif							/* GPUAGG_CUDA_GROUPBY_WORD_CUH */
