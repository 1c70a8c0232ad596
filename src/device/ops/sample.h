/*
 * sample.h
 *		TABLESAMPLE: which blocks or line pointers belong to a sample.
 *
 * PostgreSQL's two methods decide without memory: SYSTEM hashes a block's
 * number with the seed, BERNOULLI a line pointer's number (from 1) too, and
 * what hashes below the cutoff is chosen, whether or not anything is there.
 * So any part of a table can be decided anywhere and in any order, and gives
 * PostgreSQL's own sample.  The hash is its hash_bytes() over 2 or 3 words of
 * 32 bits, which is Bob Jenkins' lookup3 with an initial value of its own.
 *
 * Blocks are decided by whoever reads pages, line pointers by the device.
 */
#ifndef GPUAGG_DEVICE_OPS_SAMPLE_H
#define GPUAGG_DEVICE_OPS_SAMPLE_H

#include "device/common.h"

typedef enum GpuAggSampleMethod
{
	GPUAGG_SAMPLE_NONE,
	GPUAGG_SAMPLE_BERNOULLI,
	GPUAGG_SAMPLE_SYSTEM,
	GPUAGG_SAMPLE_DRAWS,		/* gpuagg.random_rows: draw.h */
	GPUAGG_NSAMPLES
} GpuAggSampleMethod;

/* Chooses all: hashes have 32 bits */
#define GPUAGG_SAMPLE_ALL (UINT64_C(1) << 32)

typedef struct GpuAggSample
{
	uint32_t	method;			/* GpuAggSampleMethod */
	uint32_t	seed;
	uint64_t	cutoff;			/* at most GPUAGG_SAMPLE_ALL; of draws their
								 * number */
} GpuAggSample;

GPUAGG_FN uint32_t
gpuagg_sample_rotate(uint32_t x, uint32_t bits)
{
	return x << bits | x >> (32 - bits);
}

/* lookup3's last step */
GPUAGG_FN uint32_t
gpuagg_sample_final(uint32_t a, uint32_t b, uint32_t c)
{
	c = (c ^ b) - gpuagg_sample_rotate(b, 14);
	a = (a ^ c) - gpuagg_sample_rotate(c, 11);
	b = (b ^ a) - gpuagg_sample_rotate(a, 25);
	c = (c ^ b) - gpuagg_sample_rotate(b, 16);
	a = (a ^ c) - gpuagg_sample_rotate(c, 4);
	b = (b ^ a) - gpuagg_sample_rotate(a, 14);
	return (c ^ b) - gpuagg_sample_rotate(b, 24);
}

/* hash_bytes() starts from the golden ratio and the number of bytes */
#define GPUAGG_SAMPLE_START(bytes) (0x9E3779B9u + (bytes) + 3923095u)

GPUAGG_FN uint32_t
gpuagg_sample_hash_block(uint32_t block, uint32_t seed)
{
	const uint32_t start = GPUAGG_SAMPLE_START(8u);

	return gpuagg_sample_final(start + block, start + seed, start);
}

/* line counts from 1; three words take a round of lookup3's mixing more */
GPUAGG_FN uint32_t
gpuagg_sample_hash_line(uint32_t block, uint32_t line, uint32_t seed)
{
	uint32_t	a = GPUAGG_SAMPLE_START(12u) + block;
	uint32_t	b = GPUAGG_SAMPLE_START(12u) + line;
	uint32_t	c = GPUAGG_SAMPLE_START(12u) + seed;

	a = (a - c) ^ gpuagg_sample_rotate(c, 4);
	c += b;
	b = (b - a) ^ gpuagg_sample_rotate(a, 6);
	a += c;
	c = (c - b) ^ gpuagg_sample_rotate(b, 8);
	b += a;
	a = (a - c) ^ gpuagg_sample_rotate(c, 16);
	c += b;
	b = (b - a) ^ gpuagg_sample_rotate(a, 19);
	a += c;
	c = (c - b) ^ gpuagg_sample_rotate(b, 4);
	b += a;
	return gpuagg_sample_final(a, b, c);
}

GPUAGG_FN bool
gpuagg_sample_has_block(const GpuAggSample *sample, uint32_t block)
{
	return gpuagg_sample_hash_block(block, sample->seed) < sample->cutoff;
}

/* line counts from 1 */
GPUAGG_FN bool
gpuagg_sample_has_line(const GpuAggSample *sample, uint32_t block, uint32_t line)
{
	return gpuagg_sample_hash_line(block, line, sample->seed) < sample->cutoff;
}

/* Has the device lines to decide? */
GPUAGG_FN bool
gpuagg_sample_of_lines(const GpuAggSample *sample)
{
	return sample->method == GPUAGG_SAMPLE_BERNOULLI &&
		sample->cutoff < GPUAGG_SAMPLE_ALL;
}

#endif							/* GPUAGG_DEVICE_OPS_SAMPLE_H */
