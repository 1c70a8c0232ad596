/*
 * answers.c
 *		What a scan's answers are kept in (answers.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "node/leftover/long_rows.h"
#include "node/regroup/merge.h"
#include "node/regroup/regroup_run.h"
#include "node/run/answers.h"

void
gpuagg_scan_forget(GpuAggScan *scan)
{
	gpuagg_long_rows_end(scan);
	if (scan->results != NULL)
		gpuagg_results_free(scan->results);
	scan->results = NULL;
	scan->regrouped = false;
	scan->made = 0;
	if (scan->tids != NULL)
		gpuagg_tid_store_free(scan->tids);
	scan->tids = NULL;
}

GpuAggResults *
gpuagg_scan_task_results(const GpuAggScan *scan)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	GpuAggResults *results;

	if (scan->info->regroup != NULL)
		return gpuagg_regroup_store(scan);
	results = gpuagg_results_create(scan->info->program, scan->info->outputs,
									scan->info->noutputs, plan->custom_scan_tlist,
									get_hash_memory_limit(),
									scan->css.ss.ps.state->es_query_cxt, scan->owner);
	gpuagg_results_number(results, scan->lookups);
	gpuagg_results_keep_long(results, scan->info->program, scan->info->outputs,
							 scan->info->noutputs);
	return results;
}

void
gpuagg_scan_open_results(GpuAggScan *scan)
{
	gpuagg_scan_forget(scan);
	if (scan->info->program->select)
		return;
	scan->results = gpuagg_scan_task_results(scan);
}

/* Chosen rows are those of one task, so nothing of them is kept. */
void
gpuagg_scan_cut(GpuAggScan *scan, const GpuAggStoreMark *mark)
{
	if (scan->info->program->select)
	{
		gpuagg_scan_forget(scan);
		scan->tids = gpuagg_tid_store_create(scan->css.ss.ps.state->es_query_cxt, scan->owner);
	}
	else if (scan->regrouped)
		gpuagg_scan_open_results(scan);
	else
		gpuagg_results_cut(scan->results, mark);
}

void
gpuagg_scan_rewind(GpuAggScan *scan)
{
	gpuagg_long_rows_end(scan);
	if (scan->tids != NULL)
		gpuagg_tid_store_rewind(scan->tids);
	else
		gpuagg_results_rewind(scan->results);
}

GpuAggStatus
gpuagg_scan_merge(GpuAggScan *scan, uint64 *merged, GpuAggError *error)
{
	GpuAggResults *all = scan->results;
	GpuAggStore *store = gpuagg_results_store(all);
	GpuAggStatus status;

	*merged = 0;
	scan->results = gpuagg_scan_task_results(scan);
	status = gpuagg_merge_groups(&store, 1, scan->results, scan->owner,
								 scan->info->program, merged, error);
	gpuagg_results_move_long(all, scan->results);
	gpuagg_results_free(all);
	return status;
}
