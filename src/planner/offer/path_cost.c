/*
 * path_cost.c
 *		Cost of GpuAgg and GpuSample paths, from the profile of the device that
 *		runs tasks.
 *
 * cost/predict.c says how many nanoseconds a task takes; it has the
 * formulas.  Here they become PostgreSQL's units:
 *
 *		cost = pages * page_cost + ns / unit
 *
 * of the CPU's part multiplied with gpuagg.cost_scale.  Pages are charged as a
 * sequential scan charges them, because the same reads take place; but for those
 * that the column cache has, as far as its list tells, and those that it has had, which are in
 * shared_buffers since they were changed.  Pages that shared_buffers cannot hold are
 * read in every run, by the one backend that feeds: of the kernel's cache, or beyond
 * effective_cache_size of a disk, as fast as their cost says.  That is in the prediction; in the
 * cost as far as PostgreSQL's plan, whose processes read at the same time, is sooner.
 *
 * The unit is the one of this very query: PostgreSQL's own plan of it, one
 * process that scans and hashes, has a cost in units, and is predicted, too, in
 * ns, from what rows, values and groups were measured to take (postgres_*_ns)
 * and from what it reads.
 * A mean unit (cost_unit_ns) would not do: a grouping into many groups takes
 * ten times as long for a unit as a scan, and the planner would choose wrongly
 * by as much.
 *
 * Of a Bernoulli sample PostgreSQL's model charges almost nothing but pages, and
 * leaves out the lines that are looked at and not chosen, which take most of
 * the time.  There the unit is taken from its whole cost, pages and all.
 *
 * The rows of a plan cost what that plan does, the copy of their values, and a task that reads
 * no page.  The unit is that of PostgreSQL's aggregation alone: what it is predicted to take
 * of values and groups, without scanning, for the units by which it exceeds the plan below.
 * Copying and grouping overlap, but for a processor that has both to do; so they add up.
 *
 * What one process reads for look-up tables is compared with what PostgreSQL's own plan does at the
 * same time, perhaps in several processes (path_speed.h).
 *
 * Tasks that wait for a place on the device are waited for: what that takes now is added.
 *
 * Does not handle: rows that PostgreSQL must evaluate (compressed values), tasks that run
 * on the device at the same time.
 */
#include "postgres.h"

#include "cost/choose.h"
#include "device/device.h"
#include "device/layout.h"
#include "host/machine.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/offer/path_cost.h"
#include "settings.h"

/*
 * No unit takes longer: a grouping of rows that are all groups of their own.
 * What a query takes to begin is less than what a task takes on top of its
 * round trip.
 */
#define LARGEST_UNIT_NS 50000.0

/* Reading a page from the kernel's cache */
#define REREAD_PAGE_NS 2500.0

/* A group of one of several tables is received, found among the others, and added */
#define MERGE_GROUP_NS 250.0

static int	cpus = 1;			/* of the server */

/*
 * The profile's rates; of the host device with the threads that it has now,
 * which may be other ones than when it was measured.  What memory gives all of
 * them together stays.
 */
void
gpuagg_cost_rates(GpuAggRates *rates)
{
	int			threads = gpuagg_cost_threads();
	double		share;

	*rates = gpuagg_profile_planned()->rates;
	gpuagg_profile_feeder_rates(rates);
	if (rates->gpu || rates->units == threads)
		return;
	share = (double) threads / rates->units;
	rates->ceiling[GPUAGG_CEILING_INT_OPS] *= share;
	rates->ceiling[GPUAGG_CEILING_GROUP] *= share;
	for (int i = 0; i < rates->npoints; i++)
		for (int kind = 0; kind < GPUAGG_NRANDOMS; kind++)
			rates->points[i].rate[kind] *= share;
	rates->units = threads;
}

