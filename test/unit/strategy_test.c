/*
 * strategy_test.c
 *		Which strategy is chosen for which grouping, with the shipped profile
 *		of an H200 and the host's, and what is made of it while tasks run.
 */
#include <math.h>
#include <stdio.h>

#include "device/choice/frame_rule.h"
#include "device/choice/spatial.h"
#include "h200_rates.h"
#include "tap.h"

#define ALL (~UINT32_C(0))
#define WITHOUT(s) (~GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_##s))
#define GB 1073741824.0

static GpuAggStrategyRates
h200(void)
{
	GpuAggStrategyRates strategy;

	h200_rates(&strategy);
	strategy.tlb_groups = 24;
	return strategy;
}

static GpuAggStrategyRates
host(void)
{
	GpuAggRates rates = {
		.units = 4,
		.part_bytes = 524288,
		.nlevels = 2,
		.levels = {
			{.kind = GPUAGG_LEVEL_CACHE, .level = 2, .reach_bytes = 1048576},
			{.kind = GPUAGG_LEVEL_TLB, .level = 2, .reach_bytes = 6291456}
		},
		.ceiling[GPUAGG_CEILING_MEMORY_READ] = 4e10,
		.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1024] = 2e9,
		.ceiling[GPUAGG_CEILING_PARTITION] = 1e9,
		.npoints = 3,
		.points = {
			{1048576, {2e9, 2e9, 2e9}},
			{33554432, {4e8, 4e8, 4e8}},
			{1073741824, {1e8, 1e8, 1e8}}
		}
	};
	GpuAggStrategyRates strategy;

	gpuagg_rates_strategy(&rates, &strategy);
	return strategy;
}

/* count and sum of an int4 by an int4, resident columns */
static GpuAggStrategyInput
grouping(double rows, double groups, uint32_t possible)
{
	GpuAggStrategyInput in = {
		.possible = possible,
		.rows = rows,
		.groups = groups,
		.entry_bytes = 24,
		.record_bytes = 8,
		.local_entry_bytes = 16,
		.part_rows = {.key = GPUAGG_KEY_I32,.fast = true,.pairs = true},
		.updates = 3,
		.input_ns = rows * 8 / 4.646e12 * 1e9
	};

	return in;
}

static GpuAggStrategyChoice
choose(const GpuAggStrategyRates *rates, GpuAggStrategyInput in)
{
	GpuAggStrategyChoice c;

	gpuagg_strategy_choose(rates, &in, &c);
	return c;
}

static void
chooses(const GpuAggStrategyRates *rates, GpuAggStrategyInput in, GpuAggStrategy want,
		uint32_t passes, const char *name)
{
	GpuAggStrategyChoice c = choose(rates, in);

	if (ok(c.strategy == want && c.passes == passes, name))
		return;
	printf("#   got %s, %u passes, scope %g\n", gpuagg_strategy_name(c.strategy), c.passes,
		   c.scope_bytes);
	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
		printf("#   %s: %g ms\n", gpuagg_strategy_name((GpuAggStrategy) s),
			   c.predicted_ns[s] / 1e6);
}

/* ---------- H200 ---------- */

