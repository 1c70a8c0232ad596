/*
 * keeper.c
 *		A background worker that writes down which columns stay on the devices, and
 *		has them loaded again after a restart (README.md).
 *
 * It waits until the first device takes tasks.  Then it reads the file, pins what was
 * pinned, and starts a loader for each database, one after the other (loader.c).  From
 * then on it writes the file when other columns are kept than before, and at the end.
 *
 * A device's worker that has restarted has lost its columns, so the keeper begins anew;
 * it tells by the number of starts.  What it looked at counts only if that is the same
 * afterwards.  Until all is loaded the file stays as it is.
 */
#include "postgres.h"

#include "access/xact.h"
#include "autoload/autoload.h"
#include "autoload/kept_file.h"
#include "catalog/pg_database.h"
#include "compat.h"
#include "ipc/cache_shared.h"
#include "ipc/pins_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "settings.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* How often to look for a device that takes tasks, and at what is kept */
#define READY_MS 1000
#define LOOK_MS 10000

/* Without a place for a loader it is tried again so often, after LOOK_MS. */
#define PLACE_TRIES 6

/* After an ERROR the postmaster starts the keeper again so much later. */
#define RESTART_S 60

static MemoryContext lists;		/* of what is remembered from turn to turn */
static GpuAggKeptList before;	/* loaded last, ranked */
static GpuAggKeptList saved;	/* what the file has */
static uint32 loaded = 0;		/* starts of the device's worker when that was; 0: never */
static uint32 wait_event_keeper;

/* --------------------------------------------------------------- devices --- */

/* Starts of the first device's worker */
static uint32
device_starts(bool *ready)
{
	GpuAggDeviceView view;

	gpuagg_shmem_device(0, &view);
	*ready = view.status == GPUAGG_READY;
	return view.facts.starts;
}

/* Sleeps; false: the server stops. */
static bool
keeper_sleep(long ms)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms,
					 gpuagg_wait_event(&wait_event_keeper, "GpuAggAutoload"));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
	return !ShutdownRequestPending;
}

/* ------------------------------------------------------------------ load --- */

/* Is there such a database, and may one connect to it? */
static bool
database_accepts(Oid dbid)
{
	MemoryContext context = CurrentMemoryContext;
	HeapTuple	tuple;
	bool		accepts = false;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(dbid));
	if (HeapTupleIsValid(tuple))
	{
		accepts = ((Form_pg_database) GETSTRUCT(tuple))->datallowconn;
		ReleaseSysCache(tuple);
	}
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return accepts;
}

static bool
loader_register(Oid dbid, BackgroundWorkerHandle **handle)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_name = "gpuagg autoload",
		.bgw_type = "gpuagg autoload",
		.bgw_library_name = "gpuagg",
		.bgw_function_name = "gpuagg_autoload_database",
		.bgw_main_arg = ObjectIdGetDatum(dbid),
		.bgw_notify_pid = MyProcPid
	};

	snprintf(worker.bgw_name, sizeof(worker.bgw_name), "gpuagg autoload of database %u", dbid);
	return RegisterDynamicBackgroundWorker(&worker, handle);
}

/* Runs a loader to its end. */
static void
load_database(Oid dbid)
{
	BackgroundWorkerHandle *handle;

	for (int i = 0; i < PLACE_TRIES; i++)
	{
		if (loader_register(dbid, &handle))
		{
			(void) WaitForBackgroundWorkerShutdown(handle);
			pfree(handle);
			return;
		}
		if (i == 0)
			ereport(LOG,
					(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
					 errmsg("gpuagg: columns of database %u are not loaded now: there is no place among max_worker_processes",
							dbid),
					 errhint("Queries load what they need. You might need to increase max_worker_processes.")));
		if (!keeper_sleep(LOOK_MS))
			return;
	}
}

/*
 * Pins first: so what is loaded is pinned, and queries that come earlier keep off.  After
 * the restart of a worker alone the list in shared memory is what counts.
 */
