/*
 * random.h
 *		Numbers at random (xorshift), in each run the same.
 */
#ifndef GPUAGG_TEST_RANDOM_H
#define GPUAGG_TEST_RANDOM_H

#include <stdint.h>

static inline uint64_t
random_next(void)
{
	static uint64_t x = UINT64_C(88172645463325252);

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

#endif							/* GPUAGG_TEST_RANDOM_H */
