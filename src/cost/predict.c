/*
 * predict.c
 *		How long a task takes on a device of a given profile.
 *
 * All times in ns.  With p pages that are fed, r rows, s rows that pass the
 * filter, g groups, n units of the device:
 *
 *		start	round trip of an empty task, and TASK_NS, and BEHIND_NS if pages come behind kept
 *				ones, of a GPU * what PostgreSQL takes for a row that it groups / GROUPED_NS;
 *				predict_host.c
 *		feed	p * (feed_page_ns + FEED_MISS_NS) + VISIBILITY_NS * rows whose visibility is checked
 *				one by one + read(8192) * their pages + COMPARED_NS * pages whose LSNs are
 *				compared + GAP_NS * pages behind others that are not fed + TOUCH_* + read_ns;
 *				for a GPU, of the first EARLY_PAGES also EARLY_NS * what PostgreSQL takes for a
 *				row that it groups / GROUPED_NS
 *		link	p * 8192 / zero_copy_in, of the host device / memory_read
 *		kernel	lines * SAMPLE / n + r * row / n + s * pass / n + groups; of a GPU + what a
 *				kernel takes over no rows (predict_compiled.c); making
 *				draws (device/choice/draw_plan.h); of a GPU + BATCH_NS a batch, as fast as it
 *				starts; of the host device + p * (PAGE + what its threads take to read
 *				one at the same time, as far as computing does not hide it) / n, and
 *				FAR_PAGE / n of each page beyond NEAR_BYTES
 *		regroup	of groups that the backend makes of the device's, REGROUP_* each, and SORT_* of each
 *				time that a value is compared for an ordered-set aggregate; STRING_BYTE_NS of long
 *				strings
 *		emit	g * per output, by what becomes of it * what PostgreSQL takes for a row that it
 *				groups / GROUPED_NS: it is a backend's work, like that; and
 *				g * read(EMIT_READS * bytes)
 *
 * where read(bytes) is what one thread of the host takes to read them from memory,
 * row and pass add up what the program does (attributes of varying place,
 * columns loaded, instructions, keys, transitions; of rows that the column cache
 * has, no attributes, and nothing for the row itself; on a GPU predict_compiled.c
 * says what these take), scaled by the integer rate of
 * a unit, and groups is what a group table of t bytes costs, on a GPU
 *
 *		g * NEW_GROUP / n + s * accesses / atomic rate of t bytes, or, while
 *		the blocks' own tables hold the groups, no less in all than
 *		s * transitions / atomic rate in shared memory on so many addresses
 *
 * and on the host device what predict_host.c says.  Groups of a GPU are in its
 * blocks' tables while they are few.  Random rates are the profile's curve at t, so
 * all reaches are in it.
 *
 * Feed, link and kernel overlap: the longest counts, and others the more, the nearer
 * they come to it: (feed^4 + link^4 + kernel^4)^(1/4).  Stages of equal length wait for
 * each other; nobody waits for a short one.  Of a GPU, further processes feed where that
 * pays: each takes its share of what is left when they have started.
 *
 * The host device's threads share the cores with the backend that feeds, so their
 * kernel is kernel + feed * FEED_SHARED / n there.  They are more than the cores, so
 * somebody finishes late: of as much time as the overlap is, up to a time slice of
 * SLICE_NS, the n-th part is added.
 *
 * Several passes over the pages multiply feed, link, and of the kernel what is
 * done for rows before they are grouped.
 *
 * Constants are of one unit of the machines named beside them; a profile's
 * int_ops ceiling scales them to another.
 */
#include <math.h>
#include <string.h>

#include "cost/predict_host.h"
#include "cost/predict_rates.h"
#include "device/choice/compile_rule.h"

/*
 * A page's header and its buffer's descriptor come from memory; those of the small
 * table whose feed was measured came from a cache.  Chosen from the fastest quarter
 * of queries of two H200 runs (22 to 32 ns; 24 to 28 where a thread reads 7 GB/s); 35 and
 * 42 on two cores, of which one reads 26 GB/s, so it is not how fast they read that
 * counts.  Two H200 runs that came later had 36 to 60.
 */
#define FEED_MISS_NS 27.0

/*
 * Feeding was measured while the host device's threads slept; where they work on the
 * same cores, it takes this much longer (two cores: 1.2 times and more).  That it took
 * 1.6 times as long on 16 CPUs came from the overlap: with a kernel of 0.8 of the feed
 * it takes 1.1 times and more, with one of 1.45 of it 1.4 to 1.9 times.
 */
