/*
 * parts.c
 *		A grouping in parts (parts.h).
 *
 * Each part is a run like any other, of a program of its own, under the query's snapshot.
 * It makes the query's groups, whose states are as they begin where they are another
 * part's; so merging all of them by their keys (merge.c) completes them.  All parts see the same
 * rows and have the same groups.
 *
 * Memory: a part's groups stay in their store until all are merged.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "node/regroup/merge.h"
#include "node/regroup/regroup_long.h"
#include "node/regroup/regroup_run.h"
#include "node/regroup/regroup_store.h"
#include "node/run/answers.h"
#include "node/run/lookup_windows.h"
#include "node/run/parts.h"
#include "node/run/run_notes.h"
#include "planner/plan/regroup_parts.h"
#include "utils/rel.h"

typedef struct Part
{
	const GpuAggPlanInfo *info;
	GpuAggScanTable *table;		/* The scan's, with the row plan that belongs to the part. */
} Part;

struct GpuAggParts
{
	int			n;
	Part		parts[GPUAGG_REGROUP_PARTS];
};

/* The row plan, less the outputs that a part does not have */
static Plan *
part_row_plan(const Plan *whole, const Bitmapset *outputs)
{
	Plan	   *plan = palloc(sizeof(SeqScan));
	int			i = -1;

	memcpy(plan, whole, sizeof(SeqScan));
	plan->targetlist = NIL;
	while ((i = bms_next_member(outputs, i)) >= 0)
	{
		TargetEntry *tle = copyObject(list_nth_node(TargetEntry, whole->targetlist, i));

		tle->resno = list_length(plan->targetlist) + 1;
		plan->targetlist = lappend(plan->targetlist, tle);
	}
	return plan;
}

const GpuAggParts *
gpuagg_parts_begin(const GpuAggScan *scan)
{
	const GpuAggScanTable *whole = scan->table;
	GpuAggParts *p = palloc0(sizeof(GpuAggParts));

	p->n = scan->info->regroup->nparts;
	Assert(IsA(whole->row_plan, SeqScan));
	for (int i = 0; i < p->n; i++)
	{
		Bitmapset  *outputs;

		p->parts[i].info = gpuagg_regroup_part(scan->info, i, &outputs);
		p->parts[i].table = palloc0(sizeof(GpuAggScanTable));
		p->parts[i].table->rel = whole->rel;
		p->parts[i].table->row_plan = part_row_plan(whole->row_plan, outputs);
	}
	return p;
}

/* All tasks, and the query's groups are made of the answers. */
static GpuAggStatus
run_groups(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
		   GpuAggTally *tally, GpuAggError *error)
{
	const GpuAggFound *found = demand->found;
	GpuAggStatus status;

	gpuagg_answers_begin(scan, demand);
	status = gpuagg_windows_run(scan, demand, place, tally, error);
	tally->regrouped = found->regrouped;
	tally->groups_made = found->made;
	if (status == GPUAGG_OK && demand->info->regroup != NULL && !found->regrouped)
	{
		status = gpuagg_regroup_run(scan, demand, &tally->groups_made, error);
		tally->regroup_workers = found->processes;
	}
	return status;
}

/* Into what is found of the part, which is empty */
static GpuAggStatus
run_part(const GpuAggScan *scan, const Part *part, GpuAggFound *found, GpuAggPlace *place,
		 GpuAggTally *tally, bool *by_device, GpuAggError *error)
{
	GpuAggTally one = {0};
	GpuAggDemand demand;
	GpuAggStatus status;

	CHECK_FOR_INTERRUPTS();
	gpuagg_demand_begin(scan, found, &demand);
	demand.info = part->info;
	demand.tables = &part->table;
	demand.expected = gpuagg_demand_expected(part->info);
	status = run_groups(scan, &demand, place, &one, error);
	if (status == GPUAGG_OK)
		one.groups_made = 0;	/* they are made when all parts' are merged */
	gpuagg_tally_then(tally, &one);
	if (status != GPUAGG_OK)
		return status;
	gpuagg_note_groups(scan, part->info, &one);
	*by_device &= one.regrouped;
	return status;
}

/* Groups of all parts, as those that the whole has found */
static GpuAggStatus
merge_parts(const GpuAggScan *scan, const GpuAggDemand *whole, const GpuAggFound *parts,
			uint64 *merged, GpuAggError *error)
{
	const int	n = scan->parts->n;
	GpuAggStore *stores[GPUAGG_REGROUP_PARTS];
	GpuAggResults *results;
	GpuAggProgram *program;
	GpuAggStatus status;

	for (int i = 0; i < n; i++)
		stores[i] = gpuagg_results_store(parts[i].results);
	results = whole->found->results = gpuagg_regroup_made_store(scan, whole->info, &program);
	status = gpuagg_merge_groups(stores, n, results, scan->owner, program,
								 whole->info->regroup, merged, error);
	for (int i = 0; i < n && status == GPUAGG_OK; i++)
		status = gpuagg_regroup_long_join(parts[i].results, results, error);
	/* each part has kept the same */
	if (status == GPUAGG_OK)
		status = gpuagg_regroup_long_rows(parts[0].results, results, error);
	return status;
}

static GpuAggStatus
run_parts(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
		  GpuAggTally *tally, GpuAggError *error)
{
	const GpuAggParts *p = scan->parts;
	GpuAggFound parts[GPUAGG_REGROUP_PARTS] = {{0}};
	GpuAggStatus status = GPUAGG_OK;
	bool		by_device = true;

	for (int i = 0; i < p->n && status == GPUAGG_OK; i++)
		status = run_part(scan, &p->parts[i], &parts[i], place, tally, &by_device, error);
	if (status == GPUAGG_OK)
	{
		status = merge_parts(scan, demand, parts, &tally->groups_made, error);
		tally->regrouped = by_device;
		/* to whoever looks at the node they are one run */
		tally->work.runs = 1;
	}
	for (int i = 0; i < p->n; i++)
		gpuagg_answers_forget(&parts[i]);
	return status;
}

GpuAggStatus
gpuagg_parts_run(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
				 GpuAggTally *tally, GpuAggError *error)
{
	return scan->parts != NULL ? run_parts(scan, demand, place, tally, error) :
		run_groups(scan, demand, place, tally, error);
}

void
gpuagg_parts_end(const GpuAggParts *parts)
{
	for (int i = 0; i < parts->n; i++)
		gpuagg_scan_end_table(parts->parts[i].table);
}
