/*
 * predict.c
 *		How long a task takes on a device of a given profile.
 *
 * All times in ns.  With p pages that are fed, r rows, s rows that pass the
 * filter, g groups, n units of the device:
 *
 *		start	round trip of an empty task, and TASK_NS
 *		feed	p * feed_page_ns + JUDGE_NS * rows that are judged one by one
 *		link	p * 8192 / zero_copy_in					(GPU)
 *		kernel	lines * SAMPLE / n + r * row / n + s * pass / n + groups
 *		emit	g * (bytes / copy_out + per output)
 *
 * where row and pass add up what the program does (attributes crossed,
 * columns loaded, instructions, keys, transitions; of rows that the column cache
 * has, no attributes, and nothing for the row itself), scaled by the integer
 * rate of a unit, and groups is what a group table of t bytes costs:
 *
 *		GPU		g * NEW_GROUP / n + s * accesses / atomic rate of t bytes, or, while
 *				the blocks' own tables hold the groups, no less in all than
 *				s * transitions / atomic rate in shared memory on so many addresses
 *		host	l * n * (1 - exp(-s / (l * n))) * NEW_GROUP / n
 *				+ (g - l) * SHARED_GROUP / n
 *				+ s * TOUCHES / read rate of t bytes, if g > l
 *
 * The host's threads have tables of their own, for l groups at most, with those that
 * their rows fall into.  Groups of a GPU are in its blocks' tables while they are few.
 * Random rates are the profile's curve at t, so all reaches are in it.
 *
 * A GPU overlaps feed, link and kernel: the longest counts, and of the others
 * OVERLAP_LOSS.  The host device's threads share the cores with the backend
 * that feeds: (feed + kernel * n) / n, but no less than the feed.
 *
 * Several passes over the pages multiply feed, link, and of the kernel what is
 * done for rows before they are grouped.
 *
 * Constants are of one unit of the machines named beside them; a profile's
 * int_ops ceiling scales them to another.
 */
#include <math.h>
#include <string.h>

#include "profile/predict.h"

/* A row whose visibility is asked for (feed.c: 1.3 us for 185) */
#define JUDGE_NS 7.0

/* Host device, one thread that does HOST_INT_OPS a second (EPYC, 2.6 GHz) */
#define HOST_INT_OPS 7.0e9
#define HOST_LINE_NS 1.3
#define HOST_TASK_NS 300000.0	/* threads wake up, and go to sleep */
#define HOST_ROW_NS 10.0
#define HOST_ATTRIBUTE_NS 0.8
#define HOST_COLUMN_NS 0.8
#define HOST_INSTR_NS 0.5
#define HOST_GROUP_NS 1.5
#define HOST_KEY_NS 3.0
#define HOST_TRANSITION_NS 0.5
#define HOST_NEW_GROUP_NS 100.0 /* in a thread's table, and merged */
#define HOST_SHARED_GROUP_NS 75.0
#define HOST_TOUCHES 2.0		/* the directory, the row */
#define HOST_CACHE_BYTES (1024.0 * 1024.0)	/* a thread's table (groups.c) */
#define HOST_PARTS_LEAST 32.0	/* of half an L2 cache (partitions.c) */

/* GPU, one multiprocessor that does GPU_INT_OPS a second (H200) */
#define GPU_INT_OPS 1.2e11
#define GPU_LINE_NS 0.5
#define GPU_TASK_NS 300000.0	/* streams, a table, the first batches */
#define GPU_ROW_NS 60.0
#define GPU_COLUMN_NS 5.0
#define GPU_INSTR_NS 10.0
#define GPU_KEY_NS 15.0
#define GPU_TRANSITION_NS 9.0
#define GPU_NEW_GROUP_NS 500.0
#define GPU_LINK_RATE 40e9		/* where none was measured */
#define GPU_LOCAL_GROUPS 1000.0
#define GPU_LOCAL_BYTES (47.0 * 1024)

/* Pages of a batch, and what each costs on top: launches and completion */
#define BATCH_PAGES 700.0
#define GPU_BATCH_NS 30000.0

/* Deciding whether a line belongs to a sample, in PostgreSQL */
#define POSTGRES_LINE_NS 14.0

/* Of what overlaps with something longer, so much is felt */
#define OVERLAP_LOSS 0.15

/* Groups on their way to tuples */
#define EMIT_NS 22.0
#define EMIT_OUTPUT_NS 3.5
#define EMIT_NUMERIC_NS 28.0
#define EMIT_AVERAGE_NS 92.0	/* a numeric division */
#define EMIT_RATE 1e10			/* bytes a second through the queue */

/* Rows that a backend forms (GpuSample); pages cost another pin */
#define CHOSEN_NS 50.0

