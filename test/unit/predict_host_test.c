/*
 * predict_host_test.c
 *		How long the host device's threads are said to take: start, pages,
 *		rows, group tables of theirs and shared ones, and feeding beside them.
 */
#include "cost/predict_rates.h"
#include "predict_cases.h"

static void
test_bounds_host(void)
{
	GpuAggRates rates = host(4);

	is_bound(&rates, grouping(100, 10), "start", "host: a hundred rows: the start");
	is_bound(&rates, grouping(1e7, 100), "compute", "host: ten million rows: computing");
	is_bound(&rates, grouping(1e8, 1e5), "cache", "host: 5 MB of groups: the cache");
	is_bound(&rates, grouping(1e9, 1e6), "memory", "host: 48 MB of groups: memory");
	is_bound(&rates, grouping(1e7, 1e7), "emit", "host: as many groups: emission");
	rates = host(64);
	is_bound(&rates, grouping(1e7, 100), "feed", "host: many threads: the feed");
	is_double(predict(&rates, grouping(1e7, 100)).link, 0, "host: no link");
}

static void
test_scaling(void)
{
	GpuAggRates two = host(2);
	GpuAggRates eight = host(8);
	GpuAggRates slow = host(8);
	double		here;

	slow.ceiling[GPUAGG_CEILING_INT_OPS] /= 2;
	slow.ceiling[GPUAGG_CEILING_THREAD_READ] = GPUAGG_PREDICT_READ_RATE / 2;
	here = predict(&eight, grouping(1e7, 100)).kernel;
	between(predict(&two, grouping(1e7, 100)).kernel / here, 3.98, 4,
			"four times the threads, a quarter of the time, but for merging");
	between(predict(&slow, grouping(1e7, 100)).kernel / here, 1.99, 2.01,
			"half the operations and reads a second, twice the time");
	slow.ceiling[GPUAGG_CEILING_GROUP] = 8e8;
	here = predict(&slow, grouping(1e7, 100)).kernel;
	slow.ceiling[GPUAGG_CEILING_INT_OPS] *= 3;
	is_double(predict(&slow, grouping(1e7, 100)).kernel, here,
			  "rows grouped tell, where they were measured");
	slow.ceiling[GPUAGG_CEILING_GROUP] /= 2;
	slow.ceiling[GPUAGG_CEILING_THREAD_READ] /= 2;
	between(predict(&slow, grouping(1e7, 100)).kernel / here, 1.99, 2.01,
			"half the rows and reads a second, twice the time");
	slow.ceiling[GPUAGG_CEILING_GROUP] = 0;
	slow.ceiling[GPUAGG_CEILING_INT_OPS] = 0;
	ok(isfinite(predict(&slow, grouping(1e7, 100)).kernel),
	   "operations not measured: as on the reference machine");
}

/* Kernel time of all threads beyond that of a single group */
static double
beyond_one(const GpuAggRates *rates, double rows, double groups)
{
	return (predict(rates, grouping(rows, groups)).kernel -
			predict(rates, grouping(rows, 1)).kernel) * rates->units;
}

static void
test_tables_host(void)
{
	GpuAggRates one = host(1);
	GpuAggRates four = host(4);
	double		groups = 10000;

	between(beyond_one(&four, 1e7, groups) / beyond_one(&one, 1e7, groups), 4.2, 4.35,
			"host: every thread makes the groups that its rows fall into");
	between(beyond_one(&four, groups, groups) / beyond_one(&one, groups, groups), 1.8, 1.88,
			"host: with a row for each group that is one thread");
	between(beyond_one(&four, 1e8, groups) / beyond_one(&four, 1e9, groups), 0.999, 1.001,
			"host: rows take no longer in a thread's own table");
}

