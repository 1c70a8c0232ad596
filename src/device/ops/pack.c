/*
 * pack.c
 *		Making a miniblock of values (pack.h).
 */
#include "device/ops/pack.h"

/* Bits that hold all integers up to one */
static uint8_t
bits_of(uint64_t most)
{
	return most == 0 ? 0 : (uint8_t) (64 - __builtin_clzll(most));
}

/* What all distances from the least value are multiples of; most columns have soon none but 1 */
static uint64_t
unit_of(const int64_t *values, int64_t low)
{
	uint64_t	unit = 0;

	for (uint32_t i = 0; i < GPUAGG_MINIBLOCK && unit != 1; i++)
	{
		const uint64_t distance = (uint64_t) values[i] - (uint64_t) low;

		if (unit == 0 || distance % unit != 0)
			unit = gpuagg_common_divisor(unit, distance);
	}
	return unit == 0 ? 1 : unit;
}

/* The integers that doubles are with so many digits; false: not all are. */
static bool
to_decimals(const int64_t *values, uint32_t digits, int64_t *integers)
{
	const double power = gpuagg_decimal_power(digits);

	for (uint32_t i = 0; i < GPUAGG_MINIBLOCK; i++)
		if (!gpuagg_decimal_encode(values[i], power, &integers[i]))
			return false;
	return true;
}

static uint8_t
decimal_digits(const int64_t *values, int64_t *integers)
{
	for (uint8_t digits = 0; digits <= GPUAGG_DECIMAL_DIGITS; digits++)
		if (to_decimals(values, digits, integers))
			return digits;
	return GPUAGG_NOT_DECIMAL;
}

void
gpuagg_pack_choose(const int64_t *values, bool doubles, GpuAggMiniblock *block)
{
	int64_t		integers[GPUAGG_MINIBLOCK];
	int64_t		low = INT64_MAX;
	int64_t		high = INT64_MIN;
	uint64_t	most;

	memset(block, 0, sizeof(*block));
	block->unit = 1;
	block->digits = doubles ? decimal_digits(values, integers) : GPUAGG_NOT_DECIMAL;
	if (block->digits != GPUAGG_NOT_DECIMAL)
		values = integers;
	for (uint32_t i = 0; i < GPUAGG_MINIBLOCK; i++)
	{
		low = values[i] < low ? values[i] : low;
		high = values[i] > high ? values[i] : high;
	}
	block->base = low;
	most = (uint64_t) high - (uint64_t) low;
	if (block->digits == GPUAGG_NOT_DECIMAL && bits_of(most) > GPUAGG_UNIT_WIDTH)
		block->unit = unit_of(values, low);
	block->width = bits_of(most / block->unit);
}

void
gpuagg_pack_words(const int64_t *values, const GpuAggMiniblock *block, uint64_t *words)
{
	const uint32_t width = block->width;
	int64_t		integers[GPUAGG_MINIBLOCK];
	uint64_t	word = 0;
	uint32_t	used = 0;

	if (block->digits != GPUAGG_NOT_DECIMAL && to_decimals(values, block->digits, integers))
		values = integers;

	for (uint32_t i = 0; width > 0 && i < GPUAGG_MINIBLOCK; i++)
	{
		uint64_t	n = (uint64_t) values[i] - (uint64_t) block->base;

		if (block->unit > 1)
			n /= block->unit;
		word |= n << used;
		used += width;
		if (used < 64)
			continue;
		*words++ = word;
		used -= 64;
		word = used == 0 ? 0 : n >> (width - used);
	}
}
