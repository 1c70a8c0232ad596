/*
 * lookup_filter.h
 *		A Bloom filter in front of a look-up table's slots (ops_lookup.h): whether a key may be
 *		there, told by one word that is read.
 *
 * A key has three bits in one word of 64, by other bits of its hash than the word.  There is a
 * word for 16 slots, of which at most half are taken: 8 to 16 bits for each key.  So a
 * twentieth of the keys that are not there, at most, pass; of those that are there, all.
 */
#ifndef GPUAGG_DEVICE_OPS_LOOKUP_FILTER_H
#define GPUAGG_DEVICE_OPS_LOOKUP_FILTER_H

#include "device/common.h"

#define GPUAGG_FILTER_SLOTS 16	/* of each word */

/* Words of the filter of so many slots, both powers of two */
GPUAGG_FN uint64_t
gpuagg_filter_words(uint64_t slots)
{
	return slots < GPUAGG_FILTER_SLOTS ? 1 : slots / GPUAGG_FILTER_SLOTS;
}

/* The word of a key, and its bits there */
GPUAGG_FN uint64_t
gpuagg_filter_word(uint64_t words, uint64_t hash)
{
	return hash >> 18 & (words - 1);
}

GPUAGG_FN uint64_t
gpuagg_filter_bits(uint64_t hash)
{
	return UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63) |
		UINT64_C(1) << (hash >> 12 & 63);
}

GPUAGG_FN bool
gpuagg_filter_has(const uint64_t *filter, uint64_t words, uint64_t hash)
{
	return (~filter[gpuagg_filter_word(words, hash)] & gpuagg_filter_bits(hash)) == 0;
}

/* In any order, by threads side by side: the words are the same. */
GPUAGG_FN void
gpuagg_filter_add(uint64_t *filter, uint64_t words, uint64_t hash)
{
#ifdef __CUDA_ARCH__
	atomicOr((unsigned long long *) &filter[gpuagg_filter_word(words, hash)],
			 (unsigned long long) gpuagg_filter_bits(hash));
#else
	filter[gpuagg_filter_word(words, hash)] |= gpuagg_filter_bits(hash);
#endif
}

#endif							/* GPUAGG_DEVICE_OPS_LOOKUP_FILTER_H */
