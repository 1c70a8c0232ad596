/*
 * pack_test.c
 *		Miniblocks of values: chosen, stored, and read one by one and many at once
 *		(device/ops/pack.h, host/unpack.h).
 */
#include <math.h>

#include "device/ops/pack.h"
#include "host/unpack.h"
#include "random.h"
#include "tap.h"

#define N GPUAGG_MINIBLOCK

static int64_t values[N];
static GpuAggMiniblock block;

/* Of a miniblock and those before it, so that words do not begin with the array */
static uint64_t words[3 + N + 1];

static int64_t
bits(double d)
{
	int64_t		i;

	memcpy(&i, &d, sizeof(i));
	return i;
}

/* Are all values read as they were stored, one by one and in stretches of any length? */
static bool
reads(void)
{
	const GpuAggMiniblock two[] = {{0}, block};
	int64_t		all[N];

	for (uint32_t i = 0; i < N; i++)
		if (gpuagg_packed_value(two, words, N + i) != values[i])
			return false;
	for (uint32_t n = 64; n <= N; n *= 2)
	{
		for (uint32_t first = 0; first < N; first += n)
			gpuagg_unpack(&block, words + block.word, first, n, all + first);
		if (memcmp(all, values, sizeof(all)) != 0)
			return false;
	}
	return true;
}

/* Packs the values, with so many bits each; a word behind them stays as it is. */
static bool
packs(bool doubles, uint32_t width, uint64_t unit, uint32_t digits)
{
	gpuagg_pack_choose(values, doubles, &block);
	block.word = 3;
	words[3 + gpuagg_miniblock_words(&block)] = UINT64_C(0x5A5A5A5A5A5A5A5A);
	gpuagg_pack_words(values, &block, words + 3);
	if (block.width != width || block.unit != unit || block.digits != digits)
		printf("#   width %u, unit %llu, digits %u\n", block.width,
			   (unsigned long long) block.unit, block.digits);
	return block.width == width && block.unit == unit && block.digits == digits && reads() &&
		words[3 + gpuagg_miniblock_words(&block)] == UINT64_C(0x5A5A5A5A5A5A5A5A);
}

static uint64_t
low_bits(uint32_t width)
{
	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

/* Values that need so many bits above a base, a unit apart */
static void
values_make(uint32_t width, int64_t base, uint64_t unit)
{
	for (uint32_t i = 0; i < N; i++)
	{
		uint64_t	n = (random_next() << 32 ^ random_next()) & low_bits(width);

		n = i == 7 ? 0 : i == 1000 ? low_bits(width) : i == 1001 && width > 0 ? 1 : n;
		values[i] = (int64_t) ((uint64_t) base + n * unit);
	}
}

static void
test_widths(void)
{
	static const int64_t bases[] = {0, -1, 1, 12345678901, -98765432109876, INT64_MIN};
	bool		good = true;

	for (uint32_t width = 0; width <= 64; width++)
		for (size_t b = 0; b < sizeof(bases) / sizeof(*bases); b++)
		{
			/* nothing wraps around */
			const int64_t base = width == 64 ? INT64_MIN :
				width == 63 && bases[b] > 0	 ? INT64_MIN :
											   bases[b];

			values_make(width, base, 1);
			if (width > 0 || base == bases[b])
				good &= packs(false, width, 1, GPUAGG_NOT_DECIMAL);
		}
	ok(good, "integers of all widths");
}

static void
test_units(void)
{
	bool		good = true;

	/* with fewer bits than are worth a division there is none */
	values_make(1, 5, 3);
	ok(packs(false, 2, 1, GPUAGG_NOT_DECIMAL), "two values");
	for (uint32_t width = 3; width <= 36; width++)
	{
		values_make(width, -INT64_C(788918400000000), 1000000);
		good &= packs(false, width, 1000000, GPUAGG_NOT_DECIMAL);
		values_make(width, 17, 86400);
		good &= packs(false, width, 86400, GPUAGG_NOT_DECIMAL);
	}
	ok(good, "times of whole seconds, and days");
	values_make(20, 0, 3600);
	values[2000]++;
	ok(packs(false, 32, 1, GPUAGG_NOT_DECIMAL), "but for one");
	for (uint32_t i = 0; i < N; i++)
		values[i] = i % 2 == 0 ? INT64_MIN : INT64_MAX;
	ok(packs(false, 1, UINT64_MAX, GPUAGG_NOT_DECIMAL), "the least and the greatest");
}

static void
test_doubles(void)
{
	static const double odd[] = {-0.0, NAN, INFINITY, -INFINITY, 1e300, 5e-324, 0.1 + 0.2,
								 9007199254740994.0};
	bool		good = true;

	for (uint32_t digits = 0; digits <= GPUAGG_DECIMAL_DIGITS; digits++)
	{
		for (uint32_t i = 0; i < N; i++)
			values[i] = bits((double) ((int32_t) random_next() % 50000) /
							 gpuagg_decimal_power(digits));
		values[3] = bits(-49999 / gpuagg_decimal_power(digits));
		values[4] = bits(49999 / gpuagg_decimal_power(digits));
		good &= packs(true, 17, 1, digits);
	}
	ok(good, "decimals of all digits");
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++)
	{
		for (uint32_t i = 0; i < N; i++)
			values[i] = bits(1.5);
		values[N - 1] = bits(odd[k]);
		gpuagg_pack_choose(values, true, &block);
		good &= packs(true, block.width, block.unit, GPUAGG_NOT_DECIMAL);
	}
	ok(good, "others by their bits");
	for (uint32_t i = 0; i < N; i++)
		values[i] = (int64_t) (random_next() << 32 ^ random_next());
	ok(packs(true, 64, 1, GPUAGG_NOT_DECIMAL), "any bits");
	for (uint32_t i = 0; i < N; i++)
		values[i] = bits(0);
	ok(packs(true, 0, 1, 0), "zeros");
}

int
main(void)
{
	test_widths();
	test_units();
	test_doubles();
	ok(gpuagg_pack_pays(7, 8) && !gpuagg_pack_pays(8, 8) && gpuagg_pack_pays(0, 8),
	   "what saves an eighth pays");
	return done_testing();
}