#define FEED_SHARED 1.45

/* A further feeder is not taken from other queries for less than this share of the time. */
#define FEEDER_SAVES 0.05

/*
 * A row whose visibility is asked for, beside reading its page from memory, and a page before which
 * others are left out, so that neither the processor nor a look at buffers that follow each other
 * has fetched it (feed.c).  EPYC, two cores, the backend's CPU time of 15 tables of 20,000 to
 * 29,000 pages of 30 to 157 rows: of those that were kept 1 to 80 % were changed.  On an H200's
 * host, of which a thread reads 7 GB/s, a page of 97 such rows takes 1.8 us.
 */
#define VISIBILITY_NS 6.0
#define COMPARED_NS 60.0
#define GAP_NS 1000.0

/*
 * Pages whose rows are looked at are mapped when a process touches them for the first time: half of
 * what that takes, of a page, and of one before which others are left out, as several are mapped at
 * once where they follow each other.  A backend has touched them before, or has not; one half
 * counts.  Processes that have just begun pay the other, too.  H200, 4 kB pages of memory, 200 to
 * 206,000 pages of 210,000, old and new sessions, 2 to 12 further processes; less where
 * shared_buffers are in huge pages, which is not known.
 */
#define TOUCH_NS 400.0
#define TOUCH_GAP_NS 600.0

/* GPU, one multiprocessor that does GPU_INT_OPS a second (H200) */
#define GPU_INT_OPS 1.2e11
#define GPU_LINE_NS 0.5
#define GPU_ROW_NS 60.0
#define GPU_COLUMN_NS 5.0
#define GPU_INSTR_NS 10.0
#define GPU_KEY_NS 15.0
#define GPU_TRANSITION_NS 9.0
#define GPU_NEW_GROUP_NS 500.0

#define GPU_LINK_RATE 40e9		/* where none was measured */
#define GPU_LOCAL_GROUPS 1000.0

/*
 * What the worker does for a GPU, where PostgreSQL takes GROUPED_NS for a row: of a
 * task, streams, a table, the first batches; of pages that come behind kept ones, the last batch,
 * for which nothing else is left to do; of each batch, of so many pages, launches and completion
 */
#define GPU_TASK_NS 250000.0
#define GPU_BEHIND_NS 300000.0
#define GPU_BATCH_NS 33000.0
#define BATCH_PAGES 700.0

/*
 * A task's first pages take longer to feed: so much each, where PostgreSQL takes
 * GROUPED_NS for a row (H200, on one fast machine and several slower ones; why is not
 * known: the worker is awake by then, and pages of larger tables are as cold).
 */
#define EARLY_PAGES 1300.0
#define EARLY_NS 170.0

/* Deciding whether a line belongs to a sample, in PostgreSQL, its page included */
#define POSTGRES_LINE_NS 14.0

/*
 * What a query of PostgreSQL's consists of, in values, three of which are what the
 * reference query's key, count and sum take: in the range of differences between
 * queries of one process (EPYC, 10^4 to 10^6 rows), where in it chosen by what
 * PostgreSQL took for 987 queries of 10^4 and 10^5 rows (EPYC, Xeon)
 */
#define POSTGRES_KEY 2.2		/* hashed and looked up */
#define POSTGRES_FURTHER_KEY 0.6
#define POSTGRES_STRING_KEY 0.6	/* more */
#define POSTGRES_TRANSITION 0.3
#define POSTGRES_ATTRIBUTE 0.06 /* crossed in a row */
#define POSTGRES_FILTER 0.2		/* an instruction of a filter */
#define POSTGRES_OUTPUT 1.0		/* of a group */
#define POSTGRES_REJECTED 0.65	/* of a row that is counted, one that a filter stops */

/*
 * A query that begins: of a table of a row, where PostgreSQL takes GROUPED_NS for a row
 * that it groups; and of its first bytes, which it finds out of the caches, with code
 * and catalogs, while those of the reference queries were in them.  By 671 queries of
 * 100 to 8100 rows (Xeon); before, the latter was taken for the smallest tables, too,
 * and PostgreSQL's plan of 100 rows thought to take four times as long as it did.
 */
#define POSTGRES_QUERY_NS 25000.0
#define POSTGRES_START_BYTES 1e6

/*
 * A group of so few that caches hold them, by PostgreSQL; from NEAR_GROUPS to as many
 * as were measured it grows with the logarithm.  By the same queries.
 */