static void
test_h200(void)
{
	const GpuAggStrategyRates r = h200();
	const uint32_t scattered = WITHOUT(PARTITIONED) & WITHOUT(SPATIAL);
	GpuAggStrategyInput in = grouping(1e9, 4e9, scattered & WITHOUT(MULTI_PASS_COPY));
	GpuAggStrategyChoice c;

	chooses(&r, grouping(1e9, 10, ALL), GPUAGG_STRATEGY_BLOCK_LOCAL, 1, "10 groups");
	chooses(&r, grouping(1e9, 1000, ALL), GPUAGG_STRATEGY_BLOCK_LOCAL, 1, "1000 groups");
	chooses(&r, grouping(1e9, 1e5, scattered), GPUAGG_STRATEGY_SINGLE_PASS, 1,
			"a table within the cache");
	chooses(&r, grouping(1e9, 1e7, ALL), GPUAGG_STRATEGY_PARTITIONED, 1, "one beyond it");
	in.input_ns = 5e7;
	in.possible |= GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SPATIAL);
	chooses(&r, in, GPUAGG_STRATEGY_SPATIAL, 1,
			"one beyond the TLB's reach, of pages that are on the card");
	in = grouping(1e9, 4e9, scattered & WITHOUT(MULTI_PASS_COPY));
	chooses(&r, in, GPUAGG_STRATEGY_MULTI_PASS_NAIVE, 3, "the same of columns, in passes");
	c = choose(&r, in);
	ok(c.scope_bytes == 64 * GB, "whose scope is the TLB's reach");
	ok(c.predicted_ns[GPUAGG_STRATEGY_SINGLE_PASS] >
	   2 * c.predicted_ns[GPUAGG_STRATEGY_MULTI_PASS_NAIVE], "more than twice as fast as one pass");
	in.input_ns = 1.6e9;
	chooses(&r, in, GPUAGG_STRATEGY_SINGLE_PASS, 1,
			"but not where the input must come over the link again");
	in = grouping(1e9, 1e7, ALL);
	in.input_ns = 9e8;			/* 185 rows a page, over the link */
	in.overlapped = true;
	chooses(&r, in, GPUAGG_STRATEGY_SINGLE_PASS, 1,
			"pages that arrive slower than a table takes them: nothing is kept");
	ok(choose(&r, in).predicted_ns[GPUAGG_STRATEGY_SINGLE_PASS] == 9e8,
	   "the longer of both, not the sum");
	c = choose(&r, grouping(1e9, 1e7, ALL));
	ok(c.radix_bits[0] == 6 && c.radix_bits[1] == 6,
	   "ten million groups become parts that fit shared memory in two levels");
	ok(c.predicted_ns[GPUAGG_STRATEGY_BLOCK_LOCAL] < 0, "and are no block's own table");
}

/* Windows side by side: where the table exceeds the TLB, of groups that are known */
static void
test_spatial(void)
{
	GpuAggStrategyRates r = h200();
	const uint32_t possible = WITHOUT(PARTITIONED) & WITHOUT(MULTI_PASS_COPY);
	GpuAggStrategyInput in = grouping(1e9, 2.8e9, possible);
	GpuAggStrategyChoice c;

	in.input_ns = 5e8;
	chooses(&r, in, GPUAGG_STRATEGY_SPATIAL, 1, "134 GB of groups, from pages");
	c = choose(&r, in);
	ok(c.passes == 1 && c.windows == 2 && c.scope_bytes == 67.2e9,
	   "in two windows within the TLB's reach");
	in.groups = 1e9;
	ok(choose(&r, in).predicted_ns[GPUAGG_STRATEGY_SPATIAL] < 0, "a smaller table needs none");
	r.tlb_groups = 0;
	in.groups = 2.8e9;
	ok(choose(&r, in).predicted_ns[GPUAGG_STRATEGY_SPATIAL] < 0,
	   "nor is it chosen where nobody knows who shares a TLB");
	in.forced = GPUAGG_STRATEGY_SPATIAL;
	ok(choose(&r, in).windows == 2, "unless forced");
	in.groups = 1000;
	in.scope_bytes = 1000;
	c = choose(&r, in);
	ok(c.windows == GPUAGG_SPATIAL_UNKNOWN && c.scope_bytes == 3000,
	   "with no more windows than there may be groups");
}

/* ---------- resident columns ---------- */

/* A measured point of test/bench/results/cuda-nvidia-h200/grouping.csv */
typedef struct Point
{
	char		engine[32];
	char		dist[16];
	int			key_bytes;
	int			naggs;
	double		groups;
	double		rows;
	double		rate;
} Point;

#define MAX_POINTS 512
#define FIGURES "test/bench/results/cuda-nvidia-h200/grouping.csv"

static Point points[MAX_POINTS];
static int	npoints;

