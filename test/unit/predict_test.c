/*
 * predict_test.c
 *		How long a task is said to take: more work takes longer, the bound
 *		named is the one that was constructed, and an H200's rates give what
 *		was measured there.  What is the host device's alone: predict_host_test.c.
 */
#include "cost/predict_rates.h"
#include "predict_cases.h"

/* ---------- more work takes longer ---------- */

/* Whether the host device keeps rows for so many groups, and not yet for the number before */
static bool
keeps_more(const GpuAggRates *rates, double groups)
{
	double		most = 32 * rates->part_bytes / (grouping(1, 1).entry_bytes + 24);

	return !rates->gpu && groups > most && groups <= 1.7 * most;
}

static void
test_monotonic(const GpuAggRates *rates, const char *device)
{
	double		first[3] = {0, 0, 0};
	double		last[3] = {0, 0, 0};
	bool		grows[3] = {true, true, true};
	char		name[80];

	for (double n = 1000; n <= 1e9; n *= 1.7)
	{
		GpuAggWork	work[3];

		work[0] = grouping(1e6, 100);
		work[0].pages = n / 10;
		work[1] = grouping(n, 100);
		work[1].pages = 1e5;
		work[2] = grouping(1e9, n);
		for (int i = 0; i < 3; i++)
		{
			double		total = predict(rates, work[i]).total;

			/*
			 * What is hidden behind something longer costs nothing.  Kept rows
			 * are cheaper than shared tables of many threads: fewer groups may
			 * take longer.
			 */
			grows[i] &= total >= last[i] * (i == 2 && keeps_more(rates, n) ? 0.8 : 1);
			first[i] = first[i] == 0 ? total : first[i];
			last[i] = total;
		}
	}
	/* of the host device 10^9 rows of few groups take long, too */
	for (int i = 0; i < 3; i++)
		grows[i] &= last[i] > (i == 2 && !rates->gpu ? 9 : 10) * first[i];
	snprintf(name, sizeof(name), "%s: more pages take longer", device);
	ok(grows[0], name);
	snprintf(name, sizeof(name), "%s: more rows take longer", device);
	ok(grows[1], name);
	snprintf(name, sizeof(name), "%s: more groups take longer", device);
	ok(grows[2], name);
}

/* Whatever else a task may have more of */
static void
test_each(const GpuAggRates *rates, const char *device)
{
	static const struct
	{
		const char *name;
		size_t		offset;
	}			parts[] = {
		{"checked rows", offsetof(GpuAggWork, checked_rows)},
		{"checked pages", offsetof(GpuAggWork, checked_pages)},
		{"gaps between pages", offsetof(GpuAggWork, gaps)},
		{"pages whose LSNs are compared", offsetof(GpuAggWork, compared_pages)},
		{"lines", offsetof(GpuAggWork, lines)},
		{"columns", offsetof(GpuAggWork, columns)},
		{"filter", offsetof(GpuAggWork, filter_instrs)},
		{"instructions", offsetof(GpuAggWork, instrs)},
		{"keys", offsetof(GpuAggWork, keys)},
		{"transitions", offsetof(GpuAggWork, transitions)},
		{"outputs", offsetof(GpuAggWork, outputs)},
		{"passes", offsetof(GpuAggWork, passes)},
		{"numeric outputs", offsetof(GpuAggWork, numeric_outputs)},
		{"averages", offsetof(GpuAggWork, averages)},
		{"variances", offsetof(GpuAggWork, variances)},
		{"strings", offsetof(GpuAggWork, strings)},
		{"bytes of a group", offsetof(GpuAggWork, output_bytes)},
		{"rows that a backend forms", offsetof(GpuAggWork, chosen)}
	};
	double		base = predict(rates, grouping(1e7, 1e5)).total;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
	{
		GpuAggWork	work = grouping(1e7, 1e5);
		char		name[80];

		*(double *) ((char *) &work + parts[i].offset) += 20;
		if (parts[i].offset <= offsetof(GpuAggWork, lines))
			*(double *) ((char *) &work + parts[i].offset) += 1e8;
		snprintf(name, sizeof(name), "%s: %s", device, parts[i].name);
		ok(predict(rates, work).total > base, name);
	}
}

