/*
 * stat_tables.c
 *		Cumulative counters of each table and database (stat_tables.h).
 *
 * A set's few entries are looked through under one spinlock, which is held for one
 * set at a time, also by who reads or resets all.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "compat.h"
#include "extension.h"
#include "funcapi.h"
#include "ipc/shmem.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(gpuagg_stat_tables);

#define COLUMNS (2 + GPUAGG_NTABLESTATS)

typedef void (*SetVisitor) (GpuAggTableEntry *set, void *context);

/* Calls with each set in turn, of tables and of databases, under the lock. */
static void
visit_sets(SetVisitor visit, void *context)
{
	GpuAggTableStats *stats = &gpuagg_shared->tables;

	for (int i = 0; i < GPUAGG_STAT_TABLE_SETS + GPUAGG_STAT_DATABASE_SETS; i++)
	{
		GpuAggTableEntry *set = i < GPUAGG_STAT_TABLE_SETS ? stats->tables[i] :
			stats->databases[i - GPUAGG_STAT_TABLE_SETS];

		SpinLockAcquire(&stats->mutex);
		visit(set, context);
		SpinLockRelease(&stats->mutex);
	}
}

/*
 * The entry in a set, which is made if need be; *forgot: another gave way for it.
 */
static GpuAggTableEntry *
set_entry(GpuAggTableEntry *set, Oid relid, bool *forgot)
{
	GpuAggTableEntry *oldest = set;

	for (int i = 0; i < GPUAGG_STAT_TABLE_WAYS; i++)
	{
		if (set[i].dbid == MyDatabaseId && set[i].relid == relid)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	*forgot = OidIsValid(oldest->dbid);
	memset(oldest, 0, sizeof(*oldest));
	oldest->dbid = MyDatabaseId;
	oldest->relid = relid;
	return oldest;
}

static void
set_add(GpuAggTableEntry *set, Oid relid, const uint64 *values)
{
	GpuAggTableStats *stats = &gpuagg_shared->tables;
	bool		forgot = false;
	GpuAggTableEntry *entry;

	SpinLockAcquire(&stats->mutex);
	entry = set_entry(set, relid, &forgot);
	entry->used = ++stats->clock;
	for (int i = 0; i < GPUAGG_NTABLESTATS; i++)
		entry->values[i] += values[i];
	SpinLockRelease(&stats->mutex);
	if (OidIsValid(relid))
		gpuagg_stat_add(GPUAGG_STAT_tables_forgotten, forgot);
}

void
gpuagg_stat_tables_add(Oid relid, const uint64 *values)
{
	GpuAggTableStats *stats = &gpuagg_shared->tables;
	uint32		hash = murmurhash32(MyDatabaseId);

	set_add(stats->databases[hash % GPUAGG_STAT_DATABASE_SETS], InvalidOid, values);
	if (OidIsValid(relid))
		set_add(stats->tables[hash_combine(hash, murmurhash32(relid)) % GPUAGG_STAT_TABLE_SETS],
				relid, values);
}

static void
reset_set(GpuAggTableEntry *set, void *context)
{
	memset(set, 0, GPUAGG_STAT_TABLE_WAYS * sizeof(*set));
}

void
gpuagg_stat_tables_reset(void)
{
	visit_sets(reset_set, NULL);
}

static void
forget_in_set(GpuAggTableEntry *set, void *context)
{
	for (int i = 0; i < GPUAGG_STAT_TABLE_WAYS; i++)
		if (set[i].dbid == *(const Oid *) context)
			memset(&set[i], 0, sizeof(set[i]));
}

void
gpuagg_stat_tables_forget(Oid dbid)
{
	visit_sets(forget_in_set, &dbid);
}

/* ----------------------------------------------------------------- view --- */

/* Entries in use, as they are copied */
typedef struct Copies
{
	GpuAggTableEntry *entries;
	int			n;
} Copies;

static void
copy_set(GpuAggTableEntry *set, void *context)
{
	Copies	   *copies = context;

	for (int i = 0; i < GPUAGG_STAT_TABLE_WAYS; i++)
		if (OidIsValid(set[i].dbid))
			copies->entries[copies->n++] = set[i];
}

Datum
gpuagg_stat_tables(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Copies		copies = {.n = 0};

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	copies.entries = palloc((GPUAGG_STAT_TABLE_SETS + GPUAGG_STAT_DATABASE_SETS) *
							GPUAGG_STAT_TABLE_WAYS * sizeof(GpuAggTableEntry));
	visit_sets(copy_set, &copies);
	for (int n = 0; n < copies.n; n++)
	{
		const GpuAggTableEntry *entry = &copies.entries[n];
		bool		nulls[COLUMNS] = {0};
		Datum		values[COLUMNS];

		values[0] = ObjectIdGetDatum(entry->dbid);
		values[1] = ObjectIdGetDatum(entry->relid);
		for (int i = 0; i < GPUAGG_NTABLESTATS; i++)
			values[2 + i] = Int64GetDatum(entry->values[i]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	pfree(copies.entries);
	return (Datum) 0;
}
