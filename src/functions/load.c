/*
 * load.c
 *		gpuagg.load(relation, columns): brings columns of a table onto the device
 *		ahead of the first query that needs them; gpuagg.unload() drops them.
 *
 * Loading is a query like any other, SELECT count(*) FILTER (WHERE a IS NULL), or
 * what counts NULLs otherwise, ... FROM ONLY the table, which loads the columns and fills the cache
 * on its way; so permissions, snapshots and memory are what they are for queries.  Partitions and
 * child tables are loaded one by one.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table.h"
#include "access/visibilitymap.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "executor/spi.h"
#include "extension.h"
#include "fmgr.h"
#include "functions/load.h"
#include "heap/cache_request.h"
#include "heap/vismap.h"
#include "heap/written.h"
#include "ipc/cache_shared.h"
#include "ipc/pins_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "planner/value/constant.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(gpuagg_load);
PG_FUNCTION_INFO_V1(gpuagg_unload);

/* Columns of one query */
#define QUERY_COLUMNS 32

/* What the cache has of some columns of a table */
typedef struct GpuAggLoaded
{
	uint64		bytes;
	BlockNumber blocks;			/* of the column of which it has least */
	const GpuAggCacheEntry *refused;	/* has a note why not; NULL: none */
} GpuAggLoaded;

/* ------------------------------------------------------------- arguments --- */

List *
gpuagg_load_relations(Oid relid)
{
	Relation	root = try_relation_open(relid, AccessShareLock);
	List	   *relations = NIL;
	ListCell   *lc;

	if (root == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	relation_close(root, NoLock);
	foreach(lc, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		char		relkind = get_rel_relkind(lfirst_oid(lc));

		if (relkind == RELKIND_RELATION || relkind == RELKIND_MATVIEW)
			relations = lappend_oid(relations, lfirst_oid(lc));
		else if (relkind != RELKIND_PARTITIONED_TABLE)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is not a table", get_rel_name(lfirst_oid(lc)))));
	}
	return relations;
}

List *
gpuagg_load_names(ArrayType *array)
{
	List	   *names = NIL;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values,
					  &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column names must not be NULL")));
		names = lappend(names, pstrdup(NameStr(*DatumGetName(values[i]))));
	}
	if (names == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the list of columns is empty"),
				 errhint("Leave it out to name all columns.")));
	return names;
}

/* Of json and jsonb there may be much, and no two alike. */
bool
gpuagg_load_can(Relation rel, AttrNumber attno, bool named)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(rel), attno - 1);
	uint8		type;
	GpuAggScale scale;

	if (attr->attisdropped)
		return false;
	if (named && gpuagg_cache_request_json(attr))
		return true;
	return gpuagg_constant_column(attr->atttypid, attr->atttypmod, &type, &scale) &&
		gpuagg_cache_request_column(attr, type);
}

static AttrNumber
named_column(Relation rel, const char *name)
{
	AttrNumber	attno = get_attnum(RelationGetRelid(rel), name);

	if (attno == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
						RelationGetRelationName(rel))));
	if (attno < 0 || !gpuagg_load_can(rel, attno, true))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" of relation \"%s\" cannot stay on the device", name,
					RelationGetRelationName(rel)),
			 errdetail(
				 "Columns can that have a type which the device knows; char(n) only with its n.")));
	return attno;
}

List *
gpuagg_load_columns(Relation rel, List *names)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, names)
		columns = list_append_unique_int(columns, named_column(rel, lfirst(lc)));
	for (int i = 1; names == NIL && i <= RelationGetDescr(rel)->natts; i++)
	{
		if (gpuagg_load_can(rel, i, false))
			columns = lappend_int(columns, i);
	}
	return columns;
}

/* What is on the device is of all rows. */
static void
check_row_security(Relation rel)
{
	if (check_enable_rls(RelationGetRelid(rel), InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table \"%s\" has row-level security policies for you",
						RelationGetRelationName(rel)),
				 errhint("Its owner can load and unload it.")));
}

/* ----------------------------------------------------------------- load --- */

static void
load_refuse(Relation rel, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("columns of table \"%s\" cannot stay on the device",
					RelationGetRelationName(rel)),
			 errdetail_internal("%s", detail)));
}

static void
load_check(Relation rel)
{
	const char *why = gpuagg_cache_request_why_not(rel, GetActiveSnapshot());

	if (why != NULL)
		load_refuse(rel, why);
	check_row_security(rel);
}