static void
test_sum(const GpuAggRates *rates, const char *device)
{
	GpuAggPrediction p = predict(rates, grouping(1e7, 1e4));
	char		name[80];

	snprintf(name, sizeof(name), "%s: total is startup and emission", device);
	between(p.total - p.startup - p.emit, -1, 1, name);
	snprintf(name, sizeof(name), "%s: no stage is longer than the total", device);
	ok(fmax(fmax(p.start, p.feed), fmax(p.link, p.kernel)) <= p.startup, name);
	p = predict(rates, grouping(0, 0));
	snprintf(name, sizeof(name), "%s: nothing at all takes the round trip", device);
	ok(isfinite(p.total) && p.total >= rates->round_trip_ns, name);
}

/* What tasks took scales all but their start and what follows them, and can be taken out again. */
static void
test_learned(const GpuAggRates *rates, const char *device)
{
	GpuAggRates learned = *rates;
	GpuAggWork	work = grouping(1e7, 1e4);
	GpuAggPrediction p = predict(rates, work);
	GpuAggPrediction q;
	char		name[80];

	learned.learned = 4;
	q = predict(&learned, work);
	snprintf(name, sizeof(name), "%s: a learned factor leaves the start and emission", device);
	ok(q.start == p.start && q.emit == p.emit && p.learned == 1, name);
	snprintf(name, sizeof(name), "%s: and scales the rest", device);
	between((q.startup - q.start) / (p.startup - p.start), 3.999, 4.001, name);
	between((q.feed + q.link + q.kernel) / (p.feed + p.link + p.kernel), 3.999, 4.001, name);
	snprintf(name, sizeof(name), "%s: it is known what it was without", device);
	between(gpuagg_predict_unlearned(&q) / p.startup, 0.999, 1.001, name);
	between(gpuagg_predict_input(&learned, &work) / gpuagg_predict_input(rates, &work), 0.999,
			1.001, name);
	snprintf(name, sizeof(name), "%s: PostgreSQL's plan has none", device);
	ok(gpuagg_predict_postgres(&learned, &work) == gpuagg_predict_postgres(rates, &work), name);
}

/* Draws of a GPU; the host device's are in its threads' work. */
static void
test_drawn(void)
{
	GpuAggRates rates = h200();
	GpuAggWork	work = grouping(1e7, 100);
	GpuAggPrediction before;
	GpuAggDrawRates draws;

	work.pages = 0;
	before = predict(&rates, work);
	work.draw_ns = 1e7;
	between(predict(&rates, work).total - before.total, 1e7 - 1, 1e7 + 1, "draws take their time");
	/* measured to 1 GiB; then to 64 GiB, the TLB's reach; then beyond it */
	rates.nlevels = 1;
	rates.npoints = 5;
	rates.levels[rates.nlevels++] = (GpuAggLevel) {.kind = GPUAGG_LEVEL_TLB, .level = 1,
	.reach_bytes = 256 << 20};
	gpuagg_rates_draws(&rates, &draws);
	ok(draws.tlb_bytes == 0, "no windows for a TLB level whose misses random reads do not show");
	rates.levels[rates.nlevels++] = (GpuAggLevel) {.kind = GPUAGG_LEVEL_TLB, .level = 2,
	.reach_bytes = UINT64_C(64) << 30};
	rates.npoints++;
	gpuagg_rates_draws(&rates, &draws);
	ok(draws.tlb_bytes == 0, "nor where nothing was measured beyond it");
	rates.npoints++;
	gpuagg_rates_draws(&rates, &draws);
	ok(draws.tlb_bytes == 64.0 * (1 << 30) && draws.groups == 0 && draws.npoints == rates.npoints &&
	   draws.points[1].reads == 1.41e11 && draws.made > 5e11, "what ways of draws differ by");
	ok(draws.cache_bytes == 0, "no windows for a cache");
	rates.gpu = false;
	gpuagg_rates_draws(&rates, &draws);
	is_int(draws.npoints, 0, "a CPU has one way");
}