static void
read_points(void)
{
	FILE	   *f = fopen(FIGURES, "r");
	char		line[2048];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL && npoints < MAX_POINTS)
	{
		Point	   *p = &points[npoints];

		npoints += sscanf(line, "grouping,%*[^,],%31[^ ] %15s int%d %daggs %lf,rate,rows/s,%lf,%*[^,],%*[^,],%*[^,],%lf",
						  p->engine, p->dist, &p->key_bytes, &p->naggs, &p->groups, &p->rows,
						  &p->rate) == 7;
	}
	if (f != NULL)
		fclose(f);
}

/* Keys are from a range of that many: groups are numbered (device/choice/frame_rule.h). */
static double
resident_local_groups(const Point *p, const GpuAggStrategyInput *in)
{
	const GpuAggFrameCase c = {.whole = true,.keyed = true,.packs = true,.defers = true,
		.groups = in->groups,.numbers = p->groups + 1,.entry_bytes = (uint32_t) in->entry_bytes,
		.key_bytes = 8 + 8 * (p->key_bytes == 8),.state_bytes = 4 + 8 * (p->naggs - 1),
	.unit_shared_bytes = 228 << 10};

	return gpuagg_frame_local_groups(&c);
}

/* As kernels/grouping_gpu.cu asks: count, sum, minimum and maximum of an int4 */
static GpuAggStrategyInput
resident(const Point *p)
{
	static const double states[] = {4, 12, 16, 20};
	const double found = p->groups * -expm1(-p->rows / p->groups);
	GpuAggStrategyInput in = grouping(p->rows, found, ALL);

	in.entry_bytes = 8 + 8 * (p->key_bytes == 8) + 8 * p->naggs;
	in.record_bytes = p->key_bytes == 4 ? 8 : 16;
	in.local_entry_bytes = p->key_bytes + states[p->naggs - 1];
	in.part_rows.key = p->key_bytes == 4 ? GPUAGG_KEY_I32 : GPUAGG_KEY_I64;
	in.plain = true;
	in.updates = 1 + p->naggs;
	in.resident = true;
	in.plain = true;
	in.local_groups = resident_local_groups(p, &in);
	return in;
}

/* What a line's engine runs; "auto" is what has been chosen */
static bool
runs(const Point *p, GpuAggStrategy s)
{
	static const struct
	{
		const char *engine;
		GpuAggStrategy strategy;
	}			engines[] = {
		{"auto", GPUAGG_STRATEGY_AUTO},
		{"local", GPUAGG_STRATEGY_BLOCK_LOCAL},
		{"single", GPUAGG_STRATEGY_SINGLE_PASS},
		{"multi", GPUAGG_STRATEGY_MULTI_PASS_NAIVE},
		{"copy", GPUAGG_STRATEGY_MULTI_PASS_COPY},
		{"partitioned", GPUAGG_STRATEGY_PARTITIONED},
		{"spatial", GPUAGG_STRATEGY_SPATIAL}
	};

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (engines[i].strategy == s &&
			strncmp(p->engine, engines[i].engine, strlen(engines[i].engine)) == 0)
			return true;
	return false;
}

/* The best rate of a strategy at a point; 0: not measured */
static double
best_rate(const Point *at, GpuAggStrategy s)
{
	double		rate = 0;

	for (int i = 0; i < npoints; i++)
		if (points[i].key_bytes == at->key_bytes && points[i].naggs == at->naggs &&
			points[i].groups == at->groups && strcmp(points[i].dist, at->dist) == 0 &&
			runs(&points[i], s))
			rate = fmax(rate, points[i].rate);
	return rate;
}

/*
 * When "auto" was measured it ran block-local up to so many groups, else
 * partitioned; that is what the choice must come to for its rate to count.
 */
static GpuAggStrategy
measured_auto(const Point *p)
{
	return p->groups <= 8000 ? GPUAGG_STRATEGY_BLOCK_LOCAL : GPUAGG_STRATEGY_PARTITIONED;
}

