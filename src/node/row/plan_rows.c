/*
 * plan_rows.c
 *		The rows of a plan as blocks of columns (plan_rows.h).
 *
 * The plan is an ordinary child of the node: PostgreSQL runs it, evaluates keys and
 * arguments in its target list, and EXPLAIN shows it.  Each row's values are moved into
 * columns (row_block.c), and a full block is a message.
 *
 * A task that runs again, on another device, reads the plan again from its first row.  So
 * does PostgreSQL's plan if no device answers, which has a copy of this one below it.  No
 * function of either is volatile (planner/path/agg_plan.c).
 *
 * Whoever has a task must not wait for another one: the other might wait for the memory or
 * the place of the first.  So where the plan may need the device (a node of ours, a foreign
 * server that may be this one, a function or a subquery that runs queries) all blocks are
 * made before our task begins; those before the last lie in a store.
 *
 * A numeric that devices have no form of is put aside to its group (row_aside.c).
 *
 * Memory: values in the making lie in a context that is emptied with each row, and only if
 * the block says that it needs one.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "ipc/block_ring.h"
#include "miscadmin.h"
#include "node/result/result_store.h"
#include "node/row/plan_rows.h"
#include "node/row/row_aside.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

/* Rows of a block: its columns fit the ring's; fewer where they are strings, which do mostly */
#define BLOCK_ROWS 16384
#define BLOCK_STRING_BYTES (GPUAGG_RING_BYTES / 4)

/* Of the first block so many rows, and such a part, may have values that are put aside */
#define ASIDE_MIN 256
#define ASIDE_SHARE 8

struct GpuAggPlanRows
{
	PlanState  *plan;
	GpuAggRowBlock *block;
	GpuAggRowAside *aside;
	MemoryContext scratch;		/* NULL: converting allocates nothing */
	bool		reads_first;	/* the plan may need the device */
	GpuAggStore *store;			/* blocks, each behind its bytes; NULL: none */
	GpuAggBlockRing *ring;		/* of the task; NULL: blocks are messages */
	bool		ring_tried;
	bool		started;		/* the plan has been read from */
	bool		ended;			/* and has no more rows */
	uint64		given;
	uint64		aside_rows;		/* of these, rows with values that are put aside */
};

/* Of so many columns: a state and a value each, or length and bytes of a string */
static uint32
block_rows(int ncolumns)
{
	return Min(BLOCK_ROWS, GPUAGG_RING_BYTES * 3 / 4 / (Max(1, ncolumns) * (1 + sizeof(uint64))));
}

/* By a node of it, or a foreign server's query */
static bool
needs_device(PlanState *ps, void *context)
{
	return IsA(ps, CustomScanState) || IsA(ps, ForeignScanState) ||
		planstate_tree_walker(ps, needs_device, context);
}

GpuAggPlanRows *
gpuagg_plan_rows_begin(CustomScanState *css, Plan *plan, int eflags, const GpuAggPlanInfo *info)
{
	const GpuAggProgram *program = info->program;
	GpuAggPlanRows *rows = palloc0(sizeof(GpuAggPlanRows));
	const int	n = gpuagg_program_noutputs(program);
	Oid		   *types;
	ListCell   *lc;

	if (list_length(plan->targetlist) != n)
		elog(ERROR, "gpuagg: plan of rows has %d outputs, program has %d",
			 list_length(plan->targetlist), n);
	rows->plan = ExecInitNode(plan, css->ss.ps.state, eflags);
	css->custom_ps = lappend(css->custom_ps, rows->plan);
	rows->reads_first = info->own_functions || !bms_is_empty(plan->extParam) ||
		needs_device(rows->plan, NULL);
	types = palloc(Max(1, n) * sizeof(Oid));
	foreach(lc, plan->targetlist)
		types[foreach_current_index(lc)] = exprType((Node *) lfirst_node(TargetEntry, lc)->expr);
	rows->block = gpuagg_row_block_create(program, types, block_rows(n), BLOCK_STRING_BYTES);
	if (gpuagg_row_block_converts(rows->block))
		rows->scratch = AllocSetContextCreate(CurrentMemoryContext, "gpuagg plan rows",
											  ALLOCSET_DEFAULT_SIZES);
	rows->aside = gpuagg_row_aside_create(rows->block);
	pfree(types);
	return rows;
}

