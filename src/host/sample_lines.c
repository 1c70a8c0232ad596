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

static inline __attribute__((always_inline)) void
choose(const GpuAggSample *sample, const GpuAggPage *page, uint8_t *chosen)
{
	const uint32_t block = page->block;
	const uint32_t seed = sample->seed;
	const uint64_t cutoff = sample->cutoff;
	const uint32_t nbytes = (page->nlines + 7) / 8;
	uint32_t	hash[GPUAGG_VISIBILITY_BYTES * 8];

	for (uint32_t i = 0; i < nbytes * 8; i++)
		hash[i] = gpuagg_sample_hash_line(block, i + 1, seed);
	for (uint32_t k = 0; k < nbytes; k++)
	{
		uint32_t	bits = 0;

		for (uint32_t i = 0; i < 8; i++)
			bits |= (uint32_t) (hash[8 * k + i] < cutoff) << i;
		chosen[k] = (uint8_t) bits;
	}
	if (page->nlines % 8 != 0)
		chosen[nbytes - 1] &= (uint8_t) ((1 << page->nlines % 8) - 1);
	for (uint32_t k = 0; k < nbytes && page->visibility != NULL; k++)
		chosen[k] &= page->visibility[k];
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void
choose_avx2(const GpuAggSample *sample, const GpuAggPage *page, uint8_t *chosen)
{
	choose(sample, page, chosen);
}

static __attribute__((target("avx512f,avx512vl,avx512bw"))) void
choose_avx512(const GpuAggSample *sample, const GpuAggPage *page, uint8_t *chosen)
{
	choose(sample, page, chosen);
}
#endif

void
gpuagg_choose_lines(const GpuAggSample *sample, const GpuAggPage *page, uint8_t *chosen)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
	{
		choose_avx512(sample, page, chosen);
		return;
	}
	if (__builtin_cpu_supports("avx2"))
	{
		choose_avx2(sample, page, chosen);
		return;
	}
#endif
	choose(sample, page, chosen);
}