/* Reads up to QUERY_COLUMNS columns, from one on; without columns which rows there are. */
static void
load_some(Relation rel, List *columns, int from)
{
	StringInfoData query;
	int			upto = Min(list_length(columns), from + QUERY_COLUMNS);

	initStringInfo(&query);
	if (columns == NIL)
		appendStringInfoString(&query, "SELECT pg_catalog.count(*)");
	for (int i = from; i < upto; i++)
	{
		AttrNumber	attno = list_nth_int(columns, i);
		Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(rel), attno - 1);

		appendStringInfo(&query, "%s " GPUAGG_COUNT_NULLS,
						 i == from ? "SELECT" : ",",
						 quote_identifier(NameStr(attr->attname)));
	}
	appendStringInfo(&query, " FROM ONLY %s",
					 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(rel)),
												RelationGetRelationName(rel)));
	gpuagg_cache_loading = true;
	PG_TRY();
	{
		if (SPI_execute(query.data, true, 0) != SPI_OK_SELECT)
			elog(ERROR, "gpuagg: could not read table \"%s\"",
				 RelationGetRelationName(rel));
	}
	PG_FINALLY();
	{
		gpuagg_cache_loading = false;
	}
	PG_END_TRY();
	pfree(query.data);
}

/* What the cache of a device has now */
static GpuAggLoaded
load_look_at(int device, Relation rel, List *columns)
{
	GpuAggLoaded loaded = {.blocks = columns == NIL ? 0 : MaxBlockNumber};
	GpuAggCacheEntry *entries;
	uint32		n = gpuagg_cache_entries(device, &entries);
	ListCell   *lc;

	foreach(lc, columns)
	{
		BlockNumber blocks = 0;

		for (uint32 i = 0; i < n; i++)
		{
			if (entries[i].dbid != MyDatabaseId ||
				entries[i].relid != RelationGetRelid(rel) ||
				entries[i].relnumber != GPUAGG_FILES_NUMBER(rel) ||
				entries[i].attnum != lfirst_int(lc))
				continue;
			loaded.bytes += entries[i].bytes;
			blocks = entries[i].blocks;
			if (entries[i].note != NULL)
				loaded.refused = &entries[i];
		}
		loaded.blocks = Min(loaded.blocks, blocks);
	}
	return loaded;
}

/* Of all devices: blocks of the one that has most, or of all if they share tables */
static GpuAggLoaded
load_look(Relation rel, List *columns)
{
	const bool	shared = gpuagg_spread == GPUAGG_SPREAD_ALWAYS;
	GpuAggLoaded all = load_look_at(0, rel, columns);

	for (int i = 1; i < gpuagg_shared->ndevices; i++)
	{
		GpuAggLoaded loaded = load_look_at(i, rel, columns);

		all.bytes += loaded.bytes;
		all.blocks = shared ? all.blocks + loaded.blocks : Max(all.blocks, loaded.blocks);
		if (loaded.refused != NULL)
			all.refused = loaded.refused;
	}
	return all;
}

/* Tells what is missing, and what helps. */
static void
load_notice(Relation rel, List *columns, const GpuAggLoaded *loaded)
{
	BlockNumber nblocks = gpuagg_written_blocks(rel, RelationGetNumberOfBlocks(rel), false);
	BlockNumber visible;
	BlockNumber blocks;

	visibilitymap_count(rel, &visible, NULL);
	blocks = Min(loaded->blocks, visible);	/* the others are out of date */
	if (columns == NIL || blocks >= nblocks)
		return;
	if (loaded->refused != NULL)
	{
		char	   *name = get_attname(RelationGetRelid(rel),
									   loaded->refused->attnum, false);

		ereport(NOTICE,
				(errmsg("column \"%s\" of table \"%s\" does not stay on the device: %s",
						name, RelationGetRelationName(rel), loaded->refused->note)));
		return;
	}
	if (gpuagg_vismap_unlogged(rel, nblocks))
	{
		ereport(NOTICE,
				(errmsg("%u of %u pages of table \"%s\" are on the device",
						blocks, nblocks, RelationGetRelationName(rel)),
				 errdetail("Its visibility map was written without WAL (COPY FREEZE under wal_level = minimal)."),
				 errhint("A query that the device runs on the primary, or gpuagg.load() there, logs the map once.")));
		return;
	}
	ereport(NOTICE,
			(errmsg("%u of %u pages of table \"%s\" are on the device", blocks, nblocks,
					RelationGetRelationName(rel)),
			 blocks == visible ?
			 errhint("The others have changed since the last VACUUM.") :
			 errhint("There may be no memory for the others (gpuagg.cache_size), or other queries used the table; see gpuagg.cache.")));
}

