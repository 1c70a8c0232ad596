/*
 * agg_node.c
 *		The executor node GpuAgg: groups of one table, computed by a device.
 *
 * The first call runs one whole task (task.c) and keeps all its groups;
 * every call returns the next one.  A group becomes a tuple of
 * custom_scan_tlist in the scan slot; HAVING and the target list are
 * PostgreSQL's, evaluated over it.  A task that a GPU fails runs again, as a
 * whole, on the host device.  If no device can answer, tuples of
 * the same shape come from the fallback plan, PostgreSQL's own aggregation
 * over a sequential scan, which is initialised only then and shows up in
 * EXPLAIN only then.
 *
 * Between calls the node holds its results, nothing else: no task, no pin,
 * no worker.  So cursors (Material stands above for backward scans), rescans
 * and subtransactions need no care, and the whole table is read under the
 * query's snapshot whenever the first row is asked for.
 *
 * A rescan with unchanged parameters returns the same groups again; with
 * changed ones it runs another task.
 *
 * Lifetimes: everything in the query's memory context and resource owner.
 */
#include "postgres.h"

#include "executor/agg_node.h"
#include "executor/executor.h"
#include "executor/explain.h"
#include "executor/task.h"
#include "gpuagg.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "service/stat.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

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

/* Adds the parameters in an expression to the list at context. */
static bool
runtime_params(Node *node, void *context)
{
	List	  **params = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
		*params = list_append_unique(*params, node);
	return expression_tree_walker(node, runtime_params, context);
}

static void
runtime_init(GpuAggScanState *node, CustomScan *plan)
{
	PlanState  *ps = &node->css.ss.ps;
	List	   *exprs = (List *) runtime_expand((Node *) plan->custom_exprs, plan);
	List	   *params = NIL;

	gpuagg_sample_init(&node->sample, node->info->sample,
					   node->info->repeatable,
					   list_copy_tail(exprs, node->info->nruntime), ps);
	exprs = list_truncate(exprs, node->info->nruntime);
	(void) runtime_params((Node *) exprs, &params);
	node->runtime = ExecInitExprList(exprs, ps);
	node->params = ExecInitExprList(params, ps);
}

static void
node_begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuAggScanState *node = (GpuAggScanState *) css;
	CustomScan *plan = castNode(CustomScan, css->ss.ps.plan);
	int			rti = bms_singleton_member(plan->custom_relids);

	node->info = gpuagg_plan_unpack(plan->custom_private);
	node->rel = ExecOpenScanRelation(estate, rti, eflags);
	node->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	node->owner = CurrentResourceOwner;
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		runtime_init(node, plan);
}

bool
gpuagg_node_timing(const GpuAggScanState *node)
{
	const Instrumentation *instrument = node->css.ss.ps.instrument;

	return instrument != NULL && instrument->need_timer;
}

/* ----------------------------------------------------------------- run --- */

/*
 * Evaluates a constant that may raise an error.  PostgreSQL would raise it
 * only at the first row that needs the value, so an error in the data ends
 * nothing here but the device's turn.  Parameters were evaluated before and
 * the rest is made of PostgreSQL's own functions of numbers, times and
 * strings, which hold nothing that a subtransaction would have to release.
 */
static GpuAggStatus
runtime_try(ExprState *expr, ExprContext *econtext, Datum *value,
			bool *isnull, GpuAggError *error)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile caught = NULL;

	PG_TRY();
	{
		*value = ExecEvalExprSwitchContext(expr, econtext, isnull);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		caught = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (caught == NULL)
		return GPUAGG_OK;
	if (ERRCODE_TO_CATEGORY(caught->sqlerrcode) != ERRCODE_DATA_EXCEPTION &&
		ERRCODE_TO_CATEGORY(caught->sqlerrcode) != ERRCODE_FEATURE_NOT_SUPPORTED)
		ReThrowError(caught);
	gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG, "%s",
					 caught->message);
	FreeErrorData(caught);
	return error->status;
}

/*
 * Values of the runtime constants.  Of an empty table PostgreSQL evaluates
 * nothing, not even parameters (they may be subqueries), and so do we; but a
 * condition without columns keeps it from looking at a sample's arguments.
 */
static GpuAggStatus
runtime_evaluate(GpuAggScanState *node, BlockNumber nblocks, Datum *values,
				 bool *isnull, GpuAggError *error)
{
	ExprContext *econtext = node->css.ss.ps.ps_ExprContext;
	GpuAggStatus status = GPUAGG_OK;
	ListCell   *lc;

	ResetExprContext(econtext);
	memset(isnull, true, list_length(node->runtime) * sizeof(bool));
	if (nblocks == 0 &&
		(node->info->gate < 0 || node->info->sample == GPUAGG_SAMPLE_NONE))
		return GPUAGG_OK;
	foreach(lc, node->params)
	{
		bool		ignored;

		(void) ExecEvalExprSwitchContext(lfirst(lc), econtext, &ignored);
	}
	foreach(lc, node->runtime)
	{
		int			i = foreach_current_index(lc);

		if (node->info->runtime[i].may_fail)
			status = runtime_try(lfirst(lc), econtext, &values[i], &isnull[i],
								 error);
		else
			values[i] = ExecEvalExprSwitchContext(lfirst(lc), econtext,
												  &isnull[i]);
		if (status != GPUAGG_OK)
			break;
	}
	return status;
}

