/*
 * agg_node.c
 *		The executor node GpuAgg: groups of one table, of several, or of the rows of a
 *		plan, computed by a device.
 *
 * The first call runs one task (run.c); every call returns its next group,
 * as a tuple of custom_scan_tlist in the scan slot; HAVING and the target
 * list are PostgreSQL's, evaluated over it.  The fallback plan, PostgreSQL's
 * own aggregation over a sequential or sample scan, gives tuples of the same
 * shape.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "node/leftover/long_rows.h"
#include "node/run/agg_node.h"
#include "node/run/explain.h"
#include "node/run/run.h"
#include "node/run/shared_run.h"
#include "nodes/nodeFuncs.h"

/* --------------------------------------------------------------- begin --- */

/*
 * Runtime constants have no Vars, but if one of them equals a column of
 * custom_scan_tlist (a parameter that is also a group key), the planner has
 * replaced it by a reference to that column.
 */
static Node *
runtime_expand(Node *node, void *context)
{
	CustomScan *plan = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
	{
		TargetEntry *tle = list_nth_node(TargetEntry, plan->custom_scan_tlist,
										 ((Var *) node)->varattno - 1);

		return (Node *) tle->expr;
	}
	return expression_tree_mutator(node, runtime_expand, context);
}

static void
node_begin(CustomScanState *css, EState *estate, int eflags)
{
	CustomScan *plan = castNode(CustomScan, css->ss.ps.plan);
	Relation	rel = NULL;

	if (!gpuagg_plan_has_tables(plan->custom_private) &&
		!gpuagg_plan_is_of_plan(plan->custom_private))
		rel = ExecOpenScanRelation(estate, bms_singleton_member(plan->custom_relids), eflags);
	gpuagg_scan_begin((GpuAggScan *) css, rel,
					  (List *) runtime_expand((Node *) plan->custom_exprs, plan),
					  estate, eflags);
	((GpuAggScan *) css)->key_rows = gpuagg_key_rows_begin(estate, ((GpuAggScan *) css)->info,
														   plan->custom_scan_tlist);
}

/* ---------------------------------------------------------------- rows --- */

/* A row of the fallback plan's in the scan slot; false: it was the last. */
static bool
take_slot(TupleTableSlot *from, TupleTableSlot *slot)
{
	const int	natts = slot->tts_tupleDescriptor->natts;

	if (TupIsNull(from))
		return false;
	slot_getallattrs(from);
	memcpy(slot->tts_values, from->tts_values, natts * sizeof(Datum));
	memcpy(slot->tts_isnull, from->tts_isnull, natts * sizeof(bool));
	return true;
}

/*
 * The next tuple of custom_scan_tlist in the scan slot, or NULL.
 */
static TupleTableSlot *
node_next(GpuAggScan *node, ExprContext *econtext)
{
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;
	bool		got;

	ExecClearTuple(slot);
	if (node->falling_back)
		got = take_slot(ExecProcNode(node->fallback), slot);
	else
	{
		MemoryContext old =
			MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

		got = gpuagg_results_next(node->found.results, slot->tts_values,
								  slot->tts_isnull);
		MemoryContextSwitchTo(old);
		if (got && node->key_rows != NULL)
			gpuagg_key_rows_fill(node->key_rows, slot->tts_values, slot->tts_isnull);
		if (!got)
			got = take_slot(gpuagg_long_rows_next(node), slot);
	}
	return got ? ExecStoreVirtualTuple(slot) : NULL;
}

static TupleTableSlot *
node_exec(CustomScanState *css)
{
	GpuAggScan *node = (GpuAggScan *) css;
	ExprContext *econtext = css->ss.ps.ps_ExprContext;
	ProjectionInfo *projection = css->ss.ps.ps_ProjInfo;

	if (!node->ran)
		gpuagg_scan_run(node);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		econtext->ecxt_scantuple = node_next(node, econtext);
		if (econtext->ecxt_scantuple == NULL)
			return projection != NULL ?
				ExecClearTuple(projection->pi_state.resultslot) : NULL;
		if (css->ss.ps.qual == NULL || ExecQual(css->ss.ps.qual, econtext))
			return projection != NULL ? ExecProject(projection) :
				econtext->ecxt_scantuple;
		InstrCountFiltered1(css, 1);
	}
}

/* --------------------------------------------------------- rescan, end --- */

static void
node_rescan(CustomScanState *css)
{
	gpuagg_scan_rescan((GpuAggScan *) css, false);
}

static void
node_end(CustomScanState *css)
{
	gpuagg_scan_end((GpuAggScan *) css);
}

static void
node_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	gpuagg_explain_node((GpuAggScan *) css, ancestors, es);
}

/* ------------------------------------------------ in a parallel plan --- */

static Size
node_shared_bytes(CustomScanState *css, ParallelContext *pcxt)
{
	return gpuagg_shared_run_bytes();
}

static void
node_share(CustomScanState *css, ParallelContext *pcxt, void *at)
{
	gpuagg_shared_run_init((GpuAggScan *) css, at);
}

static void
node_share_again(CustomScanState *css, ParallelContext *pcxt, void *at)
{
	gpuagg_shared_run_collect((GpuAggScan *) css);
	gpuagg_shared_run_init((GpuAggScan *) css, at);
}

static void
node_attach(CustomScanState *css, shm_toc *toc, void *at)
{
	gpuagg_shared_run_attach((GpuAggScan *) css, at);
}

/* In a worker the run may be still to come: PostgreSQL shuts down what it has read to its end. */
static void
node_shutdown(CustomScanState *css)
{
	gpuagg_shared_run_collect((GpuAggScan *) css);
	gpuagg_shared_run_forget((GpuAggScan *) css);
}

/* ------------------------------------------------------------- methods --- */

static const CustomExecMethods node_methods = {
	.CustomName = "GpuAgg",
	.BeginCustomScan = node_begin,
	.ExecCustomScan = node_exec,
	.EndCustomScan = node_end,
	.ReScanCustomScan = node_rescan,
	.EstimateDSMCustomScan = node_shared_bytes,
	.InitializeDSMCustomScan = node_share,
	.ReInitializeDSMCustomScan = node_share_again,
	.InitializeWorkerCustomScan = node_attach,
	.ShutdownCustomScan = node_shutdown,
	.ExplainCustomScan = node_explain
};

static Node *
node_create(CustomScan *plan)
{
	GpuAggScan *node = (GpuAggScan *)
		newNode(sizeof(GpuAggScan), T_CustomScanState);

	node->css.methods = &node_methods;
	return (Node *) node;
}

static const CustomScanMethods scan_methods = {
	.CustomName = "GpuAgg",
	.CreateCustomScanState = node_create
};

void
gpuagg_agg_node_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
