/*
 * unpack.h
 *		Values of packed columns (device/ops/packed.h), many at once.
 */
#ifndef GPUAGG_HOST_UNPACK_H
#define GPUAGG_HOST_UNPACK_H

#include "device/ops/packed.h"

/*
 * Values of a miniblock from the first-th on, so many: both are multiples of 64, and it has as
 * many.  words: its own.
 */
extern void gpuagg_unpack(const GpuAggMiniblock *block, const uint64_t *words, uint32_t first,
						  uint32_t n, int64_t *to);

#endif							/* GPUAGG_HOST_UNPACK_H */
