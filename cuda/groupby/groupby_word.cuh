/*
 * groupby_word.cuh
 *		Words that keys become for sorting (groupby_sort.h), and where groups begin among them.
 */
#ifndef GPUAGG_CUDA_GROUPBY_WORD_CUH
#define GPUAGG_CUDA_GROUPBY_WORD_CUH

#include "cuda/groupby/groupby_sort.h"

typedef unsigned __int128 GpuAggWideWord;

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