#define POSTGRES_NEAR_NS 100.0
#define NEAR_GROUPS 3e3

/* The kernel's scheduler lets others wait so long (EPYC, 2 cores) */
#define SLICE_NS 1000000.0

/*
 * Groups on their way to tuples, where PostgreSQL takes GROUPED_NS for a row with
 * a key, a count and a sum (EPYC, Xeon)
 */
#define GROUPED_NS 100.0
#define EMIT_NS 20.0
#define EMIT_OUTPUT_NS 2.0
#define EMIT_NUMERIC_NS 8.0		/* digits made in place (EPYC, 1e6 groups) */
#define EMIT_AVERAGE_NS 15.0	/* and divided (the same) */

/*
 * A string is written behind its group, by who has it in reach; else the worker has but its number
 * (the same).
 */
#define EMIT_STRING_NS 22.0
#define EMIT_NUMBER_NS 50.0

/*
 * PostgreSQL's numerics make a variance of sums, here as in its own plan: 410 of integers, 500 of
 * numerics, and a root 150 more (the same)
 */
#define VARIANCE_NS 450.0

/*
 * A group's bytes: from caches of the threads that grouped, through the queue, into
 * the store; a card writes them to memory, not a thread to its cache.  These and
 * EMIT_OUTPUT_NS fitted to 169 queries of the host and 70 of H200s that spent most of
 * their time so, all since stores lie in large pages.
 */
#define EMIT_READS 8.0
#define GPU_EMIT_READS 3.0

/*
 * A group that is regrouped: by one that lies in a cache, or far (EPYC, CPU time of 9e5
 * to 2e6 groups: 16 without keys, 41 for 20 groups, 230 for 1e5, 440 where a table of
 * 9e5 values tells which are new)
 */
#define REGROUP_NS 40.0
#define REGROUP_FAR_NS 250.0
#define ORDER_NS 40.0
#define REGROUP_NEAR_ENTRIES 3e4

/*
 * A group of the device's that is returned, and put in order by the backend, where the device could
 * have done that (H200: 5 * 10^7 numerics of 50 groups in 10.4 s)
 */
#define ORDER_BEHIND_NS 200.0

/* A page that a sample of pages decides on, which happens twice (EPYC) */
#define DRAWN_PAGE_NS 2.5

/* A page whose columns are used, on both sides of the queue: of map pages (EPYC, 3.4e5 of them) */
#define KEPT_PAGE_NS 0.2

/* A value for PostgreSQL's executor, and what that returns (EPYC, CPU time) */
#define REGROUP_VALUE_NS 80.0

/*
 * A value that is sorted for an ordered-set aggregate, walking through it included, each time that
 * it is compared: as an integer in memory, as a tuple with a value beside it, or behind it as
 * numerics and strings are (EPYC, CPU time of 4e4 to 2.4e5 values of 4 groups, work_mem of 4 and 64
 * MB)
 */
#define SORT_WORD_NS 12.0
#define SORT_VALUE_NS 85.0
#define SORT_LONG_NS 125.0

/*
 * A byte of a string beyond NEAR_STRING_BYTES, on its way from what the device knows of it into the
 * backend's memory: out of the caches, and copied several times (EPYC, 1.1e5 documents of 37 to 692
 * bytes)
 */
#define STRING_BYTE_NS 2.0
#define NEAR_STRING_BYTES 32.0

/* A group of the device's that is read once more, for other groups (EPYC, CPU time) */
#define REGROUP_READ_NS 100.0

/*
 * A group of the device's, made into others by a thread of the host device (EPYC, CPU time of 2e6
 * groups made into 1000)
 */
#define REGROUP_HOST_NS 22.0

/* A group of the device's, made into others by a card (H200, 4.5e7 made into 1000 in 4.6 ms) */
#define REGROUP_CARD_NS 0.1

/*
 * Rows of a plan on their way into columns: each, and each value of them,
 * where the profile does not tell.  Of an EPYC, shared with others.
 */
#define COPY_ROW_NS 25.0
#define COPY_VALUE_NS 12.0

/*
 * Reads a second in a region so many times a TLB's reach, and which share of those
 * within the reach they may be: an H200's are 25 % beyond 64 GiB, 95 % beyond 256 MiB.
 */
#define CLIFF_BEYOND 1.5
#define CLIFF_SHARE 0.75

/* Rows that a backend forms (GpuSample); pages cost another pin */
#define CHOSEN_NS 50.0

