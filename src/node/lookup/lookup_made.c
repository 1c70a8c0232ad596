/*
 * lookup_made.c
 *		Look-up tables that the device makes (lookup_made.h).
 *
 * A task of its own reads the table as one that is grouped is read: what is used of the
 * column cache is settled with the worker under the query's snapshot.  Only if that is all
 * of the table, but for pages that are new, does the device make the look-up table, which stays
 * there.
 * Where every page is all-visible and some are not kept yet, a task before it has them kept.
 *
 * Whatever goes wrong is no failure: the input is read as it is without a device.
 */
#include "postgres.h"

#include "access/table.h"
#include "common/pg_prng.h"
#include "device/ops/lookup_make.h"
#include "heap/cache_request.h"
#include "heap/kept_task.h"
#include "heap/written.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"
#include "ipc/stat.h"
#include "miscadmin.h"
#include "node/lookup/filters.h"
#include "node/lookup/lookup_made.h"
#include "node/lookup/made_kept.h"
#include "pgstat.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Tables of which keeping pages has brought nothing in this session */
#define NOT_KEPT 32

typedef struct Task
{
	GpuAggKeptTask kept;
	GpuAggMadeInput *input;
	BlockNumber written;		/* of its blocks; the others have no row that the snapshot sees */
	MemoryContext context;		/* of what is returned */
	MemoryContext strings;		/* of the columns' strings */
	const GpuAggLookup *made;
	bool		done;
	GpuAggStatus status;
	GpuAggError error;
} Task;

static Oid	not_kept[NOT_KEPT];
static int	next_not_kept;

/* ------------------------------------------------------------- messages --- */

/* Strings of a column, by their codes; the end of them, or NULL */
static const char *
take_strings(Task *task, const char *at, Size left)
{
	const GpuAggLookupPlan *plan = task->input->plan;
	const GpuAggMadeStrings *head = (const GpuAggMadeStrings *) at;
	const uint32 *lengths = (const uint32 *) (head + 1);
	GpuAggNumbered *numbered;
	Size		size = 0;
	Size		taken = 0;
	Size		bytes;
	MemoryContext old;

	if (left < sizeof(*head) || head->count > left / sizeof(uint32) || head->bytes > left ||
		head->column >= plan->ncolumns || plan->scales[head->column].form != GPUAGG_SCALE_NUMBERED)
		return NULL;
	bytes = sizeof(*head) + GPUAGG_ALIGN8(head->count * sizeof(uint32));
	if (bytes + GPUAGG_ALIGN8(head->bytes) > left)
		return NULL;
	old = MemoryContextSwitchTo(task->strings);
	numbered = task->input->numbered[head->column] = gpuagg_numbered_create(
		plan->types[head->column]);
	for (uint32 i = 0; i < head->count && numbered != NULL; i++)
	{
		if (size + lengths[i] > head->bytes ||
			gpuagg_numbered_add(numbered, at + bytes + size, lengths[i], &taken) != (int32) i)
			numbered = NULL;
		size += lengths[i];
	}
	MemoryContextSwitchTo(old);
	return numbered != NULL ? at + bytes + GPUAGG_ALIGN8(head->bytes) : NULL;
}

/* Each string that is a group key has its numbers. */
static bool
has_strings(const GpuAggMadeInput *input)
{
	for (int i = 0; i < input->plan->ncolumns; i++)
	{
		if (input->plan->scales[i].form == GPUAGG_SCALE_NUMBERED && input->numbered[i] == NULL)
			return false;
	}
	return true;
}

