/*
 * sample_node.c
 *		The executor node GpuSample: rows of a sampled table that a device has
 *		chosen.
 *
 * The first call runs one task (run.c), which leaves where the rows lie that
 * are in the sample and pass the device's filter.  Every call reads the next
 * one from its page into the scan slot; what is left of WHERE, and the target
 * list, are PostgreSQL's.  Rows that the device could not decide are checked
 * here first, with the same conditions.
 *
 * Why an item pointer is still good when its row is read.  A tuple that the
 * query's snapshot sees is not removed while that snapshot is registered, and
 * its line pointer stays where it is; bitmap heap scans rely on the same.  The
 * table's lock keeps it from being rewritten.  Only the place within the page
 * may change meanwhile, by someone who has a cleanup lock, so the page is
 * locked for a moment after it was pinned; from then on the pin is enough.
 *
 * EvalPlanQual puts a row of its own in the place of the scan's; it has to
 * pass the device's filter as well as the rest.  As with PostgreSQL's sample
 * scan, nobody asks whether it is in the sample.
 *
 * Between calls the node holds its rows' places and the pin of one page, as
 * any scan.  If no device can answer, the fallback plan's scan gives the
 * tuples; it has evaluated all conditions, in PostgreSQL's own order.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/tableam.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/run/explain.h"
#include "node/run/run.h"
#include "node/run/sample_node.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

typedef struct GpuSampleState
{
	GpuAggScan	scan;			/* must be first */
	ExprState  *filter;			/* what the device evaluates */
	ExprState  *rest;			/* what it does not */
	bool		fickle;			/* volatile arguments: each scan has its own
								 * sample */
	bool		counted;		/* all rows were read before */
	BufferAccessStrategy strategy;
	Buffer		buffer;			/* of the row read last */
	HeapTupleData tuple;
} GpuSampleState;

/* --------------------------------------------------------------- begin --- */

/*
 * PostgreSQL has prepared a slot for virtual tuples, and what reads it.  Ours
 * holds tuples of the table in their buffers, so all of it is made again.
 */
static void
slot_init(ScanState *ss, EState *estate)
{
	ss->ps.subPlan = NIL;
	gpuagg_init_scan_slot(estate, ss, RelationGetDescr(ss->ss_currentRelation),
						  table_slot_callbacks(ss->ss_currentRelation));
	ExecAssignScanProjectionInfo(ss);
	ss->ps.qual = ExecInitQual(ss->ps.plan->qual, &ss->ps);
}

static void
node_begin(CustomScanState *css, EState *estate, int eflags)
{
	GpuSampleState *node = (GpuSampleState *) css;
	List	   *exprs = castNode(CustomScan, css->ss.ps.plan)->custom_exprs;
	List	   *quals;

	slot_init(&css->ss, estate);
	node->rest = css->ss.ps.qual;
	node->buffer = InvalidBuffer;
	gpuagg_scan_begin(&node->scan, css->ss.ss_currentRelation, exprs, estate,
					  eflags);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	quals = gpuagg_plan_device_quals(node->scan.info, exprs);
	node->filter = ExecInitQual(quals, &css->ss.ps);
	node->fickle = contain_volatile_functions((Node *) exprs);
}

/* ---------------------------------------------------------------- rows --- */

/* As heap_beginscan: large tables are read through a ring. */
static void
strategy_init(GpuSampleState *node)
{
	if (node->strategy == NULL && node->scan.counters.tally.bulkread &&
		RelationGetNumberOfBlocks(node->scan.rel) > NBuffers / 4)
		node->strategy = GetAccessStrategy(BAS_BULKREAD);
}

static void
page_leave(GpuSampleState *node)
{
	if (BufferIsValid(node->buffer))
		ReleaseBuffer(node->buffer);
	node->buffer = InvalidBuffer;
}

/*
 * Pins a page, by preference where the scan has met it, and locks it for a
 * moment.  Meanwhile the start of the next one is on its way to the cache:
 * chosen rows are mostly few to a page, and a page costs what it misses.
 */
static void
page_enter(GpuSampleState *node, const GpuAggTidPage *page,
		   const GpuAggTidPage *next)
{
	Relation	rel = node->scan.rel;

	page_leave(node);
	if (next != NULL)
	{
		__builtin_prefetch(GetBufferDescriptor(next->buffer - 1), 1);
		__builtin_prefetch(BufferGetBlock(next->buffer));
	}
	if (ReadRecentBuffer(GPUAGG_RELATION_FILES(rel), MAIN_FORKNUM, page->block,
						 page->buffer))
	{
		node->buffer = page->buffer;
		pgstat_count_buffer_read(rel);
		pgstat_count_buffer_hit(rel);
	}
	else
		node->buffer = ReadBufferExtended(rel, MAIN_FORKNUM, page->block,
										  RBM_NORMAL, node->strategy);
	LockBuffer(node->buffer, BUFFER_LOCK_SHARE);
	gpuagg_test_old_snapshot(node->scan.css.ss.ps.state->es_snapshot, rel,
							 BufferGetPage(node->buffer));
	LockBuffer(node->buffer, BUFFER_LOCK_UNLOCK);
}

