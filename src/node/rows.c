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
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "node/row_block.h"
#include "node/rows.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define ROWS_MAX 1024
#define ROWS_STRING_BYTES (256 * 1024)

typedef struct GpuAggRowOutput
{
	ExprState  *expr;
	int			filter;			/* output that must be true, or -1 */
	bool		numeric;
	uint16		reg;			/* of an argument, or GPUAGG_NO_REG */
	bool		counted;		/* COUNT: only whether it is NULL matters */
	uint8		key_type;		/* GpuAggType of a key */
	int			transition;		/* whose argument it is, or -1 */
} GpuAggRowOutput;

typedef struct GpuAggRowLong
{
	int			transition;
	uint16		reg;
	Datum		value;
} GpuAggRowLong;

struct GpuAggRows
{
	ScanState  *scan;			/* of the row plan */
	int			noutputs;
	GpuAggRowOutput *outputs;
	int		   *order;			/* filters before what they guard */
	GpuAggRowBlock *block;

	/* numerics of the current row that have no form, and where they go */
	GpuAggLongValues *longs;
	bool		keep;
	int			nlong;
	GpuAggRowLong *row_longs;	/* [noutputs] */
	int			nkeys;
	StringInfoData key;
};

/* ------------------------------------------------------------ creation --- */

static void
output_init(GpuAggRows *rows, int n, Oid *types)
{
	TargetEntry *tle = list_nth_node(TargetEntry, rows->scan->ps.plan->targetlist, n);

	rows->outputs[n].expr = ExecInitExpr(tle->expr, &rows->scan->ps);
	rows->outputs[n].filter = rows->outputs[n].transition = -1;
	rows->outputs[n].reg = GPUAGG_NO_REG;
	types[n] = exprType((Node *) tle->expr);
	rows->outputs[n].numeric = getBaseType(types[n]) == NUMERICOID;
}

/*
 * Keys, then of each transition its argument and its filter.
 */
static void
outputs_init(GpuAggRows *rows, const GpuAggProgram *program, Oid *types)
{
	const GpuAggKey *keys = gpuagg_program_keys(program);
	const GpuAggTransition *trans = gpuagg_program_transitions(program);
	int			n = program->nkeys;
	int			place = program->nkeys;

	for (int i = 0; i < rows->noutputs; i++)
		output_init(rows, i, types);
	for (int i = 0; i < program->nkeys; i++)
	{
		rows->order[i] = i;
		rows->outputs[i].key_type = keys[i].type;
	}
	for (int i = 0; i < program->ntransitions; i++)
	{
		int			arg = trans[i].arg != GPUAGG_NO_REG ? n++ : -1;
		int			filter = trans[i].filter != GPUAGG_NO_REG ? n++ : -1;

		if (filter >= 0)
			rows->order[place++] = filter;
		if (arg < 0)
			continue;
		rows->order[place++] = arg;
		rows->outputs[arg].filter = filter;
		rows->outputs[arg].transition = i;
		rows->outputs[arg].reg = trans[i].arg;
		rows->outputs[arg].counted = trans[i].op == GPUAGG_TRANS_COUNT;
	}
	Assert(place == rows->noutputs);
}

GpuAggRows *
gpuagg_rows_create(Plan *plan, EState *estate, int eflags,
				   const GpuAggProgram *program)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	GpuAggRows *rows = palloc0(sizeof(GpuAggRows));
	Oid		   *types;

	rows->noutputs = gpuagg_program_noutputs(program);
	if (list_length(plan->targetlist) != rows->noutputs)
		elog(ERROR, "gpuagg: row plan has %d outputs, program has %d",
			 list_length(plan->targetlist), rows->noutputs);
	rows->outputs = palloc0(Max(1, rows->noutputs) * sizeof(GpuAggRowOutput));
	rows->order = palloc(Max(1, rows->noutputs) * sizeof(int));
	types = palloc(Max(1, rows->noutputs) * sizeof(Oid));
	rows->scan = (ScanState *) ExecInitNode(plan, estate, eflags);
	outputs_init(rows, program, types);
	rows->block = gpuagg_row_block_create(program, types, ROWS_MAX, ROWS_STRING_BYTES);
	pfree(types);
	rows->row_longs = palloc(Max(1, rows->noutputs) * sizeof(GpuAggRowLong));
	rows->nkeys = program->nkeys;
	initStringInfo(&rows->key);
	MemoryContextSwitchTo(old);
	return rows;
}

