/*
 * sample_known.h
 *		What the benchmarks of the sample's decision must find before they are
 *		timed: samples of a PostgreSQL 15 server.
 *
 * A table of 1000 pages with 185 rows each (int4, int4, float8) was sampled:
 *
 *	SELECT count(*), sum(((ctid::text::point)[0] * 1000 +
 *		(ctid::text::point)[1])::int8)
 *	FROM t TABLESAMPLE BERNOULLI (percent) REPEATABLE (42);
 *
 * The seed that the method gets is hashfloat8(42).
 */
#ifndef GPUAGG_BENCH_SAMPLE_KNOWN_H
#define GPUAGG_BENCH_SAMPLE_KNOWN_H

#include "device/ops/sample.h"

#define KNOWN_SEED 0x1f09ce44u
#define KNOWN_PAGES 1000
#define KNOWN_LINES 185

/* What is timed: one percent, the percentage of test/bench/sample.sh */
#define TIMED_PERCENT 1.0

typedef struct SampleTally
{
	unsigned long long count;	/* lines chosen */
	unsigned long long sum;		/* of 1000 * block + line */
} SampleTally;

static const struct
{
	double		percent;
	SampleTally tally;
}			sample_known[] = {
	{0.1, {197, 96601142}},
	{1, {1815, 878397457}},
	{10, {18326, UINT64_C(9183998589)}},
	{50, {92638, UINT64_C(46297203978)}},
	{99, {183166, UINT64_C(91524436141)}}
};

#define SAMPLE_NKNOWN ((int) (sizeof(sample_known) / sizeof(sample_known[0])))

/* The percentage as PostgreSQL rounds it to a cutoff of 32 bits */
static inline GpuAggSample
known_sample(double percent)
{
	GpuAggSample sample;

	sample.method = GPUAGG_SAMPLE_BERNOULLI;
	sample.seed = KNOWN_SEED;
	sample.cutoff = (uint64_t) (4294967296.0 * (double) (float) percent / 100 + 0.5);
	return sample;
}

#endif							/* GPUAGG_BENCH_SAMPLE_KNOWN_H */
