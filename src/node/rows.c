/*
 * rows.c
 *		Evaluates single rows for a device with the row plan.
 *
 * The row plan is a SeqScan that never scans.  Its qual decides whether the
 * row counts; its target list, one entry for each output of the program
 * (gpuagg_program_noutputs), is compiled expression by expression instead of
 * as a projection, for two reasons: an aggregate's argument must not be
 * evaluated where its FILTER is not true, and nothing but the qual may be
 * evaluated of a row that does not pass.
 *
 * The tuple is read where it lies; the caller holds the pin.  Values are
 * copied into columns of up to ROWS_MAX rows (row_block.c), then sent as one message.
 * Memory: the query's context, except values in the making, which live in
 * the row plan's per-tuple context.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "node/row_aside.h"
#include "node/rows.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#define ROWS_MAX 1024
#define ROWS_STRING_BYTES (256 * 1024)

struct GpuAggRows
{
	ScanState  *scan;			/* of the row plan */
	int			noutputs;
	ExprState **outputs;
	int		   *order;			/* filters before what they guard */
	GpuAggRowBlock *block;
	GpuAggRowAside *aside;
};

/* ------------------------------------------------------------ creation --- */

/* Each argument behind its filter */
static void
order_outputs(GpuAggRows *rows)
{
	int			place = 0;

	for (int i = 0; i < rows->noutputs; i++)
	{
		const int	filter = gpuagg_row_block_output(rows->block, i)->filter;

		if (filter < 0)
			rows->order[place++] = i;
		else
		{
			rows->order[place++] = filter;
			rows->order[place++] = i;
			i = filter;
		}
	}
	Assert(place == rows->noutputs);
}

static void
outputs_init(GpuAggRows *rows, const GpuAggProgram *program)
{
	Oid		   *types = palloc(Max(1, rows->noutputs) * sizeof(Oid));
	ListCell   *lc;

	foreach(lc, rows->scan->ps.plan->targetlist)
	{
		Expr	   *expr = lfirst_node(TargetEntry, lc)->expr;

		rows->outputs[foreach_current_index(lc)] = ExecInitExpr(expr, &rows->scan->ps);
		types[foreach_current_index(lc)] = exprType((Node *) expr);
	}
	rows->block = gpuagg_row_block_create(program, types, ROWS_MAX, ROWS_STRING_BYTES);
	order_outputs(rows);
	pfree(types);
}

GpuAggRows *
gpuagg_rows_create(Plan *plan, EState *estate, int eflags,
				   const GpuAggProgram *program)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	GpuAggRows *rows = palloc0(sizeof(GpuAggRows));

	rows->noutputs = gpuagg_program_noutputs(program);
	if (list_length(plan->targetlist) != rows->noutputs)
		elog(ERROR, "gpuagg: row plan has %d outputs, program has %d",
			 list_length(plan->targetlist), rows->noutputs);
	rows->outputs = palloc(Max(1, rows->noutputs) * sizeof(ExprState *));
	rows->order = palloc(Max(1, rows->noutputs) * sizeof(int));
	rows->scan = (ScanState *) ExecInitNode(plan, estate, eflags);
	outputs_init(rows, program);
	rows->aside = gpuagg_row_aside_create(rows->block);
	MemoryContextSwitchTo(old);
	return rows;
}

void
gpuagg_rows_bind(GpuAggRows *rows, const GpuAggProgram *program, GpuAggLongValues *longs, bool keep,
				 uint32 long_keys)
{
	gpuagg_row_aside_bind(rows->aside, longs, keep);
	gpuagg_row_aside_take_rows(rows->aside, (int) ((Scan *) rows->scan->ps.plan)->scanrelid,
							   long_keys);
	gpuagg_row_block_bind(rows->block, program);
}

/* The rest goes with the query's memory context. */
void
gpuagg_rows_end(GpuAggRows *rows)
{
	ExecEndNode(&rows->scan->ps);
}

/* ---------------------------------------------------------------- rows --- */

static bool
output_evaluate(GpuAggRows *rows, int n, ExprContext *econtext)
{
	const int	filter = gpuagg_row_block_output(rows->block, n)->filter;
	bool		isnull = true;
	Datum		datum = (Datum) 0;
	MemoryContext old;
	bool		fits;

	if (filter < 0 || gpuagg_row_block_is_true(rows->block, filter))
		datum = ExecEvalExprSwitchContext(rows->outputs[n], econtext, &isnull);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	fits = gpuagg_row_block_put(rows->block, n, datum, isnull) ||
		gpuagg_row_aside_put(rows->aside, n, datum);
	MemoryContextSwitchTo(old);
	return fits;
}

/* The tuple in the scan slot */
static GpuAggStatus
row_evaluate(GpuAggRows *rows, ExprContext *econtext, HeapTuple tuple, GpuAggError *error)
{
	bool		fits = true;

	if (rows->scan->ps.qual != NULL && !ExecQual(rows->scan->ps.qual, econtext))
		return GPUAGG_OK;
	for (int i = 0; i < rows->noutputs && fits; i++)
		fits = output_evaluate(rows, rows->order[i], econtext);
	if (fits)
		return gpuagg_row_aside_next(rows->aside, tuple, error);
	gpuagg_row_aside_drop(rows->aside);
	return gpuagg_row_block_unfit(error);
}

GpuAggStatus
gpuagg_rows_add(GpuAggRows *rows, Relation rel, Buffer buffer,
				OffsetNumber line, GpuAggError *error)
{
	TupleTableSlot *slot = rows->scan->ss_ScanTupleSlot;
	ExprContext *econtext = rows->scan->ps.ps_ExprContext;
	Page		page = BufferGetPage(buffer);
	HeapTupleData tuple;
	ItemId		lp;
	GpuAggStatus status;

	Assert(!gpuagg_rows_full(rows));
	if (line < FirstOffsetNumber || line > PageGetMaxOffsetNumber(page) ||
		!ItemIdIsNormal(lp = PageGetItemId(page, line)) ||
		ItemIdGetLength(lp) < SizeofHeapTupleHeader ||
		ItemIdGetOffset(lp) + ItemIdGetLength(lp) > BLCKSZ)
		return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
								"the device asked for line %u of block %u, which is no tuple",
								line, BufferGetBlockNumber(buffer));
	tuple.t_tableOid = RelationGetRelid(rel);
	tuple.t_data = (HeapTupleHeader) PageGetItem(page, lp);
	tuple.t_len = ItemIdGetLength(lp);
	ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), line);

	ResetExprContext(econtext);
	ExecStoreBufferHeapTuple(&tuple, slot, buffer);
	econtext->ecxt_scantuple = slot;
	status = row_evaluate(rows, econtext, &tuple, error);
	ExecClearTuple(slot);
	return status;
}

uint32
gpuagg_rows_pending(const GpuAggRows *rows)
{
	return gpuagg_row_block_count(rows->block);
}

bool
gpuagg_rows_full(const GpuAggRows *rows)
{
	return gpuagg_row_block_full(rows->block);
}

void
gpuagg_rows_reset(GpuAggRows *rows)
{
	gpuagg_row_block_reset(rows->block);
}

const GpuAggMsg *
gpuagg_rows_message(GpuAggRows *rows, uint64 batch_id, Size *bytes)
{
	return gpuagg_row_block_message(rows->block, batch_id, bytes);
}