/* The values of a row that is in the slot */
static GpuAggStatus
put_row(GpuAggPlanRows *rows, const TupleTableSlot *slot, GpuAggError *error)
{
	const int	n = gpuagg_row_block_noutputs(rows->block);
	int			i = 0;
	bool		aside = false;

	while ((i = gpuagg_row_block_put_all(rows->block, i, slot->tts_values, slot->tts_isnull)) < n)
	{
		if (!gpuagg_row_aside_put(rows->aside, i, slot->tts_values[i]))
		{
			gpuagg_row_aside_drop(rows->aside);
			return gpuagg_row_block_unfit(error);
		}
		aside = true;
		i++;
	}
	rows->given++;
	rows->aside_rows += aside;
	if (aside)
		return gpuagg_row_aside_next(rows->aside, NULL, error);
	gpuagg_row_block_next(rows->block);
	return GPUAGG_OK;
}

static GpuAggStatus
add_row(GpuAggPlanRows *rows, TupleTableSlot *slot, GpuAggError *error)
{
	MemoryContext old;
	GpuAggStatus status;

	slot_getallattrs(slot);
	if (rows->scratch == NULL)
		return put_row(rows, slot, error);
	old = MemoryContextSwitchTo(rows->scratch);
	status = put_row(rows, slot, error);
	MemoryContextSwitchTo(old);
	MemoryContextReset(rows->scratch);
	return status;
}

/* In the query's memory context: what the plan keeps outlives the task. */
static GpuAggStatus
fill_block(GpuAggPlanRows *rows, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && !rows->ended && !gpuagg_row_block_full(rows->block))
	{
		TupleTableSlot *slot = ExecProcNode(rows->plan);

		if (TupIsNull(slot))
			rows->ended = true;
		else
			status = add_row(rows, slot, error);
	}
	return status;
}

/* Up to a full block, or the last row */
static GpuAggStatus
fill(GpuAggPlanRows *rows, GpuAggError *error)
{
	MemoryContext old = MemoryContextSwitchTo(rows->plan->state->es_query_cxt);
	GpuAggStatus status = fill_block(rows, error);

	MemoryContextSwitchTo(old);
	return status;
}

/*
 * Where many of the first values have no form, of what is to come most likely have none
 * either, for which PostgreSQL's plan is the faster way.
 */
static GpuAggStatus
check_first(const GpuAggPlanRows *rows, GpuAggError *error)
{
	if (rows->aside_rows < ASIDE_MIN || rows->aside_rows < rows->given / ASIDE_SHARE)
		return GPUAGG_OK;
	return gpuagg_row_block_unfit(error);
}

/* ---------------------------------------------------------------- blocks --- */

/* The block that is full, behind those in the store */
static void
store_block(GpuAggPlanRows *rows)
{
	const uint32 count = gpuagg_row_block_count(rows->block);
	const uint64 bytes = gpuagg_row_block_bytes(rows->block);
	char	   *data = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(bytes) + bytes);

	if (rows->store == NULL)
		rows->store = gpuagg_store_create(CurrentMemoryContext, CurrentResourceOwner,
										  (Size) work_mem * 1024);
	memcpy(data, &bytes, sizeof(bytes));
	gpuagg_row_block_write(rows->block, data + sizeof(bytes));
	gpuagg_store_add(rows->store, data, count, sizeof(bytes) + bytes);
	pfree(data);
}

/* All rows; those of the last block stay in it. */
static GpuAggStatus
read_all(GpuAggPlanRows *rows, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;

	while (status == GPUAGG_OK && !rows->ended)
	{
		store_block(rows);
		status = fill(rows, error);
	}
	if (rows->store != NULL)
		gpuagg_store_rewind(rows->store);
	return status;
}

GpuAggStatus
gpuagg_plan_rows_start(GpuAggPlanRows *rows, const GpuAggProgram *program,
					   GpuAggLongValues *longs, GpuAggError *error)
{
	GpuAggStatus status;

	/* one whose parameters have changed is rescanned when it runs next */
	if (rows->started && rows->plan->chgParam == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(rows->plan->state->es_query_cxt);

		ExecReScan(rows->plan);
		MemoryContextSwitchTo(old);
	}
	rows->started = true;
	rows->ended = false;
	rows->given = rows->aside_rows = 0;
	gpuagg_row_block_reset(rows->block);
	gpuagg_row_block_bind(rows->block, program);
	gpuagg_row_aside_bind(rows->aside, longs, true);
	status = fill(rows, error);
	if (status == GPUAGG_OK)
		status = check_first(rows, error);
	return status == GPUAGG_OK && rows->reads_first ? read_all(rows, error) : status;
}

