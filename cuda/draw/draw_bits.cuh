/*
 * draw_bits.cuh
 *		Bits of a bitmap for positions that need not begin with a word.
 */
#ifndef GPUAGG_CUDA_DRAW_BITS_CUH
#define GPUAGG_CUDA_DRAW_BITS_CUH

#include <stdint.h>

/* Of count positions from first on, the n-th 32 of them */
static __device__ __forceinline__ uint32_t
draw_word(const uint32_t *bitmap, uint32_t first, uint32_t count, uint32_t n)
{
	const uint32_t at = first + n * 32;
	const uint32_t left = count > n * 32 ? count - n * 32 : 0;
	uint32_t	bits;

	if (left == 0)
		return 0;
	bits = bitmap[at / 32] >> at % 32;
	if (at % 32 != 0 && left > 32 - at % 32)
		bits |= bitmap[at / 32 + 1] << (32 - at % 32);
	return left < 32 ? bits & ((1u << left) - 1) : bits;
}

#endif							/* GPUAGG_CUDA_DRAW_BITS_CUH */
