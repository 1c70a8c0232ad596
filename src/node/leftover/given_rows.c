/*
 * given_rows.c
 *		Rows that a plan of PostgreSQL's is given in the place of those of a table
 *		(given_rows.h).
 *
 * The scan's conditions and outputs are evaluated as ExecScan() does, so only rows that it would
 * have returned go up, in the form in which it returns them.
 *
 * Such a plan is begun and ended with each run, as often as its node is rescanned, and
 * ExecEndNode()
 * leaves memory to the end of the statement.  So it has an executor state of its own, which goes
 * with
 * it.  Tables, parameters and the plans of subqueries are the statement's.
 */
#include "postgres.h"

#include "compat.h"
#include "executor/execPartition.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/leftover/given_rows.h"
#include "utils/memutils.h"

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

/*
 * What gathers rows of other processes launches none: these would not be given our rows.  Plans of
 * subqueries may, for their states are the statement's: where they have, they have to again,
 * because Gather begins no parallel scan anew without.
 */
static EState *
own_state(EState *estate)
{
	EState	   *own = CreateExecutorState();
	MemoryContext memory = own->es_query_cxt;

	*own = *estate;
	own->es_query_cxt = memory;
	own->es_tupleTable = NIL;
	own->es_exprcontexts = NIL;
	own->es_per_tuple_exprcontext = NULL;
	own->es_partition_directory = NULL;
	own->es_jit = NULL;
	own->es_use_parallel_mode = false;
	return own;
}

PlanState *
gpuagg_given_rows_begin(Plan *plan, EState *estate, int eflags)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	EState	   *own = own_state(estate);
	PlanState  *ps;

	MemoryContextSwitchTo(own->es_query_cxt);
	gpuagg_pruning_own(own);
	ps = ExecInitNode(plan, own, eflags);
	MemoryContextSwitchTo(old);
	return ps;
}

void
gpuagg_given_rows_end(PlanState *plan)
{
	EState	   *own = plan->state;

	ExecEndNode(plan);
	ExecResetTupleTable(own->es_tupleTable, false);
	FreeExecutorState(own);
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