/* The program with its runtime constants; NULL: see error. */
static GpuAggProgram *
node_bind(GpuAggScanState *node, BlockNumber nblocks, GpuAggError *error)
{
	int			n = list_length(node->runtime);
	Datum	   *values = palloc0(Max(1, n) * sizeof(Datum));
	bool	   *isnull = palloc(Max(1, n) * sizeof(bool));

	if (runtime_evaluate(node, nblocks, values, isnull, error) != GPUAGG_OK)
		return NULL;
	return gpuagg_plan_bind(node->info, values, isnull);
}

/* Is the condition without columns, if there is one, anything but TRUE? */
static bool
node_gate_closed(const GpuAggPlanInfo *info, const GpuAggProgram *program)
{
	const GpuAggConst *gate;

	if (info->gate < 0)
		return false;
	gate = gpuagg_program_consts(program) + info->gate;
	return gate->state != GPUAGG_ST_VALUE || gate->v.i == 0;
}

static void
node_forget_results(GpuAggScanState *node)
{
	if (node->results != NULL)
		gpuagg_results_free(node->results);
	node->results = NULL;
}

/* One task, with an empty result store. */
static GpuAggStatus
node_run_task(GpuAggScanState *node, const GpuAggProgram *program,
			  BlockNumber nblocks, bool host, GpuAggError *error)
{
	node_forget_results(node);
	node->results = gpuagg_results_create(node->info,
										  node->css.ss.ps.state->es_query_cxt,
										  node->owner);
	return gpuagg_task_run(node, program, nblocks, host, error);
}

/*
 * The whole task again on the host device, after a GPU failed it.  What the
 * GPU had asked PostgreSQL to evaluate counts for nothing.
 */
static GpuAggStatus
node_redo(GpuAggScanState *node, const GpuAggProgram *program,
		  BlockNumber nblocks, uint64 evaluated, GpuAggError *error)
{
	GpuAggCounters *counters = &node->counters;

	gpuagg_stat_add(GPUAGG_STAT_redone, 1);
	counters->redone++;
	strlcpy(counters->redone_message, error->message,
			sizeof(counters->redone_message));
	counters->rows_evaluated = evaluated;
	ereport(DEBUG1,
			(errmsg("gpuagg: redoing a task on the host device: %s",
					error->message)));
	return node_run_task(node, program, nblocks, true, error);
}

/*
 * One task, on another device if need be.  What it allocates goes with the
 * current memory context, but for the results.
 */
static GpuAggStatus
node_run_device(GpuAggScanState *node, GpuAggError *error)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(node->rel);
	uint64		evaluated = node->counters.rows_evaluated;
	ExprContext *econtext = node->css.ss.ps.ps_ExprContext;
	GpuAggProgram *program;
	GpuAggStatus status;

	if (RelationUsesLocalBuffers(node->rel))
		return gpuagg_error_set(error, GPUAGG_UNSUPPORTED, 0,
								"the table's buffers are private to this session");

	/* the sample's arguments first, but behind a condition without columns */
	if (node->info->gate < 0)
		gpuagg_sample_evaluate(&node->sample, econtext);
	program = node_bind(node, nblocks, error);
	if (program == NULL)
		return error->status;
	if (node_gate_closed(node->info, program))
		nblocks = 0;
	else if (node->info->gate >= 0)
		gpuagg_sample_evaluate(&node->sample, econtext);
	status = node_run_task(node, program, nblocks, false, error);
	if (gpuagg_task_redoable(node, status))
		status = node_redo(node, program, nblocks, evaluated, error);
	return status;
}

/*
 * Lets PostgreSQL's plan answer, if that is allowed.
 */
static void
node_fall_back(GpuAggScanState *node, const GpuAggError *error)
{
	CustomScan *plan = castNode(CustomScan, node->css.ss.ps.plan);
	GpuAggFallback reason = gpuagg_error_fallback(error);
	bool		required = gpuagg_debug_require == GPUAGG_REQUIRE;

	/* PostgreSQL would follow the page's offsets wherever they lead */
	if (error->status == GPUAGG_CORRUPT_PAGE)
		gpuagg_error_raise(error);
	gpuagg_fallback_count(reason);
	node->counters.fallback = reason;
	strlcpy(node->counters.fallback_message, error->message,
			sizeof(node->counters.fallback_message));
	if (!gpuagg_fallback)
		gpuagg_error_raise(error);
	if (required && reason != GPUAGG_FALLBACK_VALUE)
		gpuagg_error_required(error);

	node->falling_back = true;
	if (node->fallback == NULL)
	{
		node->fallback = ExecInitNode(list_nth(plan->custom_plans,
											   GPUAGG_PLAN_FALLBACK),
									  node->css.ss.ps.state, node->eflags);
		node->css.custom_ps = lappend(node->css.custom_ps, node->fallback);
		gpuagg_sample_lend_seed(&node->sample, node->fallback);
	}
	if (required)
	{
		TupleTableSlot *slot;

		/* only if PostgreSQL raises an error for the value is it excused */
		do
		{
			CHECK_FOR_INTERRUPTS();
			slot = ExecProcNode(node->fallback);
		} while (!TupIsNull(slot));
		gpuagg_error_required(error);
	}
}

