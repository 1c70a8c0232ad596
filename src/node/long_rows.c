/*
 * long_rows.c
 *		Groups whose keys are numerics that devices have no form of (long_rows.h).
 *
 * NaN, infinities and numbers of many digits: a row with one of them as a key is in no group
 * of the device's, so PostgreSQL's own plan makes its group.  It is the fallback plan, of which
 * another copy is initialised, and whose scan gives the rows that were kept (long_values.h)
 * instead of reading the table.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/long_rows.h"

/* Whose rows the scan at work gives: plans do not know their scan */
static GpuAggScan *reading;

bool
gpuagg_long_rows_possible(const GpuAggScan *scan)
{
	return scan->info->regroup == NULL && scan->tables == NULL && scan->rows == NULL &&
		scan->lookups == NULL && scan->sample.method == GPUAGG_SAMPLE_NONE;
}

/* In the place of a sequential scan */
static TupleTableSlot *
next_row(PlanState *ps)
{
	GpuAggScan *scan = reading;
	TupleTableSlot *slot = ((ScanState *) ps)->ss_ScanTupleSlot;
	ExprContext *econtext = ps->ps_ExprContext;
	HeapTuple	row;

	while ((row = gpuagg_long_values_row(gpuagg_results_long(scan->results),
										 scan->long_row)) != NULL)
	{
		scan->long_row++;
		ResetExprContext(econtext);
		ExecForceStoreHeapTuple(row, slot, false);
		econtext->ecxt_scantuple = slot;
		if (ps->qual == NULL || ExecQual(ps->qual, econtext))
			return ps->ps_ProjInfo != NULL ? ExecProject(ps->ps_ProjInfo) : slot;
	}
	return ExecClearTuple(ps->ps_ProjInfo != NULL ? ps->ps_ResultTupleSlot : slot);
}

static void
begin(GpuAggScan *scan)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	EState	   *estate = scan->css.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	PlanState  *ps = ExecInitNode(list_nth(plan->custom_plans, GPUAGG_PLAN_FALLBACK), estate,
								  scan->eflags);

	MemoryContextSwitchTo(old);
	scan->long_groups = ps;
	scan->long_row = 0;
	while (outerPlanState(ps) != NULL)
		ps = outerPlanState(ps);
	if (!IsA(ps, SeqScanState))
		elog(ERROR, "gpuagg: the fallback plan reads no table");
	ExecSetExecProcNode(ps, next_row);
}

TupleTableSlot *
gpuagg_long_rows_next(GpuAggScan *scan)
{
	GpuAggLongValues *longs = gpuagg_results_long(scan->results);
	GpuAggScan *before = reading;
	TupleTableSlot *slot;

	if (longs == NULL || gpuagg_long_values_row(longs, 0) == NULL)
		return NULL;
	if (scan->long_groups == NULL)
		begin(scan);
	/* a function of the plan may run a query that comes here, too */
	reading = scan;
	slot = ExecProcNode(scan->long_groups);
	reading = before;
	return TupIsNull(slot) ? NULL : slot;
}

void
gpuagg_long_rows_end(GpuAggScan *scan)
{
	if (scan->long_groups != NULL)
		ExecEndNode(scan->long_groups);
	scan->long_groups = NULL;
}