static void
test_resident_point(const GpuAggStrategyRates *r, const Point *p)
{
	const GpuAggStrategy chosen = choose(r, resident(p)).strategy;
	double		rate = best_rate(p, chosen);
	double		best = best_rate(p, GPUAGG_STRATEGY_AUTO);
	char		name[160];

	/* lines that compare the others, one with another */
	if (rate == 0 && best == 0)
		return;
	if (chosen == measured_auto(p))
		rate = fmax(rate, best);
	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
		best = fmax(best, best_rate(p, (GpuAggStrategy) s));
	snprintf(name, sizeof(name), "%s int%d %d aggregates %g groups: %s", p->dist, p->key_bytes,
			 p->naggs, p->groups, gpuagg_strategy_name(chosen));
	if (!ok(rate >= 0.9 * best && rate >= 0.95 * best_rate(p, GPUAGG_STRATEGY_SINGLE_PASS), name))
		printf("#   %g rows/s, the best %g\n", rate, best);
}

static void
test_resident(void)
{
	const GpuAggStrategyRates r = h200();
	Point		p = {.dist = "uniform",.key_bytes = 4,.naggs = 2,.rows = 1e9};
	GpuAggStrategyChoice c;

	read_points();
	ok(npoints > 50, "measured points: " FIGURES);
	for (int i = 0; i < npoints; i++)
	{
		bool		again = false;

		for (int k = 0; k < i; k++)
			again |= points[k].key_bytes == points[i].key_bytes &&
				points[k].naggs == points[i].naggs && points[k].groups == points[i].groups &&
				strcmp(points[k].dist, points[i].dist) == 0;
		if (!again)
			test_resident_point(&r, &points[i]);
	}
	p.groups = 9000;
	c = choose(&r, resident(&p));
	ok(c.strategy == GPUAGG_STRATEGY_BLOCK_LOCAL,
	   "tables in shared memory as long as they are good");
	p.groups = 11000;
	c = choose(&r, resident(&p));
	ok(c.strategy == GPUAGG_STRATEGY_BLOCK_LOCAL, "... be it one block a multiprocessor");
	p.groups = 25000;
	c = choose(&r, resident(&p));
	ok(c.strategy == GPUAGG_STRATEGY_PARTITIONED && c.radix_bits[1] == 0,
	   "and one level beyond that");
}

/* ---------- rows that are sorted ---------- */

/* A value by an int4, counted; what follows of each group takes so many ns. */
static GpuAggStrategyInput
ordering(double groups, double behind_ns)
{
	GpuAggStrategyInput in = grouping(6e7, groups, ALL);

	in.entry_bytes = 32;
	in.record_bytes = 16;
	in.part_rows = (GpuAggPartRows) {.key = GPUAGG_KEY_ANY};
	in.updates = 2;
	in.counted = 1;
	in.sort_bits = 48;
	in.resident = true;
	in.behind_ns = behind_ns;
	return in;
}

