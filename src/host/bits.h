/*
 * bits.h
 *		Words of bitmaps.
 */
#ifndef GPUAGG_HOST_BITS_H
#define GPUAGG_HOST_BITS_H

#include "host/vector.h"

/* Of a word of a bitmap */
#define GPUAGG_BITS 64

/* Words of a bitmap with a bit for each row of a block of vectors */
#define GPUAGG_BLOCK_WORDS (GPUAGG_VECTOR_ROWS / GPUAGG_BITS)

/* Ones in the lowest n bits, n from 0 to 64 */
static inline uint64_t
gpuagg_low_bits(uint32_t n)
{
	return n >= GPUAGG_BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

#endif							/* GPUAGG_HOST_BITS_H */