double
gpuagg_rates_random(const GpuAggRates *rates, GpuAggRandomKind kind, double bytes)
{
	int			i = 0;
	double		share;

	if (rates->npoints == 0)
		return 0;
	while (i < rates->npoints && rates->points[i].bytes < bytes)
		i++;
	if (i == 0 || i == rates->npoints)
		return rates->points[i == 0 ? 0 : i - 1].rate[kind];
	share = log(bytes / rates->points[i - 1].bytes) /
		log(rates->points[i].bytes / rates->points[i - 1].bytes);
	return rates->points[i - 1].rate[kind] +
		share * (rates->points[i].rate[kind] - rates->points[i - 1].rate[kind]);
}

/* How much slower a unit is than the one whose constants these are */
static double
slowness(const GpuAggRates *rates, double reference)
{
	double		ops = rates->ceiling[GPUAGG_CEILING_INT_OPS] / rates->units;

	return ops > 0 ? reference / ops : 1;
}

static double
passes(const GpuAggWork *work)
{
	return fmax(1, work->passes);
}

/* Bytes of a pass's table, half full */
static double
table_bytes(const GpuAggWork *work)
{
	return 2 * work->groups / passes(work) * work->entry_bytes;
}

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

static double
kernel_gpu(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		scale = slowness(rates, GPU_INT_OPS) / rates->units;
	double		row = GPU_ROW_NS + GPU_COLUMN_NS * work->columns +
		GPU_INSTR_NS * work->filter_instrs;
	double		pass = GPU_INSTR_NS * work->instrs + GPU_KEY_NS * work->keys +
		GPU_TRANSITION_NS * work->transitions;
	bool		local = work->groups <= GPU_LOCAL_GROUPS;
	double		atomics = local ? local_atomics(rates, work->groups) :
		gpuagg_rates_random(rates, GPUAGG_RANDOM_ATOMIC8, table_bytes(work));
	double		ns = (passes(work) * (work->lines * GPU_LINE_NS + work->rows * row -
									  work->cached_rows * GPU_ROW_NS +
									  work->passed * pass) +
					  work->groups * GPU_NEW_GROUP_NS) * scale;

	if (atomics > 0 && local)
		ns = fmax(ns, work->passed * work->transitions / atomics * 1e9);
	else if (atomics > 0)
		ns += work->passed * (1 + work->transitions) / atomics * 1e9;
	return ns + passes(work) * work->pages / BATCH_PAGES * GPU_BATCH_NS;
}

/*
 * Group tables of the host device, time of all threads together.  A thread's
 * table is emptied into the shared ones at the end, or when it is full.
 */
static double
groups_host(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		local = fmin(work->groups, HOST_CACHE_BYTES / 2 / work->entry_bytes);
	double		tables = local * rates->units;
	double		ns;
	double		reads;

	if (work->groups <= 0)
		return 0;
	ns = (tables * (1 - exp(-work->passed / tables)) * HOST_NEW_GROUP_NS +
		  (work->groups - local) * HOST_SHARED_GROUP_NS) *
		slowness(rates, HOST_INT_OPS);
	reads = gpuagg_rates_random(rates, GPUAGG_RANDOM_READ32, table_bytes(work));
	if (work->groups > local && reads > 0)
		ns += work->passed * HOST_TOUCHES * rates->units / reads * 1e9;
	return ns;
}

static double
kernel_host(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		row = HOST_ROW_NS + HOST_ATTRIBUTE_NS * work->attributes +
		HOST_COLUMN_NS * work->columns + HOST_INSTR_NS * work->filter_instrs;
	double		pass = HOST_INSTR_NS * work->instrs +
		HOST_TRANSITION_NS * work->transitions;

	if (work->keys > 0)
		pass += HOST_GROUP_NS + HOST_KEY_NS * work->keys;
	return ((passes(work) * (work->lines * HOST_LINE_NS + work->rows * row -
							 work->cached_rows * (HOST_ROW_NS + HOST_ATTRIBUTE_NS *
												  work->attributes)) +
			 (passes(work) - 1) * work->passed * (HOST_GROUP_NS + HOST_KEY_NS * work->keys) +
			 work->passed * pass) * slowness(rates, HOST_INT_OPS) +
			groups_host(rates, work)) / rates->units;
}

/* The longest of feed, link and kernel, and how they add up */
static double
overlap_gpu(GpuAggPrediction *p)
{
	double		longest = fmax(p->feed, fmax(p->link, p->kernel));
	double		others = p->feed + p->link + p->kernel - longest;

	p->bound = longest == p->feed ? GPUAGG_BOUND_FEED :
		longest == p->link ? GPUAGG_BOUND_LINK : GPUAGG_BOUND_COMPUTE;
	return longest + OVERLAP_LOSS * others;
}

static double
overlap_host(GpuAggPrediction *p, int threads)
{
	double		shared = (p->feed + p->kernel * threads) / threads;

	p->bound = p->feed > p->kernel ? GPUAGG_BOUND_FEED : GPUAGG_BOUND_COMPUTE;
	return fmax(p->feed, shared);
}