static void
test_sorted(void)
{
	const GpuAggStrategyRates r = h200();
	GpuAggStrategyInput in = ordering(5e7, 200);
	GpuAggStrategyChoice c;

	chooses(&r, in, GPUAGG_STRATEGY_SORTED, 1, "sorting leaves few of many groups");
	/* records and words twice take 1.9 GB, a table 3.2 */
	in.memory_bytes = 2e9;
	chooses(&r, in, GPUAGG_STRATEGY_SORTED, 1, "it needs no table, and no windows for one");
	in.memory_bytes = 1.9e9;
	ok(choose(&r, in).strategy != GPUAGG_STRATEGY_SORTED, "but room for rows and words");
	in = ordering(1000, 200);
	ok(choose(&r, in).strategy != GPUAGG_STRATEGY_SORTED, "few groups are returned");
	in = ordering(5e7, 0);
	chooses(&r, in, GPUAGG_STRATEGY_SORTED, 1, "many groups that are only counted");
	in.memory_bytes = 3e9;
	ok(choose(&r, in).strategy != GPUAGG_STRATEGY_SORTED, "all of which need room");
	in = ordering(5e7, 0);
	in.counted = 0;
	c = choose(&r, in);
	ok(c.predicted_ns[GPUAGG_STRATEGY_SORTED] < 0, "others than counts are not sorted for that");
	in.behind_ns = 200;
	ok(choose(&r, in).strategy == GPUAGG_STRATEGY_SORTED, "but where few are left");
	in.sort_bits = 129;
	c = choose(&r, in);
	ok(c.predicted_ns[GPUAGG_STRATEGY_SORTED] < 0, "keys that are too wide for a word");
	in = ordering(5e7, 0);
	in.part_rows.fast = true;
	c = choose(&r, in);
	ok(c.predicted_ns[GPUAGG_STRATEGY_SORTED] < 0, "columns that are partitioned as they lie");
	in = ordering(5e7, 200);
	in.possible = WITHOUT(SORTED);
	ok(choose(&r, in).strategy != GPUAGG_STRATEGY_SORTED, "a device that has it not");
}

/* ---------- what is asked for ---------- */

static void
test_forced(void)
{
	const GpuAggStrategyRates r = h200();
	GpuAggStrategyInput in = grouping(1e6, 1e5, ALL);

	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
	{
		GpuAggStrategy want = (GpuAggStrategy) s;
		char		name[80];

		in.forced = want;
		snprintf(name, sizeof(name), "%s, forced", gpuagg_strategy_name(want));
		ok(choose(&r, in).strategy == want, name);
	}
	in.possible = GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_NAIVE);
	in.forced = GPUAGG_STRATEGY_SPATIAL;
	ok(choose(&r, in).strategy == GPUAGG_STRATEGY_MULTI_PASS_NAIVE,
	   "what cannot run is done by what comes next to it");
	in.forced = GPUAGG_STRATEGY_BLOCK_LOCAL;
	ok(choose(&r, in).strategy == GPUAGG_STRATEGY_SINGLE_PASS, "in the end by one pass");
	in.possible = 0;
	in.forced = GPUAGG_STRATEGY_AUTO;
	in.groups = 10;
	ok(choose(&r, in).strategy == GPUAGG_STRATEGY_SINGLE_PASS, "which needs not be offered");
}

static void
test_scope(void)
{
	const GpuAggStrategyRates r = h200();
	GpuAggStrategyInput in = grouping(1e6, 1000, ALL);

	in.forced = GPUAGG_STRATEGY_MULTI_PASS_NAIVE;
	chooses(&r, in, GPUAGG_STRATEGY_MULTI_PASS_NAIVE, 1, "a table within its scope is one pass");
	in.scope_bytes = 4800;
	chooses(&r, in, GPUAGG_STRATEGY_MULTI_PASS_NAIVE, 10, "48 kB in scopes of 4.8 kB");
	ok(choose(&r, in).within == GPUAGG_STRATEGY_AUTO, "each as the device likes");
	in.scope_bytes = 1;
	chooses(&r, in, GPUAGG_STRATEGY_MULTI_PASS_NAIVE, GPUAGG_MAX_HASH_WINDOWS,
			"but not without end");
	in.groups = 0;
	ok(choose(&r, in).passes > 0, "no groups at all");
}

/* ---------- memory ---------- */

static void
test_capacity(void)
{
	const GpuAggStrategyRates r = h200();
	GpuAggStrategyInput in = grouping(1e8, 1e6, ALL);
	GpuAggStrategyChoice c;

	in.memory_bytes = 48e6;
	ok(!choose(&r, in).by_capacity, "a table as large as the memory is tried at once");
	in.memory_bytes = 4.8e6;
	c = choose(&r, in);
	ok(c.strategy == GPUAGG_STRATEGY_MULTI_PASS_NAIVE && c.by_capacity && c.passes == 20,
	   "one ten times as large goes in windows of half the memory");
	ok(c.scope_bytes == 2.4e6, "whose tables are so large");
	ok(c.within == GPUAGG_STRATEGY_PARTITIONED, "each done as it would be done");
	in.possible = WITHOUT(MULTI_PASS_NAIVE);
	ok(!choose(&r, in).by_capacity, "without windows it is tried at once");
}