static GpuAggStatus
take_made(Task *task, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggLookup *head = (const GpuAggLookup *) (msg + 1);
	const char *at;
	Size		left = bytes - sizeof(GpuAggMsg);
	GpuAggLookup *copy;

	if (left < sizeof(GpuAggLookup) || head->ncolumns > GPUAGG_LOOKUP_MAX_COLUMNS ||
		gpuagg_lookup_head_bytes(head) > left || head->made == 0 ||
		!gpuagg_lookup_is_sound(head, gpuagg_lookup_head_bytes(head)))
		return gpuagg_kept_task_garbled(&task->kept);
	at = (const char *) head + gpuagg_lookup_head_bytes(head);
	left -= gpuagg_lookup_head_bytes(head);
	for (uint32 i = 0; i < msg->count; i++)
	{
		const char *end = take_strings(task, at, left);

		if (end == NULL)
			return gpuagg_kept_task_garbled(&task->kept);
		left -= end - at;
		at = end;
	}
	if (left > 0 || !has_strings(task->input))
		return gpuagg_kept_task_garbled(&task->kept);
	copy = MemoryContextAlloc(task->context, gpuagg_lookup_head_bytes(head));
	memcpy(copy, head, gpuagg_lookup_head_bytes(head));
	task->made = copy;
	return GPUAGG_OK;
}

/* What PostgreSQL counts of a scan */
static void
count_scan(const Task *task, uint64 rows)
{
	pgstat_count_heap_scan(task->kept.rel);
	pgstat_count_index_tuples(task->kept.rel, rows);
}

static GpuAggStatus
take_done(Task *task, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggDoneMsg *done = (const GpuAggDoneMsg *) msg;

	if (bytes != sizeof(GpuAggDoneMsg) + sizeof(uint64) || done->ntables != 1)
		return gpuagg_kept_task_garbled(&task->kept);
	task->input->device_ns = done->device_ns;
	count_scan(task, done->rows_scanned);
	task->done = true;
	return GPUAGG_OK;
}

/* What is about no page */
static GpuAggStatus
take_message(GpuAggKeptTask *kept, const GpuAggMsg *msg, Size bytes)
{
	switch ((GpuAggMsgType) msg->type)
	{
		case GPUAGG_MSG_MADE:
			return take_made(kept->owner, msg, bytes);
		case GPUAGG_MSG_DONE:
			return take_done(kept->owner, msg, bytes);
		default:
			return gpuagg_kept_task_garbled(kept);
	}
}

/* ---------------------------------------------------------------- a task --- */

/* The device has all: it makes the table. */
static GpuAggStatus
make(Task *task)
{
	const GpuAggMsg finish = {GPUAGG_MSG_FINISH, 0, 0};
	GpuAggStatus status = gpuagg_client_send(task->kept.client, &finish, sizeof(finish),
											 &task->error);

	while (status == GPUAGG_OK && !task->done)
		status = gpuagg_kept_task_receive(&task->kept, true);
	return status == GPUAGG_OK && task->made == NULL ? gpuagg_kept_task_garbled(&task->kept) :
													   status;
}

static void
cleanup(int code, Datum arg)
{
	gpuagg_client_abort(((Task *) DatumGetPointer(arg))->kept.client);
}

static GpuAggStatus
drive(Task *task, bool keeps, bool *all)
{
	GpuAggStatus status = gpuagg_kept_task_settle(&task->kept);

	*all = status == GPUAGG_OK && task->kept.cached->used == task->written;
	if (*all)
		return make(task);
	return status == GPUAGG_OK && keeps ?
		gpuagg_kept_task_read(&task->kept, task->input->program) : status;
}

/* One task; *all: all of the table is kept, and the device was to make the table. */
static void
run(Task *task, const GpuAggCacheRequest *cache, bool keeps, bool *all)
{
	const GpuAggLookupPlan *plan = task->input->plan;
	GpuAggClientRequest request = {
		.program = task->input->program,
		.device = task->input->device,
		.config.expected_rows = Max(task->kept.rel->rd_rel->reltuples, 0),
		.config.make.nkeys = plan->nkeys,
		.config.make.unique = gpuagg_made_is_unique(plan),
		.config.make.filters = gpuagg_lookup_filters(task->input->device, plan, task->input->fact,
													 task->input->fact_pages, true),
		.config.make.seed = pg_prng_uint64(&pg_global_prng_state),
		.config.compile.mode = gpuagg_compile,
		.cache = *cache,
		.relid = RelationGetRelid(task->kept.rel),
		.total_pages = task->kept.nblocks
	};

	memcpy(request.config.make.forms, plan->forms, sizeof(plan->forms));
	memcpy(request.config.make.helper_ids, task->input->helpers, sizeof(task->input->helpers));
	*all = false;
	if (!gpuagg_kept_task_begin(&task->kept, &request))
	{
		task->status = task->error.status;
		return;
	}
	PG_ENSURE_ERROR_CLEANUP(cleanup, PointerGetDatum(task));
	{
		task->status = drive(task, keeps, all);
	}
	PG_END_ENSURE_ERROR_CLEANUP(cleanup, PointerGetDatum(task));
	if (task->status == GPUAGG_OK && *all)
		gpuagg_stat_add(GPUAGG_STAT_pages_cached, task->kept.nblocks);
	gpuagg_kept_task_end(&task->kept, task->status == GPUAGG_OK && *all);
}

