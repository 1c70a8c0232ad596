/*
 * cost.c
 *		Cost of GpuAgg and GpuSample paths on the host device.
 *
 * Thought in nanoseconds, then divided by what a nanosecond of PostgreSQL's
 * executor costs: cpu_tuple_cost is 0.01 for about 100 ns of work on a row,
 * so one unit is about 10 microseconds.  Pages are charged as a sequential
 * scan charges them, because the same reads take place; only what the CPU
 * does differs.  The steps of a task follow one another here although feed
 * and device overlap; the difference is within the estimates' error.
 *
 * The figures below are those of one core of a 2020s server; a later
 * calibration replaces them by measured ones.
 *
 * A sample of rows looks at each of the table's lines, and PostgreSQL's cost
 * model charges nothing for those that are not chosen.  So that the two can be
 * compared, what PostgreSQL leaves out is taken off here.
 *
 * Does not handle: rows that PostgreSQL must evaluate (compressed values),
 * other tasks on the device, groups that outgrow the caches of a GPU.
 */
#include "postgres.h"

#include <math.h>
#include <unistd.h>

#include "device/layout.h"
#include "gpuagg.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/cost.h"

/* One cost unit, in ns */
#define UNIT_NS 10000.0

/* Announcing a task, its threads waking up, ending it */
#define TASK_NS 500000.0

/* Pin, lock, visibility, hand over and unpin a page in shared_buffers */
#define FEED_PAGE_NS 350.0

/* Reading a page from the kernel's cache */
#define REREAD_PAGE_NS 2500.0

/* Walking a tuple's header and attributes, for each row */
#define ROW_NS 8.0
#define ATTRIBUTE_NS 1.0

/* Deciding whether a line belongs to a sample, here and in PostgreSQL */
#define SAMPLE_NS 4.0
#define POSTGRES_SAMPLE_NS 14.0

/* Loading one column, running one operation, for each row */
#define COLUMN_NS 3.0
#define OPERATION_NS 2.0

/* Finding a row's group: hashing each key and looking it up */
#define GROUP_NS 10.0
#define KEY_NS 4.0
#define TRANSITION_NS 2.0

/* A group outside the caches: one miss, growing with the table's size */
#define CACHE_BYTES (1024.0 * 1024.0)
#define MISS_NS 40.0

/* Making and merging a group, sending it and building its tuple */
#define NEW_GROUP_NS 100.0
#define OUTPUT_NS 20.0
#define NUMERIC_OUTPUT_NS 150.0

static bool
is_numeric(const GpuAggOutput *output)
{
	return output->final == GPUAGG_FINAL_SUM_NUMERIC ||
		output->final == GPUAGG_FINAL_AVG_INT ||
		output->final == GPUAGG_FINAL_AVG_NUMERIC ||
		output->type == GPUAGG_T_INTNUM;
}

/* Device time of one row that is read, and of one that passes the filter */
static void
row_costs(const GpuAggProgram *p, double groups, double *read, double *pass)
{
	GpuAggLayout layout;
	double		table_bytes;

	gpuagg_layout_compute(p, &layout);
	table_bytes = groups * layout.row_bytes * 2;
	*read = ROW_NS + ATTRIBUTE_NS * p->nattrs + COLUMN_NS * p->ncolumns +
		OPERATION_NS * p->filter_instrs;
	*pass = OPERATION_NS * (p->ninstrs - p->filter_instrs) +
		TRANSITION_NS * p->ntransitions;
	if (p->nkeys > 0)
		*pass += GROUP_NS + KEY_NS * p->nkeys;
	if (table_bytes > CACHE_BYTES)
		*pass += MISS_NS * Min(1.0, log2(table_bytes / CACHE_BYTES) / 4);
}

static double
group_cost(const GpuAggPlanInfo *info)
{
	double		ns = NEW_GROUP_NS;

	for (int i = 0; i < info->noutputs; i++)
		ns += is_numeric(&info->outputs[i]) ? NUMERIC_OUTPUT_NS : OUTPUT_NS;
	return ns;
}

/* A whole task, in ns, less what PostgreSQL's costs leave out */
static double
task_work(const GpuAggCostInput *input, const GpuAggPlanInfo *info)
{
	double		read;
	double		pass;
	double		work;

	row_costs(info->program, input->groups, &read, &pass);
	work = (input->lines * SAMPLE_NS + input->rows * read +
			input->passed * pass) / input->threads;
	work += TASK_NS + input->pages * FEED_PAGE_NS;
	return work - input->lines * POSTGRES_SAMPLE_NS;
}

/*
 * Until a task has its answer.  What PostgreSQL leaves out of its sample scan
 * may be more than all that a device does, and then pays for pages, too, of
 * groupings and of scans alike: else one would seem to be better than the
 * other for nothing.
 */
static Cost
task_cost(const GpuAggCostInput *input, const GpuAggPlanInfo *info)
{
	Cost		cost = input->pages * input->page_cost +
		task_work(input, info) / UNIT_NS;

	return Max(cost, gpuagg_cost_floor());
}

GpuAggCost
gpuagg_cost_agg(const GpuAggCostInput *input, const GpuAggPlanInfo *info)
{
	GpuAggCost	cost;

	cost.startup = task_cost(input, info);
	cost.total = cost.startup + input->groups * group_cost(info) / UNIT_NS;
	return cost;
}

/*
 * Pages with chosen rows are pinned once more, and read once more if
 * shared_buffers or even the kernel's cache cannot have kept them.
 */
GpuAggCost
gpuagg_cost_sample(const GpuAggCostInput *input, const GpuAggPlanInfo *info)
{
	double		again = Min(input->pages, input->passed);
	double		page_ns = FEED_PAGE_NS + (input->ring ? REREAD_PAGE_NS : 0);
	GpuAggCost	cost;

	cost.startup = task_cost(input, info);
	cost.total = cost.startup + again * page_ns / UNIT_NS +
		input->passed * cpu_tuple_cost;
	if (input->pages > effective_cache_size)
		cost.total += again * input->page_cost;
	return cost;
}

Cost
gpuagg_cost_floor(void)
{
	return TASK_NS / UNIT_NS;
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