static uint64
load_relation(Relation rel, List *columns)
{
	GpuAggLoaded loaded;

	load_check(rel);
	for (int i = 0; i == 0 || i < list_length(columns); i += QUERY_COLUMNS)
		load_some(rel, columns, i);
	loaded = load_look(rel, columns);
	load_notice(rel, columns, &loaded);
	return loaded.bytes;
}

/* Settings under which a query fills the cache, or says why not */
static void
load_settings(void)
{
	static const char *const settings[][2] = {
		{"gpuagg.enable", "on"},
		{"gpuagg.cache", "on"},
		{"gpuagg.fallback", "off"},
		{"gpuagg.debug_require", "prefer"}
	};

	for (int i = 0; i < lengthof(settings); i++)
		(void) set_config_option(settings[i][0], settings[i][1], PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

uint64
gpuagg_load_relation(Relation rel, List *columns)
{
	uint64		bytes;
	int			nest = NewGUCNestLevel();

	load_settings();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "gpuagg: SPI_connect failed");
	bytes = load_relation(rel, columns);
	SPI_finish();
	AtEOXact_GUC(true, nest);
	return bytes;
}

uint64
gpuagg_load_named(Oid relid, List *names)
{
	Relation	rel = table_open(relid, AccessShareLock);
	List	   *columns = gpuagg_load_columns(rel, names);
	uint64		bytes;

	if (columns == NIL)
		load_refuse(rel, "None of them has a type that the device knows.");
	bytes = gpuagg_load_relation(rel, columns);
	table_close(rel, NoLock);
	return bytes;
}

Datum
gpuagg_load(PG_FUNCTION_ARGS)
{
	List	   *names = NIL;
	uint64		bytes = 0;
	ListCell   *lc;

	gpuagg_require_preload();
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
		names = gpuagg_load_names(PG_GETARG_ARRAYTYPE_P(1));
	foreach(lc, gpuagg_load_relations(PG_GETARG_OID(0)))
		bytes += gpuagg_load_named(lfirst_oid(lc), names);
	PG_RETURN_INT64(bytes);
}

/* --------------------------------------------------------------- unload --- */

/* Others pay for what is unloaded: whoever may vacuum a table may unload it. */
static void
unload_check(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	AclResult	result = gpuagg_maintains(relid, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(rel->rd_rel->relkind),
					   RelationGetRelationName(rel));
	check_row_security(rel);
	table_close(rel, NoLock);
}

static uint64
unload_relation(Oid relid, List *names)
{
	Relation	rel = table_open(relid, AccessShareLock);
	List	   *looked = gpuagg_load_columns(rel, names);
	List	   *dropped = looked;
	uint64		before;
	uint64		after;
	ListCell   *lc;

	if (names == NIL)
	{
		looked = lappend_int(looked, InvalidAttrNumber);	/* what they share */
		dropped = list_make1_int(InvalidAttrNumber);	/* all */
	}
	before = load_look(rel, looked).bytes;
	foreach(lc, dropped)
	{
		(void) gpuagg_pins_remove(&(GpuAggPin) {MyDatabaseId, relid, lfirst_int(lc)});
		gpuagg_cache_unload(relid, lfirst_int(lc));
	}
	after = load_look(rel, looked).bytes;
	table_close(rel, NoLock);
	return before - Min(before, after);
}

Datum
gpuagg_unload(PG_FUNCTION_ARGS)
{
	List	   *names = NIL;
	List	   *relations;
	uint64		bytes = 0;
	ListCell   *lc;

	gpuagg_require_preload();
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
		names = gpuagg_load_names(PG_GETARG_ARRAYTYPE_P(1));
	relations = gpuagg_load_relations(PG_GETARG_OID(0));
	foreach(lc, relations)
		unload_check(lfirst_oid(lc));
	foreach(lc, relations)
		bytes += unload_relation(lfirst_oid(lc), names);
	PG_RETURN_INT64(bytes);
}
