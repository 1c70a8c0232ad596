/*
 * predict_part_test.c
 *		Rates of a part of a device: what goes by its units, what by memory, what by
 *		neither.
 */
#include "cost/predict_part.h"
#include "predict_cases.h"

static GpuAggRates
card(void)
{
	GpuAggRates rates = h200();

	rates.ceiling[GPUAGG_CEILING_MEMORY_READ] = 4e12;
	rates.ceiling[GPUAGG_CEILING_THREAD_READ] = 1e11;
	rates.ceiling[GPUAGG_CEILING_LAUNCH] = 2000;
	rates.tlb_groups.n = 132;
	return rates;
}

static GpuAggRates
part(int units, double bandwidth)
{
	GpuAggRates rates = card();

	gpuagg_rates_part(&rates, units, bandwidth);
	return rates;
}

static void
test_same(void)
{
	const GpuAggRates all = card();
	const GpuAggRates unasked = part(0, 0);
	const GpuAggRates asked = part(132, 4e12);

	ok(memcmp(&all, &unasked, sizeof(all)) == 0, "nothing asked for: nothing changes");
	ok(memcmp(&all, &asked, sizeof(all)) == 0, "what it has: nothing changes");
}

static void
test_units(void)
{
	const GpuAggRates all = card();
	const GpuAggRates half = part(66, 0);
	const GpuAggRates few = part(10, 0);

	is_double(half.ceiling[GPUAGG_CEILING_INT_OPS], all.ceiling[GPUAGG_CEILING_INT_OPS] / 2,
			  "half the units: half the operations");
	is_double(half.ceiling[GPUAGG_CEILING_MEMORY_READ], 4e12,
			  "half of them still ask for all of the bandwidth");
	is_double(few.ceiling[GPUAGG_CEILING_MEMORY_READ], 1e12,
			  "ten ask for ten times what one reads");
	is_double(few.points[3].rate[GPUAGG_RANDOM_ATOMIC8], all.points[3].rate[GPUAGG_RANDOM_ATOMIC8],
			  "ten units' random updates of 8 GB: still memory's bound");
	is_double(few.points[0].rate[GPUAGG_RANDOM_READ8], 1e12 / 32, "of 1 MB: the units'");
	is_double(few.ceiling[GPUAGG_CEILING_ZERO_COPY_IN], all.ceiling[GPUAGG_CEILING_ZERO_COPY_IN],
			  "the link is no unit's");
	is_double(few.ceiling[GPUAGG_CEILING_LAUNCH], 2000, "nor is a launch");
	ok(few.units == 10 && few.tlb_groups.n == 10, "units, and groups of them that share a TLB");
}

static void
test_bandwidth(void)
{
	const GpuAggRates all = card();
	const GpuAggRates eighth = part(0, 5e11);

	is_double(eighth.ceiling[GPUAGG_CEILING_MEMORY_READ], 5e11, "an eighth of the bandwidth");
	is_double(eighth.points[3].rate[GPUAGG_RANDOM_READ8],
			  all.points[3].rate[GPUAGG_RANDOM_READ8] / 8, "and of random accesses");
	is_double(eighth.ceiling[GPUAGG_CEILING_INT_OPS], all.ceiling[GPUAGG_CEILING_INT_OPS],
			  "but all operations");
}

static void
test_predictions(void)
{
	const GpuAggRates all = card();
	const GpuAggRates few = part(10, 0);
	const GpuAggRates units = part(16, 0);
	const GpuAggRates slice = part(16, 5e11);
	GpuAggWork	work = grouping(1e8, 1e7);

	ok(predict(&few, work).kernel > 1.1 * predict(&all, work).kernel, "ten units take longer");
	ok(predict(&slice, work).kernel > predict(&units, work).kernel,
	   "a slice with less bandwidth takes longer yet");
	is_double(predict(&few, work).feed, predict(&all, work).feed, "feeding takes as long");
}

int
main(void)
{
	test_same();
	test_units();
	test_bandwidth();
	test_predictions();
	return done_testing();
}