/* What the column cache has is neither fed nor decoded. */
static void
test_cached(const GpuAggRates *rates, const char *device)
{
	GpuAggWork	work = grouping(1e7, 100);
	GpuAggPrediction cold = predict(rates, work);
	GpuAggPrediction half;
	GpuAggPrediction warm;
	char		name[80];

	work.pages /= 2;
	work.cached_rows = work.rows / 2;
	half = predict(rates, work);
	work.pages = 0;
	work.cached_rows = work.rows;
	warm = predict(rates, work);
	snprintf(name, sizeof(name), "%s: what is cached takes less", device);
	ok(cold.total > half.total && half.total > warm.total, name);
	snprintf(name, sizeof(name), "%s: no feed, but work for each row", device);
	ok(warm.feed == 0 && warm.kernel > 0 && warm.kernel < cold.kernel, name);
	work.drawn_pages = 1e6;
	snprintf(name, sizeof(name), "%s: a sample of pages decides on each", device);
	ok(predict(rates, work).feed > 0 && predict(rates, work).kernel == warm.kernel, name);
	work.drawn_pages = 0;
	work.kept_pages = 1e6;
	snprintf(name, sizeof(name), "%s: kept pages are looked after before the kernel", device);
	ok(predict(rates, work).start > warm.start && predict(rates, work).kernel == warm.kernel, name);
}

/* ---------- bounds ---------- */

static void
test_bounds_gpu(void)
{
	GpuAggRates rates = h200();

	is_bound(&rates, grouping(100, 10), "start", "GPU: a hundred rows: the round trip");
	is_bound(&rates, grouping(1e7, 100), "link", "GPU: ten million rows: the link");
	is_bound(&rates, grouping(1e7, 1e7), "emit", "GPU: as many groups: emission");

	rates.feed_page_ns = 2000;
	is_bound(&rates, grouping(1e7, 100), "feed", "GPU: a slow backend: the feed");

	rates = h200();
	rates.ceiling[GPUAGG_CEILING_INT_OPS] /= 20;
	is_bound(&rates, grouping(1e7, 100), "compute", "GPU: slow units: computing");
	is_bound(&rates, grouping(1e8, 5e5), "cache", "GPU: slow units, 24 MB of groups: the cache");
	is_bound(&rates, grouping(1e9, 5e6), "memory", "GPU: slow units, 240 MB of groups: memory");
	rates.nlevels = 0;
	is_bound(&rates, grouping(1e9, 5e6), "compute", "GPU: no cache known: computing");
}

/* ---------- group tables ---------- */

/* Many aggregates of few groups: no faster than atomics on as many addresses */
static void
test_contention(void)
{
	GpuAggRates rates = h200();
	GpuAggWork	work = grouping(1e9, 1);
	double		alone;

	rates.ceiling[GPUAGG_CEILING_INT_OPS] *= 100;
	work.transitions = 16;
	alone = predict(&rates, work).kernel;
	between(alone, 1e9 * 16 / 2.6e11 * 1e9, 1e9 * 16 / 2.6e11 * 1.01e9 + 500 * MS,
			"GPU: one group: atomics on one address");
	work.groups = 32;
	ok(predict(&rates, work).kernel < alone / 1.1, "GPU: 32 groups contend less");
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1] = 0;
	ok(predict(&rates, work).kernel < alone, "GPU: not measured: not counted");
}

/* Emission is a backend's work, which is as slow as its grouping. */
static void
test_emission(const GpuAggRates *rates, const char *device)
{
	GpuAggWork	work = grouping(1e7, 1e4);
	GpuAggRates slow = *rates;
	char		name[80];

	work.output_bytes = 0;		/* which are memory's: test_memory() */
	slow.postgres_row_ns *= 2;
	slow.postgres_value_ns *= 2;
	snprintf(name, sizeof(name), "%s: a backend half as fast emits half as fast", device);
	is_double(predict(&slow, work).emit, 2 * predict(rates, work).emit, name);
	slow.postgres_row_ns = slow.postgres_value_ns = 0;
	snprintf(name, sizeof(name), "%s: emission of a backend that nobody measured", device);
	ok(predict(&slow, work).emit > 0, name);
}

