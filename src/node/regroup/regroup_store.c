/*
 * regroup_store.c
 *		Stores of the groups that regrouping reads and makes (regroup_store.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "node/regroup/regroup_layout.h"
#include "node/regroup/regroup_long.h"
#include "node/regroup/regroup_store.h"

int
gpuagg_regroup_device_outputs(const GpuAggRegroup *plan, const GpuAggProgram *device,
							  GpuAggOutput *outputs, AttrNumber *read, int *sorted)
{
	int			n = 0;

	for (int i = 0; i < plan->ninputs; i++)
	{
		const GpuAggRegroupInput *input = &plan->inputs[i];
		const GpuAggKey *key = &gpuagg_program_keys(device)[i];

		/* texts are told apart where the query's groups are */
		if (!input->read && !input->sorted && input->final != GPUAGG_FINAL_KEY_DATE_TZ &&
			input->final != GPUAGG_FINAL_KEY_NUMBER)
			continue;
		read[n] = input->read ? i + 1 : 0;
		sorted[i] = n;
		outputs[n++] = (GpuAggOutput){
			.final = input->final,
			.index = i,
			.count_index = -1,
			.type = key->type,
			.scale = input->sorted || input->final == GPUAGG_FINAL_KEY_WORD ? input->scale :
																			  key->scale.digits,
			.shown = input->sorted ? input->shown : key->scale.digits,
			.shown_by = input->shown_by,
			.lookup = input->lookup,
			.column = input->column};
	}
	return n;
}

GpuAggResults *
gpuagg_regroup_store(const GpuAggScan *scan, const GpuAggPlanInfo *info)
{
	GpuAggOutput outputs[GPUAGG_MAX_KEYS];
	AttrNumber	read[GPUAGG_MAX_KEYS];
	int			sorted[GPUAGG_MAX_KEYS];
	int			n = gpuagg_regroup_device_outputs(info->regroup, info->program, outputs, read,
												  sorted);
	GpuAggResults *results = gpuagg_results_create(
		info->program, outputs, n, NIL, get_hash_memory_limit() / 4,
		scan->css.ss.ps.state->es_query_cxt, scan->owner);

	gpuagg_results_number(results, scan->lookups);
	gpuagg_regroup_long_keep(info, results);
	return results;
}

GpuAggResults *
gpuagg_regroup_made_of(const GpuAggScan *scan, const GpuAggPlanInfo *info,
					   const GpuAggProgram *program, Size limit)
{
	GpuAggResults *results = gpuagg_results_create(
		program, info->outputs, info->noutputs,
		((CustomScan *) scan->css.ss.ps.plan)->custom_scan_tlist, limit,
		scan->css.ss.ps.state->es_query_cxt, scan->owner);

	gpuagg_results_number(results, scan->lookups);
	gpuagg_results_keep_long(results, program, info->outputs, info->noutputs);
	return results;
}

GpuAggResults *
gpuagg_regroup_made_store(const GpuAggScan *scan, const GpuAggPlanInfo *info,
						  GpuAggProgram **program)
{
	*program = gpuagg_regroup_program(info->regroup, 0);
	return gpuagg_regroup_made_of(scan, info, *program, get_hash_memory_limit());
}