/* Of pages that are fed, those that shared_buffers cannot hold; ns */
static double
read_ns(const GpuAggRates *rates, const GpuAggCostInput *input, double fed)
{
	const double share = fed / Max(input->pages, 1);
	const double beyond = Max(input->pages - NBuffers, 0) * share;
	const double disk = Max(input->pages - effective_cache_size, 0) * share;

	return beyond * REREAD_PAGE_NS + Min(disk, beyond) * input->page_cost * rates->cost_unit_ns;
}

/*
 * What of a prediction PostgreSQL's plan has to read, too, in so much less time as it has processes
 */
static double
read_anyway(const GpuAggRates *rates, const GpuAggWork *work, const GpuAggCostInput *input,
			const GpuAggPrediction *p)
{
	GpuAggWork	held = *work;
	GpuAggPrediction without;

	if (work->read_ns <= 0)
		return 0;
	held.read_ns = 0;
	gpuagg_predict(rates, &held, &without);
	return Min(Max(p->startup - without.startup, 0), p->reads / Max(input->speed, 1));
}

static bool
is_string(const GpuAggOutput *output, const GpuAggProgram *program)
{
	return gpuagg_final_traits(output->final)->cost == GPUAGG_COST_STRING ||
		(gpuagg_final_is_key(output->final) &&
		 gpuagg_key_is_string(gpuagg_program_keys(program)[output->index].type));
}

/*
 * What becomes of a group's outputs; an average is a division, of a numeric that is made first or
 * of an integer.
 */
static void
work_outputs(GpuAggWork *work, const GpuAggPlanInfo *info)
{
	for (int i = 0; i < info->noutputs; i++)
	{
		const GpuAggOutput *output = &info->outputs[i];
		const uint8 cost = gpuagg_final_traits(output->final)->cost;

		if (cost == GPUAGG_COST_VARIANCE)
			work->variances++;
		else if (is_string(output, info->program))
			work->strings++;
		else if (cost == GPUAGG_COST_INT_DIVISION)
			work->averages++;
		else if (cost == GPUAGG_COST_DIVISION)
		{
			work->numeric_outputs++;
			work->averages++;
		}
		else if (cost == GPUAGG_COST_NUMERIC || output->type == GPUAGG_T_NUMERIC)
			work->numeric_outputs++;
		else
			work->outputs++;
	}
}

static void
work_sorts(GpuAggWork *work, const GpuAggCostSorts *sorts)
{
	work->word_sorts = sorts->words;
	work->value_sorts = sorts->values;
	work->long_sorts = sorts->longs;
}

static void
work_fill(GpuAggWork *work, const GpuAggCostInput *input,
		  const GpuAggPlanInfo *info)
{
	memset(work, 0, sizeof(*work));
	gpuagg_choose_work(work, info->program);
	work->compiled.numbers = info->est_numbers;
	work->pages = input->pages * (1 - input->cached);
	work->kept_pages = input->pages * input->cached;
	work->cached_rows = input->rows * input->cached;
	work->checked_rows = input->rows * input->checked;
	work->checked_pages = input->pages * input->checked;
	work->compared_pages = input->pages * input->compared;
	work->gaps = input->pages * input->gaps;
	work->feeders = input->feeders;
	work->drawn_pages = input->drawn;
	work->lines = input->lines;
	work->sampled = info->sample == GPUAGG_SAMPLE_BERNOULLI ? input->lines : 0;
	work->rows = input->rows;
	work->passed = input->passed;
	if (info->program->select)
	{
		work->chosen = input->passed;
		work->chosen_pages = Min(input->pages, input->passed);
		return;
	}
	work->groups = input->groups;
	work->left_out = input->groups - input->returned;
	work->made = input->made;
	work->regrouped = input->regrouped;
	work->counted = input->counted;
	work->ordered = input->ordered;
	work->entries = input->entries;
	work->reads = input->reads;
	work->computed = input->computed;
	work_sorts(work, input->ordered ? &input->few_sorts : &input->sorts);
	work->string_bytes = input->string_bytes;
	work->output_bytes = work->entry_bytes;
	work_outputs(work, info);
}