/*
 * What a group took of 10^6 that came back, by what its outputs are (EPYC; a cursor that moves
 * over them, without EXPLAIN's clocks, and the time in which they came)
 */
static void
test_emitted(void)
{
	static const struct
	{
		const char *name;
		GpuAggWork	work;
		double		ns;
	} shapes[] = {
		{"a key", {.outputs = 1, .output_bytes = 8}, 24},
		{"a key and a count", {.outputs = 2, .output_bytes = 16}, 27},
		{"a key, seven extremes and counts", {.outputs = 8, .output_bytes = 64}, 54},
		{"a numeric", {.outputs = 1, .numeric_outputs = 1, .output_bytes = 32}, 38},
		{"an average of integers", {.outputs = 1, .averages = 1, .output_bytes = 24}, 46},
		{"of numerics",
		 {.outputs = 1, .numeric_outputs = 1, .averages = 1, .output_bytes = 32},
		 60},
		{"a variance", {.outputs = 1, .variances = 1, .output_bytes = 40}, 525},
		{"a string", {.outputs = 1, .strings = 1, .output_bytes = 24}, 59},
		{"one of columns that stay",
		 {.outputs = 1, .strings = 1, .output_bytes = 24, .rows = 4e6, .cached_rows = 4e6},
		 124}};
	GpuAggRates rates = host(2);

	rates.postgres_row_ns = 37.6;
	rates.postgres_value_ns = 27.9;
	rates.ceiling[GPUAGG_CEILING_THREAD_READ] = 3.1e10;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
	{
		GpuAggWork	work = shapes[i].work;

		work.groups = 1e6;
		between(predict(&rates, work).emit / work.groups, shapes[i].ns / 1.25, shapes[i].ns * 1.25,
				shapes[i].name);
	}
}

/*
 * Changed pages of tables that were kept before, on two cores of an EPYC: the backend's CPU time
 * beside what a run takes of which nothing is fed; the least of eight runs.
 */
static void
test_changed(void)
{
	static const struct
	{
		double		lines;			/* of a page */
		double		pages;
		double		changed;
		double		ms;
	} shapes[] = {
		{157, 20383, 216, 0.64},	{157, 20383, 2018, 4.94},	{157, 20383, 4057, 8.45},
		{157, 20383, 10231, 18.37}, {157, 20383, 16387, 26.20}, {75, 26667, 292, 1.03},
		{75, 26667, 2659, 4.78},	{75, 26667, 5335, 9.14},	{75, 26667, 13487, 17.29},
		{75, 26667, 21592, 23.14},	{30, 29000, 312, 0.72},		{30, 29000, 2937, 5.14},
		{30, 29000, 5917, 11.74},	{30, 29000, 14966, 17.16},	{30, 29000, 23960, 29.97}};
	GpuAggRates rates = host(2);

	rates.feed_page_ns = 196;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
	{
		const double n = shapes[i].changed;
		GpuAggWork	work = {.pages = n,
						   .checked_pages = n,
						   .checked_rows = n * shapes[i].lines,
						   .gaps = n * (1 - n / shapes[i].pages),
						   .rows = shapes[i].pages * shapes[i].lines,
						   .columns = 2};
		char		name[100];

		snprintf(name, sizeof(name), "%.0f of %.0f pages of %.0f rows have changed", n,
				 shapes[i].pages, shapes[i].lines);
		between(predict(&rates, work).feed / 1e6 / shapes[i].ms, 0.5, 2, name);
	}
}

