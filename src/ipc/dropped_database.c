/*
 * dropped_database.c
 *		Columns kept of a database that is dropped are freed at once, its counters
 *		forgotten.
 *
 * The worker has no database connection and would not hear of it.  So the backend
 * that drops the database tells it, when that has been committed: until then other
 * sessions may still be there, and fill.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_database.h"
#include "ipc/cache_shared.h"
#include "ipc/dropped_database.h"
#include "ipc/pins_shared.h"
#include "ipc/stat_tables.h"

static object_access_hook_type prev_object_access = NULL;

/* Of this transaction, which cannot be a block and drops no other */
static Oid	dropped = InvalidOid;

static void
at_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT && OidIsValid(dropped))
	{
		gpuagg_cache_drop_database(dropped);
		(void) gpuagg_pins_remove(&(GpuAggPin) {.dbid = dropped});
		gpuagg_stat_tables_forget(dropped);
	}
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT)
		dropped = InvalidOid;
}

static void
object_access(ObjectAccessType access, Oid classId, Oid objectId, int subId, void *arg)
{
	static bool registered = false;

	if (prev_object_access)
		prev_object_access(access, classId, objectId, subId, arg);
	if (access != OAT_DROP || classId != DatabaseRelationId)
		return;
	if (!registered)
		RegisterXactCallback(at_end, NULL);
	registered = true;
	dropped = objectId;
}

void
gpuagg_dropped_database_init(void)
{
	prev_object_access = object_access_hook;
	object_access_hook = object_access;
}