void
gpuagg_rows_bind(GpuAggRows *rows, const GpuAggProgram *program, GpuAggLongValues *longs, bool keep)
{
	rows->longs = longs;
	rows->keep = keep;
	gpuagg_row_block_bind(rows->block, program);
}

/* The rest goes with the query's memory context. */
void
gpuagg_rows_end(GpuAggRows *rows)
{
	ExecEndNode(&rows->scan->ps);
}

/* ---------------------------------------------------------------- rows --- */

/* The value is not for the device, but for its group; false: it must be the device's. */
static bool
put_aside(GpuAggRows *rows, const GpuAggRowOutput *output, Datum datum)
{
	if (rows->longs == NULL || output->transition < 0 || !output->numeric ||
		!gpuagg_long_values_take(rows->longs, output->transition))
		return false;
	rows->row_longs[rows->nlong].transition = output->transition;
	rows->row_longs[rows->nlong].reg = output->reg;
	rows->row_longs[rows->nlong++].value = datum;
	return true;
}

static bool
output_evaluate(GpuAggRows *rows, int n, ExprContext *econtext)
{
	const GpuAggRowOutput *output = &rows->outputs[n];
	bool		isnull = true;
	Datum		datum = (Datum) 0;
	MemoryContext old;
	bool		fits;

	if (output->filter < 0 || gpuagg_row_block_is_true(rows->block, output->filter))
		datum = ExecEvalExprSwitchContext(output->expr, econtext, &isnull);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	fits = gpuagg_row_block_put(rows->block, n, datum, isnull) ||
		(put_aside(rows, output, datum) && gpuagg_row_block_put(rows->block, n, (Datum) 0, true));
	MemoryContextSwitchTo(old);
	return fits;
}

/* The key of the group that the row belongs to */
static void
row_key(GpuAggRows *rows)
{
	resetStringInfo(&rows->key);
	for (int i = 0; i < rows->nkeys; i++)
	{
		uint64		bits;
		GpuAggBytes bytes;

		if (!gpuagg_row_block_value(rows->block, i, &bits, &bytes))
			gpuagg_long_key_null(&rows->key);
		else if (bytes.data != NULL)
			gpuagg_long_key_bytes(&rows->key, rows->outputs[i].key_type, bytes);
		else
			gpuagg_long_key_number(&rows->key, rows->outputs[i].key_type, bits);
	}
}

/* What is NULL as one argument is NULL where it is counted, too; false: it may not be. */
static bool
row_counts_aside(GpuAggRows *rows)
{
	const int	n = rows->nlong;

	for (int i = 0; i < rows->noutputs && n > 0; i++)
	{
		const GpuAggRowOutput *output = &rows->outputs[i];
		uint64		bits;
		GpuAggBytes bytes;
		int			k = 0;

		while (k < n && rows->row_longs[k].reg != output->reg)
			k++;
		if (k == n || !output->counted || !gpuagg_row_block_value(rows->block, i, &bits, &bytes))
			continue;
		if (!put_aside(rows, output, rows->row_longs[k].value))
			return false;
		(void) gpuagg_row_block_put(rows->block, i, (Datum) 0, true);
	}
	return true;
}

/* The row's values that have been put aside, to their group; false: there are too many. */
static bool
row_keep_long(GpuAggRows *rows)
{
	bool		kept = true;

	if (rows->nlong == 0 || !rows->keep)
		return true;
	row_key(rows);
	for (int i = 0; i < rows->nlong; i++)
		kept &= gpuagg_long_values_add(rows->longs, &rows->key, rows->row_longs[i].transition,
									   rows->row_longs[i].value);
	return kept;
}

/* The tuple in the scan slot */
static GpuAggStatus
row_evaluate(GpuAggRows *rows, ExprContext *econtext, GpuAggError *error)
{
	bool		fits = true;

	if (rows->scan->ps.qual != NULL && !ExecQual(rows->scan->ps.qual, econtext))
		return GPUAGG_OK;
	rows->nlong = 0;
	for (int i = 0; i < rows->noutputs; i++)
		fits = fits && output_evaluate(rows, rows->order[i], econtext);
	if (!fits || !row_counts_aside(rows))
		return gpuagg_row_block_unfit(error);
	if (!row_keep_long(rows))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"too many numerics have no form that devices know");
	gpuagg_row_block_next(rows->block);
	return GPUAGG_OK;
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
	status = row_evaluate(rows, econtext, error);
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