/* What of the kernel's time is more than computing */
static GpuAggBound
bound_kernel(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		cache = 0;

	for (int i = 0; i < rates->nlevels; i++)
		if (rates->levels[i].kind == GPUAGG_LEVEL_CACHE)
			cache = fmax(cache, (double) rates->levels[i].reach_bytes);
	if (cache == 0 || table_bytes(work) <= HOST_CACHE_BYTES)
		return GPUAGG_BOUND_COMPUTE;
	return table_bytes(work) <= cache ? GPUAGG_BOUND_CACHE : GPUAGG_BOUND_MEMORY;
}

static double
emit(const GpuAggRates *rates, const GpuAggWork *work)
{
	return work->groups * (EMIT_NS + EMIT_OUTPUT_NS * work->outputs +
						   EMIT_NUMERIC_NS * work->numeric_outputs +
						   EMIT_AVERAGE_NS * work->averages +
						   work->output_bytes / EMIT_RATE * 1e9) +
		work->chosen * CHOSEN_NS + work->chosen_pages * rates->feed_page_ns;
}

void
gpuagg_predict(const GpuAggRates *rates, const GpuAggWork *work, GpuAggPrediction *p)
{
	double		link = rates->ceiling[GPUAGG_CEILING_ZERO_COPY_IN];
	double		middle;

	p->start = passes(work) *
		(rates->round_trip_ns + (rates->gpu ? GPU_TASK_NS : HOST_TASK_NS));
	p->feed = passes(work) *
		(work->pages * rates->feed_page_ns + work->judged_rows * JUDGE_NS);
	p->link = rates->gpu ? passes(work) * work->pages * GPUAGG_PAGE_BYTES /
		(link > 0 ? link : GPU_LINK_RATE) * 1e9 : 0;
	p->kernel = rates->gpu ? kernel_gpu(rates, work) : kernel_host(rates, work);
	p->emit = emit(rates, work);
	middle = rates->gpu ? overlap_gpu(p) : overlap_host(p, rates->units);
	p->startup = p->start + middle;
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
	pass.transitions = 0;
	pass.passes = 1;
	gpuagg_predict(rates, &pass, &p);
	return p.startup;
}

/*
 * PostgreSQL, for comparison: lines of a sample are hashed one by one; a filter's
 * instructions and a grouping's keys and aggregates cost a value each.
 */
double
gpuagg_predict_postgres(const GpuAggRates *rates, const GpuAggWork *work)
{
	return work->lines * POSTGRES_LINE_NS + work->rows * rates->postgres_row_ns +
		work->rows * work->filter_instrs * rates->postgres_value_ns +
		work->passed * (work->keys + work->transitions) * rates->postgres_value_ns +
		work->groups * rates->postgres_group_ns +
		work->chosen * rates->postgres_value_ns;
}

/* The farthest level of a kind that the profile has */
static double
reach(const GpuAggRates *rates, GpuAggLevelKind kind)
{
	double		bytes = 0;

	for (int i = 0; i < rates->nlevels; i++)
		if (rates->levels[i].kind == kind)
			bytes = fmax(bytes, (double) rates->levels[i].reach_bytes);
	return bytes;
}

static double
level2_bytes(const GpuAggRates *rates)
{
	for (int i = 0; i < rates->nlevels; i++)
		if (rates->levels[i].kind == GPUAGG_LEVEL_CACHE && rates->levels[i].level == 2)
			return (double) rates->levels[i].reach_bytes;
	return HOST_CACHE_BYTES;
}

void
gpuagg_rates_strategy(const GpuAggRates *rates, GpuAggStrategyRates *strategy)
{
	memset(strategy, 0, sizeof(*strategy));
	strategy->local_bytes = rates->gpu ? GPU_LOCAL_BYTES : HOST_CACHE_BYTES;
	strategy->local_updates = rates->ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1024];
	strategy->cache_bytes = reach(rates, GPUAGG_LEVEL_CACHE);
	/* of a CPU, entries are those of 4 KiB pages, and misses short */
	strategy->tlb_bytes = rates->gpu ? reach(rates, GPUAGG_LEVEL_TLB) : 0;
	if (!rates->gpu)
	{
		strategy->part_bytes = level2_bytes(rates) / 2;
		strategy->parts_least = HOST_PARTS_LEAST;
	}
	strategy->stream_bytes = rates->ceiling[GPUAGG_CEILING_MEMORY_READ];
	strategy->partition_rows = rates->ceiling[GPUAGG_CEILING_PARTITION];
	strategy->npoints = rates->npoints;
	for (int i = 0; i < rates->npoints; i++)
	{
		strategy->points[i].bytes = rates->points[i].bytes;
		strategy->points[i].updates = rates->points[i].rate[GPUAGG_RANDOM_ATOMIC8];
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