/*
 * Atomic updates a second in blocks' own tables of so many groups: measured on
 * one address, 32 and 1024.  0: not known.
 */
static double
local_atomics(const GpuAggRates *rates, double groups)
{
	const double *ceiling = rates->ceiling;
	double		one = ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1];
	double		some = ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_32];

	if (one <= 0 || some <= 0)
		return 0;
	return one + (some - one) * fmin(1, log2(fmax(1, groups)) / 5);
}

double
gpuagg_predict_backend_slowness(const GpuAggRates *rates)
{
	double		grouped = rates->postgres_row_ns +
		GPUAGG_MEASURED_VALUES * rates->postgres_value_ns;

	return grouped > 0 ? grouped / GROUPED_NS : 1;
}

/*
 * Rows of cached columns: by their kernel if it is there, or if it is worth waiting for,
 * which is what the device decides by, too (device/choice/compile_rule.h): so columns never
 * take longer than the interpreter does.  Who has kernels compiled always, waits once for
 * what all later runs have, and no plan is turned away for that.
 */
static double
kernel_kept(const GpuAggRates *rates, const GpuAggWork *work, GpuAggPrediction *p)
{
	const GpuAggCompiledWork *c = &work->compiled;
	GpuAggCompileCase rule = {
		.wish.mode = GPUAGG_COMPILE_AUTO, .asked = 1, .left_ns = GPUAGG_COMPILE_FIRST_NS};

	p->interpreted = gpuagg_predict_interpreted(rates, work);
	if (c->state == GPUAGG_COMPILED_NOT)
		return p->interpreted;
	p->compiled = gpuagg_predict_compiled(rates, work);
	rule.wish.interpreted_ns = (uint64_t) p->interpreted;
	rule.wish.compiled_ns = (uint64_t) p->compiled;
	if (c->state == GPUAGG_COMPILED_READY || c->always)
		return p->compiled;
	if (work->cached_rows <= 0 || !gpuagg_compile_waits(&rule))
		return p->interpreted;
	p->start += (double) rule.left_ns;
	return p->compiled;
}

static double
kernel_gpu(const GpuAggRates *rates, const GpuAggWork *work, GpuAggPrediction *p)
{
	double		scale = gpuagg_predict_slowness(rates, GPU_INT_OPS) / rates->units;
	double row = GPU_ROW_NS + GPU_COLUMN_NS * work->columns + GPU_INSTR_NS * work->filter_instrs;
	double		pass = GPU_INSTR_NS * work->instrs + GPU_KEY_NS * work->keys +
		GPU_TRANSITION_NS * work->transitions;
	bool		local = work->groups <= GPU_LOCAL_GROUPS;
	double		atomics = local ? local_atomics(rates, work->groups) :
		gpuagg_rates_random(rates, GPUAGG_RANDOM_ATOMIC8, gpuagg_predict_table_bytes(work));
	double		passes = gpuagg_predict_passes(work);
	double		cached = work->rows > 0 ? work->cached_rows / work->rows : 0;
	double		passed = (1 - cached) * work->passed;
	double		ns = (1 - cached) * gpuagg_predict_kernel_start(rates) +
		(passes * (work->lines * GPU_LINE_NS + (1 - cached) * work->rows * row + passed * pass) +
		 (1 - cached) * work->groups * GPU_NEW_GROUP_NS) * scale;

	if (atomics > 0 && local)
		ns = fmax(ns, passed * work->transitions / atomics * 1e9);
	else if (atomics > 0)
		ns += passed * (1 + work->transitions) / atomics * 1e9;
	return ns + work->draw_ns + cached * passes * kernel_kept(rates, work, p) +
		passes * work->pages / BATCH_PAGES * GPU_BATCH_NS * gpuagg_predict_backend_slowness(rates);
}

static double
fourth(double x)
{
	return x * x * x * x;
}

/* The longest of feed, link and kernel, and how they add up */
static double
overlap(GpuAggPrediction *p, double kernel)
{
	double		longest = fmax(p->feed, fmax(p->link, kernel));
	double		unit = fmax(longest, 1);	/* keeps powers small */

	p->bound = longest == p->feed ? GPUAGG_BOUND_FEED :
		longest == p->link ? GPUAGG_BOUND_LINK : GPUAGG_BOUND_COMPUTE;
	return unit * pow(fourth(p->feed / unit) + fourth(p->link / unit) +
					  fourth(kernel / unit), 0.25);
}

/*
 * With n processes beside the backend, which is alone while they start: what they cost is
 * paid where feeding is waited for or not.  Pages come from disk no sooner.
 */