/* Groups that threads' own tables do not hold: 5 MB, below 32 parts, in shared tables */
static void
test_shared_host(void)
{
	GpuAggRates one = host(1);
	GpuAggRates sixteen = host(16);
	GpuAggRates slow = host(16);
	GpuAggWork	filtered[2] = {grouping(1e8, 1), grouping(1e8, 1e5)};
	double		shared = beyond_one(&sixteen, 1e8, 1e5);
	double		touches;

	ok(shared > 2 * beyond_one(&one, 1e8, 1e5),
	   "host: what other threads changed last takes longer");
	filtered[0].rows = filtered[1].rows = 1e9;
	ok((predict(&sixteen, filtered[1]).kernel - predict(&sixteen, filtered[0]).kernel) * 16 >
	   1.2 * shared, "host: and longer still where a block has few rows left for a partition");
	for (int i = 0; i < slow.npoints; i++)
		slow.points[i].rate[GPUAGG_RANDOM_READ32] /= 4;
	/* a row's 1.3 accesses, to tables of 4.8 MB: of nearly all rows, three times as much more */
	touches = 1.3 * 16 / gpuagg_rates_random(&sixteen, GPUAGG_RANDOM_READ32, 4.8e6) * 1e9;
	between((beyond_one(&slow, 1e8, 1e5) - shared) / 1e8 / touches, 2.9, 3,
			"host: slower memory, slower groups");
}

/* Tables of 32 parts: rows are kept, and each part fits a cache */
static void
test_kept_host(void)
{
	GpuAggRates rates = host(16);
	GpuAggRates slow = host(16);
	GpuAggWork	work = grouping(1e8, 1e6);
	double		kernel = predict(&rates, work).kernel;

	for (int i = 0; i < slow.npoints; i++)
		slow.points[i].rate[GPUAGG_RANDOM_READ32] /= 4;
	is_double(predict(&slow, work).kernel, kernel, "host: rows kept: no random reads of memory");
	work = grouping(1e8, 1e7);
	kernel = predict(&rates, work).kernel;
	rates.ceiling[GPUAGG_CEILING_TOUCH] = 2e9;
	ok(predict(&rates, work).kernel > kernel, "host: memory is touched for the first time");
	rates.ceiling[GPUAGG_CEILING_TOUCH_HUGE] = 2e12;
	between(predict(&rates, work).kernel - kernel, 0, 1 * MS, "host: at the rate of huge pages");
	work = grouping(1e8, 1e5);
	kernel = predict(&rates, work).kernel;
	rates.ceiling[GPUAGG_CEILING_TOUCH_HUGE] = 1;
	is_double(predict(&rates, work).kernel, kernel, "host: a little of it is at hand");
}

/* Rows are not looked at where no column is wanted. */
static void
test_pages_host(void)
{
	GpuAggRates rates = host(2);
	GpuAggWork	plain = grouping(1e6, 1);
	double		with = predict(&rates, plain).kernel;

	plain.columns = 0;
	plain.keys = 0;
	ok(predict(&rates, plain).kernel < with / 2, "host: pages without columns");
	/* without it 10^8 rows were predicted 7 (16 threads) to 14 % (2) shorter than 10^6 */
	plain = grouping(1e8, 1);
	between(predict(&rates, plain).kernel / with / 100, 1.05, 1.15,
			"host: pages that no cache keeps any of");
	plain = grouping(1e5, 1);
	between(predict(&rates, plain).kernel / with * 10, 0.995, 1.005, "host: nearer ones are alike");
	plain.columns = plain.keys = 0;
	with = predict(&rates, plain).kernel;
	plain.pages *= 1000;
	plain.rows *= 1000;
	plain.passed *= 1000;
	between(predict(&rates, plain).kernel / with / 1000, 0.995, 1.005,
			"host: nor are there rows of far pages without columns");
}

/* What of a row depends on its keys, and on where its group lies; one thread */
static void
test_rows_host(void)
{
	GpuAggRates rates = host(1);
	GpuAggWork	few = grouping(1e7, 1e3);
	GpuAggWork	many = grouping(1e7, 1e5);
	double		ns;

	rates.npoints = 0;
	ns = predict(&rates, many).kernel - predict(&rates, few).kernel;
	few.passed /= 2;
	many.passed /= 2;
	ns -= predict(&rates, many).kernel - predict(&rates, few).kernel;
	between(ns / 5e6, 14.99, 15.01,
			"host: a row that its thread's table has no room for takes longer");
	ns = predict(&rates, few).kernel;
	few.string_keys = 1;
	between((predict(&rates, few).kernel - ns) / 5e6, 7.99, 8.01,
			"host: so does a key that is a string");
}

