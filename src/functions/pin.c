/*
 * pin.c
 *		gpuagg.pin(relation, columns): loads columns of a table and keeps others from
 *		displacing them; gpuagg.unpin() lets them again.
 *
 * What is pinned is a list in shared memory (ipc/pins_shared.h), which is written first,
 * so that loading displaces what is not pinned.  Where it turns out to be too much, or
 * loading fails, what was added is taken back.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "compat.h"
#include "extension.h"
#include "fmgr.h"
#include "functions/load.h"
#include "ipc/cache_shared.h"
#include "ipc/dropped_pins.h"
#include "ipc/pins_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "planner/value/constant.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(gpuagg_pin);
PG_FUNCTION_INFO_V1(gpuagg_unpin);

/* What is to be pinned, and is not yet */
typedef struct GpuAggPinWanted
{
	GpuAggPin  *before;			/* the list as it was */
	uint32		nbefore;
	GpuAggPin  *pins;			/* those that are not in it */
	uint32		n;
	double		bytes;			/* that they are expected to take */
} GpuAggPinWanted;

/* Who may keep memory of all for a table: its owner, as who may vacuum it. */
static void
pin_check(Oid relid)
{
	AclResult	result = gpuagg_maintains(relid, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result,
					   get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
}

static int
column_bytes(Relation rel, AttrNumber attno)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(rel), attno - 1);
	uint8		type;
	GpuAggScale scale;

	if (!gpuagg_constant_column(attr->atttypid, attr->atttypmod, &type, &scale) ||
		gpuagg_key_class(type) == GPUAGG_CLASS_BYTES)
		return sizeof(int32);	/* codes of strings */
	return gpuagg_type_slot_bytes(type);
}

static void
want_relation(GpuAggPinWanted *wanted, Oid relid, List *names)
{
	Relation	rel = table_open(relid, AccessShareLock);
	BlockNumber pages;
	double		tuples;
	double		allvisible;
	ListCell   *lc;

	estimate_rel_size(rel, NULL, &pages, &tuples, &allvisible);
	foreach(lc, gpuagg_load_columns(rel, names))
	{
		const GpuAggPin pin = {MyDatabaseId, relid, lfirst_int(lc)};

		if (gpuagg_pins_have(wanted->before, wanted->nbefore, &pin))
			continue;
		if (wanted->nbefore + wanted->n == GPUAGG_MAX_PINS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("no more than %d columns can be pinned", GPUAGG_MAX_PINS)));
		wanted->pins[wanted->n++] = pin;
		wanted->bytes += tuples * column_bytes(rel, pin.attnum);
	}
	table_close(rel, NoLock);
}

/* Bytes of pinned columns that a device has, and that they may take; limit 0: no device */
static uint64
pinned_bytes(int device, uint64 *may)
{
	GpuAggCacheEntry *entries;
	GpuAggPin  *pins;
	uint32		npins = gpuagg_pins_copy(&pins);
	uint32		n = gpuagg_cache_entries(device, &entries);
	uint64		bytes = 0;

	for (uint32 i = 0; i < n; i++)
	{
		const GpuAggPin pin = {entries[i].dbid, entries[i].relid, entries[i].attnum};

		if (gpuagg_pins_have(pins, npins, &pin))
			bytes += entries[i].bytes;
	}
	gpuagg_cache_memory(device, may, &(uint64) {0});
	*may /= GPUAGG_PINNED_PART;
	pfree(entries);
	pfree(pins);
	return bytes;
}

pg_noreturn static void
refuse(double bytes, uint64 may)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
		 errmsg("pinned columns would take %.0f kB of the %.0f kB that they may",
				ceil(bytes / 1024), (double) may / 1024),
		 errdetail("They may take half of gpuagg.cache_size."),
		 errhint("Name fewer columns, unpin others (gpuagg.unpin), or raise gpuagg.cache_size.")));
}

/* Is there a device that is likely to have room?  With none at work loading tells why. */
static void
check_before(const GpuAggPinWanted *wanted)
{
	double		least = 0;
	uint64		most = 0;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		uint64		may;
		double		bytes = pinned_bytes(i, &may) + wanted->bytes;

		if (pg_atomic_read_u32(&gpuagg_shmem_state(i)->status) != GPUAGG_READY)
			continue;
		if (bytes <= may)
			return;
		if (most == 0 || bytes - may < least - most)
		{
			least = bytes;
			most = may;
		}
	}
	if (least > 0)
		refuse(least, most);
}

static void
check_after(void)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		uint64		may;
		uint64		bytes = pinned_bytes(i, &may);

		if (bytes > may)
			refuse(bytes, may);
	}
}

static uint64
pin_all(GpuAggPinWanted *wanted, List *relations, List *names)
{
	volatile uint64 bytes = 0;
	ListCell   *lc;

	PG_TRY();
	{
		for (uint32 i = 0; i < wanted->n; i++)
			if (!gpuagg_pins_add(&wanted->pins[i]))
				ereport(ERROR,
						(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						 errmsg("no more than %d columns can be pinned", GPUAGG_MAX_PINS)));
		foreach(lc, relations)
			bytes += gpuagg_load_named(lfirst_oid(lc), names);
		check_after();
	}
	PG_CATCH();
	{
		for (uint32 i = 0; i < wanted->n; i++)
			(void) gpuagg_pins_remove(&wanted->pins[i]);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return bytes;
}

Datum
gpuagg_pin(PG_FUNCTION_ARGS)
{
	GpuAggPinWanted wanted = {0};
	List	   *names = NIL;
	List	   *relations;
	ListCell   *lc;

	gpuagg_require_preload();
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
		names = gpuagg_load_names(PG_GETARG_ARRAYTYPE_P(1));
	relations = gpuagg_load_relations(PG_GETARG_OID(0));
	foreach(lc, relations)
		pin_check(lfirst_oid(lc));
	gpuagg_dropped_pins_forget();
	wanted.nbefore = gpuagg_pins_copy(&wanted.before);
	wanted.pins = palloc(GPUAGG_MAX_PINS * sizeof(GpuAggPin));
	foreach(lc, relations)
		want_relation(&wanted, lfirst_oid(lc), names);
	check_before(&wanted);
	PG_RETURN_INT64(pin_all(&wanted, relations, names));
}

Datum
gpuagg_unpin(PG_FUNCTION_ARGS)
{
	List	   *names = NIL;
	List	   *relations;
	uint32		n = 0;
	ListCell   *lc;

	gpuagg_require_preload();
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
		names = gpuagg_load_names(PG_GETARG_ARRAYTYPE_P(1));
	relations = gpuagg_load_relations(PG_GETARG_OID(0));
	foreach(lc, relations)
		pin_check(lfirst_oid(lc));
	foreach(lc, relations)
	{
		Oid			relid = lfirst_oid(lc);
		Relation	rel = table_open(relid, AccessShareLock);
		List	   *columns = names == NIL ? list_make1_int(InvalidAttrNumber) :
			gpuagg_load_columns(rel, names);
		ListCell   *c;

		foreach(c, columns)
			n += gpuagg_pins_remove(&(GpuAggPin) {MyDatabaseId, relid, lfirst_int(c)});
		table_close(rel, NoLock);
	}
	PG_RETURN_INT32(n);
}
