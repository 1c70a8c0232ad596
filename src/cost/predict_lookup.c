/*
 * predict_lookup.c
 *		Look-ups among slots, with and without a filter (predict_lookup.h).
 *
 * s bytes of slots have a filter of f = s / 16.  With R(x), the time of a random read in x bytes, a
 * row of which the part `found` has a row in the table takes
 *
 *		without		R(s)
 *		with		R(f) + (found + PASSES * (1 - found)) * R(s)
 *
 * Where a row is found its key is read, too, either way.  Of an H200, 64 MiB to 4 GiB of slots, all
 * rows and a tenth found, what with and without differ by is within 1.3 times of what
 * kernels/lookup_gpu measures.  A filter is made if it is expected to save more than making it
 * takes, and GAIN at least, as shares of rows that are found are estimates.  If all are found, it
 * costs R(f): less than R(s), for it is smaller, so the look-ups of a table never take twice as
 * long for it (an H200: 1.4 to 1.7 times).
 */
#include "cost/predict_lookup.h"
#include "cost/predict_rates.h"

#include "device/ops/lookup_filter.h"
#include "device/ops/ops_lookup.h"

#define GAIN 1.2
#define PASSES 0.04				/* of keys that are not there (lookup_test) */
#define MOST_SLOTS (UINT64_C(1) << 31)

/*
 * A thread's reads, among what a look-up does besides, take as long as so many of those that
 * were measured, by a loop that does nothing else (kernels/lookup_host on an EPYC).
 */
#define HOST_READS 8.0

/*
 * ns that one thread needs for a row more, if its table has a filter: none of 4e6 rows, as the
 * filter saves looking for each row before it gets a slot, up to 20 of 1e6 (lookup_host, too)
 */
#define THREAD_ROW_NS 10.0

static double
read_ns(const GpuAggRates *rates, double bytes)
{
	const double rate = gpuagg_rates_random(rates, GPUAGG_RANDOM_READ8, bytes);

	return rate > 0 ? (rates->gpu ? 1 : HOST_READS) * 1e9 / rate : 0;
}

static double
filter_bytes(double slots_bytes)
{
	return slots_bytes / sizeof(GpuAggLookupSlot) / GPUAGG_FILTER_SLOTS * sizeof(uint64_t);
}

/* The least that looking a row up takes with a filter, as a part of without */
static double
least_part(double found)
{
	return found + PASSES * (1 - found);
}

double
gpuagg_predict_probe(const GpuAggRates *rates, double slots_bytes, double found, bool filter)
{
	const double slots = read_ns(rates, slots_bytes);

	if (!filter)
		return slots;
	return read_ns(rates, filter_bytes(slots_bytes)) + least_part(found) * slots;
}

/* ns that a row of the table takes more to make */
static double
row_ns(const GpuAggRates *rates, double slots_bytes, bool made)
{
	const double rate = gpuagg_rates_random(rates, GPUAGG_RANDOM_ATOMIC8,
											filter_bytes(slots_bytes));

	return rates->gpu && made && rate > 0 ? 1e9 / rate : THREAD_ROW_NS;
}

/* What fits the last cache is read as fast as a filter is. */
static double
cache_bytes(const GpuAggRates *rates)
{
	double		bytes = 0;

	for (int i = 0; i < rates->nlevels; i++)
		if (rates->levels[i].kind == GPUAGG_LEVEL_CACHE &&
			(double) rates->levels[i].reach_bytes > bytes)
			bytes = (double) rates->levels[i].reach_bytes;
	return bytes;
}

/* Of more bytes of slots than the last cache has */
static bool
pays(const GpuAggRates *rates, const GpuAggProbing *probing, uint64_t slots)
{
	const double bytes = (double) slots * sizeof(GpuAggLookupSlot);
	const double without = gpuagg_predict_probe(rates, bytes, probing->found, false);
	const double with = gpuagg_predict_probe(rates, bytes, probing->found, true);

	/* at most half of the slots are taken */
	return without >= GAIN * with && without > 0 &&
		probing->probes * (without - with) >
		(double) (slots / 2) * row_ns(rates, bytes, probing->made);
}

uint64_t
gpuagg_predict_filters(const GpuAggRates *rates, const GpuAggProbing *probing, uint64_t slots)
{
	const double near = cache_bytes(rates);
	uint64_t	filters = 0;

	/* every join asks with every statement */
	if (GAIN * least_part(probing->found) > 1)
		return 0;
	for (uint64_t n = MOST_SLOTS; n >= 2 && (double) n * sizeof(GpuAggLookupSlot) > near; n /= 2)
		if ((slots & n) != 0 && pays(rates, probing, n))
			filters |= n;
	return filters;
}