/* ----------------------------------------------------------------- table --- */

static bool
was_not_kept(Oid relid)
{
	for (int i = 0; i < NOT_KEPT; i++)
	{
		if (not_kept[i] == relid)
			return true;
	}
	return false;
}

static void
note_not_kept(Oid relid)
{
	not_kept[next_not_kept] = relid;
	next_not_kept = (next_not_kept + 1) % NOT_KEPT;
}

/* How much of the columns is kept, as far as is known */
static double
kept_share(const Task *task)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(task->input->program);
	AttrNumber	columns[GPUAGG_MAX_REGS];
	int			n = 0;

	for (int i = 0; i < task->input->program->nattrs; i++)
	{
		if (attrs[i].reg != GPUAGG_NO_REG)
			columns[n++] = i + 1;
	}
	return gpuagg_cache_fraction_on(task->input->device, RelationGetRelid(task->kept.rel),
									GPUAGG_FILES_NUMBER(task->kept.rel), columns, n, task->written);
}

/* At most two tasks: one that has pages kept, and one that makes the table, unless it is there */
static void
make_table(Task *task)
{
	Relation	rel = task->kept.rel;
	const Oid	relid = RelationGetRelid(rel);
	GpuAggCacheRequest cache;
	MemoryContext scratch;
	bool		keeps;
	bool		all;

	task->kept.nblocks = RelationGetNumberOfBlocks(rel);
	if (!gpuagg_cache_request(rel, task->input->snapshot, task->input->program,
							  task->kept.nblocks, &cache))
		return;
	scratch = MemoryContextSwitchTo(task->context);
	task->made = gpuagg_made_kept_find(task->input, rel, task->kept.nblocks);
	MemoryContextSwitchTo(scratch);
	task->input->before = task->made != NULL;
	if (task->made != NULL)
		count_scan(task, 0);
	if (task->made != NULL || !gpuagg_written_visible(rel, task->kept.nblocks, &task->written))
		return;
	keeps = !was_not_kept(relid);
	if (!keeps && kept_share(task) < 1)
		return;
	run(task, &cache, keeps, &all);
	if (!all && keeps && task->status == GPUAGG_OK)
	{
		run(task, &cache, false, &all);
		if (!all)
			note_not_kept(relid);
	}
	if (all && task->made != NULL)
		gpuagg_made_kept_add(task->input, task->kept.cached, task->made, task->strings);
}

const GpuAggLookup *
gpuagg_lookup_made(GpuAggMadeInput *input)
{
	Task		task = {.input = input,.context = CurrentMemoryContext};
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpuagg lookup made",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	task.strings = AllocSetContextCreate(input->strings, "gpuagg look-up strings",
										 ALLOCSET_SMALL_SIZES);
	task.kept.snapshot = input->snapshot;
	task.kept.take = take_message;
	task.kept.owner = &task;
	task.kept.error = &task.error;
	task.kept.rel = table_open(input->plan->relid, NoLock);
	if (!RelationUsesLocalBuffers(task.kept.rel))
		make_table(&task);
	table_close(task.kept.rel, NoLock);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	if (task.made == NULL || task.status != GPUAGG_OK)
	{
		memset(input->numbered, 0, input->plan->ncolumns * sizeof(GpuAggNumbered *));
		if (task.error.status != GPUAGG_OK)
			ereport(DEBUG1,
					(errmsg_internal("gpuagg: the backend reads an input of a join: %s",
									 task.error.message)));
		return NULL;
	}
	return task.made;
}
