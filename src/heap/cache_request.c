/*
 * cache_request.c
 *		What of a table may stay on the device (cache_request.h).  The reasons are
 *		explained in src/cache/VALIDITY.md.
 */
#include "postgres.h"

#include "access/attnum.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "heap/cache_request.h"
#include "heap/settled.h"
#include "settings.h"
#include "storage/predicate.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

bool		gpuagg_cache_loading = false;

const char *
gpuagg_cache_request_why_not(Relation rel, Snapshot snapshot)
{
	if (!gpuagg_cache)
		return "The setting gpuagg.cache is off.";
	if (gpuagg_cache_size == 0)
		return "The setting gpuagg.cache_size is 0.";
	if (snapshot->snapshot_type != SNAPSHOT_MVCC || gpuagg_old_snapshots())
		return "The setting old_snapshot_threshold is on.";
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		return "Temporary and unlogged tables do not stay on the device.";
	if (gpuagg_files_are_new(rel) || !RelationNeedsWAL(rel))
		return "The table was made or rewritten by this transaction.";
	if (CheckForSerializableConflictOutNeeded(rel, snapshot))
		return "The transaction is serializable.";
	return NULL;
}

/*
 * Is the attribute as the current transaction itself has made it?  Then what
 * short tuples have in its place may be forgotten with the transaction, and
 * another attribute of the same number have another value there, with the heap
 * unchanged.
 */
static bool
attribute_is_ours(Oid relid, AttrNumber attno)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid),
										Int16GetDatum(attno));
	bool		ours;

	if (!HeapTupleIsValid(tuple))
		return true;
	ours = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
	ReleaseSysCache(tuple);
	return ours;
}

bool
gpuagg_cache_request_json(Form_pg_attribute attr)
{
	const Oid	base = getBaseType(attr->atttypid);

	return base == JSONOID || base == JSONBOID;
}

/*
 * Strings of char(n) are equal where their bytes are: all have n characters,
 * blanks included.  Without n that is not so.  Intervals are kept like strings, each
 * that looks different once.  Columns that are loaded only to
 * see whether they are NULL may come as text or uuid whatever they are: no
 * dictionary for those.
 */
bool
gpuagg_cache_request_column(Form_pg_attribute attr, uint8 type)
{
	int32		typmod = attr->atttypmod;
	Oid			base = getBaseTypeAndTypmod(attr->atttypid, &typmod);

	switch ((GpuAggType) type)
	{
		case GPUAGG_T_TEXT:
			return base == TEXTOID || base == VARCHAROID || base == BYTEAOID ||
				gpuagg_cache_request_json(attr);
		case GPUAGG_T_BPCHAR:
			return typmod >= 0;
		case GPUAGG_T_UUID:
			return base == UUIDOID;
		default:
			return true;
	}
}

static bool
is_key(const GpuAggProgram *program, uint16 reg)
{
	const GpuAggKey *keys = gpuagg_program_keys(program);

	for (int i = 0; i < program->nkeys; i++)
	{
		if (keys[i].reg == reg)
			return true;
	}
	return false;
}

/*
 * A program without columns asks for which rows there are.  Documents that nobody groups
 * by would fill a dictionary for nothing but to see whether they are NULL.
 */
static bool
request_columns(Relation rel, const GpuAggProgram *program)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);
	bool		writes = TransactionIdIsValid(GetTopTransactionIdIfAny());

	for (int i = 0; i < program->nattrs; i++)
	{
		if (attrs[i].reg == GPUAGG_NO_REG)
			continue;
		if (!gpuagg_cache_request_column(TupleDescAttr(RelationGetDescr(rel), i),
								attrs[i].type))
			return false;
		if (!gpuagg_cache_loading && !is_key(program, attrs[i].reg) &&
			gpuagg_cache_request_json(TupleDescAttr(RelationGetDescr(rel), i)))
			return false;
		if (writes && attribute_is_ours(RelationGetRelid(rel), i + 1))
			return false;
	}
	return true;
}

bool
gpuagg_cache_request(Relation rel, Snapshot snapshot, const GpuAggProgram *program,
			BlockNumber nblocks, GpuAggCacheRequest *request)
{
	memset(request, 0, sizeof(*request));
	if (nblocks == 0 || program->select ||
		gpuagg_cache_request_why_not(rel, snapshot) != NULL ||
		!request_columns(rel, program))
		return false;
	request->spcoid = GPUAGG_FILES_SPC(rel);
	request->dbid = GPUAGG_FILES_DB(rel);
	request->relnumber = GPUAGG_FILES_NUMBER(rel);
	request->relid = RelationGetRelid(rel);
	request->nblocks = request->written = nblocks;
	request->fill = 1;
	/* our own changes may not have been written yet, and catalogs change without commits */
	request->follow = gpuagg_debug_wal && !TransactionIdIsValid(GetTopTransactionIdIfAny()) &&
		RelationGetRelid(rel) >= FirstNormalObjectId;
	gpuagg_settled_snapshot(snapshot, &request->snapshot);
	return true;
}
