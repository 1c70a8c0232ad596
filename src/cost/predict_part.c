/*
 * predict_part.c
 *		Rates of a part of a device (predict_part.h).
 */
#include "cost/predict_part.h"

/* What a random access takes of memory's bandwidth */
#define SECTOR_BYTES 32

static double
least(double a, double b)
{
	return a < b ? a : b;
}

/* What the units do by themselves: a unit's own memory, its arithmetic, its way to the cache */
static void
scale_units(GpuAggRates *rates, double share)
{
	static const GpuAggCeiling of_units[] = {
		GPUAGG_CEILING_INT_OPS, GPUAGG_CEILING_LOCAL_ATOMICS_1, GPUAGG_CEILING_LOCAL_ATOMICS_32,
		GPUAGG_CEILING_LOCAL_ATOMICS_1024, GPUAGG_CEILING_CACHE_READ, GPUAGG_CEILING_GROUP
	};

	for (unsigned i = 0; i < sizeof(of_units) / sizeof(of_units[0]); i++)
		rates->ceiling[of_units[i]] *= share;
}

/* What memory gives: so much of what it gave, and no more than is asked for; 0: no bound known */
static void
scale_memory(GpuAggRates *rates, double share, double asked)
{
	static const GpuAggCeiling of_memory[] = {GPUAGG_CEILING_MEMORY_READ,
											  GPUAGG_CEILING_MEMORY_COPY, GPUAGG_CEILING_PARTITION,
											  GPUAGG_CEILING_TOUCH};
	const double read = rates->ceiling[GPUAGG_CEILING_MEMORY_READ];
	const double kept = asked > 0 && read > 0 ? least(share, asked / read) : share;

	for (unsigned i = 0; i < sizeof(of_memory) / sizeof(of_memory[0]); i++)
		rates->ceiling[of_memory[i]] *= kept;
	for (int i = 0; i < rates->npoints; i++)
		for (int kind = 0; kind < GPUAGG_NRANDOMS; kind++)
		{
			double	   *rate = &rates->points[i].rate[kind];

			*rate *= share;
			if (asked > 0)
				*rate = least(*rate, asked / SECTOR_BYTES);
		}
}

void
gpuagg_rates_part(GpuAggRates *rates, int units, double bandwidth)
{
	const double read = rates->ceiling[GPUAGG_CEILING_MEMORY_READ];
	const double had = rates->units;
	double		asked = 0;

	if (units > 0 && had > 0)
	{
		scale_units(rates, units / had);
		asked = units < had ? units * rates->ceiling[GPUAGG_CEILING_THREAD_READ] : 0;
		rates->units = units;
		if (rates->tlb_groups.n > (uint32_t) units)
			rates->tlb_groups.n = (uint32_t) units;
	}
	scale_memory(rates, bandwidth > 0 && read > 0 ? bandwidth / read : 1, asked);
}
