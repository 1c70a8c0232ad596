/*
 * planned_explain.c
 *		EXPLAIN of what is predicted and planned of a node (planned_explain.h).
 */
#include "postgres.h"

#include "compat.h"
#include GPUAGG_EXPLAIN_HEADER
#include "executor/instrument.h"
#include "node/feed/feeders.h"
#include "node/run/passes.h"
#include "node/run/planned_explain.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/* Reading the clock, ns: the least of some tries, for another process may have run meanwhile */
static double
clock_ns(void)
{
	const int	times = 20;
	double		least = 0;

	for (int try = 0; try < 5; try++)
	{
		instr_time	begin;
		instr_time	end;

		INSTR_TIME_SET_CURRENT(begin);
		for (int i = 0; i < times; i++)
			INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, begin);
		if (try == 0 || INSTR_TIME_GET_DOUBLE(end) < least)
			least = INSTR_TIME_GET_DOUBLE(end);
	}
	return least * 1e9 / times;
}

/*
 * What the node took, ns, without EXPLAIN's own part of it: between the two readings of the clock
 * around each call lies what one takes, which is about as long as a row.
 */
double
gpuagg_node_ns(const GpuAggScan *node)
{
	const double calls = node->css.ss.ps.instrument->ntuples + node->css.ss.ps.instrument->nloops;

	const double ns = gpuagg_instrument_seconds(node->css.ss.ps.instrument) * 1e9 -
		calls * clock_ns();

	return Max(0.0, ns);
}

/*
 * What a run took, by the stages of cost/predict.h, ms.  Only GPUs tell the
 * link from the kernels; on the host device the threads read the pages.
 */
static void
measure_stages(const GpuAggScan *node, GpuAggPrediction *measured)
{
	const GpuAggTally *tally = &node->counters.tally;
	double		total = gpuagg_node_ns(node);
	double		run = INSTR_TIME_GET_MICROSEC(node->counters.run_time) * 1e3;
	double		runs = tally->work.runs;

	measured->start = INSTR_TIME_GET_MICROSEC(tally->start_time) * 1e3 / runs;
	measured->feed = INSTR_TIME_GET_MICROSEC(tally->feed_time) * 1e3 / runs;
	measured->link = tally->decode_ns / runs;
	measured->kernel = (tally->kernel_ns > 0 ? tally->kernel_ns :
						tally->device_ns) / runs;
	measured->emit = (INSTR_TIME_GET_MICROSEC(tally->collect_time) * 1e3 +
					  Max(0.0, total - run)) / runs;
	measured->total = total / runs;
}

static void
explain_stage(const char *stage, double predicted, double measured,
			  bool analyzed, ExplainState *es)
{
	ExplainPropertyFloat(psprintf("Predicted %sTime", stage), "ms",
						 predicted / 1e6, 3, es);
	if (analyzed)
		ExplainPropertyFloat(psprintf("Measured %sTime", stage), "ms",
							 measured / 1e6, 3, es);
}

/*
 * Milliseconds, with ANALYZE beside those of a mean run, if no fallback took
 * its place; stages, and where they come from.
 */
static void
explain_prediction(const GpuAggScan *node, bool timing, ExplainState *es)
{
	const GpuAggPlanInfo *info = node->info;
	const GpuAggPrediction *p = &info->predicted;
	GpuAggPrediction m = {0};
	GpuAggProfile profile = {.origin = info->profile_origin};
	bool		analyzed = timing && node->counters.tally.work.runs > 0 &&
		node->counters.fallback == GPUAGG_FALLBACK_NONE;

	if (!es->costs)
		return;
	if (analyzed)
		measure_stages(node, &m);
	explain_stage("", p->total, m.total, analyzed, es);
	ExplainPropertyText("Bound By", gpuagg_bound_name(p->bound), es);
	explain_stage("Start ", p->start, m.start, analyzed, es);
	explain_stage("Feed ", p->feed, m.feed, analyzed, es);
	explain_stage("Link ", p->link, m.link, analyzed, es);
	explain_stage("Kernel ", p->kernel, m.kernel, analyzed, es);
	explain_stage("Emit ", p->emit, m.emit, analyzed, es);
	ExplainPropertyText("Profile", gpuagg_profile_origin(&profile), es);
	if (p->learned != 1)
		ExplainPropertyFloat("Learned Factor", NULL, p->learned, 2, es);
	if (info->profile != 0)
		ExplainPropertyInteger("Profile Number", NULL, info->profile, es);
	if (info->profile_elsewhere != 0)
		ExplainPropertyInteger("Profile of Another Machine", NULL,
							   info->profile_elsewhere, es);
}

