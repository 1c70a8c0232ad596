/*
 * long_rows.c
 *		Groups whose keys are numerics that devices have no form of (long_rows.h).
 *
 * NaN, infinities and numbers of many digits: a row with one of them as a key is in no group
 * of the device's, so PostgreSQL's own plan makes its group.  It is the fallback plan, of which
 * another copy is initialised, and whose scans, one for each table, give the rows that were kept
 * (long_values.h) instead of reading the table.  That takes sequential scans, which are read
 * once: where the plan has an index scan, PostgreSQL answers the whole query.  Where tables are
 * joined, it joins these rows, too (joined_rows.c).
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/leftover/given_rows.h"
#include "node/leftover/long_rows.h"
#include "nodes/nodeFuncs.h"

/* A scan of the plan, of this table (long_values.h) */
struct GpuAggLongScan
{
	int			table;
	int			next;			/* row to be looked at, of all tables */
	struct GpuAggLongScan *other;
};

static struct GpuAggLongScan *
long_scan(const GpuAggScan *scan, const PlanState *ps)
{
	const int	table = (int) ((const Scan *) ps->plan)->scanrelid;
	struct GpuAggLongScan *at = scan->long_scans;

	while (at->table != table)
		at = at->other;
	return at;
}

/* The next row of this scan's table; NULL: that was the last. */
static HeapTuple
next_of_table(void *of, const PlanState *ps)
{
	const GpuAggScan *scan = of;
	GpuAggLongValues *longs = gpuagg_results_long(scan->found.results);
	struct GpuAggLongScan *at = long_scan(scan, ps);
	HeapTuple	row;
	int			table;

	while ((row = gpuagg_long_values_row(longs, at->next, &table)) != NULL)
	{
		at->next++;
		if (table == at->table)
			break;
	}
	return row;
}

/* Lets the scans of these tables give the rows that were kept; those of subplans are of others. */
static bool
take_scans(PlanState *ps, void *context)
{
	GpuAggScan *scan = context;

	if (IsA(ps, SeqScanState) &&
		bms_is_member(((Scan *) ps->plan)->scanrelid, scan->long_tables))
	{
		struct GpuAggLongScan *at = palloc0(sizeof(struct GpuAggLongScan));

		at->table = (int) ((Scan *) ps->plan)->scanrelid;
		at->other = scan->long_scans;
		scan->long_scans = at;
		gpuagg_given_rows_take(ps);
	}
	return planstate_tree_walker(ps, take_scans, context);
}

static void
begin(GpuAggScan *scan)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	MemoryContext old;

	gpuagg_lookups_begin_subqueries(scan->lookups);
	scan->long_groups = gpuagg_given_rows_begin(list_nth(plan->custom_plans, GPUAGG_PLAN_FALLBACK),
												scan->css.ss.ps.state, scan->eflags);
	scan->long_scans = NULL;
	old = MemoryContextSwitchTo(scan->long_groups->state->es_query_cxt);
	(void) take_scans(scan->long_groups, scan);
	MemoryContextSwitchTo(old);
}

TupleTableSlot *
gpuagg_long_rows_next(GpuAggScan *scan)
{
	GpuAggLongValues *longs = gpuagg_results_long(scan->found.results);
	const GpuAggGiver giver = {next_of_table, scan};
	TupleTableSlot *slot;
	int			table;

	if (longs == NULL || gpuagg_long_values_row(longs, 0, &table) == NULL)
		return NULL;
	if (scan->long_groups == NULL)
		begin(scan);
	slot = gpuagg_given_rows_exec(scan->long_groups, &giver);
	return TupIsNull(slot) ? NULL : slot;
}

void
gpuagg_long_rows_end(GpuAggScan *scan)
{
	if (scan->long_groups != NULL)
		gpuagg_given_rows_end(scan->long_groups);
	scan->long_groups = NULL;
}
