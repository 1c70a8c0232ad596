/*
 * leftover.c
 *		Which rows a copy of the fallback plan can be given (leftover.h).
 *
 * Its sequential scans return the rows, one scan those of one table, which is read from start to
 * end and just once.  Where tables are joined, planner/path/row_joins.c has seen to that; else it
 * is looked for here.
 */
#include "postgres.h"

#include "node/leftover/leftover.h"

bool
gpuagg_leftover_joined(const GpuAggScan *scan)
{
	return scan->info->joins_rows && !gpuagg_lookups_several(scan->lookups);
}

Bitmapset *
gpuagg_leftover_tables(const GpuAggScan *scan)
{
	const CustomScan *custom = castNode(CustomScan, scan->css.ss.ps.plan);
	const Plan *rows = list_nth(custom->custom_plans, GPUAGG_PLAN_ROWS);
	Bitmapset  *tables = NULL;
	const ListCell *lc;

	if (!IsA(rows, Append))
		return bms_make_singleton(((const Scan *) rows)->scanrelid);
	foreach(lc, ((const Append *) rows)->appendplans)
		tables = bms_add_member(tables, ((const Scan *) lfirst(lc))->scanrelid);
	return tables;
}

/* Which tables does the plan read just once, from start to end?  Those below others it does not. */
static Bitmapset *tables_below(const Plan *plan);

static Bitmapset *
tables_of_list(const List *plans)
{
	Bitmapset  *tables = NULL;
	const ListCell *lc;

	foreach(lc, plans)
		tables = bms_join(tables, tables_below(lfirst(lc)));
	return tables;
}

static Bitmapset *
tables_below(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
			return bms_make_singleton(((const Scan *) plan)->scanrelid);
		case T_Append:
			return tables_of_list(((const Append *) plan)->appendplans);
		case T_MergeAppend:
			return tables_of_list(((const MergeAppend *) plan)->mergeplans);
		case T_SubqueryScan:
			return tables_below(((const SubqueryScan *) plan)->subplan);
		case T_Agg:
		case T_Sort:
		case T_Group:
		case T_Unique:
		case T_Result:
			return plan->lefttree != NULL ? tables_below(plan->lefttree) : NULL;
		default:
			return NULL;
	}
}

/* Where tables are joined, the joins are given the rows of those that are read. */
Bitmapset *
gpuagg_leftover_given(const GpuAggScan *scan)
{
	const CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);

	return scan->lookups != NULL ? gpuagg_leftover_tables(scan) :
		tables_below(list_nth(plan->custom_plans, GPUAGG_PLAN_FALLBACK));
}

/* Of finer groups: those that are keys of the query's, whichever set these are of */
static uint32
keys_of_all_sets(const GpuAggRegroup *plan)
{
	uint32		keys = 0;

	for (int i = 0; i < plan->nkeys; i++)
	{
		const GpuAggRegroupValue *value = &plan->values[plan->keys[i]];
		bool		everywhere = !value->computed;

		for (int set = 0; set < plan->nsets; set++)
			everywhere &= (plan->sets[set].keys >> i & 1) != 0;
		if (everywhere)
			keys |= UINT32_C(1) << value->number;
	}
	return keys;
}

uint32
gpuagg_leftover_keys(const GpuAggScan *scan, const GpuAggPlanInfo *info, const Plan *row_plan)
{
	const Index table = ((const Scan *) row_plan)->scanrelid;

	if (scan->rows != NULL || (scan->lookups != NULL && !gpuagg_leftover_joined(scan)) ||
		scan->sample.method != GPUAGG_SAMPLE_NONE)
		return 0;
	if (!bms_is_member(table, scan->long_tables))
		return 0;
	return info->regroup != NULL ? keys_of_all_sets(info->regroup) : ~UINT32_C(0);
}
