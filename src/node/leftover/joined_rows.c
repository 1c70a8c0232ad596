/*
 * joined_rows.c
 *		Joins single rows for a device by PostgreSQL's own plan (joined_rows.h).
 *
 * A row with a value that no device reads is copied, and the joins of the fallback plan, of which
 * another copy is initialised, are run for such rows alone when all others have been sent: the
 * sequential scans, one of each table, give them instead of reading it (planner/path/row_joins.c
 * says of which plans that is true).  What comes of it is evaluated and sent as rows of a plan are.
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
#include "node/leftover/given_rows.h"
#include "node/leftover/joined_rows.h"
#include "node/leftover/leftover.h"
#include "node/row/row_eval.h"
#include "node/scan/strange_columns.h"
#include "nodes/nodeFuncs.h"
#include "planner/value/constant.h"
#include "utils/rel.h"

struct GpuAggJoinedRows
{
	const GpuAggScan *scan;
	const GpuAggOrder *order;
	const GpuAggProgram *program;
	GpuAggLongValues *longs;
	bool		keep;
	Bitmapset  *tables;			/* Those that are read, by their scans. */

	/* Keys that are numerics; a row of it with one that is long is not joined here */
	int			nlong;
	AttrNumber	long_columns[GPUAGG_MAX_KEYS];
	uint8		long_scales[GPUAGG_MAX_KEYS];

	/* Copies of rows */
	MemoryContext context;
	HeapTuple  *rows;
	int			n;
	int			room;
	Size		bytes;

	/* The plan that joins them */
	const PlanState *giving;	/* Its scan at work. */
	int			next;			/* The row that this scan looks at. */
	bool		ended;			/* It has no more rows. */
	PlanState  *plan;			/* NULL until no more rows come. */
	ExprContext *econtext;
	GpuAggRowEval *eval;
};

/* The column that a key is, at the scale that the query has it; 0: it is none of numerics. */
static AttrNumber
key_column(const GpuAggProgram *program, uint16 reg)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);
	const GpuAggInstr *instrs = gpuagg_program_instrs(program);

	for (uint32 i = 0; i < program->ninstrs; i++)
		if (instrs[i].op == GPUAGG_OP_DECIMAL_AT && instrs[i].dst == reg)
			reg = instrs[i].a;
	for (uint32 i = 0; i < program->nattrs; i++)
		if (attrs[i].reg == reg && attrs[i].type == GPUAGG_T_NUMERIC)
			return i + 1;
	return 0;
}

/*
 * A row whose key is a numeric that the device has no form of is in none of the device's groups,
 * whatever it is joined with: then the plan that makes such groups joins it (long_rows.c).
 */
static void
find_long_keys(GpuAggJoinedRows *joined, uint32 of_keys)
{
	const GpuAggKey *keys = gpuagg_program_keys(joined->program);

	for (uint32 i = 0; i < joined->program->nkeys && joined->longs != NULL; i++)
	{
		const AttrNumber column = key_column(joined->program, keys[i].reg);

		if ((of_keys >> i & 1) == 0 || column == 0 || gpuagg_scale_is_word(keys[i].scale))
			continue;
		joined->long_columns[joined->nlong] = column;
		joined->long_scales[joined->nlong++] = keys[i].scale.digits;
	}
}

GpuAggJoinedRows *
gpuagg_joined_rows_begin(const GpuAggScan *scan, const GpuAggOrder *order, const Plan *row_plan,
						 GpuAggLongValues *longs, bool keep)
{
	GpuAggJoinedRows *joined = palloc0(sizeof(GpuAggJoinedRows));

	joined->scan = scan;
	joined->order = order;
	joined->program = order->program;
	joined->longs = longs;
	joined->keep = keep;
	joined->tables = gpuagg_leftover_tables(scan);
	joined->context = CurrentMemoryContext;
	find_long_keys(joined, gpuagg_leftover_keys(scan, order->demand->info, row_plan));
	return joined;
}

static bool
has_long_key(const GpuAggJoinedRows *joined, Relation rel, HeapTuple tuple)
{
	for (int i = 0; i < joined->nlong; i++)
	{
		bool		isnull;
		int64		decimal;
		Datum value = heap_getattr(tuple, joined->long_columns[i], RelationGetDescr(rel), &isnull);

		if (!isnull && !gpuagg_numeric_scaled(value, true, joined->long_scales[i], &decimal))
			return true;
	}
	return false;
}

static GpuAggStatus
too_many(GpuAggError *error)
{
	return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
							"too many rows that are joined have values that only PostgreSQL reads");
}

