/*
 * dropped_pins.c
 *		Pinned columns that are dropped are pinned no more (dropped_pins.h).
 *
 * A file that has gone does not tell: a column stays pinned when its table is rewritten.
 * So the backend that drops looks, before it commits, which pinned columns are not there
 * any more, and forgets them when that has been committed.  What a prepared transaction
 * or a primary has dropped goes at the next gpuagg.pin() of the database.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "ipc/dropped_pins.h"
#include "ipc/pins_shared.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

static object_access_hook_type prev_object_access = NULL;

/* Of this transaction: has it dropped a table or a column, and what was pinned of these? */
static bool drops = false;
static GpuAggPin *gone = NULL;
static uint32 ngone = 0;

static bool
column_is_there(const GpuAggPin *pin)
{
	HeapTuple	tuple = SearchSysCacheAttNum(pin->relid, pin->attnum);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return HeapTupleIsValid(tuple);
}

/* Pins of this database whose columns the transaction does not see; their number */
static uint32
find_gone(GpuAggPin **pins)
{
	uint32		n = gpuagg_pins_copy(pins);
	uint32		found = 0;

	for (uint32 i = 0; i < n; i++)
		if ((*pins)[i].dbid == MyDatabaseId && !column_is_there(&(*pins)[i]))
			(*pins)[found++] = (*pins)[i];
	return found;
}

static void
forget(const GpuAggPin *pins, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		(void) gpuagg_pins_remove(&pins[i]);
}

void
gpuagg_dropped_pins_forget(void)
{
	GpuAggPin  *pins;
	uint32		n = find_gone(&pins);

	forget(pins, n);
	pfree(pins);
}

/* Savepoints may have been rolled back; what is gone before the commit is gone with it. */
static void
before_commit(void)
{
	MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);

	if (drops && gpuagg_pins_changes() > 0)
		ngone = find_gone(&gone);
	MemoryContextSwitchTo(before);
}

static void
at_end(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			before_commit();
			return;
		case XACT_EVENT_COMMIT:
			forget(gone, ngone);
			break;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			break;
		default:
			return;
	}
	drops = false;
	gone = NULL;
	ngone = 0;
}

static void
object_access(ObjectAccessType access, Oid classId, Oid objectId, int subId, void *arg)
{
	static bool registered = false;

	if (prev_object_access)
		prev_object_access(access, classId, objectId, subId, arg);
	if (access != OAT_DROP || classId != RelationRelationId)
		return;
	if (!registered)
		RegisterXactCallback(at_end, NULL);
	registered = true;
	drops = true;
}

void
gpuagg_dropped_pins_init(void)
{
	prev_object_access = object_access_hook;
	object_access_hook = object_access;
}