/* The tuple at a line of the page that is pinned, in the scan slot */
static TupleTableSlot *
row_fetch(GpuSampleState *node, BlockNumber block, OffsetNumber line)
{
	Relation	rel = node->scan.rel;
	Page		page = BufferGetPage(node->buffer);
	ItemId		lp;

	if (line > PageGetMaxOffsetNumber(page) ||
		!ItemIdIsNormal(lp = PageGetItemId(page, line)) ||
		ItemIdGetLength(lp) < SizeofHeapTupleHeader ||
		ItemIdGetOffset(lp) + ItemIdGetLength(lp) > BLCKSZ)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("line %u of block %u of relation \"%s\" was chosen, but is no tuple",
						line, block, RelationGetRelationName(rel)),
				 errhint("Check the table with pg_amcheck.")));
	node->tuple.t_tableOid = RelationGetRelid(rel);
	node->tuple.t_data = (HeapTupleHeader) PageGetItem(page, lp);
	node->tuple.t_len = ItemIdGetLength(lp);
	ItemPointerSet(&node->tuple.t_self, block, line);
	return ExecStoreBufferHeapTuple(&node->tuple,
									node->scan.css.ss.ss_ScanTupleSlot,
									node->buffer);
}

/* Does the tuple pass what the device would have evaluated? */
static bool
row_passes(ScanState *ss, TupleTableSlot *slot)
{
	ExprContext *econtext = ss->ps.ps_ExprContext;

	econtext->ecxt_scantuple = slot;
	return ExecQual(((GpuSampleState *) ss)->filter, econtext);
}

/* The next tuple of the fallback plan's scan */
static TupleTableSlot *
fallback_next(GpuSampleState *node)
{
	TupleTableSlot *slot = node->scan.css.ss.ss_ScanTupleSlot;
	ScanState  *fallback = (ScanState *) node->scan.fallback;
	TupleTableSlot *from = ExecProcNode(&fallback->ps);

	if (TupIsNull(from))
		return ExecClearTuple(slot);
	ExecCopySlot(slot, fallback->ss_ScanTupleSlot);
	/* which is not a part of the copy */
	slot->tts_tableOid = fallback->ss_ScanTupleSlot->tts_tableOid;
	return slot;
}

/* The next row in the scan slot; an empty slot at the end */
static TupleTableSlot *
row_next(ScanState *ss)
{
	GpuSampleState *node = (GpuSampleState *) ss;
	const GpuAggTidPage *page;
	const GpuAggTidPage *next;
	OffsetNumber line;
	bool		undecided;

	if (node->scan.falling_back)
		return fallback_next(node);
	while (gpuagg_tid_store_next(node->scan.found.tids, &page, &next, &line,
							  &undecided))
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (!BufferIsValid(node->buffer) ||
			BufferGetBlockNumber(node->buffer) != page->block)
			page_enter(node, page, next);
		slot = row_fetch(node, page->block, line);
		if (!undecided)
			return slot;
		if (row_passes(ss, slot))
		{
			node->scan.counters.tally.work.rows_passed += !node->counted;
			return slot;
		}
		ResetExprContext(ss->ps.ps_ExprContext);
	}
	node->counted = true;
	page_leave(node);
	return ExecClearTuple(ss->ss_ScanTupleSlot);
}

/* Is the row to come from EvalPlanQual?  As ExecScan will ask. */
static bool
row_is_given(ScanState *ss)
{
	EPQState   *epq = ss->ps.state->es_epq_active;
	int			i = ((Scan *) ss->ps.plan)->scanrelid - 1;

	return epq != NULL && (epq->relsubs_done[i] ||
						   epq->relsubs_slot[i] != NULL ||
						   epq->relsubs_rowmark[i] != NULL);
}

static TupleTableSlot *
node_exec(CustomScanState *css)
{
	GpuSampleState *node = (GpuSampleState *) css;

	if (!node->scan.ran && !row_is_given(&css->ss))
	{
		gpuagg_scan_run(&node->scan);
		strategy_init(node);
		node->counted = false;
		css->ss.ps.qual = node->scan.falling_back ? NULL : node->rest;
	}
	return ExecScan(&css->ss, row_next, row_passes);
}

/* --------------------------------------------------------- rescan, end --- */

static void
node_rescan(CustomScanState *css)
{
	GpuSampleState *node = (GpuSampleState *) css;

	ExecScanReScan(&css->ss);
	page_leave(node);
	gpuagg_scan_rescan(&node->scan, node->fickle);
}

static void
node_end(CustomScanState *css)
{
	GpuSampleState *node = (GpuSampleState *) css;

	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	page_leave(node);
	if (node->strategy != NULL)
		FreeAccessStrategy(node->strategy);
	gpuagg_scan_end(&node->scan);
}

static void
node_explain(CustomScanState *css, List *ancestors, ExplainState *es)
{
	gpuagg_explain_node((GpuAggScan *) css, ancestors, es);
}

/* ------------------------------------------------------------- methods --- */

static const CustomExecMethods node_methods = {
	.CustomName = "GpuSample",
	.BeginCustomScan = node_begin,
	.ExecCustomScan = node_exec,
	.EndCustomScan = node_end,
	.ReScanCustomScan = node_rescan,
	.ExplainCustomScan = node_explain
};

static Node *
node_create(CustomScan *plan)
{
	GpuSampleState *node = (GpuSampleState *)
		newNode(sizeof(GpuSampleState), T_CustomScanState);

	node->scan.css.methods = &node_methods;
	return (Node *) node;
}

static const CustomScanMethods scan_methods = {
	.CustomName = "GpuSample",
	.CreateCustomScanState = node_create
};

void
gpuagg_sample_node_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
