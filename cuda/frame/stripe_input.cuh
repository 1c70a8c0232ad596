/*
 * stripe_input.cuh
 *		Which positions of a stripe are a task's input: those that are valid, below
 *		the end that was known when the task asked, and not listed.
 */
#ifndef GPUAGG_CUDA_FRAME_STRIPE_INPUT_CUH
#define GPUAGG_CUDA_FRAME_STRIPE_INPUT_CUH

#include "cuda/kernel/card_types.h"

/* Bits [from, to) of a word, of which some may lie outside it */
static __device__ __forceinline__ uint32_t
word_bits(int64_t from, int64_t to)
{
	const uint32_t low = from <= 0 ? 0xFFFFFFFFu : from < 32 ? 0xFFFFFFFFu << from : 0;
	const uint32_t high = to >= 32 ? 0xFFFFFFFFu : to > 0 ? (1u << to) - 1 : 0;

	return low & high;
}

/* The first listed positions that do not end before one: the list is in order */
static __device__ uint32_t
listed_at(const GpuAggStripeInput &input, int64_t start)
{
	uint32_t	low = 0;
	uint32_t	high = input.nwithout;

	while (low < high)
	{
		const uint32_t at = (low + high) / 2;

		if ((int64_t) input.without[at].first + input.without[at].count > start)
			high = at;
		else
			low = at + 1;
	}
	return low;
}

/* Are all positions of a run listed, one beside the other? */
static __device__ __forceinline__ bool
input_is_listed(const GpuAggStripeInput &input, uint32_t first, uint32_t count)
{
	uint32_t	at;

	if (input.nwithout == 0)
		return false;
	at = listed_at(input, first);
	return at < input.nwithout && input.without[at].first <= first &&
		(uint64_t) input.without[at].first + input.without[at].count >= (uint64_t) first + count;
}

/* Positions of a bitmap's word that are listed */
static __device__ uint32_t
listed_bits(const GpuAggStripeInput &input, uint32_t word)
{
	const int64_t start = (int64_t) word * 32;
	uint32_t	low = listed_at(input, start);
	uint32_t	bits = 0;

	for (; low < input.nwithout && (int64_t) input.without[low].first < start + 32; low++)
	{
		const int64_t from = (int64_t) input.without[low].first - start;

		bits |= word_bits(from, from + input.without[low].count);
	}
	return bits;
}

/* Input positions of a bitmap's word */
static __device__ __forceinline__ uint32_t
input_bits(const GpuAggStripeInput &input, uint32_t word)
{
	uint32_t	bits = input.valid[word] &
		word_bits(0, (int64_t) input.positions - (int64_t) word * 32);

	if (input.nwithout > 0 && bits != 0)
		bits &= ~listed_bits(input, word);
	return bits;
}

/* A granule's word and bit of `left` */
static __device__ __forceinline__ uint32_t *
left_word(const GpuAggStripeInput &input, uint32_t first)
{
	return input.left + first / (GPUAGG_FRAME_GRANULE * 32);
}

static __device__ __forceinline__ uint32_t
left_bit(uint32_t first)
{
	return 1u << (first / GPUAGG_FRAME_GRANULE % 32);
}

/* What is left over of a word's positions */
static __device__ __forceinline__ uint32_t
left_bits(const GpuAggStripeInput &input, uint32_t word)
{
	return input.left != NULL && !(*left_word(input, word * 32) & left_bit(word * 32)) ?
		0 :
		input.leftover[word];
}

#endif							/* GPUAGG_CUDA_FRAME_STRIPE_INPUT_CUH */
