/*
 * sample_lines.c
 *		The lines of a page that a sample has.
 *
 * Hashes are computed first, by themselves: nothing in them depends on
 * another line, so the compiler computes several at a time: twice as many
 * where the processor has AVX2, and with AVX-512 a rotation, of which a hash
 * has a dozen, is one instruction instead of three.
 */
#include "host/sample_lines.h"

/* Of n lines from `line` on, which counts from 0 */
static inline __attribute__((always_inline)) void
hash_lines(const GpuAggSample *sample, uint32_t block, uint32_t line, uint32_t n, uint32_t *hash)
{
	const uint32_t seed = sample->seed;

	for (uint32_t i = 0; i < n; i++)
		hash[i] = gpuagg_sample_hash_line(block, line + i + 1, seed);
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void
hash_avx2(const GpuAggSample *sample, uint32_t block, uint32_t line, uint32_t n, uint32_t *hash)
{
	hash_lines(sample, block, line, n, hash);
}

static __attribute__((target("avx512f,avx512vl,avx512bw"))) void
hash_avx512(const GpuAggSample *sample, uint32_t block, uint32_t line, uint32_t n, uint32_t *hash)
{
	hash_lines(sample, block, line, n, hash);
}
#endif

static void
hash_some(const GpuAggSample *sample, uint32_t block, uint32_t line, uint32_t n, uint32_t *hash)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
	{
		hash_avx512(sample, block, line, n, hash);
		return;
	}
	if (__builtin_cpu_supports("avx2"))
	{
		hash_avx2(sample, block, line, n, hash);
		return;
	}
#endif
	hash_lines(sample, block, line, n, hash);
}

void
gpuagg_choose_lines(const GpuAggSample *sample, const GpuAggPage *page, uint8_t *chosen)
{
	const uint32_t nbytes = (page->nlines + 7) / 8;
	uint32_t	hash[GPUAGG_VISIBILITY_BYTES * 8];

	hash_some(sample, page->block, 0, nbytes * 8, hash);
	for (uint32_t k = 0; k < nbytes; k++)
	{
		uint32_t	bits = 0;

		for (uint32_t i = 0; i < 8; i++)
			bits |= (uint32_t) (hash[8 * k + i] < sample->cutoff) << i;
		chosen[k] = (uint8_t) bits;
	}
	if (page->nlines % 8 != 0)
		chosen[nbytes - 1] &= (uint8_t) ((1 << page->nlines % 8) - 1);
	for (uint32_t k = 0; k < nbytes && page->visibility != NULL; k++)
		chosen[k] &= page->visibility[k];
}

void
gpuagg_choose_kept(const GpuAggSample *sample, uint32_t block, uint32_t line, uint32_t n,
				   uint64_t *words, uint32_t at)
{
	uint32_t	hash[GPUAGG_MAX_LINES];

	hash_some(sample, block, line, n, hash);
	for (uint32_t i = 0; i < n; i++)
		words[(at + i) / 64] |= (uint64_t) (hash[i] < sample->cutoff) << (at + i) % 64;
}