/* A variance is PostgreSQL's work, in its own plan, too: it makes no difference between them. */
static void
test_variances(void)
{
	GpuAggRates rates = host(2);
	GpuAggWork	work = grouping(1e7, 1e6);
	double		emit = predict(&rates, work).emit;
	double		postgres = gpuagg_predict_postgres(&rates, &work);

	work.variances = 1;
	work.outputs -= 1;
	between((gpuagg_predict_postgres(&rates, &work) - postgres) /
				(predict(&rates, work).emit - emit),
			0.95, 1.1, "a variance takes as long in PostgreSQL's plan");
}

/*
 * Memory that is half as fast for one thread: it takes longer to read pages and to
 * form groups; a GPU does not, nor does the feed, which reads little of a page.
 */
static void
test_memory(const GpuAggRates *rates, const char *device)
{
	GpuAggRates fast = *rates;
	GpuAggRates slow = *rates;
	GpuAggWork	work = grouping(1e7, 1e4);
	GpuAggCeiling read = rates->gpu ? GPUAGG_CEILING_HOST_READ : GPUAGG_CEILING_THREAD_READ;
	GpuAggCeiling other = rates->gpu ? GPUAGG_CEILING_THREAD_READ : GPUAGG_CEILING_HOST_READ;
	GpuAggPrediction p;
	GpuAggPrediction q;
	char		name[80];

	fast.ceiling[read] = 2e10;
	slow.ceiling[read] = 1e10;
	p = predict(&fast, work);
	q = predict(&slow, work);
	snprintf(name, sizeof(name), "%s: slow memory: pages are fed all the same", device);
	is_double(q.feed, p.feed, name);
	snprintf(name, sizeof(name), "%s: slow memory: pages are read", device);
	if (rates->gpu)
		is_double(q.kernel, p.kernel, name);
	else
		between((q.kernel - p.kernel) * rates->units / work.pages, 245.7, 245.8, name);
	snprintf(name, sizeof(name), "%s: slow memory: groups come out", device);
	ok(q.emit > p.emit, name);
	fast.ceiling[other] = 1;
	snprintf(name, sizeof(name), "%s: reads of somebody else's memory do not count", device);
	is_double(predict(&fast, work).total, p.total, name);
}

/* The worker works for a GPU as fast as a backend for PostgreSQL. */
static void
test_start_gpu(void)
{
	GpuAggRates fast = h200();
	GpuAggRates slow = fast;
	GpuAggWork	work = grouping(1e6, 10);
	double		more;

	slow.postgres_row_ns *= 2;
	slow.postgres_value_ns *= 2;
	more = predict(&slow, work).start - fast.round_trip_ns;
	between(more / (predict(&fast, work).start - fast.round_trip_ns), 1.999, 2.001,
			"a GPU's task starts in twice the time where processes are half as fast");
	work.pages = 7e5;
	more = predict(&slow, work).kernel - predict(&fast, work).kernel;
	between(more / 1000, 29000, 31000, "and of its batches each takes as much longer");
}

/* A task's first pages take longer to feed. */
static void
test_early_gpu(void)
{
	GpuAggRates rates = h200();
	GpuAggRates slow = rates;
	GpuAggWork	few = grouping(5e4, 10);
	GpuAggWork	some = grouping(1.3e5, 10);
	GpuAggWork	many = grouping(1.3e7, 10);
	double		page = predict(&rates, few).feed / few.pages;
	double		later = (predict(&rates, many).feed - predict(&rates, some).feed) /
		(many.pages - some.pages);

	is_double(predict(&rates, some).feed / some.pages, page, "a GPU's first pages are fed alike");
	between(page - later, 150, 160, "later ones faster");
	between(later - rates.feed_page_ns, 26, 42, "but not as fast as those of a table in a cache");
	slow.postgres_row_ns *= 2;
	slow.postgres_value_ns *= 2;
	between((predict(&slow, many).feed - predict(&rates, many).feed) / 1300, 150, 160,
			"and only first ones go by how fast processes are");
}

