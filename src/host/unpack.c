/*
 * unpack.c
 *		Values of packed columns, many at once (unpack.h).
 *
 * 64 integers of w bits are w words, so where each of them lies in its words is a constant of the
 * width: there is a function for each, without a loop inside 64.
 */
#include "host/unpack.h"

#define STEP 64

typedef void (*UnpackFunction) (const uint64_t *words, uint32_t n, uint64_t base, uint64_t unit,
								int64_t *to);

/* 64 at a time; the width is a constant where it is called. */
static inline __attribute__((always_inline)) void
unpack_width(const uint64_t *words, uint32_t n, const uint32_t width, uint64_t base,
			 uint64_t unit, int64_t *to)
{
	const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

	for (uint32_t done = 0; done < n; done += STEP, words += width, to += STEP)
	{
#pragma GCC unroll 64
		for (uint32_t i = 0; i < STEP; i++)
		{
			const uint32_t word = i * width / 64;
			const uint32_t shift = i * width % 64;
			uint64_t	bits = words[word] >> shift;

			if (shift + width > 64)
				bits |= words[word + 1] << (64 - shift);
			to[i] = (int64_t) (base + unit * (bits & mask));
		}
	}
}

#define WIDTHS(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
	X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) \
	X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) \
	X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(59) X(60) X(61) \
	X(62) X(63) X(64)

#define DEFINE(width) \
	static void \
	unpack_##width(const uint64_t *words, uint32_t n, uint64_t base, uint64_t unit, int64_t *to) \
	{ \
		if (unit == 1) \
			unpack_width(words, n, width, base, 1, to); \
		else \
			unpack_width(words, n, width, base, unit, to); \
	}

WIDTHS(DEFINE)

#define NAME(width) unpack_##width,

static const UnpackFunction by_width[] = {NULL, WIDTHS(NAME)};

void
gpuagg_unpack(const GpuAggMiniblock *block, const uint64_t *words, uint32_t first, uint32_t n,
			  int64_t *to)
{
	if (block->width == 0)
		for (uint32_t i = 0; i < n; i++)
			to[i] = block->base;
	else
		by_width[block->width] (words + first / STEP * block->width, n, (uint64_t) block->base,
								block->unit, to);
	if (block->digits != GPUAGG_NOT_DECIMAL)
	{
		const double power = gpuagg_decimal_power(block->digits);

		for (uint32_t i = 0; i < n; i++)
			to[i] = gpuagg_decimal_decode(to[i], power);
	}
}