/* Where a block of so many bytes may be written; NULL: it is to be a message. */
static char *
ring_room(GpuAggPlanRows *rows, Size bytes)
{
	/* the only block is not worth a segment */
	if ((!rows->ended || rows->store != NULL) && !rows->ring_tried)
	{
		rows->ring = gpuagg_ring_create();
		rows->ring_tried = true;
	}
	return rows->ring != NULL && bytes <= GPUAGG_RING_BYTES ? gpuagg_ring_room(rows->ring) : NULL;
}

/* A block in the ring, or as a message where that has no room or there is none */
static GpuAggStatus
send_block(GpuAggPlanRows *rows, GpuAggClient *client, uint64 batch_id, GpuAggError *error)
{
	const uint32 count = gpuagg_row_block_count(rows->block);
	const Size	bytes = gpuagg_row_block_bytes(rows->block);
	char	   *room = ring_room(rows, bytes);
	const GpuAggMsg *msg;
	Size		msg_bytes;

	if (room != NULL)
	{
		gpuagg_row_block_write(rows->block, room);
		return gpuagg_ring_send(rows->ring, client, batch_id, count, bytes, error);
	}
	msg = gpuagg_row_block_message(rows->block, batch_id, &msg_bytes);
	return gpuagg_client_send(client, msg, msg_bytes, error);
}

/* Sends a block of the store; *sent: there was one left. */
static GpuAggStatus
send_stored(GpuAggPlanRows *rows, GpuAggClient *client, uint64 batch_id, bool *sent,
			GpuAggError *error)
{
	GpuAggMsg	head = {GPUAGG_MSG_ROWS, 0, batch_id};
	const char *data = gpuagg_store_next(rows->store, &head.count);
	GpuAggStatus status;
	uint64		bytes;
	char	   *room;

	*sent = data != NULL;
	if (!*sent)
		return GPUAGG_OK;
	memcpy(&bytes, data, sizeof(bytes));
	data += sizeof(bytes);
	if ((room = ring_room(rows, bytes)) != NULL)
	{
		memcpy(room, data, bytes);
		return gpuagg_ring_send(rows->ring, client, batch_id, head.count, bytes, error);
	}
	room = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(head) + bytes);
	memcpy(room, &head, sizeof(head));
	memcpy(room + sizeof(head), data, bytes);
	status = gpuagg_client_send(client, room, sizeof(head) + bytes, error);
	pfree(room);
	return status;
}

GpuAggStatus
gpuagg_plan_rows_send(GpuAggPlanRows *rows, GpuAggClient *client, uint64 batch_id, bool *sent,
					  GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;

	CHECK_FOR_INTERRUPTS();
	*sent = false;
	if (rows->store != NULL)
		status = send_stored(rows, client, batch_id, sent, error);
	if (*sent || status != GPUAGG_OK)
		return status;
	status = fill(rows, error);
	*sent = status == GPUAGG_OK && gpuagg_row_block_count(rows->block) > 0;
	return *sent ? send_block(rows, client, batch_id, error) : status;
}

void
gpuagg_plan_rows_done(GpuAggPlanRows *rows, uint64 batch_id)
{
	if (rows->ring != NULL)
		gpuagg_ring_done(rows->ring, batch_id);
}

void
gpuagg_plan_rows_stop(GpuAggPlanRows *rows)
{
	if (rows->ring != NULL)
		gpuagg_ring_end(rows->ring);
	if (rows->store != NULL)
		gpuagg_store_free(rows->store);
	rows->ring = NULL;
	rows->ring_tried = false;
	rows->store = NULL;
}

uint64
gpuagg_plan_rows_given(const GpuAggPlanRows *rows)
{
	return rows->given;
}

void
gpuagg_plan_rows_rescan(GpuAggPlanRows *rows, const Bitmapset *changed)
{
	if (changed != NULL)
		UpdateChangedParamSet(rows->plan, (Bitmapset *) changed);
}

void
gpuagg_plan_rows_end(GpuAggPlanRows *rows)
{
	ExecEndNode(rows->plan);
}