GpuAggStatus
gpuagg_joined_rows_take(GpuAggJoinedRows *joined, const GpuAggTaskTable *table, Buffer buffer,
						OffsetNumber line, GpuAggError *error)
{
	MemoryContext old;
	HeapTupleData tuple;

	Assert(joined->plan == NULL);
	if (!gpuagg_rows_tuple(table->rel, buffer, line, &tuple, error))
		return error->status;
	if (has_long_key(joined, table->rel, &tuple))
		return !joined->keep ||
				gpuagg_long_values_add_row(joined->longs, &tuple,
										   ((Scan *) table->row_plan)->scanrelid) ?
			GPUAGG_OK :
			too_many(error);
	joined->bytes += HEAPTUPLESIZE + tuple.t_len + sizeof(HeapTuple);
	if (joined->bytes > (Size) work_mem * 1024)
		return too_many(error);
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

/* Of a scan's table; one scan gives all its rows before the next one is asked */
static HeapTuple
next_copy(void *of, const PlanState *scan)
{
	GpuAggJoinedRows *joined = of;

	if (joined->giving != scan)
	{
		joined->giving = scan;
		joined->next = 0;
	}
	while (joined->next < joined->n)
	{
		HeapTuple	row = joined->rows[joined->next++];

		if (row->t_tableOid == RelationGetRelid(((const ScanState *) scan)->ss_currentRelation))
			return row;
	}
	return NULL;
}

static bool
take_scan(PlanState *ps, void *context)
{
	const GpuAggJoinedRows *joined = context;

	if (IsA(ps, SeqScanState) && bms_is_member(((Scan *) ps->plan)->scanrelid, joined->tables))
		gpuagg_given_rows_take(ps);
	return planstate_tree_walker(ps, take_scan, context);
}

static bool
needs_device(PlanState *ps, void *context)
{
	return IsA(ps, CustomScanState) || IsA(ps, ForeignScanState) ||
		planstate_tree_walker(ps, needs_device, context);
}

/* The dictionary of a key that is a number of strings; false: it is not there. */
static bool
find_string(const GpuAggScan *scan, int key, int lookup, int column, GpuAggKeyStrings strings)
{
	strings[key] = gpuagg_lookups_numbered(scan->lookups, lookup, column);
	return strings[key] != NULL;
}

static bool
find_strings(const GpuAggScan *scan, const GpuAggPlanInfo *info, GpuAggKeyStrings strings)
{
	const GpuAggRegroup *regroup = info->regroup;
	bool		ok = true;

	memset(strings, 0, sizeof(GpuAggKeyStrings));
	for (int i = 0; regroup != NULL && i < regroup->ninputs; i++)
		if (regroup->inputs[i].final == GPUAGG_FINAL_KEY_NUMBER)
			ok &= find_string(scan, i, regroup->inputs[i].lookup, regroup->inputs[i].column,
							  strings);
	for (int i = 0; regroup == NULL && i < info->noutputs; i++)
	{
		const GpuAggOutput *output = &info->outputs[i];

		if (output->final == GPUAGG_FINAL_KEY_NUMBER)
			ok &= find_string(scan, output->index, output->lookup, output->column, strings);
	}
	return ok;
}

/* False: it cannot be run now. */
static bool
open_plan(GpuAggJoinedRows *joined)
{
	const GpuAggScan *scan = joined->scan;
	const CustomScan *custom = castNode(CustomScan, scan->css.ss.ps.plan);
	const GpuAggPlanInfo *info = joined->order->demand->info;
	MemoryContext old;
	GpuAggKeyStrings strings;

	gpuagg_lookups_begin_subqueries(scan->lookups);
	joined->plan = gpuagg_given_rows_begin(
		gpuagg_plan_joins(list_nth(custom->custom_plans, GPUAGG_PLAN_FALLBACK)),
		scan->css.ss.ps.state, scan->eflags);
	if (needs_device(joined->plan, NULL) || !find_strings(scan, info, strings))
		return false;
	(void) take_scan(joined->plan, joined);
	old = MemoryContextSwitchTo(joined->plan->state->es_query_cxt);
	joined->econtext = CreateExprContext(joined->plan->state);
	joined->eval = gpuagg_row_eval_create(info->joined, NULL, joined->program, strings);
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

	while (status == GPUAGG_OK && !joined->ended &&
		   !gpuagg_row_block_full(gpuagg_row_eval_block(joined->eval)))
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
gpuagg_joined_rows_next(GpuAggJoinedRows *joined, uint64 batch_id, const GpuAggMsg **msg,
						Size *bytes, GpuAggError *error)
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

/* Which of them it was that could not be sent is not known. */
void
gpuagg_joined_rows_note(const GpuAggJoinedRows *joined)
{
	const GpuAggOrder *order = joined->order;

	for (int i = 0; i < joined->n; i++)
		for (int t = 0; t < order->nread; t++)
			if (RelationGetRelid(order->read[t].rel) == joined->rows[i]->t_tableOid)
				gpuagg_note_strange(joined->scan, order->demand->info, order->read[t].rel,
									joined->rows[i]);
}

void
gpuagg_joined_rows_end(GpuAggJoinedRows *joined)
{
	if (joined->plan != NULL)
		gpuagg_given_rows_end(joined->plan);
}