static double
fed_by(const GpuAggRates *rates, const GpuAggPrediction *alone, int n, GpuAggBound *bound)
{
	GpuAggPrediction p = *alone;
	const int	processes = n < GPUAGG_FEEDERS_ENOUGH ? n + 1 : n;
	const double fed = p.feed - p.reads;
	const double left = fed - rates->feeder_start_ns;
	double		ns;

	if (n > 0 && left > 0)
		p.feed = p.reads + rates->feeder_start_ns +
			left * (1 + p.pages * p.page_touch / fed) / processes;
	ns = overlap(&p, p.kernel) + n * rates->feeder_ns;
	*bound = p.bound;
	return ns;
}

static int
feeders_best(const GpuAggRates *rates, const GpuAggPrediction *alone, int most)
{
	GpuAggBound bound;
	double		best = fed_by(rates, alone, 0, &bound);
	int			n = 0;

	if (!rates->gpu || rates->feeder_start_ns <= 0 || rates->feeder_ns <= 0)
		return 0;
	for (int i = 1; i <= most; i++)
	{
		const double ns = fed_by(rates, alone, i, &bound);

		if (ns >= best * pow(1 - FEEDER_SAVES, i - n))
			continue;
		best = ns;
		n = i;
	}
	return n;
}

int
gpuagg_predict_feeders(const GpuAggRates *rates, const GpuAggPrediction *prediction,
					   double pages, double page_ns, int most)
{
	GpuAggPrediction alone = *prediction;
	const double least = (rates->feed_page_ns + FEED_MISS_NS) * prediction->learned;
	const double share = prediction->pages > pages ? pages / prediction->pages : 1;

	alone.pages = pages;
	alone.reads = 0;
	alone.feed = pages * fmax(fmax(least, prediction->page_feed), page_ns);
	alone.link *= share;
	alone.kernel *= share;
	return feeders_best(rates, &alone, most);
}

static double
overlap_host(GpuAggPrediction *p, int threads)
{
	double		ns = overlap(p, p->kernel + p->feed * FEED_SHARED / threads);

	return ns + fmin(ns, SLICE_NS) / threads;
}

/* What of the kernel's time is more than computing */
static GpuAggBound
bound_kernel(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		cache = 0;

	for (int i = 0; i < rates->nlevels; i++)
		if (rates->levels[i].kind == GPUAGG_LEVEL_CACHE)
			cache = fmax(cache, (double) rates->levels[i].reach_bytes);
	if (cache == 0 || gpuagg_predict_table_bytes(work) <= GPUAGG_HOST_LOCAL_BYTES)
		return GPUAGG_BOUND_COMPUTE;
	return gpuagg_predict_table_bytes(work) <= cache ? GPUAGG_BOUND_CACHE : GPUAGG_BOUND_MEMORY;
}

/* A group, where PostgreSQL takes GROUPED_NS for a row */
static double
emit_group(const GpuAggWork *work)
{
	double		kept = work->rows > 0 ? work->cached_rows / work->rows : 0;

	return EMIT_NS + EMIT_OUTPUT_NS * (work->outputs + work->strings) +
		EMIT_NUMERIC_NS * work->numeric_outputs + EMIT_AVERAGE_NS * work->averages +
		VARIANCE_NS * work->variances + (EMIT_STRING_NS + EMIT_NUMBER_NS * kept) * work->strings;
}

static double
emit(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		reads = rates->gpu ? GPU_EMIT_READS : EMIT_READS;
	double		returned = work->groups - work->left_out;
	double		strings = STRING_BYTE_NS * fmax(0, work->string_bytes - NEAR_STRING_BYTES);

	double		emitted = work->made > 0 && !work->regrouped ? work->made : returned;

	return (emitted * emit_group(work) + returned * strings) *
		gpuagg_predict_backend_slowness(rates) +
		returned * gpuagg_predict_read(rates, reads * work->output_bytes) +
		work->chosen * CHOSEN_NS + work->chosen_pages * rates->feed_page_ns;
}

/* By the device: a card reads the entries of a table, half of which are empty. */
static double
regroup_on_device(const GpuAggRates *rates, const GpuAggWork *work, double groups)
{
	const double rate = rates->ceiling[GPUAGG_CEILING_MEMORY_READ];
	const double reads = fmax(work->reads, 1);

	if (!rates->gpu)
		return reads * groups * REGROUP_HOST_NS * gpuagg_predict_backend_slowness(rates) /
			rates->units;
	return rate > 0 ?
		reads * groups * (2 * work->entry_bytes / rate * 1e9 + REGROUP_CARD_NS) :
		0;
}

