/*
 * answers.c
 *		What answers are kept in (answers.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "node/regroup/merge.h"
#include "node/regroup/regroup_run.h"
#include "node/regroup/regroup_store.h"
#include "node/run/answers.h"

void
gpuagg_answers_forget(GpuAggFound *found)
{
	if (found->results != NULL)
		gpuagg_results_free(found->results);
	if (found->tids != NULL)
		gpuagg_tid_store_free(found->tids);
	memset(found, 0, sizeof(*found));
}

/* An empty store for groups of a device: the query's, or finer ones */
static GpuAggResults *
task_results(const GpuAggScan *scan, const GpuAggPlanInfo *info)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	GpuAggResults *results;

	if (info->regroup != NULL)
		return gpuagg_regroup_store(scan, info);
	results = gpuagg_results_create(info->program, info->outputs, info->noutputs,
									plan->custom_scan_tlist, get_hash_memory_limit(),
									scan->css.ss.ps.state->es_query_cxt, scan->owner);
	gpuagg_results_number(results, scan->lookups);
	gpuagg_results_keep_long(results, info->program, info->outputs, info->noutputs);
	return results;
}

void
gpuagg_answers_begin(const GpuAggScan *scan, const GpuAggDemand *demand)
{
	gpuagg_answers_forget(demand->found);
	if (!demand->info->program->select)
		demand->found->results = task_results(scan, demand->info);
}

/* Chosen rows are those of one task, so nothing of them is kept. */
void
gpuagg_answers_cut(const GpuAggScan *scan, const GpuAggDemand *demand, const GpuAggStoreMark *mark)
{
	GpuAggFound *found = demand->found;

	if (demand->info->program->select)
	{
		gpuagg_answers_forget(found);
		found->tids = gpuagg_tid_store_create(scan->css.ss.ps.state->es_query_cxt, scan->owner);
	}
	else if (found->regrouped)
		gpuagg_answers_begin(scan, demand);
	else
		gpuagg_results_cut(found->results, mark);
}

void
gpuagg_answers_rewind(GpuAggFound *found)
{
	if (found->tids != NULL)
		gpuagg_tid_store_rewind(found->tids);
	else
		gpuagg_results_rewind(found->results);
}

GpuAggStatus
gpuagg_answers_merge(const GpuAggScan *scan, const GpuAggDemand *demand, uint64 *merged,
					 GpuAggError *error)
{
	GpuAggFound *found = demand->found;
	GpuAggResults *all = found->results;
	GpuAggStore *store = gpuagg_results_store(all);
	GpuAggStatus status;

	*merged = 0;
	found->results = task_results(scan, demand->info);
	status = gpuagg_merge_groups(&store, 1, found->results, scan->owner, demand->info->program,
								 NULL, merged, error);
	gpuagg_results_move_long(all, found->results);
	gpuagg_results_free(all);
	return status;
}
