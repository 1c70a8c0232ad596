/*
 * rows.c
 *		Evaluates single rows for a device with the row plan.
 *
 * The row plan is a SeqScan that never scans.  Its qual decides whether the
 * row counts; its target list, one entry for each output of the program, is evaluated by
 * row_eval.c, for nothing but the qual may be evaluated of a row that does not pass.
 *
 * The tuple is read where it lies; the caller holds the pin.  Values are
 * copied into columns (row_block.c), then sent as one message.
 * Memory: the query's context, except values in the making, which live in
 * the row plan's per-tuple context.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "node/row/row_eval.h"
#include "node/row/rows.h"
#include "optimizer/tlist.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

struct GpuAggRows
{
	ScanState  *scan;			/* of the row plan */
	GpuAggRowEval *eval;
};

/* ------------------------------------------------------------ creation --- */

GpuAggRows *
gpuagg_rows_create(Plan *plan, EState *estate, int eflags,
				   const GpuAggProgram *program)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	GpuAggRows *rows = palloc0(sizeof(GpuAggRows));

	rows->scan = (ScanState *) ExecInitNode(plan, estate, eflags);
	rows->eval = gpuagg_row_eval_create(get_tlist_exprs(plan->targetlist, true), &rows->scan->ps,
										program, NULL);
	MemoryContextSwitchTo(old);
	return rows;
}

void
gpuagg_rows_bind(GpuAggRows *rows, const GpuAggProgram *program, GpuAggLongValues *longs, bool keep,
				 uint32 long_keys)
{
	gpuagg_row_eval_bind(rows->eval, program, longs, keep,
						 (int) ((Scan *) rows->scan->ps.plan)->scanrelid, long_keys);
}

/* The rest goes with the query's memory context. */
void
gpuagg_rows_end(GpuAggRows *rows)
{
	ExecEndNode(&rows->scan->ps);
}

/* ---------------------------------------------------------------- rows --- */

bool
gpuagg_rows_tuple(Relation rel, Buffer buffer, OffsetNumber line, HeapTuple tuple,
				  GpuAggError *error)
{
	Page		page = BufferGetPage(buffer);
	ItemId		lp;

	if (line < FirstOffsetNumber || line > PageGetMaxOffsetNumber(page) ||
		!ItemIdIsNormal(lp = PageGetItemId(page, line)) ||
		ItemIdGetLength(lp) < SizeofHeapTupleHeader ||
		ItemIdGetOffset(lp) + ItemIdGetLength(lp) > BLCKSZ)
	{
		gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
						 "the device asked for line %u of block %u, which is no tuple",
						 line, BufferGetBlockNumber(buffer));
		return false;
	}
	tuple->t_tableOid = RelationGetRelid(rel);
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, lp);
	tuple->t_len = ItemIdGetLength(lp);
	ItemPointerSet(&tuple->t_self, BufferGetBlockNumber(buffer), line);
	return true;
}

GpuAggStatus
gpuagg_rows_add(GpuAggRows *rows, Relation rel, Buffer buffer,
				OffsetNumber line, GpuAggError *error)
{
	TupleTableSlot *slot = rows->scan->ss_ScanTupleSlot;
	ExprContext *econtext = rows->scan->ps.ps_ExprContext;
	HeapTupleData tuple;
	GpuAggStatus status = GPUAGG_OK;

	Assert(!gpuagg_rows_full(rows));
	if (!gpuagg_rows_tuple(rel, buffer, line, &tuple, error))
		return error->status;
	ResetExprContext(econtext);
	ExecStoreBufferHeapTuple(&tuple, slot, buffer);
	econtext->ecxt_scantuple = slot;
	if (rows->scan->ps.qual == NULL || ExecQual(rows->scan->ps.qual, econtext))
		status = gpuagg_row_eval_row(rows->eval, econtext, &tuple, error);
	ExecClearTuple(slot);
	return status;
}

uint32
gpuagg_rows_pending(const GpuAggRows *rows)
{
	return gpuagg_row_block_count(gpuagg_row_eval_block(rows->eval));
}

bool
gpuagg_rows_full(const GpuAggRows *rows)
{
	return gpuagg_row_block_full(gpuagg_row_eval_block(rows->eval));
}

void
gpuagg_rows_reset(GpuAggRows *rows)
{
	gpuagg_row_block_reset(gpuagg_row_eval_block(rows->eval));
}

const GpuAggMsg *
gpuagg_rows_message(GpuAggRows *rows, uint64 batch_id, Size *bytes)
{
	return gpuagg_row_block_message(gpuagg_row_eval_block(rows->eval), batch_id, bytes);
}