/* Before the first of them is returned */
static double
regroup(const GpuAggRates *rates, const GpuAggWork *work)
{
	const double share = work->ordered ?
		(work->groups - work->left_out) / fmax(work->groups, 1) :
		1;
	double		ns = REGROUP_NS + REGROUP_VALUE_NS * work->computed;

	if (work->made <= 0)
		return 0;
	if (work->regrouped)
		return regroup_on_device(rates, work, work->counted ? work->made : work->groups);
	if (work->entries > REGROUP_NEAR_ENTRIES)
		ns += REGROUP_FAR_NS;
	if (work->reads > 1)
		ns += (work->reads - 1) * REGROUP_READ_NS;
	/* a card sorts rows: that is in how it groups */
	return (work->groups * (share * ns + (work->ordered && !rates->gpu ? ORDER_NS : 0)) +
			work->word_sorts * SORT_WORD_NS + work->value_sorts * SORT_VALUE_NS +
			work->long_sorts * SORT_LONG_NS) *
		gpuagg_predict_backend_slowness(rates);
}

static double
touch(const GpuAggWork *work)
{
	return TOUCH_NS * work->checked_pages + TOUCH_GAP_NS * work->gaps;
}

static double
feed(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		ns = work->pages * (rates->feed_page_ns + FEED_MISS_NS) +
		work->checked_rows * VISIBILITY_NS +
		work->checked_pages * gpuagg_predict_read(rates, GPUAGG_PAGE_BYTES) +
		work->compared_pages * COMPARED_NS + work->gaps * GAP_NS + touch(work) +
		work->drawn_pages * DRAWN_PAGE_NS + work->read_ns;

	return rates->gpu ?
		ns + fmin(work->pages, EARLY_PAGES) * EARLY_NS * gpuagg_predict_backend_slowness(rates) :
		ns;
}

/* Over the bus, or by the host's threads, as far as that was measured */
static double
read_pages(const GpuAggRates *rates, double pages)
{
	double		rate = rates->ceiling[rates->gpu ? GPUAGG_CEILING_ZERO_COPY_IN :
									  GPUAGG_CEILING_MEMORY_READ];

	if (rate <= 0 && rates->gpu)
		rate = GPU_LINK_RATE;
	return rate > 0 ? pages * GPUAGG_PAGE_BYTES / rate * 1e9 : 0;
}

double
gpuagg_predict_start(const GpuAggRates *rates, const GpuAggWork *work)
{
	const double behind = work->cached_rows > 0 ? fmin(work->pages, 1) * GPU_BEHIND_NS : 0;

	return rates->gpu ?
		rates->round_trip_ns + (GPU_TASK_NS + behind) * gpuagg_predict_backend_slowness(rates) :
		gpuagg_predict_host_start(rates, work);
}

void
gpuagg_predict_behind(const GpuAggRates *rates, const GpuAggWork *work, GpuAggStrategyInput *input)
{
	const double groups = fmax(work->groups, 1);
	double		saved = 0;

	if (rates->gpu && work->counted)
		saved = regroup_on_device(rates, work, fmax(0, work->groups - work->made));
	else if (rates->gpu && work->ordered)
		saved = ORDER_BEHIND_NS * gpuagg_predict_backend_slowness(rates) * work->left_out;
	input->behind_ns = saved / groups;
	input->left = work->counted ? work->made : work->groups - work->left_out;
}

double
gpuagg_predict_copy(const GpuAggRates *rates, double rows, double values)
{
	const double row = rates->copy_row_ns > 0 ? rates->copy_row_ns : COPY_ROW_NS;
	const double value = rates->copy_value_ns > 0 ? rates->copy_value_ns : COPY_VALUE_NS;

	return rows * (row + value * values);
}

/*
 * What tasks took tells nothing of their start, which is measured by itself, nor of what follows.
 */
static void
learn(const GpuAggRates *rates, GpuAggPrediction *p)
{
	p->learned = rates->learned > 0 ? rates->learned : 1;
	p->feed *= p->learned;
	p->page_feed *= p->learned;
	p->page_touch *= p->learned;
	p->reads *= p->learned;
	p->link *= p->learned;
	p->kernel *= p->learned;
}

double
gpuagg_predict_unlearned(const GpuAggPrediction *p)
{
	return p->start + (p->startup - p->start) / p->learned;
}

