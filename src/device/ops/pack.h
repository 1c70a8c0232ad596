/*
 * pack.h
 *		Making a miniblock (packed.h) of values: which base, unit and width, and its words.
 */
#ifndef GPUAGG_DEVICE_PACK_H
#define GPUAGG_DEVICE_PACK_H

#include "device/ops/packed.h"

/* Narrower values are not worth a unit. */
#define GPUAGG_UNIT_WIDTH 4

/* A column is packed if that saves one part of so many. */
#define GPUAGG_PACK_PART 8

/*
 * How the GPUAGG_MINIBLOCK values are stored in the fewest bits.  Those that nobody reads should
 * be one that somebody does.  doubles: they are bits of doubles.
 */
extern void gpuagg_pack_choose(const int64_t *values, bool doubles, GpuAggMiniblock *block);

/* The words of values for which gpuagg_pack_choose has chosen */
extern void gpuagg_pack_words(const int64_t *values, const GpuAggMiniblock *block,
							  uint64_t *words);

/* The greatest one; of a number and 0 the number */
GPUAGG_FN uint64_t
gpuagg_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Is so much less worth reading packed values?  In bytes of all that is packed, and of it plain */
GPUAGG_FN bool
gpuagg_pack_pays(uint64_t packed, uint64_t plain)
{
	return packed <= plain - plain / GPUAGG_PACK_PART;
}

#endif							/* GPUAGG_DEVICE_PACK_H */