/* Draws are from all lines of the table. */
static double
draw_ns(const GpuAggWork *work, const GpuAggPlanInfo *info)
{
	GpuAggDrawPlan plan;

	if (info->sample != GPUAGG_SAMPLE_DRAWS)
		return 0;
	gpuagg_choose_draws(gpuagg_shmem_plan_device(), info->program, work->rows, work->lines, false,
						&plan);
	return plan.predicted_ns[plan.way];
}

/*
 * ns of one cost unit, for this task.  Where PostgreSQL's cost says nothing,
 * the mean one.
 */
static double
task_unit(const GpuAggRates *rates, const GpuAggWork *work,
		  const GpuAggCostInput *input, const GpuAggPlanInfo *info)
{
	double		units = input->postgres_cost - input->plan_cost;
	double		scan_ns = 0;
	GpuAggWork	all = *work;

	/* the column cache is ours alone */
	all.pages = input->pages;
	if (work->lines == 0)
		units -= input->pages * input->page_cost;
	if (units < 1)
		return rates->cost_unit_ns / input->scale;
	if (info->of_plan)
	{
		all.attrs = 0;
		scan_ns = work->rows * rates->postgres_row_ns * Max(1, rates->postgres_slowdown);
	}
	return (gpuagg_predict_postgres(rates, &all) - scan_ns) / units / input->scale;
}

/* Of several tables each has its task, and groups are merged before the first is returned. */
static void
predict_tables(const GpuAggRates *rates, const GpuAggCostInput *input, GpuAggPrediction *p)
{
	double		ns;

	if (input->tasks <= 1)
		return;
	ns = (input->tasks - 1) * rates->round_trip_ns + input->merged * MERGE_GROUP_NS;
	p->start += ns;
	p->startup += ns;
	p->total += ns;
}

/*
 * Look-up tables and look-ups: what the device takes is scaled as the rest is, rows of plans are
 * not.
 */
static void
predict_lookups(const GpuAggCostInput *input, GpuAggPlanInfo *info, double unit)
{
	GpuAggPrediction *p = &info->predicted;
	const double ns = input->lookup_ns * p->learned;

	for (int i = 0; i < info->nlookups; i++)
	{
		GpuAggLookupExpected *expected = &info->lookups[i].expected;

		expected->make_ns = expected->make_ns * p->learned + expected->make_cost * unit;
	}
	p->kernel += ns;
	p->startup += ns;
	p->total += ns;
}

/*
 * Of the rows of a plan.  Its own time, by the mean unit, is for EXPLAIN; its cost counts.
 * Returns what counts, in ns.
 */
static double
predict_plan(const GpuAggRates *rates, const GpuAggCostInput *input, GpuAggPlanInfo *info)
{
	GpuAggPrediction *p = &info->predicted;
	const double copy = !info->of_plan ?
		0 :
		gpuagg_predict_copy(rates, input->rows, input->plan_values);
	const double whole = copy + input->plan_cost * rates->cost_unit_ns;
	const double counts = p->startup + copy;

	p->feed += whole;
	p->startup += whole;
	p->total += whole;
	return counts;
}

static uint64
backlog_us(int device)
{
	return pg_atomic_read_u64(&gpuagg_shmem_state(device)->backlog_us);
}

/* How long it would wait for those before it, were it asked for now; of several GPUs, on
 * the one where that is least */
static double
waiting_ns(const GpuAggPrediction *p)
{
	uint64		least;

	if (p->startup <= GPUAGG_SHORT_MS * 1e6)
		return 0;
	least = backlog_us(gpuagg_shmem_plan_device());
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		const uint64 us = gpuagg_shmem_is_gpu(i) ? backlog_us(i) : least;

		least = Min(least, us);
	}
	return (double) least * 1000;
}

