/*
 * parts.c
 *		A grouping in parts (parts.h).
 *
 * Each part is a run like any other, of a program of its own, under the query's snapshot.
 * It makes the query's groups, whose states are as they begin where they are another
 * part's; so merging all of them by their keys (merge.c) completes them.  All parts see the same
 * rows
 * and have the same groups.
 *
 * The scan is one of a part at a time: run_part() lends it the part's plan, and the table
 * with the row plan that belongs to it.
 *
 * Memory: a part's groups stay in their store until all are merged.
 */
#include "postgres.h"

#include "ipc/seen_groups.h"
#include "miscadmin.h"
#include "node/regroup/merge.h"
#include "node/regroup/regroup_long.h"
#include "node/regroup/regroup_run.h"
#include "node/run/answers.h"
#include "node/run/lookup_windows.h"
#include "node/run/parts.h"
#include "planner/plan/regroup_parts.h"
#include "utils/rel.h"

typedef struct Part
{
	GpuAggPlanInfo *info;
	GpuAggTaskTable *table;
	GpuAggResults *made;		/* of this run */
} Part;

struct GpuAggParts
{
	GpuAggPlanInfo *whole;
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

void
gpuagg_parts_begin(GpuAggScan *scan)
{
	const GpuAggTaskTable *whole = scan->read[0];
	GpuAggParts *p = scan->parts = palloc0(sizeof(GpuAggParts));

	p->whole = scan->info;
	p->n = scan->info->regroup->nparts;
	Assert(IsA(whole->row_plan, SeqScan));
	for (int i = 0; i < p->n; i++)
	{
		Bitmapset  *outputs;

		p->parts[i].info = gpuagg_regroup_part(scan->info, i, &outputs);
		p->parts[i].table = palloc0(sizeof(GpuAggTaskTable));
		p->parts[i].table->rel = whole->rel;
		p->parts[i].table->row_plan = part_row_plan(whole->row_plan, outputs);
	}
}

/* So that the next plan knows how many groups it has */
static void
note_groups(const GpuAggScan *scan, const GpuAggTally *tally)
{
	gpuagg_seen_groups_note(scan->relid, &scan->info->seen, tally->blocks, tally->work.groups);
}

/* All tasks, and the query's groups are made of the answers. */
static GpuAggStatus
run_groups(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggStatus status = gpuagg_windows_run(scan, tally, error);

	tally->regrouped = scan->regrouped;
	tally->groups_made = scan->made;
	if (status == GPUAGG_OK && scan->info->regroup != NULL && !scan->regrouped)
		status = gpuagg_regroup_run(scan, &tally->groups_made, error);
	return status;
}

static GpuAggStatus
run_part(GpuAggScan *scan, Part *part, GpuAggTally *tally, bool *by_device, GpuAggError *error)
{
	GpuAggTally one = {0};
	GpuAggStatus status;

	CHECK_FOR_INTERRUPTS();
	scan->info = part->info;
	scan->read[0] = part->table;
	gpuagg_scan_open_results(scan);
	status = run_groups(scan, &one, error);
	if (status == GPUAGG_OK)
		one.groups_made = 0;	/* they are made when all parts' are merged */
	gpuagg_tally_then(tally, &one);
	if (status != GPUAGG_OK)
		return status;
	note_groups(scan, &one);
	*by_device &= one.regrouped;
	part->made = scan->results;
	scan->results = NULL;
	return status;
}

/* Groups of all parts, as the scan's */
static GpuAggStatus
merge_parts(GpuAggScan *scan, uint64 *merged, GpuAggError *error)
{
	GpuAggParts *p = scan->parts;
	GpuAggStore *stores[GPUAGG_REGROUP_PARTS];
	GpuAggProgram *program;
	GpuAggStatus status;

	for (int i = 0; i < p->n; i++)
		stores[i] = gpuagg_results_store(p->parts[i].made);
	scan->results = gpuagg_regroup_made_store(scan, &program);
	status = gpuagg_merge_groups(stores, p->n, scan->results, scan->owner, program, merged,
								 error);
	for (int i = 0; i < p->n && status == GPUAGG_OK; i++)
		status = gpuagg_regroup_long_join(p->parts[i].made, scan->results, error);
	/* each part has kept the same */
	if (status == GPUAGG_OK)
		status = gpuagg_regroup_long_rows(p->parts[0].made, scan->results, error);
	return status;
}

static GpuAggStatus
run_parts(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggParts *p = scan->parts;
	GpuAggStatus status = GPUAGG_OK;
	bool		by_device = true;

	for (int i = 0; i < p->n && status == GPUAGG_OK; i++)
		status = run_part(scan, &p->parts[i], tally, &by_device, error);
	scan->info = p->whole;
	if (status == GPUAGG_OK)
	{
		status = merge_parts(scan, &tally->groups_made, error);
		tally->regrouped = by_device;
		/* to whoever looks at the node they are one run */
		tally->work.runs = 1;
	}
	for (int i = 0; i < p->n; i++)
	{
		if (p->parts[i].made != NULL)
			gpuagg_results_free(p->parts[i].made);
		p->parts[i].made = NULL;
	}
	return status;
}

GpuAggStatus
gpuagg_parts_run(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	return scan->parts != NULL ? run_parts(scan, tally, error) : run_groups(scan, tally, error);
}

void
gpuagg_parts_end(GpuAggScan *scan)
{
	for (int i = 0; i < scan->parts->n; i++)
		gpuagg_scan_end_table(scan->parts->parts[i].table);
}
