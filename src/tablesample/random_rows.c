/*
 * random_rows.c
 *		TABLESAMPLE gpuagg.random_rows (n): n rows drawn uniformly at random with
 *		replacement, by PostgreSQL's own executor.
 *
 * Which rows are drawn is device/ops/draw.h's: a number for each draw, of rows that
 * are numbered as the snapshot sees them.  So the scan must know how many rows
 * each block has before it can draw the first one:
 *
 *	1.	every page is read once, as a sequential scan reads it (pruning, predicate
 *		locks, hints), and its visible rows counted;
 *	2.	draws are made in the order of their rows, within work_mem;
 *	3.	blocks that were drawn from are read in order, and a row is returned as
 *		often as it was drawn.
 *
 * A page's visible rows stay where they are and in their order while the scan's
 * snapshot is registered: what it sees is not removed, and line pointers of
 * live tuples do not move.
 *
 * A rescan keeps the counts, for the snapshot is the same.  It works whether or not
 * gpuagg is in shared_preload_libraries.
 */
#include "postgres.h"

#include <math.h>

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/tsmapi.h"
#include "catalog/pg_type_d.h"
#include "compat.h"
#include "device/ops/draw.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "storage/bufmgr.h"
#include "tablesample/block_rows.h"
#include "tablesample/sorted_draws.h"
#include "utils/memutils.h"
#include "utils/spccache.h"

PG_FUNCTION_INFO_V1(gpuagg_random_rows);

/* Of an n that is not known when the query is planned */
#define DEFAULT_DRAWS 1000

/* An eighth is for the blocks' counts, the rest for draws. */
#define WORK_BYTES (work_mem * (Size) 1024)

typedef struct RandomRows
{
	MemoryContext context;
	GpuAggDraws draws;
	GpuAggBlockRows *blocks;	/* NULL: not counted */
	GpuAggSortedDraws *sorted;	/* NULL: not begun */
	uint64		next;			/* drawn row, if more */
	bool		more;
	int64		block;			/* that is read; -1: before the first */
	uint64		first;			/* its first row */
	uint16		nrows;
} RandomRows;

/* ------------------------------------------------------------- planning --- */

/* n, or what is assumed where it is not known yet */
static double
estimate_draws(PlannerInfo *root, List *args)
{
	Node	   *arg = estimate_expression_value(root, linitial(args));
	int64		n;

	if (!IsA(arg, Const) || ((Const *) arg)->constisnull)
		return DEFAULT_DRAWS;
	n = DatumGetInt64(((Const *) arg)->constvalue);
	return n < 0 ? DEFAULT_DRAWS : (double) n;
}

/*
 * PostgreSQL charges random_page_cost for each page that a method of its own
 * order reads.  The first pass is sequential, so its cost, and that of
 * looking at each row, is expressed in such pages.
 */
static void
random_rows_size(PlannerInfo *root, RelOptInfo *rel, List *args, BlockNumber *pages,
				 double *tuples)
{
	double		draws = rel->pages > 0 ? estimate_draws(root, args) : 0;
	double		visited = rel->pages > 0 ?
		rel->pages * -expm1(draws * log1p(-1.0 / Max(rel->pages, 2))) : 0;
	double		count;
	double		random_page;
	double		seq_page;

	get_tablespace_page_costs(rel->reltablespace, &random_page, &seq_page);
	count = rel->pages * seq_page + rel->tuples * cpu_operator_cost;
	count = random_page > 0 ? count / random_page : rel->pages;
	*pages = (BlockNumber) Min(ceil(visited + count), (double) MaxBlockNumber);
	*tuples = clamp_row_est(draws);
}

/* ------------------------------------------------------------ execution --- */

static void
random_rows_init(SampleScanState *node, int eflags)
{
	RandomRows *state = palloc0(sizeof(RandomRows));

	state->context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg random rows",
										   ALLOCSET_DEFAULT_SIZES);
	node->tsm_state = state;
}

static void
forget_draws(RandomRows *state)
{
	if (state->sorted != NULL)
		gpuagg_sorted_draws_free(state->sorted);
	state->sorted = NULL;
	state->more = false;
}

static void
random_rows_begin(SampleScanState *node, Datum *params, int nparams, uint32 seed)
{
	RandomRows *state = node->tsm_state;
	int64		n = DatumGetInt64(params[0]);

	if (n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLESAMPLE_ARGUMENT),
				 errmsg("sample size must not be negative")));
	forget_draws(state);
	state->draws.key = gpuagg_draw_key(seed);
	state->draws.draws = n;
	node->use_bulkread = true;
	node->use_pagemode = true;
}