/* Of what a GPU does at once, the longest counts, and others that are as long. */
static void
test_overlap_gpu(void)
{
	GpuAggRates rates = h200();
	GpuAggWork	work = {.pages = 1e7, .groups = 1};
	GpuAggPrediction p;

	rates.feed_page_ns = 1e5;
	p = predict(&rates, work);
	between((p.startup - p.start) / p.feed, 1, 1.001, "GPU: what is short is not felt");
	rates.ceiling[GPUAGG_CEILING_ZERO_COPY_IN] *= p.link / p.feed;
	p = predict(&rates, work);
	between(p.link / p.feed, 0.9999, 1.0001, "GPU: a link as slow as the feed");
	between((p.startup - p.start) / p.feed, 1.189, 1.190, "GPU: what is as long is felt");
}

/* ---------- what was measured ---------- */

/* cold.csv of the H200: id4 of 10^7 rows on 98306 pages, 23 ms */
static void
test_h200(void)
{
	GpuAggRates rates = h200();
	GpuAggWork	work = grouping(1e7, 100);

	work.pages = 98306;
	between(predict(&rates, work).total, 15 * MS, 35 * MS, "H200: id4 takes 15 to 35 ms");
	between(gpuagg_predict_postgres(&rates, &work), 500 * MS, 2500 * MS,
			"PostgreSQL there: about a second");
	work.pages = 0;
	work.rows = work.passed = work.cached_rows = 1e8;
	between(predict(&rates, work).kernel, 5 * MS, 20 * MS,
			"H200: of 10^8 rows that are kept the interpreter takes about 10 ms");
	work = grouping(1e5, 100);
	work.pages = 983;
	between(predict(&rates, work).total, 0.1 * MS, 2 * MS, "H200: a hundredth takes under 2 ms");
	rates.ceiling[GPUAGG_CEILING_ZERO_COPY_IN] = 0;
	ok(predict(&rates, work).link > 0, "a link that was not measured still takes time");
}

/* But for the last bits */
static void
nearly(double got, double want, const char *name)
{
	between(got, want - 1e-6, want + 1e-6, name);
}

static void
test_postgres(void)
{
	GpuAggRates rates = host(1);
	GpuAggWork	work = {.pages = 10, .rows = 1000, .passed = 500, .groups = 7,
	.keys = 1, .transitions = 2, .filter_instrs = 1, .attrs = 5, .filter_attrs = 3,
	.outputs = 2, .averages = 1};
	double		rows = (500 + 500 * 0.65) * 40.0;
	double		attrs = (500 * 5 + 500 * 3) * 0.06;
	double		values = 25.0 * (1000 * 0.2 + attrs + 500 * (2.2 + 2 * 0.3) + 7 * 3);
	/* the pages, and as much of what was not in the caches when the query began */
	double		reads = 2 * 10 * 8192 / 3.04e10 * 1e9;
	double		sample;

	/* a row with a key and two aggregates takes 115 ns here, 100 there */
	rows += 25000.0 * 1.15;		/* the query itself */
	nearly(gpuagg_predict_postgres(&rates, &work), reads + rows + values + 7 * 100.0 * 1.15,
		   "PostgreSQL: reads, rows, filter, values, groups");
	work.pages = 1000;
	nearly(gpuagg_predict_postgres(&rates, &work),
		   (1e6 + 1000 * 8192) / 3.04e10 * 1e9 + rows + values + 7 * 100.0 * 1.15,
		   "PostgreSQL: a larger table begins with no more");
	work.pages = 10;
	rates.ceiling[GPUAGG_CEILING_THREAD_READ] = 3.04e10 / 2;
	nearly(gpuagg_predict_postgres(&rates, &work),
		   2 * reads + rows + values + 7 * 100.0 * 1.15,
		   "PostgreSQL: half as fast reads take twice as long");
	rates.postgres_slowdown = 1.25;
	nearly(gpuagg_predict_postgres(&rates, &work),
		   1.25 * (2 * reads + rows + values + 7 * 100.0 * 1.15),
		   "PostgreSQL: a CPU that is slow at times");
	rates.postgres_slowdown = 1;
	rates.postgres_group_ns = 90 + 3 * 25;
	nearly(gpuagg_predict_postgres(&rates, &work), 2 * reads + rows + values + 7 * 90.0,
		   "PostgreSQL: few groups cost no more than many");
	work.lines = 2000;
	nearly(gpuagg_predict_postgres(&rates, &work),
		   10 * 8192 / 1.52e10 * 1e9 + 2000 * 14.0 + rows + values + 7 * 90.0,
		   "PostgreSQL: a sample's lines include their pages");
	work.keys = 3;
	work.string_keys = 1;
	values += 25.0 * 500 * (2 * 0.6 + 0.6);
	sample = 10 * 8192 / 1.52e10 * 1e9 + 2000 * 14.0 + rows + values + 7 * 90.0;
	nearly(gpuagg_predict_postgres(&rates, &work), sample,
		   "PostgreSQL: further keys, and strings");
}

