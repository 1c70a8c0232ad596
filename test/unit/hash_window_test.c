/*
 * hash_window_test.c
 *		Windows over the hash space: every hash lies in exactly one, windows
 *		nest, and what lies in one is spread again.
 */
#include "device/choice/hash_window.h"
#include "device/ops/hash.h"
#include "random.h"
#include "tap.h"

static uint32_t
windows_with(uint32_t count, uint64_t hash)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		GpuAggHashWindow s = {i, count};

		n += gpuagg_hash_window_has(s, hash);
	}
	return n;
}

static void
test_each_once(void)
{
	static const uint64_t edges[] = {0, 1, UINT64_C(0xFFFFFFFF), UINT64_C(0x100000000),
	UINT64_C(0x7FFFFFFFFFFFFFFF), UINT64_C(0x8000000000000000), UINT64_MAX};
	static const uint32_t counts[] = {1, 2, 3, 7, 10, 64, 1000, GPUAGG_MAX_HASH_WINDOWS};
	uint32_t	wrong = 0;

	for (uint32_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
	{
		for (uint32_t e = 0; e < sizeof(edges) / sizeof(edges[0]); e++)
			wrong += windows_with(counts[c], edges[e]) != 1;
		for (uint32_t i = 0; i < 200; i++)
			wrong += windows_with(counts[c], random_next()) != 1;
	}
	is_int(wrong, 0, "each hash lies in exactly one window of any count");
	ok(gpuagg_hash_window_has((GpuAggHashWindow){0, 0}, 12345),
	   "count 0 is the window of all hashes");
}

static void
test_nesting(void)
{
	uint32_t	wrong = 0;

	for (uint32_t round = 0; round < 20000; round++)
	{
		uint64_t	hash = random_next();
		uint32_t	n = (uint32_t) (random_next() % 60) + 1;
		uint32_t	k = (uint32_t) (random_next() % 60) + 2;
		uint32_t	i = (uint32_t) (((hash >> 32) * n) >> 32);
		GpuAggHashWindow part = gpuagg_hash_window_split((GpuAggHashWindow) {i, n}, k);
		uint32_t	found = 0;

		for (uint32_t j = 0; j < k; j++, part.index++)
			found += gpuagg_hash_window_has(part, hash);
		wrong += found != 1;
	}
	is_int(wrong, 0, "the parts of a window hold what it holds");
}

static void
test_walk(void)
{
	GpuAggHashWindow s = {0, 3};
	uint32_t	steps = 1;

	while (gpuagg_hash_window_next(&s))
		steps++;
	is_int(steps, 3, "three windows one after the other");

	/* windows that turn out almost empty are joined as soon as they can be */
	s = (GpuAggHashWindow) {0, 16};
	for (steps = 1; gpuagg_hash_window_next(&s); steps++)
		(void) gpuagg_hash_window_widen(&s);
	is_int(steps, 5, "sixteen windows, joined step by step, are five");
	s = (GpuAggHashWindow) {3, 8};
	ok(!gpuagg_hash_window_widen(&s), "a window in the middle of a wider one is not joined");
	s = (GpuAggHashWindow) {0, 1};
	ok(!gpuagg_hash_window_widen(&s), "nothing is wider than all");
	ok(!gpuagg_hash_window_next(&s), "nor comes anything after it");
	s = gpuagg_hash_window_split((GpuAggHashWindow) {0, 0}, 5);
	ok(s.index == 0 && s.count == 5, "all hashes in five windows");
	ok(gpuagg_hash_window_valid((GpuAggHashWindow){0, 0}) &&
		   gpuagg_hash_window_valid((GpuAggHashWindow){0, 1}) &&
		   gpuagg_hash_window_valid((GpuAggHashWindow){4095, 4096}),
	   "windows there are");
	ok(!gpuagg_hash_window_valid((GpuAggHashWindow){1, 0}) &&
		   !gpuagg_hash_window_valid((GpuAggHashWindow){4, 4}) &&
		   !gpuagg_hash_window_valid((GpuAggHashWindow){0, 4097}),
	   "windows there are not");
}

/* 64 bins of the high bits; each must get its share within a third. */
static void
test_spread(uint32_t count, uint32_t index)
{
	GpuAggHashWindow s = {index, count};
	uint32_t	bins[64] = {0};
	uint32_t	n = 0;
	bool		even = true;
	char		name[80];

	for (uint64_t key = 0; n < 64000; key++)
	{
		uint64_t	hash = gpuagg_hash_finish(gpuagg_hash_word(7, key, 7));

		if (!gpuagg_hash_window_has(s, hash))
			continue;
		bins[gpuagg_hash_window_spread(s, hash) >> 58]++;
		n++;
	}
	for (int i = 0; i < 64; i++)
		even = even && bins[i] > 666 && bins[i] < 1333;
	snprintf(name, sizeof(name), "window %u of %u spreads over all hashes", index, count);
	ok(even, name);
}

int
main(void)
{
	test_each_once();
	test_nesting();
	test_walk();
	test_spread(1, 0);
	test_spread(2, 1);
	test_spread(10, 7);
	test_spread(1000, 999);
	ok(gpuagg_hash_window_spread((GpuAggHashWindow) {0, 0}, UINT64_MAX) == UINT64_MAX,
	   "hashes of all are left as they are");
	ok((uint32_t) gpuagg_hash_window_spread((GpuAggHashWindow){3, 9}, 0x123456789ABCDEF0) ==
		   0x9ABCDEF0,
	   "the low half stays");
	return done_testing();
}