/* Threads that all read share what memory gives; alone none gets more than it could. */
static void
test_memory_shared(void)
{
	GpuAggRates alone = host(16);
	GpuAggRates all = alone;
	GpuAggWork	work = grouping(1e7, 100);
	double		kernel;

	alone.ceiling[GPUAGG_CEILING_THREAD_READ] = 1.2e10;
	kernel = predict(&alone, work).kernel;
	all.ceiling[GPUAGG_CEILING_THREAD_READ] = 1.2e10;
	all.ceiling[GPUAGG_CEILING_MEMORY_READ] = 16 * 6e9;
	between((predict(&all, work).kernel - kernel) * 16 / work.pages, 409.5, 409.7,
			"host: threads read at once, each half as fast: 0.6 of what it takes longer");
	all.ceiling[GPUAGG_CEILING_MEMORY_READ] = 16 * 2e10;
	is_double(predict(&all, work).kernel, kernel, "host: memory for more threads than there are");
	all.ceiling[GPUAGG_CEILING_THREAD_READ] = 0;
	all.ceiling[GPUAGG_CEILING_MEMORY_READ] = 16 * 1.2e10;
	is_double(predict(&all, work).kernel, kernel, "host: one thread's reads were not measured");
}

/* How much longer feed and kernel take than the feed, if the kernel is so much of it */
static double
felt_host(double kernel)
{
	GpuAggRates rates = host(16);
	GpuAggWork	work = grouping(1e8, 10);
	GpuAggPrediction p = predict(&rates, work);

	rates.feed_page_ns = p.kernel / kernel / work.pages -
		(p.feed / work.pages - rates.feed_page_ns);
	p = predict(&rates, work);
	between(p.kernel / p.feed, 0.999 * kernel, 1.001 * kernel,
			"host: a kernel of so much of the feed");
	return (p.startup - p.start) / p.feed;
}

/* Threads of the host device share cores with the backend that feeds them. */
static void
test_feed_host(void)
{
	GpuAggRates rates = host(16);
	GpuAggWork	work = grouping(1e7, 10);
	double		page = predict(&rates, work).feed / work.pages;

	between(page - rates.feed_page_ns, 26, 42, "host: pages are farther than a small table's");
	rates.units = 2;
	is_double(predict(&rates, work).feed / work.pages, page, "whatever the threads' number");
	/* 526 queries of few groups, 16 CPUs of a Xeon, medians of nine runs */
	between(felt_host(0.1), 1, 1.01, "host: threads that have little to do are not felt");
	between(felt_host(0.8), 1.09, 1.59, "host: a kernel of 0.8 of the feed, as measured");
	between(felt_host(1.2), 1.21, 1.69, "host: of 1.2, as measured");
	between(felt_host(1.8), 1.54, 2.08, "host: of 1.8, as measured");
}

/* Threads wake for pages, and to merge tables. */
static void
test_start_host(void)
{
	GpuAggRates sixteen = host(16);
	GpuAggRates one = host(1);
	GpuAggWork	plain = grouping(1e6, 1);
	GpuAggWork	small = grouping(1000, 10);

	plain.keys = 0;
	ok(predict(&sixteen, grouping(1e6, 1)).start > predict(&sixteen, plain).start,
	   "host: keys: threads wake twice");
	ok(predict(&sixteen, plain).start > predict(&one, plain).start,
	   "host: the last of many threads wakes later");
	is_double(predict(&sixteen, small).start, predict(&one, small).start,
			  "host: ten pages are one thread's");
	is_double(predict(&one, small).start, one.round_trip_ns + 140000 + 0.55 * 130000,
			  "host: which is woken, too");
}

/* Reading memory bounds a device of many threads whose pages hold few rows. */
static void
test_link_host(void)
{
	GpuAggRates rates = host(64);
	GpuAggWork	work = grouping(1e7, 100);

	work.pages = 5e6;
	rates.ceiling[GPUAGG_CEILING_MEMORY_READ] = 2e10;
	is_bound(&rates, work, "link", "host: wide rows: reading memory");
	between(predict(&rates, work).link, 2047 * MS, 2049 * MS, "host: 41 GB at 20 GB a second");
}

int
main(void)
{
	test_bounds_host();
	test_scaling();
	test_tables_host();
	test_shared_host();
	test_kept_host();
	test_start_host();
	test_memory_shared();
	test_feed_host();
	test_pages_host();
	test_rows_host();
	test_link_host();
	return done_testing();
}
