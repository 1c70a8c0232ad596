/*
 * order.c
 *		What a task is to do (order.h).
 */
#include "postgres.h"

#include "node/scan/order.h"

GpuAggExpected
gpuagg_demand_expected(const GpuAggPlanInfo *info)
{
	GpuAggExpected expected = {
		.rows = info->est_rows,
		.passed = info->est_passed,
		.groups = info->est_groups
	};

	return expected;
}

void
gpuagg_demand_begin(const GpuAggScan *scan, GpuAggFound *found, GpuAggDemand *demand)
{
	*demand = (GpuAggDemand) {
		.info = scan->info,
		.runtime = scan->runtime,
		.params = scan->params,
		.ntables = scan->table != NULL,
		.tables = &scan->table,
		.expected = gpuagg_demand_expected(scan->info),
		.seed = scan->sample.seed,
		.found = found
	};
}

GpuAggTaskTable *
gpuagg_order_begin(const GpuAggDemand *demand, GpuAggOrder *order)
{
	GpuAggTaskTable *read = palloc0(Max(1, demand->ntables) * sizeof(GpuAggTaskTable));

	*order = (GpuAggOrder) {
		.demand = demand,
		.whole = demand->whole,
		.sample.method = demand->info->sample,
		.nread = demand->ntables,
		.read = read
	};
	for (int i = 0; i < demand->ntables; i++)
	{
		GpuAggScanTable *table = demand->tables[i];

		read[i].rel = table->rel;
		read[i].row_plan = table->row_plan;
		read[i].rows = &table->rows[0];
	}
	return read;
}
