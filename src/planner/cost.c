/*
 * cost.c
 *		Cost of GpuAgg and GpuSample paths, from the profile of the device that
 *		runs tasks.
 *
 * profile/predict.c says how many nanoseconds a task takes; it has the
 * formulas.  Here they become PostgreSQL's units:
 *
 *		startup = pages * page_cost + (startup_ns - left_out_ns) / cost_unit_ns
 *		total	= startup + emit_ns / cost_unit_ns
 *
 * both of the CPU's part multiplied with gpuagg.cost_scale.  Pages are charged
 * as a sequential scan charges them, because the same reads take place.
 * cost_unit_ns is measured, too (profile/measure.c).
 *
 * left_out_ns: a sample of rows looks at each of the table's lines, and
 * PostgreSQL's cost model charges nothing for those that are not chosen.  So
 * that the two can be compared, what PostgreSQL leaves out is taken off here.
 *
 * Does not handle: rows that PostgreSQL must evaluate (compressed values),
 * other tasks on the device.
 */
#include "postgres.h"

#include <unistd.h>

#include "device/layout.h"
#include "gpuagg.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/cost.h"

/* Reading a page from the kernel's cache */
#define REREAD_PAGE_NS 2500.0

/* Deciding whether a line belongs to a sample, in PostgreSQL */
#define POSTGRES_SAMPLE_NS 14.0

/*
 * The profile's rates; of the host device with the threads that it has now,
 * which may be other ones than when it was measured.
 */
static void
current_rates(const GpuAggProfile *profile, GpuAggRates *rates)
{
	int			threads = gpuagg_cost_threads();

	*rates = profile->rates;
	if (rates->gpu || rates->units == threads)
		return;
	rates->ceiling[GPUAGG_CEILING_INT_OPS] *= (double) threads / rates->units;
	rates->units = threads;
}

static bool
is_numeric(const GpuAggOutput *output)
{
	return output->final == GPUAGG_FINAL_SUM_NUMERIC ||
		output->final == GPUAGG_FINAL_AVG_INT ||
		output->final == GPUAGG_FINAL_AVG_NUMERIC ||
		output->type == GPUAGG_T_INTNUM;
}

/* What the program does */
static void
work_program(GpuAggWork *work, const GpuAggProgram *p)
{
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	work->attributes = p->nattrs;
	work->columns = p->ncolumns;
	work->filter_instrs = p->filter_instrs;
	work->instrs = p->ninstrs - p->filter_instrs;
	work->keys = p->nkeys;
	work->transitions = p->ntransitions;
	work->entry_bytes = layout.row_bytes;
	for (int i = 0; i < p->ncolumns; i++)
		work->text |= gpuagg_program_classes(p)[i] == GPUAGG_CLASS_BYTES;
}

static void
work_fill(GpuAggWork *work, const GpuAggCostInput *input,
		  const GpuAggPlanInfo *info)
{
	memset(work, 0, sizeof(*work));
	work_program(work, info->program);
	work->pages = input->pages;
	work->judged_rows = input->rows * (1 - input->allvisfrac);
	work->lines = input->lines;
	work->rows = input->rows;
	work->passed = input->passed;
	if (info->program->select)
	{
		work->chosen = input->passed;
		work->chosen_pages = Min(input->pages, input->passed);
		return;
	}
	work->groups = input->groups;
	work->output_bytes = work->entry_bytes;
	for (int i = 0; i < info->noutputs; i++)
	{
		bool		numeric = is_numeric(&info->outputs[i]);

		work->numeric_outputs += numeric;
		work->outputs += !numeric;
	}
}

/* Predicts, and turns into units; what is charged alike for both nodes */
static GpuAggCost
task_cost(const GpuAggCostInput *input, GpuAggPlanInfo *info)
{
	const GpuAggProfile *profile = gpuagg_profile_get();
	double		unit = profile->rates.cost_unit_ns / gpuagg_cost_scale;
	GpuAggRates rates;
	GpuAggWork	work;
	GpuAggCost	cost;

	current_rates(profile, &rates);
	work_fill(&work, input, info);
	gpuagg_predict(&rates, &work, &info->predicted);
	info->profile = profile->id;
	info->profile_origin = profile->origin;

	/*
	 * What PostgreSQL leaves out may be more than all that a device does, and
	 * then pays for pages, too, of groupings and of scans alike: else one
	 * would seem to be better than the other for nothing.
	 */
	cost.startup = input->pages * input->page_cost +
		(info->predicted.startup - input->lines * POSTGRES_SAMPLE_NS) / unit;
	cost.startup = Max(cost.startup, gpuagg_cost_floor());
	cost.total = cost.startup + info->predicted.emit / unit;
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

	cost.total += input->passed * cpu_tuple_cost;
	if (input->ring)
		cost.total += again * REREAD_PAGE_NS /
			gpuagg_profile_get()->rates.cost_unit_ns;
	if (input->pages > effective_cache_size)
		cost.total += again * input->page_cost;
	return cost;
}

Cost
gpuagg_cost_floor(void)
{
	const GpuAggRates *rates = &gpuagg_profile_get()->rates;

	return rates->round_trip_ns / rates->cost_unit_ns * gpuagg_cost_scale;
}

int
gpuagg_cost_threads(void)
{
	static int	cores = 0;

	if (gpuagg_host_threads > 0)
		return gpuagg_host_threads;
	if (cores == 0)
		cores = Max(1, (int) sysconf(_SC_NPROCESSORS_ONLN));
	return cores;
}
