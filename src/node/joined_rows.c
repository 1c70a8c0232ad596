/*
 * joined_rows.c
 *		Joins single rows for a device by PostgreSQL's own plan (joined_rows.h).
 *
 * A row with a value that no device reads is copied, and the joins of the fallback plan, of which
 * another copy is initialised, are run for such rows alone when all others have been sent: the
 * sequential scan of their table gives them instead of reading it (planner/row_joins.c says
 * of which plans that is true).  What comes of it is evaluated and sent as rows of a plan are.
 *
 * The scan evaluates its conditions, the joins theirs, so a row that does not pass leaves nothing.
 * Strings that the device knows by numbers are sent as these; each is in the look-up table.
 *
 * The plan runs while the task does, so it must need no device.
 *
 * Memory: copies in the task's context, the plan and what it is evaluated into in its own.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/given_rows.h"
#include "node/joined_rows.h"
#include "node/lookup_windows.h"
#include "node/row_eval.h"
#include "nodes/nodeFuncs.h"

struct GpuAggJoinedRows
{
	GpuAggScan *scan;
	const GpuAggProgram *program;
	GpuAggLongValues *longs;
	bool		keep;
	MemoryContext context;
	HeapTuple  *rows;
	int			n;
	int			room;
	Size		bytes;
	int			next;			/* row that the scan gives */
	bool		ended;			/* the plan has no more rows */
	PlanState  *plan;			/* NULL until no more rows come */
	ExprContext *econtext;
	GpuAggRowEval *eval;
};

bool
gpuagg_joined_rows_possible(const GpuAggScan *scan)
{
	return scan->info->joined != NIL && scan->tables == NULL && !gpuagg_windows_several(scan);
}

GpuAggJoinedRows *
gpuagg_joined_rows_begin(GpuAggScan *scan, const GpuAggProgram *program, GpuAggLongValues *longs, bool keep)
{
	GpuAggJoinedRows *joined = palloc0(sizeof(GpuAggJoinedRows));

	joined->scan = scan;
	joined->program = program;
	joined->longs = longs;
	joined->keep = keep;
	joined->context = CurrentMemoryContext;
	return joined;
}

GpuAggStatus
gpuagg_joined_rows_take(GpuAggJoinedRows *joined, Relation rel, Buffer buffer, OffsetNumber line,
						GpuAggError *error)
{
	MemoryContext old;
	HeapTupleData tuple;

	Assert(joined->plan == NULL);
	if (!gpuagg_rows_tuple(rel, buffer, line, &tuple, error))
		return error->status;
	joined->bytes += HEAPTUPLESIZE + tuple.t_len + sizeof(HeapTuple);
	if (joined->bytes > (Size) work_mem * 1024)
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"too many rows that are joined have values that only PostgreSQL reads");
	old = MemoryContextSwitchTo(joined->context);
	if (joined->n == joined->room)
	{
		joined->room = joined->room == 0 ? 64 : joined->room * 2;
		joined->rows = joined->rows == NULL ? palloc(joined->room * sizeof(HeapTuple)) :
			repalloc_huge(joined->rows, joined->room * sizeof(HeapTuple));
	}
	joined->rows[joined->n++] = heap_copytuple(&tuple);
	MemoryContextSwitchTo(old);
	return GPUAGG_OK;
}

/* ---------------------------------------------------------------- plan --- */

static HeapTuple
next_copy(void *of, const PlanState *scan)
{
	GpuAggJoinedRows *joined = of;

	return joined->next < joined->n ? joined->rows[joined->next++] : NULL;
}

static bool
take_scan(PlanState *ps, void *context)
{
	const Index *table = context;

	if (IsA(ps, SeqScanState) && ((Scan *) ps->plan)->scanrelid == *table)
		gpuagg_given_rows_take(ps);
	return planstate_tree_walker(ps, take_scan, context);
}

static bool
needs_device(PlanState *ps, void *context)
{
	return IsA(ps, CustomScanState) || IsA(ps, ForeignScanState) ||
		planstate_tree_walker(ps, needs_device, context);
}

/* Dictionaries of keys that are numbers of strings; false: one is not there. */
static bool
find_strings(const GpuAggScan *scan, GpuAggKeyStrings strings)
{
	memset(strings, 0, sizeof(GpuAggKeyStrings));
	for (int i = 0; i < scan->info->noutputs; i++)
	{
		const GpuAggOutput *output = &scan->info->outputs[i];

		if (output->final != GPUAGG_FINAL_KEY_NUMBER)
			continue;
		strings[output->index] = gpuagg_lookups_numbered(scan->lookups, output->lookup, output->column);
		if (strings[output->index] == NULL)
			return false;
	}
	return true;
}

/* False: it cannot be run now. */
static bool
open_plan(GpuAggJoinedRows *joined)
{
	GpuAggScan *scan = joined->scan;
	const CustomScan *custom = castNode(CustomScan, scan->css.ss.ps.plan);
	MemoryContext old;
	Index		table = ((Scan *) list_nth(custom->custom_plans, GPUAGG_PLAN_ROWS))->scanrelid;
	GpuAggKeyStrings strings;

	joined->plan = gpuagg_given_rows_begin(gpuagg_plan_joins(list_nth(custom->custom_plans, GPUAGG_PLAN_FALLBACK)),
										   scan->css.ss.ps.state, scan->eflags);
	if (needs_device(joined->plan, NULL) || !find_strings(scan, strings))
		return false;
	(void) take_scan(joined->plan, &table);
	old = MemoryContextSwitchTo(joined->plan->state->es_query_cxt);
	joined->econtext = CreateExprContext(joined->plan->state);
	joined->eval = gpuagg_row_eval_create(scan->info->joined, NULL, joined->program, strings);
	gpuagg_row_eval_bind(joined->eval, joined->program, joined->longs, joined->keep, 0, 0);
	MemoryContextSwitchTo(old);
	return true;
}

/* Up to a full block, or the last row */
static GpuAggStatus
fill(GpuAggJoinedRows *joined, GpuAggError *error)
{
	const GpuAggGiver giver = {next_copy, joined};
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && !joined->ended && !gpuagg_row_block_full(gpuagg_row_eval_block(joined->eval)))
	{
		TupleTableSlot *slot = gpuagg_given_rows_exec(joined->plan, &giver);

		ResetExprContext(joined->econtext);
		joined->econtext->ecxt_outertuple = slot;
		if (TupIsNull(slot))
			joined->ended = true;
		else
			status = gpuagg_row_eval_row(joined->eval, joined->econtext, NULL, error);
	}
	return status;
}

GpuAggStatus
gpuagg_joined_rows_next(GpuAggJoinedRows *joined, uint64 batch_id, const GpuAggMsg **msg, Size *bytes,
						GpuAggError *error)
{
	GpuAggStatus status;
	MemoryContext old;

	*msg = NULL;
	if (joined->plan == NULL && !open_plan(joined))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a row that is joined has a value that only PostgreSQL reads");
	old = MemoryContextSwitchTo(joined->plan->state->es_query_cxt);
	status = fill(joined, error);
	if (status == GPUAGG_OK && gpuagg_row_block_count(gpuagg_row_eval_block(joined->eval)) > 0)
		*msg = gpuagg_row_block_message(gpuagg_row_eval_block(joined->eval), batch_id, bytes);
	MemoryContextSwitchTo(old);
	return status;
}

void
gpuagg_joined_rows_end(GpuAggJoinedRows *joined)
{
	if (joined->plan != NULL)
		gpuagg_given_rows_end(joined->plan);
}