static void
node_run(GpuAggScanState *node)
{
	MemoryContext query = node->css.ss.ps.state->es_query_cxt;
	MemoryContext run = AllocSetContextCreate(query, "GpuAgg run",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(run);
	bool		timing = gpuagg_node_timing(node);
	GpuAggError error = {0};
	GpuAggStatus status;
	instr_time	start;
	instr_time	end;

	if (gpuagg_debug_require == GPUAGG_FORBID)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpuagg.debug_require = forbid, but a plan uses the device")));
	if (timing)
		INSTR_TIME_SET_CURRENT(start);
	node_forget_results(node);
	node->falling_back = false;
	status = node_run_device(node, &error);
	MemoryContextSwitchTo(query);
	MemoryContextDelete(run);
	if (status == GPUAGG_OK)
		gpuagg_results_rewind(node->results);
	else
	{
		node_forget_results(node);
		node_fall_back(node, &error);
	}
	if (timing)
	{
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_ACCUM_DIFF(node->counters.run_time, end, start);
	}
	node->ran = true;
	MemoryContextSwitchTo(old);
}

/* ---------------------------------------------------------------- rows --- */

/*
 * The next tuple of custom_scan_tlist in the scan slot, or NULL.
 */
static TupleTableSlot *
node_next(GpuAggScanState *node, ExprContext *econtext)
{
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;
	bool		got;

	ExecClearTuple(slot);
	if (node->falling_back)
	{
		TupleTableSlot *from = ExecProcNode(node->fallback);

		got = !TupIsNull(from);
		if (got)
		{
			int			natts = slot->tts_tupleDescriptor->natts;

			slot_getallattrs(from);
			memcpy(slot->tts_values, from->tts_values, natts * sizeof(Datum));
			memcpy(slot->tts_isnull, from->tts_isnull, natts * sizeof(bool));
		}
	}
	else
	{
		MemoryContext old =
			MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

		got = gpuagg_results_next(node->results, slot->tts_values,
								  slot->tts_isnull);
		MemoryContextSwitchTo(old);
	}
	return got ? ExecStoreVirtualTuple(slot) : NULL;
}

static TupleTableSlot *
node_exec(CustomScanState *css)
{
	GpuAggScanState *node = (GpuAggScanState *) css;
	ExprContext *econtext = css->ss.ps.ps_ExprContext;
	ProjectionInfo *projection = css->ss.ps.ps_ProjInfo;

	if (!node->ran)
		node_run(node);
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
	GpuAggScanState *node = (GpuAggScanState *) css;
	CustomScan *plan = castNode(CustomScan, css->ss.ps.plan);
	Plan	   *fallback = list_nth(plan->custom_plans, GPUAGG_PLAN_FALLBACK);
	Bitmapset  *changed = css->ss.ps.chgParam;

	/* A node whose parameters changed is rescanned when it runs next. */
	if (node->fallback != NULL)
	{
		if (changed != NULL)
			UpdateChangedParamSet(node->fallback, changed);
		if (node->fallback->chgParam == NULL)
			ExecReScan(node->fallback);
	}
	if (!node->ran)
		return;

	/* parameters of HAVING and the target list do not concern the groups */
	if (bms_overlap(changed, fallback->allParam))
		node->ran = false;
	else if (!node->falling_back)
		gpuagg_results_rewind(node->results);
}

static void
node_end(CustomScanState *css)
{
	GpuAggScanState *node = (GpuAggScanState *) css;

	node_forget_results(node);
	if (node->rows != NULL)
		gpuagg_rows_end(node->rows);
	if (node->fallback != NULL)
		ExecEndNode(node->fallback);
}

static void
node_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	gpuagg_explain_node((GpuAggScanState *) css, ancestors, es);
}

/* ------------------------------------------------------------- methods --- */

static const CustomExecMethods node_methods = {
	.CustomName = "GpuAgg",
	.BeginCustomScan = node_begin,
	.ExecCustomScan = node_exec,
	.EndCustomScan = node_end,
	.ReScanCustomScan = node_rescan,
	.ExplainCustomScan = node_explain
};

static Node *
node_create(CustomScan *plan)
{
	GpuAggScanState *node = (GpuAggScanState *)
		newNode(sizeof(GpuAggScanState), T_CustomScanState);

	node->css.methods = &node_methods;
	return (Node *) node;
}

const CustomScanMethods gpuagg_agg_scan_methods = {
	.CustomName = "GpuAgg",
	.CreateCustomScanState = node_create
};

void
gpuagg_executor_init(void)
{
	RegisterCustomScanMethods(&gpuagg_agg_scan_methods);
}
