/*
 * cache_view.c
 *		The SQL function behind view gpuagg.cache.
 *
 * It tells about a column only to roles that may read it, about what a table's
 * columns share to those that may read any of them, and to pg_read_all_stats;
 * about tables of other databases only to these.  How many strings a column has,
 * and what they take, depends on rows that row security may hide from them all:
 * whether a string that is inserted is a new one tells whether it was there.
 *
 * What a query can use now is told of tables of this database by their visibility map: what
 * is held, and no more than is all-visible.  The map is read once for all columns of a table.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_authid.h"
#include "access/relation.h"
#include "compat.h"
#include "extension.h"
#include "funcapi.h"
#include "heap/page_shares.h"
#include "ipc/cache_shared.h"
#include "ipc/pins_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(gpuagg_cache_columns);

#define GPUAGG_CACHE_COLUMNS 16

static bool
may_see(const GpuAggCacheEntry *entry)
{
	bool		missing = false;
	Oid			user = GetUserId();

	if (has_privs_of_role(user, ROLE_PG_READ_ALL_STATS))
		return true;
	if (entry->dbid != MyDatabaseId)
		return false;
	if (pg_class_aclcheck_ext(entry->relid, user, ACL_SELECT,
							  &missing) == ACLCHECK_OK)
		return true;
	if (missing)
		return false;
	if (entry->attnum == InvalidAttrNumber)
		return pg_attribute_aclcheck_all(entry->relid, user, ACL_SELECT,
										 ACLMASK_ANY) == ACLCHECK_OK;
	return pg_attribute_aclcheck_ext(entry->relid, entry->attnum, user, ACL_SELECT,
									 &missing) == ACLCHECK_OK;
}

/* Policies of another database cannot be read here. */
static bool
may_see_strings(const GpuAggCacheEntry *entry)
{
	if (entry->dbid != MyDatabaseId)
		return has_bypassrls_privilege(GetUserId());
	return check_enable_rls(entry->relid, InvalidOid, true) != RLS_ENABLED;
}

/* The number of a device at work, as gpuagg.devices tells it */
static int32
device_number(int device)
{
	GpuAggDeviceView view;

	gpuagg_shmem_device(device, &view);
	return gpuagg_shmem_number(&view);
}

/* Pages of a table that are as they were kept, by some of those that the map does not tell of */
static BlockNumber
same_pages(Relation rel)
{
	const BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	uint64		map_lsn;
	uint64		page_lsn;
	double		changes;
	GpuAggPageShares shares;

	gpuagg_cache_lsns(RelationGetRelid(rel), GPUAGG_FILES_NUMBER(rel), &map_lsn, &page_lsn,
					  &changes);
	gpuagg_page_shares(rel, nblocks, map_lsn, page_lsn, &shares);
	return (BlockNumber) rint(shares.same * nblocks);
}

/* Of the table that an entry is about; it is not waited for. */
static BlockNumber
entry_valid(const GpuAggCacheEntry *entry)
{
	Relation	rel;
	BlockNumber valid;

	if (entry->dbid != MyDatabaseId ||
		!ConditionalLockRelationOid(entry->relid, AccessShareLock))
		return InvalidBlockNumber;
	rel = try_relation_open(entry->relid, NoLock);
	if (rel == NULL)
	{
		UnlockRelationOid(entry->relid, AccessShareLock);
		return InvalidBlockNumber;
	}
	valid = GPUAGG_FILES_NUMBER(rel) == entry->relnumber ? same_pages(rel) : 0;
	relation_close(rel, AccessShareLock);
	return valid;
}

static int
entry_compare(const void *a, const void *b)
{
	const GpuAggCacheEntry *x = a;
	const GpuAggCacheEntry *y = b;

	return x->relid != y->relid ? (x->relid < y->relid ? -1 : 1) :
		x->dbid != y->dbid ? (x->dbid < y->dbid ? -1 : 1) :
		x->attnum < y->attnum ? -1 : x->attnum > y->attnum;
}

static bool
is_pinned(const GpuAggCacheEntry *entry, const GpuAggPin *pins, uint32 npins)
{
	const GpuAggPin pin = {entry->dbid, entry->relid, entry->attnum};

	return gpuagg_pins_have(pins, npins, &pin);
}

static void
put_columns(ReturnSetInfo *rsinfo, int device)
{
	int32		number = device_number(device);
	GpuAggCacheEntry *entries;
	uint32		n = gpuagg_cache_entries(device, &entries);
	const GpuAggCacheEntry *of = NULL;	/* the table that was looked at */
	BlockNumber valid = InvalidBlockNumber;
	GpuAggPin  *pins;
	uint32		npins = gpuagg_pins_copy(&pins);

	qsort(entries, n, sizeof(GpuAggCacheEntry), entry_compare);
	for (uint32 e = 0; e < n; e++)
	{
		const GpuAggCacheEntry *entry = &entries[e];
		Datum		values[GPUAGG_CACHE_COLUMNS];
		bool		nulls[GPUAGG_CACHE_COLUMNS] = {0};
		bool		hidden;
		int			i = 0;

		if (!may_see(entry))
			continue;
		if (of == NULL || of->relid != entry->relid || of->dbid != entry->dbid)
			valid = entry_valid(entry);
		of = entry;
		hidden = entry->strings > 0 && !may_see_strings(entry);
		values[i++] = ObjectIdGetDatum(entry->dbid);
		values[i++] = ObjectIdGetDatum(entry->relid);
		values[i++] = Int16GetDatum(entry->attnum);
		values[i++] = ObjectIdGetDatum(entry->relnumber);
		values[i++] = Int32GetDatum(entry->extents);
		values[i++] = Int64GetDatum(entry->blocks);
		values[i++] = Int64GetDatum(entry->rows);
		nulls[i] = hidden;
		values[i++] = Int64GetDatum(entry->bytes);
		nulls[i] = hidden || entry->strings == 0;
		values[i++] = Int64GetDatum(entry->strings);
		values[i++] = Int64GetDatum(entry->uses);
		nulls[i] = entry->last_use == 0;
		values[i++] = TimestampTzGetDatum(entry->last_use);
		nulls[i] = entry->note == NULL;
		values[i++] = CStringGetTextDatum(entry->note != NULL ? entry->note : "");
		values[i++] = Int32GetDatum(number);
		nulls[i] = valid == InvalidBlockNumber;
		values[i++] = Int64GetDatum(Min(entry->blocks, valid));
		values[i++] = BoolGetDatum(is_pinned(entry, pins, npins));
		nulls[i] = hidden;
		values[i++] = Int64GetDatum(entry->bytes + entry->saved);
		Assert(i == GPUAGG_CACHE_COLUMNS);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	pfree(entries);
	pfree(pins);
}

Datum
gpuagg_cache_columns(PG_FUNCTION_ARGS)
{
	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		put_columns((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}
