/*
 * given_rows.c
 *		Rows that a plan of PostgreSQL's is given in the place of those of a table
 *		(given_rows.h).
 *
 * The scan's conditions and outputs are evaluated as ExecScan() does, so only rows that it would
 * have returned go up, in the form in which it returns them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "node/given_rows.h"

/* Who gives rows to the scan at work: plans do not know it */
static const GpuAggGiver *giving;

/* In the place of ExecSeqScan() */
static TupleTableSlot *
next_row(PlanState *ps)
{
	const GpuAggGiver *giver = giving;
	TupleTableSlot *slot = ((ScanState *) ps)->ss_ScanTupleSlot;
	ExprContext *econtext = ps->ps_ExprContext;
	HeapTuple	row;

	while ((row = giver->next(giver->of, ps)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		ExecForceStoreHeapTuple(row, slot, false);
		slot->tts_tableOid = row->t_tableOid;
		econtext->ecxt_scantuple = slot;
		if (ps->qual == NULL || ExecQual(ps->qual, econtext))
			return ps->ps_ProjInfo != NULL ? ExecProject(ps->ps_ProjInfo) : slot;
	}
	return ExecClearTuple(ps->ps_ProjInfo != NULL ? ps->ps_ResultTupleSlot : slot);
}

void
gpuagg_given_rows_take(PlanState *scan)
{
	ExecSetExecProcNode(scan, next_row);
}

/*
 * A function of the plan may run a query that comes here, too, and may catch the error of
 * such a query.
 */
TupleTableSlot *
gpuagg_given_rows_exec(PlanState *plan, const GpuAggGiver *giver)
{
	const GpuAggGiver *const before = giving;
	TupleTableSlot *slot;

	giving = giver;
	PG_TRY();
	{
		slot = ExecProcNode(plan);
	}
	PG_FINALLY();
	{
		giving = before;
	}
	PG_END_TRY();
	return slot;
}