/* The reference queries must take what was measured: a key, a count and a sum. */
static void
test_postgres_reference(void)
{
	GpuAggRates rates = host(1);
	GpuAggWork	work = {.rows = 1e6, .passed = 1e6, .groups = 10,
	.keys = 1, .transitions = 2, .attrs = 4, .outputs = 3};
	double		rows = 1e6 * (40.0 + 3 * 25.0);

	between(gpuagg_predict_postgres(&rates, &work), rows * 0.97, rows * 1.03,
			"PostgreSQL: few groups take what they took");
	work.groups = 1e5;
	between(gpuagg_predict_postgres(&rates, &work), (rows + 1e5 * 500.0) * 0.97,
			(rows + 1e5 * 500.0) * 1.03, "PostgreSQL: and many");
}

/* What each of so many groups adds */
static double
postgres_groups(const GpuAggRates *rates, double groups)
{
	GpuAggWork	work = {.groups = groups};
	GpuAggWork	none = {.groups = 0};

	return (gpuagg_predict_postgres(rates, &work) -
			gpuagg_predict_postgres(rates, &none)) / groups;
}

static void
test_postgres_groups(void)
{
	GpuAggRates rates = host(1);

	between(postgres_groups(&rates, 3e3), 114.9, 115.1, "PostgreSQL: groups that fit caches");
	between(postgres_groups(&rates, 2e4), 115 + 100, 425 - 100, "... that hardly do");
	is_double(postgres_groups(&rates, 1e5), 425, "... as they were measured, but for outputs");
	is_double(postgres_groups(&rates, 1e7), 425, "... and beyond");
}

/* ---------- the curve of random accesses ---------- */

static void
test_curve(void)
{
	GpuAggRates rates = {
		.npoints = 3,
		.points = {
			{1 << 20, {100, 80, 60}},
			{1 << 22, {50, 40, 30}},
			{1 << 24, {10, 8, 6}}
		}
	};

	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 1 << 22), 50, "at a point");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ32, 1 << 20), 80, "at the first");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_ATOMIC8, 1 << 24), 6, "at the last");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 1 << 21), 75,
			  "between two: half way in the logarithm");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 1 << 23), 30,
			  "between the next two");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 1), 100, "below the first");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 0), 100, "of nothing");
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 1e15), 10, "beyond the last");
	rates.npoints = 0;
	is_double(gpuagg_rates_random(&rates, GPUAGG_RANDOM_READ8, 1 << 22), 0, "not measured");
}

/* ---------- feeders ---------- */

/* How many feed a task of so many pages, of at most eight */
static int
feeders(const GpuAggRates *rates, double pages)
{
	GpuAggPrediction p = predict(rates, grouping(pages * 185, 100));

	return gpuagg_predict_feeders(rates, &p, pages, 0, 8);
}

