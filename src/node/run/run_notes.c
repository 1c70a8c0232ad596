/*
 * run_notes.c
 *		What a run of a scan leaves to views and to later plans (run_notes.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "cost/predict.h"
#include "ipc/seen_groups.h"
#include "ipc/shmem.h"
#include "node/run/run_notes.h"
#include "planner/value/constant.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* So many more pages than a plan expected have changed since, or were not kept. */
#define MORE_PAGES 2
#define FEW_PAGES 64

/* Had the task about as many pages to feed as the plan says? */
static bool
fed_as_predicted(const GpuAggTally *tally, double predicted)
{
	return tally->work.pages <= MORE_PAGES * predicted + FEW_PAGES &&
		predicted <= MORE_PAGES * tally->work.pages + FEW_PAGES;
}

/*
 * A generic profile learns of what the device that it is of took, whole and alone: not of rows of a
 * plan, which takes what it takes, nor of what another device did in its place, nor where other
 * pages were fed than those that the plan is about.
 */
static void
learn(const GpuAggScan *scan, const GpuAggTally *tally, double ns)
{
	const GpuAggPlanInfo *info = scan->info;
	const GpuAggPrediction *p = &info->predicted;
	const double predicted = gpuagg_predict_unlearned(p) - p->start;

	if (gpuagg_learn_costs && info->profile_origin == GPUAGG_PROFILE_GENERIC && !info->of_plan &&
		ns >= GPUAGG_LEARNED_MS * 1e6 && predicted > 0 && fed_as_predicted(tally, p->pages) &&
		strcmp(tally->device, gpuagg_shmem_look(scan->place.device)->facts.info.kind) == 0)
		gpuagg_learned_add(strcmp(tally->device, "host") != 0, Max(ns - p->start, 0) / predicted);
}

/*
 * Keeps what was predicted beside what it took, until the first group or row
 * can be returned.
 */
void
gpuagg_note_cost(const GpuAggScan *scan, const GpuAggTally *tally, instr_time took)
{
	GpuAggCostPair pair = {
		.relid = scan->relid,
		.select = scan->info->program->select,
		.bound = gpuagg_bound_name(scan->info->predicted.bound),
		.predicted_ms = scan->info->predicted.startup / 1e6,
		.measured_ms = INSTR_TIME_GET_MILLISEC(took)
	};

	strlcpy(pair.device, tally->device, sizeof(pair.device));
	gpuagg_stat_cost_add(&pair);
	learn(scan, tally, pair.measured_ms * 1e6);
}

/*
 * Counts the run for gpuagg.stat_tables.
 * What tasks counted before the device gave up counts for nothing.
 */
void
gpuagg_note_run(const GpuAggScan *scan, const GpuAggTally *tally, GpuAggStatus status,
			  instr_time took)
{
	const GpuAggTallyWork *work = &tally->work;
	uint64		values[GPUAGG_NTABLESTATS] = {0};

	values[GPUAGG_TABLE_STAT_run_us] = INSTR_TIME_GET_MICROSEC(took);
	values[GPUAGG_TABLE_STAT_redone] = tally->redone;
	values[GPUAGG_TABLE_STAT_fallbacks] = status != GPUAGG_OK;
	if (status == GPUAGG_OK)
	{
		values[GPUAGG_TABLE_STAT_runs] = 1;
		values[GPUAGG_TABLE_STAT_rows_scanned] = work->rows_scanned;
		values[GPUAGG_TABLE_STAT_rows_passed] = work->rows_passed;
		values[GPUAGG_TABLE_STAT_rows_evaluated] = work->rows_evaluated;
		values[GPUAGG_TABLE_STAT_groups] = work->groups;
		values[GPUAGG_TABLE_STAT_pages] = work->pages;
		values[GPUAGG_TABLE_STAT_pages_cached] = work->cached_pages;
		values[GPUAGG_TABLE_STAT_pages_kept] = work->pages_kept;
		values[GPUAGG_TABLE_STAT_zones_read] = work->zones.read;
		values[GPUAGG_TABLE_STAT_zones_skipped] = work->zones.skipped;
		values[GPUAGG_TABLE_STAT_zones_answered] = work->zones.answered;
		values[GPUAGG_TABLE_STAT_device_us] = tally->device_ns / 1000;
	}
	gpuagg_stat_tables_add(scan->relid, values);
}

/* So that the next plan of the same grouping knows how many groups it has */
void
gpuagg_note_groups(const GpuAggScan *scan, const GpuAggPlanInfo *info, const GpuAggTally *tally)
{
	if (scan->rows == NULL)
		gpuagg_seen_groups_note(scan->relid, &info->seen, tally->blocks, tally->work.groups);
}

/* Of a task that read rows: what its look-ups left */
void
gpuagg_note_probes(const GpuAggScan *scan, const GpuAggPlanInfo *info, const GpuAggProbes *probes,
				   GpuAggTally *tally)
{
	const GpuAggTallyWork *work = &tally->work;
	GpuAggStageRows rows = {
		.scanned = work->rows_scanned,
		.passed = work->rows_passed
	};

	for (int i = 0; i < GPUAGG_STAGES - 1; i++)
		rows.left[i] = work->left[i];
	if (work->runs > 0)
		gpuagg_probes_note(probes, info, scan->relid, tally->blocks, &rows, &tally->probed);
}
