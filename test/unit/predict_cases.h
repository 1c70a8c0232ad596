/*
 * predict_cases.h
 *		What tests of predictions share: an H200's rates and a server's, work,
 *		and how answers are told.
 */
#ifndef GPUAGG_TEST_PREDICT_CASES_H
#define GPUAGG_TEST_PREDICT_CASES_H

#include <math.h>
#include <string.h>

#include "cost/predict_host.h"
#include "h200_rates.h"
#include "tap.h"

#define MS 1e6

/* As the shipped profile of an H200 */
static inline GpuAggRates
h200(void)
{
	GpuAggRates rates;

	h200_fill(&rates);
	rates.feed_page_ns = 130;
	rates.round_trip_ns = 66000;
	rates.cost_unit_ns = 3100;
	rates.postgres_row_ns = 28;
	rates.postgres_value_ns = 21;
	rates.postgres_group_ns = 300;
	rates.ceiling[GPUAGG_CEILING_INT_OPS] = 1.666e13;
	rates.ceiling[GPUAGG_CEILING_ZERO_COPY_IN] = 5.125e10;
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1] = 2.6e11;
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_32] = 2.36e12;
	return rates;
}

/* One core of a server */
static inline GpuAggRates
host(int threads)
{
	GpuAggRates rates = {
		.units = threads,
		.feed_page_ns = 150,
		.round_trip_ns = 50000,
		.cost_unit_ns = 3400,
		.postgres_row_ns = 40,
		.postgres_value_ns = 25,
		.postgres_group_ns = 500,
		.part_bytes = 524288,
		.ceiling[GPUAGG_CEILING_INT_OPS] = 7e9 * threads,
		.nlevels = 1,
		.levels = {{.kind = GPUAGG_LEVEL_CACHE, .level = 1, .reach_bytes = 8388608}},
		.npoints = 3,
		.points = {
			{1048576, {5e8 * threads, 4.5e8 * threads, 1.5e8 * threads}},
			{33554432, {2.5e8 * threads, 1.5e8 * threads, 7e7 * threads}},
			{1073741824, {1e8 * threads, 6e7 * threads, 5e7 * threads}}
		}
	};

	return rates;
}

/* count and sum of an int by an int, of rows of 80 bytes */
static inline GpuAggWork
grouping(double rows, double groups)
{
	GpuAggWork	work = {
		.pages = ceil(rows / 100),
		.rows = rows,
		.passed = rows,
		.groups = groups,
		.output_bytes = 24,
		.outputs = 3,
		.floating = 4,
		.columns = 2,
		.keys = 1,
		.transitions = 2,
		.entry_bytes = 24
	};

	return work;
}

static inline GpuAggPrediction
predict(const GpuAggRates *rates, GpuAggWork work)
{
	GpuAggPrediction p;

	gpuagg_predict(rates, &work, &p);
	return p;
}

static inline void
is_bound(const GpuAggRates *rates, GpuAggWork work, const char *want, const char *name)
{
	GpuAggPrediction p = predict(rates, work);

	if (!ok(strcmp(gpuagg_bound_name(p.bound), want) == 0, name))
		printf("#   got %s: start %g feed %g link %g kernel %g emit %g\n",
			   gpuagg_bound_name(p.bound), p.start, p.feed, p.link, p.kernel, p.emit);
}

static inline void
between(double got, double low, double high, const char *name)
{
	if (!ok(got >= low && got <= high, name))
		printf("#   got %g, want %g to %g\n", got, low, high);
}

#endif							/* GPUAGG_TEST_PREDICT_CASES_H */