/* What the planner counts on, and how many there will be, are of one reckoning. */
static void
test_feeders_predicted(GpuAggRates rates)
{
	GpuAggWork	work = grouping(2e5 * 97, 20);
	GpuAggPrediction alone;
	GpuAggPrediction fed;

	work.pages = 2e5;
	rates.feed_page_ns = 100;
	alone = predict(&rates, work);
	is_int(gpuagg_predict_feeders(&rates, &alone, 2e5, 0, 12), 0,
		   "all-visible pages, as fast as the link: none");
	work.checked_pages = work.pages;
	work.checked_rows = work.pages * 97;
	alone = predict(&rates, work);
	ok(gpuagg_predict_feeders(&rates, &alone, 2e5, 0, 12) >= 3,
	   "the same pages, of which each row is looked at: some");
	ok(gpuagg_predict_feeders(&rates, &alone, 1000, 0, 12) == 0, "of a few of them: none");
	work.feeders = 12;
	fed = predict(&rates, work);
	ok(fed.startup < alone.startup / 2, "they are counted on");
	is_double(fed.feed, alone.feed, "by as much work");
	work.read_ns = alone.feed;
	ok(predict(&rates, work).startup > work.read_ns, "pages come from disk no sooner");
}

static void
test_feeders(void)
{
	GpuAggRates rates = h200();
	GpuAggRates cores = host(4);
	GpuAggPrediction p;
	int			before = 0;

	is_int(feeders(&rates, 1e6), 0, "what a feeder takes is not known: none");
	rates.feeder_start_ns = 3 * MS;
	rates.feeder_ns = 1 * MS;
	rates.feed_page_ns = 460;
	is_int(feeders(&rates, 1000), 0, "0.5 ms of feeding: none");
	is_int(feeders(&rates, 6000), 0, "as long as one takes to start: none");
	for (double pages = 1000; pages < 1e7; pages *= 2)
	{
		int			n = feeders(&rates, pages);

		ok(n >= before && n <= 8, "more pages, no fewer feeders");
		before = n;
	}
	ok(before >= 1, "a link that waits for the feed: some");
	ok(before < 8, "but not more than keep the link busy");
	rates.ceiling[GPUAGG_CEILING_ZERO_COPY_IN] *= 100;
	rates.ceiling[GPUAGG_CEILING_INT_OPS] *= 100;
	is_int(feeders(&rates, 1e7), 8, "nothing else takes time: as many as there may be");
	rates.feeder_ns = 1e12;
	is_int(feeders(&rates, 1e7), 0, "dear ones: none");
	rates.feeder_ns = 1 * MS;
	p = predict(&rates, grouping(1e9, 100));
	is_int(gpuagg_predict_feeders(&rates, &p, 2000, 0, 8), 0, "few pages of a large task: none");
	rates = h200();
	rates.feeder_start_ns = 3 * MS;
	rates.feeder_ns = 1 * MS;
	rates.feed_page_ns = 50;
	p = predict(&rates, grouping(1e6 * 185, 100));
	is_int(gpuagg_predict_feeders(&rates, &p, 1e6, 0, 8), 0,
		   "the link takes longer than the feed: none");
	is_int(gpuagg_predict_feeders(&rates, &p, 1e6, 40, 8), 0, "faster than the profile says: none");
	ok(gpuagg_predict_feeders(&rates, &p, 1e6, 1000, 8) > 0, "but pages take longer: some");
	test_feeders_predicted(rates);
	cores.feeder_start_ns = cores.feeder_ns = 1000;
	is_int(feeders(&cores, 1e6), 0, "the host device has the cores");
}

int
main(void)
{
	GpuAggRates gpu = h200();
	GpuAggRates cores = host(4);

	test_monotonic(&gpu, "GPU");
	test_monotonic(&cores, "host");
	test_each(&gpu, "GPU");
	test_each(&cores, "host");
	test_sum(&gpu, "GPU");
	test_sum(&cores, "host");
	test_learned(&gpu, "GPU");
	test_learned(&cores, "host");
	test_emission(&gpu, "GPU");
	test_emission(&cores, "host");
	test_emitted();
	test_changed();
	test_variances();
	test_memory(&gpu, "GPU");
	test_memory(&cores, "host");
	test_drawn();
	test_cached(&gpu, "GPU");
	test_cached(&cores, "host");
	test_bounds_gpu();
	test_contention();
	test_start_gpu();
	test_early_gpu();
	test_overlap_gpu();
	test_h200();
	test_postgres();
	test_postgres_reference();
	test_postgres_groups();
	test_curve();
	test_feeders();
	return done_testing();
}