static HeapScanDesc
heap_scan(SampleScanState *node)
{
	TableScanDesc scan = node->ss.ss_currentScanDesc;

	if (scan->rs_rd->rd_tableam != GetHeapamTableAmRoutine())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("sampling method random_rows needs a heap table"),
				 errdetail("Table \"%s\" has another access method.",
						   RelationGetRelationName(scan->rs_rd))));
	if (!(scan->rs_flags & SO_ALLOW_PAGEMODE))
		elog(ERROR, "gpuagg: random_rows needs an MVCC snapshot");
	return (HeapScanDesc) scan;
}

static void
count_rows(RandomRows *state, HeapScanDesc scan)
{
	state->blocks = gpuagg_block_rows_create(WORK_BYTES / 8);
	for (BlockNumber block = 0; block < scan->rs_nblocks; block++)
	{
		CHECK_FOR_INTERRUPTS();
		gpuagg_heap_read_page(&scan->rs_base, block);
		gpuagg_block_rows_add(state->blocks, (uint16) scan->rs_ntuples);
	}
	/* or the next page that PostgreSQL reads would take its place */
	if (BufferIsValid(scan->rs_cbuf))
		ReleaseBuffer(scan->rs_cbuf);
	scan->rs_cbuf = InvalidBuffer;
	state->draws.rows = gpuagg_block_rows_total(state->blocks);
}

static void
next_draw(RandomRows *state)
{
	state->more = gpuagg_sorted_draws_next(state->sorted, &state->next);
}

static void
start(SampleScanState *node, RandomRows *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);

	if (state->blocks == NULL)
		count_rows(state, heap_scan(node));
	state->sorted = gpuagg_sorted_draws_create(&state->draws, WORK_BYTES / 8 * 7);
	next_draw(state);
	gpuagg_block_rows_rewind(state->blocks);
	state->block = -1;
	state->first = 0;
	state->nrows = 0;
	MemoryContextSwitchTo(old);
}

static BlockNumber
random_rows_block(SampleScanState *node, BlockNumber nblocks)
{
	RandomRows *state = node->tsm_state;

	if (state->sorted == NULL)
		start(node, state);
	if (!state->more)
		return InvalidBlockNumber;
	while (state->next >= state->first + state->nrows)
	{
		state->first += state->nrows;
		state->block++;
		if (!gpuagg_block_rows_next(state->blocks, &state->nrows))
			elog(ERROR, "gpuagg: row " UINT64_FORMAT " lies in no block", state->next);
	}
	return (BlockNumber) state->block;
}

/* The scan has just read the block: its visible rows are in its list. */
static OffsetNumber
random_rows_tuple(SampleScanState *node, BlockNumber blockno, OffsetNumber maxoffset)
{
	RandomRows *state = node->tsm_state;
	HeapScanDesc scan = (HeapScanDesc) node->ss.ss_currentScanDesc;
	uint64		row = state->next - state->first;

	if (!state->more || row >= state->nrows)
		return InvalidOffsetNumber;
	if (scan->rs_ntuples != state->nrows)
		elog(ERROR, "gpuagg: block %u had %u visible rows and now has %u", blockno,
			 state->nrows, (unsigned) scan->rs_ntuples);
	next_draw(state);
	return scan->rs_vistuples[row];
}

static void
random_rows_end(SampleScanState *node)
{
	RandomRows *state = node->tsm_state;

	forget_draws(state);
	if (state->blocks != NULL)
		gpuagg_block_rows_free(state->blocks);
	state->blocks = NULL;
}

Datum
gpuagg_random_rows(PG_FUNCTION_ARGS)
{
	TsmRoutine *tsm = makeNode(TsmRoutine);

	tsm->parameterTypes = list_make1_oid(INT8OID);
	tsm->repeatable_across_queries = true;
	tsm->repeatable_across_scans = true;
	tsm->SampleScanGetSampleSize = random_rows_size;
	tsm->InitSampleScan = random_rows_init;
	tsm->BeginSampleScan = random_rows_begin;
	tsm->NextSampleBlock = random_rows_block;
	tsm->NextSampleTuple = random_rows_tuple;
	tsm->EndSampleScan = random_rows_end;
	PG_RETURN_POINTER(tsm);
}
