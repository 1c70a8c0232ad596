/*
 * sample_test.c
 *		The decisions of TABLESAMPLE against those of a PostgreSQL 15 server.
 *
 * A table of 64 full pages was sampled there at several percentages and seeds,
 * and the ctid of each chosen row noted, as bits:
 *
 *	SELECT sum(1::bigint << ((ctid::text::point)[1]::int - 1)) FROM t
 *	TABLESAMPLE BERNOULLI (p) REPEATABLE (s) WHERE (ctid::text::point)[0] = b
 *	AND (ctid::text::point)[1] <= 32;
 *	SELECT bit_or(1::bigint << (ctid::text::point)[0]::int) FROM t
 *	TABLESAMPLE SYSTEM (p) REPEATABLE (s);
 *
 * The seed that the methods get is hashfloat8(s).
 */
#include <math.h>

#include "device/ops/sample.h"
#include "tap.h"

#define NBLOCKS 5
static const uint32_t blocks[NBLOCKS] = {0, 1, 2, 33, 63};

/* Which of lines 1 to 32 of these blocks, which of blocks 0 to 63 */
static const struct
{
	float		percent;
	uint32_t	seed;
	uint32_t	lines[NBLOCKS];
	uint64_t	blocks;
}			answers[] = {
	{0, 0, {0, 0, 0, 0, 0}, 0},
	{1, 0x1f09ce44, {0x40, 0x0, 0x0, 0x200000, 0x0}, 0},
	{10, 0, {0x40080000, 0xa800a84, 0x2000002, 0x10680, 0x40002108},
	UINT64_C(0x2020c00240a2000)},
	{25, 0x1670e33c, {0x1900210a, 0x480e0342, 0x2641c03, 0x81f4a409, 0x6404011},
	UINT64_C(0x8100081a20184883)},
	{50, 0x1f09ce44, {0x6428d8ce, 0x55dd39de, 0x36e58812, 0x94a68cf9, 0x3c187e50},
	UINT64_C(0xa7f0992077801911)},
	{50, 0x41b17f27, {0xb3d2af23, 0x63518d61, 0xc4cd3e19, 0xacd18652, 0x6a4676f7},
	UINT64_C(0xbe741c7405680392)},
	{75, 0x12ff241e, {0x6efddbfc, 0xeffd6d7b, 0x7dbfb6fb, 0xfe72dbfd, 0xbdfd56ad},
	UINT64_C(0x53fbe1fff7bffbf7)},
	{99.9f, 0x5f7df3ea, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
	UINT64_MAX},
	{100, 0x8b7e7f5c, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
	UINT64_MAX}
};

#define NANSWERS (sizeof(answers) / sizeof(answers[0]))

static uint32_t
chosen_lines(const GpuAggSample *sample, uint32_t block)
{
	uint32_t	bits = 0;

	for (uint32_t line = 1; line <= 32; line++)
		bits |= (uint32_t) gpuagg_sample_has_line(sample, block, line) << (line - 1);
	return bits;
}

static uint64_t
chosen_blocks(const GpuAggSample *sample)
{
	uint64_t	bits = 0;

	for (uint32_t block = 0; block < 64; block++)
		bits |= (uint64_t) gpuagg_sample_has_block(sample, block) << block;
	return bits;
}

static void
test_answers(void)
{
	char		name[80];

	for (uint32_t i = 0; i < NANSWERS; i++)
	{
		GpuAggSample sample = {GPUAGG_SAMPLE_BERNOULLI, answers[i].seed,
		(uint64_t) rint(4294967296.0 * (double) answers[i].percent / 100)};

		for (uint32_t k = 0; k < NBLOCKS; k++)
		{
			snprintf(name, sizeof(name), "BERNOULLI (%g), seed %x, block %u",
					 (double) answers[i].percent, answers[i].seed, blocks[k]);
			is_int(chosen_lines(&sample, blocks[k]), answers[i].lines[k], name);
		}
		sample.method = GPUAGG_SAMPLE_SYSTEM;
		snprintf(name, sizeof(name), "SYSTEM (%g), seed %x", (double) answers[i].percent,
				 answers[i].seed);
		ok(chosen_blocks(&sample) == answers[i].blocks, name);
	}
}

static void
test_devices(void)
{
	GpuAggSample sample = {GPUAGG_SAMPLE_NONE, 0, 0};

	ok(!gpuagg_sample_of_lines(&sample), "no sample");
	sample.method = GPUAGG_SAMPLE_SYSTEM;
	ok(!gpuagg_sample_of_lines(&sample), "a sample of blocks leaves a device nothing to decide");
	sample.method = GPUAGG_SAMPLE_BERNOULLI;
	ok(gpuagg_sample_of_lines(&sample), "a sample of no line");
	sample.cutoff = GPUAGG_SAMPLE_ALL - 1;
	ok(gpuagg_sample_of_lines(&sample), "a sample of nearly all lines");
	sample.cutoff = GPUAGG_SAMPLE_ALL;
	ok(!gpuagg_sample_of_lines(&sample), "a sample of all lines is none");
}

int
main(void)
{
	test_answers();
	test_devices();
	return done_testing();
}
