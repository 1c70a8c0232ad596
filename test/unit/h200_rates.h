/*
 * h200_rates.h
 *		The shipped profile of an H200 (sql/gpuagg--1.1.sql), as far as the choice
 *		of a strategy depends on it: for tests, and for benchmarks without a
 *		server.
 */
#ifndef GPUAGG_TEST_H200_RATES_H
#define GPUAGG_TEST_H200_RATES_H

#include "cost/predict.h"

/* Its groups of multiprocessors differ from chip to chip; here none are known. */
static inline void
h200_fill(GpuAggRates *out)
{
	static const double points[][1 + GPUAGG_NRANDOMS] = {
		{1048576, 1.64e11, 9.17e10, 1.05e11},
		{33554432, 1.41e11, 1.06e11, 9.91e10},
		{67108864, 8.17e10, 7.66e10, 3.61e10},
		{134217728, 5.85e10, 5.75e10, 2.2e10},
		{1073741824, 4.4e10, 2.59e10, 1.68e10},
		{68719476736.0, 4.03e10, 2.13e10, 1.59e10},
		{97183989760.0, 1.04e10, 8.38e9, 1.04e10},
		{120085020672.0, 7.1e9, 5.37e9, 7.11e9}
	};
	GpuAggRates rates;

	memset(&rates, 0, sizeof(rates));
	rates.gpu = true;
	rates.units = 132;
	rates.unit_shared_bytes = 228 << 10;
	rates.block_shared_bytes = 227 << 10;
	rates.ceiling[GPUAGG_CEILING_MEMORY_READ] = 4.535e12;
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1024] = 2.362e12;
	rates.ceiling[GPUAGG_CEILING_PARTITION] = 1.1e11;
	rates.nlevels = 2;
	rates.levels[0].kind = GPUAGG_LEVEL_CACHE;
	rates.levels[0].level = 2;
	rates.levels[0].reach_bytes = 33554432;
	rates.levels[1].kind = GPUAGG_LEVEL_TLB;
	rates.levels[1].level = 1;
	rates.levels[1].reach_bytes = UINT64_C(68719476736);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
	{
		rates.points[i].bytes = points[i][0];
		for (int kind = 0; kind < GPUAGG_NRANDOMS; kind++)
			rates.points[i].rate[kind] = points[i][1 + kind];
		rates.npoints++;
	}
	*out = rates;
}

static inline void
h200_rates(GpuAggStrategyRates *strategy)
{
	GpuAggRates rates;

	h200_fill(&rates);
	gpuagg_rates_strategy(&rates, strategy);
}

#endif							/* GPUAGG_TEST_H200_RATES_H */