/* ---------- host ---------- */

/* The same, of heap pages: some 10 ns a row to read */
static GpuAggStrategyInput
host_grouping(double groups, uint32_t possible)
{
	GpuAggStrategyInput in = grouping(1e7, groups, possible);

	in.input_ns = 1e8;
	return in;
}

static void
test_host(void)
{
	const GpuAggStrategyRates r = host();
	const uint32_t today = GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_BLOCK_LOCAL) |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SINGLE_PASS) |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_NAIVE);
	GpuAggStrategyInput in = host_grouping(1e7, today);

	chooses(&r, host_grouping(100, today), GPUAGG_STRATEGY_BLOCK_LOCAL, 1, "host: few groups");
	chooses(&r, in, GPUAGG_STRATEGY_SINGLE_PASS, 1, "host: many");
	in.possible |= GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_PARTITIONED);
	chooses(&r, in, GPUAGG_STRATEGY_PARTITIONED, 1, "host: many, of rows that can be kept");
	in.groups = 3e5;
	chooses(&r, in, GPUAGG_STRATEGY_SINGLE_PASS, 1, "host: parts fewer than are worth it");
	in.scope_bytes = 65536;
	chooses(&r, in, GPUAGG_STRATEGY_PARTITIONED, 1, "host: unless parts are to be small");
	in.scope_bytes = 0;
	in.updates = 9;
	in.input_ns = 1e6;
	chooses(&r, in, GPUAGG_STRATEGY_SINGLE_PASS, 1,
			"host: no passes of its cache, however fast the input is read again");
	in = host_grouping(1e7, today);
	in.memory_bytes = 16 * 1048576;
	chooses(&r, in, GPUAGG_STRATEGY_MULTI_PASS_NAIVE, 64, "host: more than fit 16 MB");
}

/* ---------- while a task runs ---------- */

static void
between(double got, double low, double high, const char *name)
{
	if (!ok(got >= low && got <= high, name))
		printf("#   got %g, want %g to %g\n", got, low, high);
}

static void
test_extrapolate(void)
{
	/* of d groups, n random rows leave d (1 - exp(-n / d)) found */
	const double found = -1e6 * expm1(-0.1);

	between(gpuagg_strategy_extrapolate(1e5, found, 1e7), 0.99e6, 1.01e6,
			"a million groups, seen from a hundred thousand rows");
	between(gpuagg_strategy_extrapolate(1e5, 1e5, 1e7), 0.999e7, 1e7,
			"each row a group of its own, so far");
	is_double(gpuagg_strategy_extrapolate(1e6, 100, 1e7), 100, "nothing new for long");
	is_double(gpuagg_strategy_extrapolate(0, 0, 1e7), 0, "nothing seen");
	is_double(gpuagg_strategy_extrapolate(1e6, 5e5, 1e6), 5e5, "everything seen");
	between(gpuagg_strategy_extrapolate(100, 200, 1000), 200, 1000, "more groups than rows");
}

static void
test_split(void)
{
	is_int(gpuagg_strategy_split(1e6, 1e6), 2, "never fewer than two");
	is_int(gpuagg_strategy_split(1e6, 8e6), 10, "eight times too many: ten windows");
	is_int(gpuagg_strategy_split(1e6, 5.5e6), 8, "seven are made eight, which can be joined again");
	is_int(gpuagg_strategy_split(1, 1e12), 64, "not more than so many at once");
	is_int(gpuagg_strategy_split(0, 100), 2, "nothing known");
}

int
main(void)
{
	test_h200();
	test_spatial();
	test_resident();
	test_sorted();
	test_forced();
	test_scope();
	test_capacity();
	test_host();
	test_extrapolate();
	test_split();
	return done_testing();
}
