/*
 * loader.c
 *		A background worker that loads the kept columns of one database again.
 *
 * It reads the list itself, and loads table by table, each in a transaction of its own,
 * as gpuagg.load() does (functions/load.h).  It runs as the bootstrap superuser, for the
 * columns are of all rows; so nothing that it runs may look a name up.  What fails is
 * a line in the log, and the next table's turn.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "autoload/autoload.h"
#include "autoload/kept_file.h"
#include "catalog/pg_class.h"
#include "commands/dbcommands.h"
#include "compat.h"
#include "extension.h"
#include "functions/load.h"
#include "ipc/cache_shared.h"
#include "ipc/pins_shared.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "settings.h"
#include "storage/lmgr.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* One process reads, and gives way to tasks that wait; nobody's settings end or move it. */
static void
loader_settings(void)
{
	static const char *const settings[][2] = {
		{"search_path", ""},
		{"statement_timeout", "0"},
		{"lock_timeout", "0"},
		{"default_transaction_isolation", "read committed"},
		{"max_parallel_workers_per_gather", "0"},
		{"gpuagg.share", "1"},
		{"gpuagg.queue_timeout", "0"}
	};

	for (int i = 0; i < lengthof(settings); i++)
		SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

/* Columns of the list that the table still has; what is pinned and has gone is not any more. */
static List *
columns_left(Relation rel, const GpuAggKept *table, uint32 n)
{
	List	   *columns = NIL;

	for (uint32 i = 0; i < n; i++)
	{
		AttrNumber	attnum = table[i].attnum;

		if (attnum == InvalidAttrNumber)
			continue;
		if (attnum <= RelationGetDescr(rel)->natts && gpuagg_load_can(rel, attnum, true))
			columns = lappend_int(columns, attnum);
		else
			(void) gpuagg_pins_remove(&(GpuAggPin) {MyDatabaseId, table->relid, attnum});
	}
	return columns;
}

/* Loads a table's columns; false: it is not there, has none of them, or is locked. */
static bool
load_columns(const GpuAggKept *table, uint32 n)
{
	Relation	rel;
	List	   *columns;
	bool		loads;

	if (!ConditionalLockRelationOid(table->relid, AccessShareLock))
		return false;			/* whoever rewrites it makes other files */
	rel = try_relation_open(table->relid, NoLock);
	if (rel == NULL)
	{
		(void) gpuagg_pins_remove(&(GpuAggPin) {MyDatabaseId, table->relid, InvalidAttrNumber});
		return false;
	}
	loads = rel->rd_rel->relkind == RELKIND_RELATION || rel->rd_rel->relkind == RELKIND_MATVIEW;
	columns = loads ? columns_left(rel, table, n) : NIL;
	loads &= columns != NIL || table->attnum == InvalidAttrNumber;
	if (loads)
	{
		pgstat_report_activity(STATE_RUNNING, RelationGetRelationName(rel));
		(void) gpuagg_load_relation(rel, columns);
	}
	relation_close(rel, NoLock);
	return loads;
}

/* The transaction has failed: tells why, and ends it. */
static void
load_failed(Oid relid, MemoryContext context)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	AbortCurrentTransaction();
	ereport(LOG,
			(errmsg("gpuagg: columns of the table with OID %u were not loaded again: %s", relid,
					error->message),
			 error->detail != NULL ? errdetail_internal("%s", error->detail) : 0));
	RESUME_INTERRUPTS();
}

static bool
load_table(const GpuAggKept *table, uint32 n)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool loads = false;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PG_TRY();
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		loads = load_columns(table, n);
		PopActiveSnapshot();
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		loads = false;
		load_failed(table->relid, context);
	}
	PG_END_TRY();
	pgstat_report_activity(STATE_IDLE, NULL);
	MemoryContextSwitchTo(context);
	return loads;
}

/* The database's name; NULL: it does not have the extension, or does without the device. */
static char *
database_name(void)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *name = NULL;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	if (gpuagg_extension_exists() && gpuagg_enable && gpuagg_cache)
		name = MemoryContextStrdup(context, get_database_name(MyDatabaseId));
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return name;
}

void
gpuagg_autoload_database(Datum arg)
{
	GpuAggKeptList list;
	uint32		length;
	uint32		ntables = 0;
	uint32		nloaded = 0;
	char	   *name;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(arg), InvalidOid, 0);
	loader_settings();
	MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext, "gpuagg autoload",
												ALLOCSET_DEFAULT_SIZES));
	name = database_name();
	if (name == NULL)
		return;
	gpuagg_kept_read(&list);
	gpuagg_kept_fit(&list, gpuagg_cache_room());
	for (uint32 i = 0; i < list.n; i += length)
	{
		length = gpuagg_kept_table(&list, i);
		if (list.kept[i].dbid != MyDatabaseId)
			continue;
		ntables++;
		nloaded += load_table(&list.kept[i], length);
	}
	ereport(LOG,
			(errmsg("gpuagg: of %u tables of database \"%s\" whose columns stayed on the device, %u were loaded again",
					ntables, name, nloaded)));
}
