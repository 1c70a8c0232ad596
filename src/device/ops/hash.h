/*
 * hash.h
 *		Seeded 64-bit hashing of group keys.
 *
 * Each key is folded into the hash by a 64 x 64 -> 128-bit multiplication
 * whose halves are combined (the idea of wyhash); the seed enters both
 * factors, so that keys cannot be chosen to collide by who does not know it.
 * gpuagg_hash_finish() spreads the result, and users take different bits:
 * the highest for the partition, the lowest 32 for the directory, which uses
 * the low ones of these as position and all of them as tag.
 *
 * The seed is one task's; hashes never leave it.
 */
#ifndef GPUAGG_DEVICE_OPS_HASH_H
#define GPUAGG_DEVICE_OPS_HASH_H

#include "device/common.h"

/* wyhash's first constants: odd, half of their bits set */
#define GPUAGG_HASH_C0 UINT64_C(0xa0761d6478bd642f)
#define GPUAGG_HASH_C1 UINT64_C(0xe7037ed1a0b428db)
#define GPUAGG_HASH_C2 UINT64_C(0x8ebc6af09c88c6e3)

/* What a NULL key is hashed as: any word that real keys rarely are. */
#define GPUAGG_HASH_NULL UINT64_C(0x9e3779b97f4a7c15)

GPUAGG_FN uint64_t
gpuagg_hash_fold(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
	return (a * b) ^ __umul64hi(a, b);
#else
	unsigned __int128 product = (unsigned __int128) a * b;

	return (uint64_t) product ^ (uint64_t) (product >> 64);
#endif
}

/* Fold one 8-byte word into h, which starts as the seed. */
GPUAGG_FN uint64_t
gpuagg_hash_word(uint64_t h, uint64_t word, uint64_t seed)
{
	return gpuagg_hash_fold(h ^ word ^ GPUAGG_HASH_C0, seed ^ GPUAGG_HASH_C1);
}

GPUAGG_FN uint64_t
gpuagg_hash_finish(uint64_t h)
{
	h ^= h >> 32;
	h *= GPUAGG_HASH_C2;
	return h ^ (h >> 29);
}

GPUAGG_FN uint64_t
gpuagg_hash_read8(const char *p)
{
	uint64_t	w;

	memcpy(&w, p, sizeof(w));
	return w;
}

GPUAGG_FN uint64_t
gpuagg_hash_read4(const char *p)
{
	uint32_t	w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/*
 * A byte string as one word.  Reads nothing outside of it: strings lie at
 * the end of shared memory, too.
 */
GPUAGG_FN uint64_t
gpuagg_hash_bytes(const char *data, uint64_t len, uint64_t seed)
{
	uint64_t	h = seed ^ len;
	uint64_t	a = 0;
	uint64_t	b = 0;
	uint64_t	left = len;

	while (left > 16)
	{
		h = gpuagg_hash_fold(gpuagg_hash_read8(data) ^ h ^ GPUAGG_HASH_C0,
							 gpuagg_hash_read8(data + 8) ^ seed ^ GPUAGG_HASH_C2);
		data += 16;
		left -= 16;
	}
	if (left >= 8)
	{
		a = gpuagg_hash_read8(data);
		b = gpuagg_hash_read8(data + left - 8);
	}
	else if (left >= 4)
	{
		a = gpuagg_hash_read4(data);
		b = gpuagg_hash_read4(data + left - 4);
	}
	else if (left > 0)
		a = (uint64_t) (uint8_t) data[0] << 16 |
			(uint64_t) (uint8_t) data[left / 2] << 8 |
			(uint8_t) data[left - 1];
	return gpuagg_hash_fold(a ^ h ^ GPUAGG_HASH_C0, b ^ seed ^ GPUAGG_HASH_C2);
}

#endif							/* GPUAGG_DEVICE_OPS_HASH_H */