static void
pin_again(const GpuAggKeptList *list)
{
	static bool done = false;

	if (done)
		return;
	done = true;
	for (uint32 i = 0; i < list->n; i++)
	{
		const GpuAggKept *one = &list->kept[i];

		if (one->pinned && database_accepts(one->dbid))
			(void) gpuagg_pins_add(&(GpuAggPin) {one->dbid, one->relid, one->attnum});
	}
}

static bool
is_first_of_database(const GpuAggKeptList *list, uint32 at)
{
	for (uint32 i = 0; i < at; i++)
		if (list->kept[i].dbid == list->kept[at].dbid)
			return false;
	return true;
}

/* Databases in the order of the most valuable table of each */
static void
load_all(void)
{
	GpuAggKeptList list;

	gpuagg_kept_read(&list);
	pin_again(&list);
	gpuagg_kept_fit(&list, gpuagg_cache_room());
	for (uint32 i = 0; i < list.n && !ShutdownRequestPending; i++)
		if (is_first_of_database(&list, i) && database_accepts(list.kept[i].dbid))
			load_database(list.kept[i].dbid);
}

/* ------------------------------------------------------------------ save --- */

static void
list_keep(GpuAggKeptList *kept, const GpuAggKeptList *list)
{
	MemoryContext context = MemoryContextSwitchTo(lists);

	gpuagg_kept_free(kept);
	kept->n = list->n;
	kept->kept = palloc(Max(list->n, 1) * sizeof(GpuAggKept));
	memcpy(kept->kept, list->kept, list->n * sizeof(GpuAggKept));
	MemoryContextSwitchTo(context);
}

/* Writes the file if other columns are kept than it has; at the end also for their order. */
static void
save(bool last)
{
	GpuAggKeptList list;
	bool		ready;

	gpuagg_kept_look(&list, &before);
	if (device_starts(&ready) != loaded || gpuagg_cache_room() == 0)
		return;
	if (gpuagg_kept_same(&list, &saved) && (!last || list.n == 0))
		return;
	if (gpuagg_kept_write(&list))
		list_keep(&saved, &list);
}

/* ------------------------------------------------------------------ main --- */

/* Returns how long to wait for the next one, in ms. */
static long
turn(void)
{
	bool		ready;
	uint32		starts = device_starts(&ready);
	GpuAggKeptList list;

	if (!gpuagg_enable || !ready)
		return READY_MS;
	if (starts == loaded)
	{
		save(false);
		return LOOK_MS;
	}
	loaded = 0;
	load_all();
	if (ShutdownRequestPending)
		return 0;
	gpuagg_kept_read(&list);
	list_keep(&saved, &list);
	gpuagg_kept_rank(&list);
	list_keep(&before, &list);
	loaded = starts;
	return READY_MS;
}

void
gpuagg_autoload_main(Datum arg)
{
	MemoryContext context;
	long		ms;

	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);	/* pg_database */

	lists = AllocSetContextCreate(TopMemoryContext, "gpuagg kept columns", ALLOCSET_DEFAULT_SIZES);
	context = AllocSetContextCreate(TopMemoryContext, "gpuagg autoload", ALLOCSET_DEFAULT_SIZES);
	do
	{
		MemoryContextSwitchTo(context);
		ms = turn();
		MemoryContextReset(context);
	} while (!ShutdownRequestPending && keeper_sleep(ms));
	if (loaded != 0 && gpuagg_enable)
		save(true);
	proc_exit(1);
}

void
gpuagg_autoload_define(void)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = RESTART_S,
		.bgw_name = "gpuagg autoload keeper",
		.bgw_type = "gpuagg autoload keeper",
		.bgw_library_name = "gpuagg",
		.bgw_function_name = "gpuagg_autoload_main"
	};

	if (gpuagg_autoload && !IsBinaryUpgrade)
		RegisterBackgroundWorker(&worker);
}