/* Of several strategies a GPU returns few groups of those that it makes where rows are sorted. */
static void
settle_order(const GpuAggRates *rates, const GpuAggCostInput *input,
			 const GpuAggStrategyChoice *pages, const GpuAggResidentChoice *resident,
			 GpuAggWork *work)
{
	const bool	kept = work->cached_rows <= 0 || resident->runs == GPUAGG_STRATEGY_SORTED;
	const bool	read = work->pages <= 0 || pages->within == GPUAGG_STRATEGY_SORTED;

	work->counted &= rates->gpu && kept && read;
	if (!rates->gpu || !work->ordered || (kept && read))
		return;
	work->ordered = false;
	work->left_out = 0;
	work_sorts(work, &input->sorts);
}

/* Predicts, and turns into units */
static GpuAggCost
task_cost(const GpuAggCostInput *input, GpuAggPlanInfo *info)
{
	const int	device = gpuagg_shmem_plan_device();
	const GpuAggProfile *profile = gpuagg_profile_get(device);
	GpuAggRates rates;
	GpuAggWork	work;
	GpuAggCost	cost;
	double		unit;
	double		startup_ns;
	double		anyway_ns;
	GpuAggStrategyChoice choice;
	GpuAggResidentChoice resident;

	gpuagg_cost_rates(&rates);
	work_fill(&work, input, info);
	gpuagg_choose(device, &work, info->program, false, &choice);
	gpuagg_choose_resident(device, &work, info->program, false, &resident);
	if (info->sample == GPUAGG_SAMPLE_DRAWS)
		work.compiled.state = GPUAGG_COMPILED_NOT;
	settle_order(&rates, input, &choice, &resident, &work);
	work.passes = choice.passes;
	work.draw_ns = draw_ns(&work, info);
	work.read_ns = read_ns(&rates, input, work.pages);
	gpuagg_predict(&rates, &work, &info->predicted);
	anyway_ns = read_anyway(&rates, &work, input, &info->predicted);
	predict_tables(&rates, input, &info->predicted);
	info->profile = profile->id;
	info->profile_origin = profile->origin;
	info->profile_elsewhere = profile->elsewhere;

	unit = task_unit(&rates, &work, input, info);
	predict_lookups(input, info, unit);
	startup_ns = predict_plan(&rates, input, info);
	cost.startup = (startup_ns - anyway_ns + input->beside_ns) / unit + input->lookup_cost +
		input->plan_cost;
	if (work.lines == 0)
		cost.startup += (work.pages - input->pages * input->recent) * input->page_cost;
	cost.startup += waiting_ns(&info->predicted) / unit;
	cost.total = cost.startup + info->predicted.emit / unit;
	cost.returned = work.made > 0 && !work.regrouped ? work.made : work.groups - work.left_out;
	return cost;
}

GpuAggCost
gpuagg_cost_agg(const GpuAggCostInput *input, GpuAggPlanInfo *info)
{
	return task_cost(input, info);
}

/*
 * Pages with chosen rows are pinned once more, and read once more if
 * shared_buffers or even the kernel's cache cannot have kept them.
 */
GpuAggCost
gpuagg_cost_sample(const GpuAggCostInput *input, GpuAggPlanInfo *info)
{
	double		again = Min(input->pages, input->passed);
	GpuAggCost	cost = task_cost(input, info);

	if (input->ring)
		cost.total += again * REREAD_PAGE_NS /
			gpuagg_profile_planned()->rates.cost_unit_ns;
	if (input->pages > effective_cache_size)
		cost.total += again * input->page_cost;
	return cost;
}

Cost
gpuagg_cost_floor(void)
{
	const GpuAggRates *rates = &gpuagg_profile_planned()->rates;

	return rates->round_trip_ns / LARGEST_UNIT_NS * gpuagg_cost_scale;
}

void
gpuagg_cost_init(void)
{
	cpus = gpuagg_host_cpus();
}

int
gpuagg_cost_threads(void)
{
	return gpuagg_host_threads > 0 ? gpuagg_host_threads : cpus;
}