void
gpuagg_predict(const GpuAggRates *rates, const GpuAggWork *work, GpuAggPrediction *p)
{
	double		middle;

	p->pages = work->pages;
	p->start = gpuagg_predict_passes(work) *
		(gpuagg_predict_start(rates, work) +
		 work->kept_pages * KEPT_PAGE_NS * gpuagg_predict_backend_slowness(rates));
	p->feed = gpuagg_predict_passes(work) * feed(rates, work);
	p->reads = gpuagg_predict_passes(work) * work->read_ns;
	p->link = read_pages(rates, gpuagg_predict_passes(work) * work->pages);
	p->interpreted = p->compiled = 0;
	p->kernel = rates->gpu ? kernel_gpu(rates, work, p) : gpuagg_predict_host_kernel(rates, work);
	p->emit = emit(rates, work);
	p->page_feed = p->pages > 0 ? (feed(rates, work) - work->read_ns) / p->pages : 0;
	p->page_touch = p->pages > 0 ? touch(work) / p->pages : 0;
	middle = rates->gpu ?
		fed_by(rates, p, feeders_best(rates, p, work->feeders), &p->bound) :
		overlap_host(p, rates->units);
	learn(rates, p);
	middle *= p->learned;
	p->startup = p->start + middle + p->learned * regroup(rates, work);
	p->total = p->startup + p->emit;
	if (p->start > fmax(middle, p->emit))
		p->bound = GPUAGG_BOUND_START;
	else if (p->emit > middle)
		p->bound = GPUAGG_BOUND_EMIT;
	else if (p->bound == GPUAGG_BOUND_COMPUTE)
		p->bound = bound_kernel(rates, work);
}

double
gpuagg_predict_input(const GpuAggRates *rates, const GpuAggWork *work)
{
	GpuAggWork	pass = *work;
	GpuAggPrediction p;

	pass.groups = 1;
	pass.made = pass.left_out = 0;
	pass.transitions = 0;
	pass.passes = 1;
	pass.compiled.state = GPUAGG_COMPILED_NOT;
	gpuagg_predict(rates, &pass, &p);
	/* strategies, which it is compared with, are not scaled either */
	return gpuagg_predict_unlearned(&p);
}

/* One of so many groups, in PostgreSQL, without its outputs, which were measured, too */
static double
postgres_group(const GpuAggRates *rates, double groups)
{
	double		outputs = GPUAGG_MEASURED_VALUES * POSTGRES_OUTPUT * rates->postgres_value_ns;
	double		far = fmax(0, rates->postgres_group_ns - outputs);
	double		near = fmin(far, POSTGRES_NEAR_NS * gpuagg_predict_backend_slowness(rates));
	double share = log(fmax(groups, 1) / NEAR_GROUPS) / log(GPUAGG_MEASURED_GROUPS / NEAR_GROUPS);

	return near + (far - near) * fmin(fmax(share, 0), 1);
}

static double
postgres_start(const GpuAggRates *rates, const GpuAggWork *work)
{
	return POSTGRES_QUERY_NS * gpuagg_predict_backend_slowness(rates) +
		gpuagg_predict_read(rates, fmin(POSTGRES_START_BYTES, work->pages * GPUAGG_PAGE_BYTES));
}

/* A row's attributes, keys and transitions, and a group's outputs; in values */
static double
postgres_values(const GpuAggWork *work)
{
	double		stopped = work->rows - work->passed;
	double		key = work->keys > 0 ? POSTGRES_KEY +
		POSTGRES_FURTHER_KEY * (work->keys - 1) +
		POSTGRES_STRING_KEY * work->string_keys : 0;
	double		outputs = work->outputs + work->numeric_outputs + work->averages + work->variances +
		work->strings;

	return work->rows * work->filter_instrs * POSTGRES_FILTER +
		(stopped * work->filter_attrs + work->passed * work->attrs) * POSTGRES_ATTRIBUTE +
		work->passed * (key + POSTGRES_TRANSITION * work->transitions) +
		work->groups * outputs * POSTGRES_OUTPUT;
}

/*
 * PostgreSQL, for comparison: lines of a sample are hashed one by one.  As its plan
 * takes in the mean, while all else is in proportion to fastest runs.
 */
