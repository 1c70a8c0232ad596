/*
 * predict_lookup_test.c
 *		Look-ups among slots with and without a filter: an H200's, as kernels/lookup_gpu measured
 *		them; for which tables a filter is made.
 */
#include "cost/predict_lookup.h"
#include "h200_rates.h"
#include "predict_cases.h"

#define MIB 1048576.0
#define SLOTS_OF(mib) ((uint64_t) (mib) << 17)

/* test/bench/results/cuda-nvidia-h200/lookups.csv: 1e9 rows a second, single and single filter */
static const struct
{
	double		mib;
	double		found;
	double		without;
	double		with;
}			measured[] = {
	{64, 1, 67.64, 47.29},
	{64, 0.1, 58.78, 107.4},
	{256, 1, 42.61, 30.20},
	{256, 0.1, 39.37, 98.68},
	{1024, 1, 36.04, 22.08},
	{1024, 0.1, 33.50, 51.96},
	{4096, 1, 34.03, 19.85},
	{4096, 0.1, 29.89, 39.15}
};

static void
test_measured(void)
{
	GpuAggRates rates;

	h200_fill(&rates);
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
	{
		const double bytes = measured[i].mib * MIB;
		const double gain = gpuagg_predict_probe(&rates, bytes, measured[i].found, false) /
			gpuagg_predict_probe(&rates, bytes, measured[i].found, true);
		const double was = measured[i].with / measured[i].without;

		if (!ok(gain < was * 1.3 && gain > was / 1.3,
				"what a filter gains is within 1.3 times of an H200's"))
			printf("# %g MiB, %g found: %.2f, measured %.2f\n", measured[i].mib, measured[i].found,
				   gain, was);
	}
}

/* Is a filter made for so many MiB of slots? */
static bool
pays(const GpuAggRates *rates, double probes, double found, bool made, uint64_t mib)
{
	const GpuAggProbing probing = {probes, found, made};

	return gpuagg_predict_filters(rates, &probing, SLOTS_OF(mib)) != 0;
}

static void
test_h200(void)
{
	GpuAggRates rates;
	int			within = 0;
	int			all = 0;

	h200_fill(&rates);
	ok(pays(&rates, 1e9, 0.1, true, 64) && pays(&rates, 1e9, 0.1, true, 256) &&
		   pays(&rates, 1e9, 0.1, true, 1024),
	   "a tenth found: of 64 MiB to 1 GiB of slots");
	ok(!pays(&rates, 1e9, 0.1, true, 4096), "... not of 4 GiB, where the filter lies as far away");
	for (uint64_t mib = 1; mib <= 16384; mib *= 2)
		all += pays(&rates, 1e12, 1, true, mib);
	is_int(all, 0, "all found: never");
	ok(pays(&rates, 1e9, 0.3, true, 256) && !pays(&rates, 1e9, 0.7, true, 256),
	   "in between: by how many are found");
	for (int tenth = 0; tenth <= 10; tenth++)
		for (uint64_t mib = 1; mib <= 32; mib *= 2)
			within += pays(&rates, 1e12, tenth / 10.0, true, mib);
	is_int(within, 0, "what fits L2 has none, whatever is found");
	ok(pays(&rates, 6e7, 0.1, true, 256) && !pays(&rates, 1e7, 0.1, true, 256),
	   "fewer rows are looked up than a filter is worth");
	ok(!pays(&rates, 1e9, 0.1, false, 256), "the backend's time is worth more than a card's");
}

static void
test_host(void)
{
	const GpuAggRates rates = host(2);
	GpuAggRates unknown = host(2);

	ok(pays(&rates, 1e8, 0.1, false, 64) && pays(&rates, 1e8, 0.1, false, 256),
	   "the host: beyond its last cache");
	ok(!pays(&rates, 1e8, 0.1, false, 4) && !pays(&rates, 1e8, 0.1, false, 8), "... not within");
	ok(!pays(&rates, 1e8, 1, false, 256), "... not where all are found");
	ok(!pays(&rates, 1e5, 0.1, false, 256), "... nor for few rows");
	unknown.npoints = 0;
	ok(!pays(&unknown, 1e8, 0.1, false, 256), "without a profile there is none");
}

/* Never twice as long, whatever is found in fact */
static void
test_bound(void)
{
	GpuAggRates card;
	const GpuAggRates threads = host(4);
	int			more = 0;

	h200_fill(&card);
	for (double mib = 1; mib <= 16384; mib *= 2)
		for (int tenth = 0; tenth <= 10; tenth++)
		{
			const double found = tenth / 10.0;

			more += gpuagg_predict_probe(&card, mib * MIB, found, true) >
				2 * gpuagg_predict_probe(&card, mib * MIB, found, false);
			more += gpuagg_predict_probe(&threads, mib * MIB, found, true) >
				2 * gpuagg_predict_probe(&threads, mib * MIB, found, false);
		}
	is_int(more, 0, "a wrong share costs no more than as much again");
}

int
main(void)
{
	test_measured();
	test_h200();
	test_host();
	test_bound();
	return done_testing();
}
