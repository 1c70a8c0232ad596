/*
 * packed.h
 *		How the values of a stripe's column are stored where they are packed, and how one is read.
 *
 * A *miniblock* is so many neighbouring positions whose values are unsigned integers of `width`
 * bits, one behind the other in 64-bit words, the lowest bits first (frame of reference and
 * bit-packing).  The value of n is
 *
 *		integers, codes, bits of doubles	base + n * unit, modulo 2^64
 *		decimals		the double nearest to (base + n) / 10^digits
 *
 * With width 0 all values are the base, and there are no words.  A column that is sorted has few
 * bits in each miniblock, and a value far from all others costs one miniblock, so there is
 * neither a form for runs nor a list of exceptions.  Any position is found by itself: a
 * miniblock's words follow those of the one before, each whole.
 */
#ifndef GPUAGG_DEVICE_PACKED_H
#define GPUAGG_DEVICE_PACKED_H

#include "device/common.h"

#define GPUAGG_MINIBLOCK_LOG2 11
#define GPUAGG_MINIBLOCK (UINT32_C(1) << GPUAGG_MINIBLOCK_LOG2)

/* Digits of what is no decimal; behind the point of a decimal, at most: 10^digits is exact. */
#define GPUAGG_NOT_DECIMAL UINT8_MAX
#define GPUAGG_DECIMAL_DIGITS 8

/* Integers below it are doubles. */
#define GPUAGG_DECIMAL_LIMIT (INT64_C(1) << 53)

typedef struct GpuAggMiniblock
{
	int64_t		base;
	uint64_t	unit;			/* of decimals 1 */
	uint64_t	word;			/* of the column's words, its first */
	uint8_t		width;			/* bits of a value, 0 .. 64 */
	uint8_t		digits;
	uint8_t		unused[6];
} GpuAggMiniblock;

GPUAGG_ASSERT_BYTES(GpuAggMiniblock, 32);

/* Of so many positions */
GPUAGG_FN uint32_t
gpuagg_miniblocks(uint32_t positions)
{
	return (uint32_t) (((uint64_t) positions + GPUAGG_MINIBLOCK - 1) >> GPUAGG_MINIBLOCK_LOG2);
}

GPUAGG_FN uint64_t
gpuagg_miniblock_words(const GpuAggMiniblock *b)
{
	return (uint64_t) b->width * (GPUAGG_MINIBLOCK / 64);
}

/*
 * Four neighbouring values of a card's miniblock, the first at a multiple of four, lie in 128 bits
 * that begin with a word of 32; those of more than 32 bits begin and end with bytes.  So a card
 * has these widths alone: the least of them for so many bits, `full` being that of plain values,
 * which have no base.
 */
#define GPUAGG_QUAD_WIDTH 26

GPUAGG_FN uint8_t
gpuagg_quad_width(uint32_t bits, uint32_t full)
{
	const uint32_t width = bits <= GPUAGG_QUAD_WIDTH ? bits : bits <= 28 ? 28 : bits <= 32 ? 32 :
		(bits + 7) / 8 * 8;

	return (uint8_t) (width < full ? width : full);
}

/* 10^digits, digits up to GPUAGG_DECIMAL_DIGITS */
GPUAGG_FN double
gpuagg_decimal_power(uint32_t digits)
{
	double		power = 1;

	for (uint32_t i = 0; i < digits; i++)
		power *= 10;
	return power;
}

/*
 * On a card, where a division takes as long as 20 products, it is a product and what that lacks.
 * Each device packs what its own function gives back.
 */
GPUAGG_FN int64_t
gpuagg_decimal_decode(int64_t n, double power)
{
#ifdef __CUDA_ARCH__
	const double inverse = 1 / power;
	const double near = __dmul_rn((double) n, inverse);
	const double value = __fma_rn(__fma_rn(-near, power, (double) n), inverse, near);
#else
	const double value = (double) n / power;
#endif
	int64_t		bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* A double as an integer of so many digits behind the point; false: it is none. */
GPUAGG_FN bool
gpuagg_decimal_encode(int64_t bits, double power, int64_t *n)
{
	double		value;
	double		scaled;

	memcpy(&value, &bits, sizeof(value));
#ifdef __CUDA_ARCH__
	scaled = __dmul_rn(value, power);	/* whatever it is compiled into, the same */
#else
	scaled = value * power;
#endif
	/* false of a NaN, too */
	if (!(scaled > -(double) GPUAGG_DECIMAL_LIMIT && scaled < (double) GPUAGG_DECIMAL_LIMIT))
		return false;
	*n = (int64_t) (scaled < 0 ? scaled - 0.5 : scaled + 0.5);
	return gpuagg_decimal_decode(*n, power) == bits;
}

/* The i-th integer of `width` bits of some words; none of width 0 is read. */
GPUAGG_FN uint64_t
gpuagg_packed_bits(const uint64_t *words, uint32_t i, uint32_t width)
{
	const uint32_t shift = i * width % 64;
	uint64_t	bits;

	if (width == 0)
		return 0;
	words += i * width / 64;
	bits = words[0] >> shift;
	if (shift + width > 64)
		bits |= words[1] << (64 - shift);
	return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

/* An integer at a position, or a code; of a double its bits, or what is to be divided */
GPUAGG_FN int64_t
gpuagg_packed_integer(const GpuAggMiniblock *blocks, const uint64_t *words, uint32_t position)
{
	const GpuAggMiniblock *b = &blocks[position / GPUAGG_MINIBLOCK];

	return (int64_t) ((uint64_t) b->base + b->unit *
					  gpuagg_packed_bits(words + b->word, position % GPUAGG_MINIBLOCK, b->width));
}

/* A column's value at a position: an integer, a code, or the bits of a double */
GPUAGG_FN int64_t
gpuagg_packed_value(const GpuAggMiniblock *blocks, const uint64_t *words, uint32_t position)
{
	const uint32_t digits = blocks[position / GPUAGG_MINIBLOCK].digits;
	const int64_t n = gpuagg_packed_integer(blocks, words, position);

	return digits == GPUAGG_NOT_DECIMAL ? n :
		gpuagg_decimal_decode(n, gpuagg_decimal_power(digits));
}

#endif							/* GPUAGG_DEVICE_PACKED_H */
