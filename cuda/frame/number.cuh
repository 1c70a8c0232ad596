/*
 * number.cuh
 *		Groups that are numbered by the values of their keys: integers of small
 *		ranges, or of few values in wide ones (GpuAggFrameKey).
 */
#ifndef GPUAGG_CUDA_FRAME_NUMBER_CUH
#define GPUAGG_CUDA_FRAME_NUMBER_CUH

#include "cuda/frame/frame.h"

/* Adds a key's part to a number.  False: it is outside of its range. */
GPUAGG_FN bool
frame_number(const GpuAggFrameKey &key, int64_t v, bool null, uint32_t *n)
{
	const uint64_t at = (uint64_t) v - (uint64_t) key.base;

	*n += null ? 0 : ((uint32_t) at + 1) * key.step;
	return null || at < key.extent;
}

/* frame_number where values are a unit apart; what lies between them has no number */
GPUAGG_FN bool
frame_number_apart(const GpuAggFrameKey &key, int64_t v, bool null, uint32_t *n)
{
	const uint64_t at = gpuagg_frame_units(&key, v);

	*n += null ? 0 : ((uint32_t) at + 1) * key.step;
	return null || at < key.extent;
}

/*
 * frame_number_apart of moments that are cut to units, before they are: the base is a multiple of
 * them
 */
GPUAGG_FN bool
frame_number_cut(const GpuAggFrameKey &key, int64_t v, bool null, int64_t unit, uint32_t *n)
{
	const uint64_t at = ((uint64_t) v - (uint64_t) key.base) / (uint64_t) unit;

	*n += null ? 0 : ((uint32_t) at + 1) * key.step;
	return null || at < key.extent;
}

#endif							/* GPUAGG_CUDA_FRAME_NUMBER_CUH */