double
gpuagg_predict_postgres(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		pages = work->lines > 0 ? 0 : work->pages;
	double		rows = work->passed + POSTGRES_REJECTED * (work->rows - work->passed);

	return (postgres_start(rates, work) + gpuagg_predict_read(rates, pages * GPUAGG_PAGE_BYTES) +
			work->lines * POSTGRES_LINE_NS + rows * rates->postgres_row_ns +
			(postgres_values(work) + work->chosen) * rates->postgres_value_ns +
			work->groups *
				(postgres_group(rates, work->groups) +
				 VARIANCE_NS * work->variances * gpuagg_predict_backend_slowness(rates))) *
		fmax(1, rates->postgres_slowdown);
}

/* Are random reads slower by far in a region that is somewhat larger than so much? */
static bool
is_cliff(const GpuAggRates *rates, double bytes)
{
	return gpuagg_rates_random(rates, GPUAGG_RANDOM_READ8, bytes * CLIFF_BEYOND) <=
		CLIFF_SHARE * gpuagg_rates_random(rates, GPUAGG_RANDOM_READ8, bytes);
}

/*
 * The farthest level of a kind that the profile has; of TLB levels, of those whose
 * misses are seen in random reads, too: a step of some cycles, as H100s and H200s have
 * at 256 MiB, costs less than windows do.
 */
static double
reach(const GpuAggRates *rates, GpuAggLevelKind kind)
{
	double		bytes = 0;

	for (int i = 0; i < rates->nlevels; i++)
		if (rates->levels[i].kind == kind &&
			(kind != GPUAGG_LEVEL_TLB || is_cliff(rates, rates->levels[i].reach_bytes)))
			bytes = fmax(bytes, (double) rates->levels[i].reach_bytes);
	return bytes;
}

void
gpuagg_rates_strategy(const GpuAggRates *rates, GpuAggStrategyRates *strategy)
{
	memset(strategy, 0, sizeof(*strategy));
	strategy->local_bytes = rates->gpu ? GPUAGG_LOCAL_MAX_BYTES : GPUAGG_HOST_LOCAL_BYTES;
	strategy->local_updates = rates->ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1024];
	/*
	 * No passes of a CPU, whose device sorts rows by partition in a single one: in
	 * passes of its last cache a grouping took 1.5 to 4.3 times as long.  Entries of its
	 * TLBs are those of 4 KiB pages, and misses short.
	 */
	if (rates->gpu)
	{
		strategy->cache_bytes = reach(rates, GPUAGG_LEVEL_CACHE);
		strategy->tlb_bytes = reach(rates, GPUAGG_LEVEL_TLB);
		strategy->shared_bytes = rates->unit_shared_bytes;
	}
	else
	{
		strategy->part_bytes = rates->part_bytes;
		strategy->threads = (uint32_t) rates->units;
	}
	strategy->tlb_groups = gpuagg_spatial_ngroups(&rates->tlb_groups);
	strategy->stream_bytes = rates->ceiling[GPUAGG_CEILING_MEMORY_READ];
	strategy->partition_rows = rates->ceiling[GPUAGG_CEILING_PARTITION];
	strategy->npoints = rates->npoints;
	for (int i = 0; i < rates->npoints; i++)
	{
		strategy->points[i].bytes = rates->points[i].bytes;
		strategy->points[i].updates = rates->points[i].rate[GPUAGG_RANDOM_ATOMIC8];
	}
}

/*
 * No windows that a cache holds: each makes the draws written once more, which
 * takes longer than the cache saves (H200, 128 MiB: 0.74 times the draws a
 * second).
 */
void
gpuagg_rates_draws(const GpuAggRates *rates, GpuAggDrawRates *draws)
{
	memset(draws, 0, sizeof(*draws));
	if (!rates->gpu)
		return;
	draws->made = gpuagg_draw_made(rates->ceiling[GPUAGG_CEILING_INT_OPS]);
	draws->tlb_bytes = reach(rates, GPUAGG_LEVEL_TLB);
	draws->launch_ns = rates->ceiling[GPUAGG_CEILING_LAUNCH];
	draws->groups = gpuagg_spatial_ngroups(&rates->tlb_groups);
	draws->npoints = rates->npoints;
	for (int i = 0; i < rates->npoints; i++)
	{
		draws->points[i].bytes = rates->points[i].bytes;
		draws->points[i].reads = rates->points[i].rate[GPUAGG_RANDOM_READ8];
	}
}

const char *
gpuagg_bound_name(GpuAggBound bound)
{
	static const char *const names[] = {
		"feed", "link", "compute", "cache", "memory", "emit", "start"
	};

	return names[bound];
}