/* What would be ordered of one table now */
static void
order_now(const GpuAggScan *node, GpuAggDemand *demand, GpuAggOrder *order)
{
	gpuagg_demand_begin(node, NULL, demand);
	(void) gpuagg_order_begin(demand, order);
	order->nblocks = RelationGetNumberOfBlocks(node->rel);
}

/* How the device was to group one table, or would now; what ran is told by ANALYZE */
static void
explain_strategy(const GpuAggScan *node, ExplainState *es)
{
	GpuAggPlannedStrategy planned = node->counters.tally.planned;
	const GpuAggStrategyChoice *pages = &planned.pages;
	GpuAggDemand demand;
	GpuAggOrder order;

	if (!es->costs || node->tables != NULL || node->rows != NULL)
		return;
	if (!planned.known)
	{
		order_now(node, &demand, &order);
		gpuagg_passes_plan(&order, node->place.device, &planned);
	}
	if (planned.strategy == GPUAGG_STRATEGY_AUTO)
		return;
	ExplainPropertyText("Planned Strategy", gpuagg_strategy_name(planned.strategy), es);
	ExplainPropertyUInteger("Planned Passes", NULL, pages->passes * pages->kept_passes, es);
	ExplainPropertyUInteger("Scope Size", "kB",
							(uint64) ((pages->scope_bytes + 1023) / 1024), es);
}

/* Parallel workers that fed the last task, or would feed one table now, beside the backend */
static void
explain_feeder_plan(const GpuAggScan *node, ExplainState *es)
{
	const GpuAggProfile *profile = gpuagg_profile_get(node->place.device);
	double		pages;
	int			n;

	if (!es->costs || node->rows != NULL || profile->rates.feed_page_ns <= 0 ||
		(node->tables != NULL && node->counters.tally.work.runs == 0))
		return;
	pages = (node->info->predicted.feed - node->info->predicted.reads) /
		node->info->predicted.learned / profile->rates.feed_page_ns;
	n = node->counters.tally.work.runs > 0 ? node->counters.tally.feeders_planned :
		gpuagg_feeders_planned(node, node->info, node->place.device, pages, 0, false);
	if (n > 0)
		ExplainPropertyInteger("Feeders Planned", NULL, n, es);
}

/* Of draws, where the device has ways to choose from */
static void
explain_draw_plan(const GpuAggScan *node, ExplainState *es)
{
	GpuAggDemand demand;
	GpuAggOrder order;
	GpuAggDrawPlan plan;

	if (!es->costs || node->info->sample != GPUAGG_SAMPLE_DRAWS)
		return;
	order_now(node, &demand, &order);
	gpuagg_passes_draws(&order, node->place.device, node->info->est_rows, &plan);
	if (plan.predicted_ns[GPUAGG_DRAW_SINGLE] <= 0)
		return;
	ExplainPropertyText("Planned Draw Strategy", gpuagg_draw_way_name(plan.way), es);
	ExplainPropertyUInteger("Planned Draw Windows", NULL, plan.windows, es);
}

void
gpuagg_planned_explain(const GpuAggScan *node, bool timing, ExplainState *es)
{
	explain_prediction(node, timing, es);
	explain_strategy(node, es);
	explain_draw_plan(node, es);
	explain_feeder_plan(node, es);
}
