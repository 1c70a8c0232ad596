/*
 * compat.h
 *		Every difference between PostgreSQL versions 15 to 19, and what the
 *		build assumes of the server.  No PG_VERSION_NUM test stands elsewhere.
 */
#ifndef GPUAGG_COMPAT_H
#define GPUAGG_COMPAT_H

#include "postgres.h"

#include "access/htup_details.h"
#include "common/relpath.h"
#include "device/ops/page.h"
#include "nodes/pathnodes.h"
#if PG_VERSION_NUM >= 180000
#include "optimizer/optimizer.h"
#endif
#include "storage/bufpage.h"
#include "storage/latch.h"
#if PG_VERSION_NUM >= 160000
#include "storage/relfilelocator.h"
#else
#include "storage/relfilenode.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "storage/waiteventset.h"
#endif
#if PG_VERSION_NUM >= 190000
#include "nodes/miscnodes.h"
#endif
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/wait_event.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "gpuagg supports PostgreSQL 15 to 19"
#endif

StaticAssertDecl(BLCKSZ == GPUAGG_PAGE_BYTES,
				 "gpuagg needs PostgreSQL's default block size");

/* What device/ops/page.h knows of heap pages, tuples and varlenas. */
#ifdef WORDS_BIGENDIAN
#error "gpuagg reads little-endian pages only"
#endif
StaticAssertDecl(SizeOfPageHeaderData == GPUAGG_PAGE_HEADER_BYTES &&
				 sizeof(ItemIdData) == sizeof(GpuAggLinePointer) &&
				 LP_NORMAL == GPUAGG_LP_NORMAL &&
				 MaxHeapTuplesPerPage <= GPUAGG_MAX_LINES,
				 "layout of heap pages");
StaticAssertDecl(offsetof(HeapTupleHeaderData, t_infomask2) == GPUAGG_TUPLE_INFOMASK2 &&
				 offsetof(HeapTupleHeaderData, t_infomask) == GPUAGG_TUPLE_INFOMASK &&
				 offsetof(HeapTupleHeaderData, t_hoff) == GPUAGG_TUPLE_HOFF &&
				 SizeofHeapTupleHeader == GPUAGG_TUPLE_BITS &&
				 HEAP_NATTS_MASK == GPUAGG_TUPLE_NATTS_MASK &&
				 HEAP_HASNULL == GPUAGG_TUPLE_HAS_NULL &&
				 MAXIMUM_ALIGNOF == GPUAGG_TUPLE_ALIGN,
				 "layout of heap tuples");
StaticAssertDecl(VARTAG_ONDISK == GPUAGG_VARLENA_EXTERNAL_TAG &&
				 VARHDRSZ_EXTERNAL + sizeof(varatt_external) == GPUAGG_VARLENA_EXTERNAL_BYTES,
				 "layout of varlenas");

/* Our place in the array of PGPROCs (include storage/proc.h). */
#if PG_VERSION_NUM >= 170000
#define GPUAGG_MY_PROCNO MyProcNumber
#else
#define GPUAGG_MY_PROCNO (MyProc->pgprocno)
#endif

/* A set of wait events that lives as long as the process. */
#if PG_VERSION_NUM >= 170000
#define gpuagg_wait_event_set_create(nevents) CreateWaitEventSet(NULL, nevents)
#else
#define gpuagg_wait_event_set_create(nevents) \
	CreateWaitEventSet(TopMemoryContext, nevents)
#endif

/*
 * The wait event shown in pg_stat_activity: one of ours from PostgreSQL 17
 * on, else "Extension".  *cache is a static of the caller, zero at first.
 */
static inline uint32
gpuagg_wait_event(uint32 *cache, const char *name)
{
#if PG_VERSION_NUM >= 170000
	if (*cache == 0)
		*cache = WaitEventExtensionNew(name);
#else
	*cache = PG_WAIT_EXTENSION;
	(void) name;
#endif
	return *cache;
}

/*
 * Requests that read several blocks (storage/bufmgr.h), since 17.  From 18 on they tell how
 * the table is kept, and that we wait at once: another process that reads for us would only
 * cost switches.
 */
#if PG_VERSION_NUM >= 170000
#define GPUAGG_HAS_READ_BUFFERS
#endif
#if PG_VERSION_NUM >= 180000
#define GPUAGG_READ_BUFFERS_KEPT(rel) .persistence = (rel)->rd_rel->relpersistence
#define GPUAGG_READ_BUFFERS_FLAGS READ_BUFFERS_SYNCHRONOUSLY
#else
#define GPUAGG_READ_BUFFERS_KEPT(rel)
#define GPUAGG_READ_BUFFERS_FLAGS 0
#endif

/* What get_ordering_op_properties() says of an operator (utils/lsyscache.h) */
#if PG_VERSION_NUM >= 180000
typedef CompareType GpuAggOrdering;
#define GPUAGG_ORDERING_LESS COMPARE_LT
#else
typedef int16 GpuAggOrdering;
#define GPUAGG_ORDERING_LESS BTLessStrategyNumber
#endif

/* Which files a relation lives in, for ReadRecentBuffer() (utils/rel.h). */
#if PG_VERSION_NUM >= 160000
#define GPUAGG_RELATION_FILES(rel) ((rel)->rd_locator)
#else
#define GPUAGG_RELATION_FILES(rel) ((rel)->rd_node)
#endif

/* Whether a buffer's tag is of a relation's main fork (storage/buf_internals.h). */
#if PG_VERSION_NUM >= 160000
#define GPUAGG_TAG_IS_OF(tag, rel) \
	(BufTagMatchesRelFileLocator(&(tag), &(rel)->rd_locator) && (tag).forkNum == MAIN_FORKNUM)
#else
#define GPUAGG_TAG_IS_OF(tag, rel) \
	(RelFileNodeEquals((tag).rnode, (rel)->rd_node) && (tag).forkNum == MAIN_FORKNUM)
#endif

/* The first file of a relation that is no temporary one, below the data directory */
static inline void
gpuagg_relation_path(Oid dbid, Oid spcoid, uint32 relnumber, char *path, Size bytes)
{
#if PG_VERSION_NUM >= 180000
	strlcpy(path, GetRelationPath(dbid, spcoid, relnumber, -1, MAIN_FORKNUM).str, bytes);
#else
	char	   *made = GetRelationPath(dbid, spcoid, relnumber, -1, MAIN_FORKNUM);

	strlcpy(path, made, bytes);
	pfree(made);
#endif
}

/*
 * May a role vacuum a table?  Owners of it or of the database may, and since 17 who has MAINTAIN.
 */
#if PG_VERSION_NUM >= 170000
#define gpuagg_maintains(relid, role) \
	(object_ownercheck(DatabaseRelationId, MyDatabaseId, role) ? ACLCHECK_OK : \
	 pg_class_aclcheck(relid, role, ACL_MAINTAIN))
#elif PG_VERSION_NUM >= 160000
#define gpuagg_maintains(relid, role) \
	(object_ownercheck(DatabaseRelationId, MyDatabaseId, role) || \
	 object_ownercheck(RelationRelationId, relid, role) ? ACLCHECK_OK : ACLCHECK_NOT_OWNER)
#else
#define gpuagg_maintains(relid, role) \
	(pg_database_ownercheck(MyDatabaseId, role) || pg_class_ownercheck(relid, role) ? \
	 ACLCHECK_OK : ACLCHECK_NOT_OWNER)
#endif

/*
 * A relation's files, and whether the current transaction has made them
 * (utils/rel.h).
 */
#if PG_VERSION_NUM >= 160000
#define GPUAGG_FILES_SPC(rel) ((rel)->rd_locator.spcOid)
#define GPUAGG_FILES_DB(rel) ((rel)->rd_locator.dbOid)
#define GPUAGG_FILES_NUMBER(rel) ((rel)->rd_locator.relNumber)
#define gpuagg_files_are_new(rel) \
	((rel)->rd_createSubid != InvalidSubTransactionId || \
	 (rel)->rd_firstRelfilelocatorSubid != InvalidSubTransactionId)
#else
#define GPUAGG_FILES_SPC(rel) ((rel)->rd_node.spcNode)
#define GPUAGG_FILES_DB(rel) ((rel)->rd_node.dbNode)
#define GPUAGG_FILES_NUMBER(rel) ((rel)->rd_node.relNode)
#define gpuagg_files_are_new(rel) \
	((rel)->rd_createSubid != InvalidSubTransactionId || \
	 (rel)->rd_firstRelfilenodeSubid != InvalidSubTransactionId)
#endif

/* A relation's files, as WAL names them (access/xlogreader.h, catalog/storage_xlog.h) */
#if PG_VERSION_NUM >= 160000
typedef RelFileLocator GpuAggFileLocator;

#define GPUAGG_LOCATOR_SPC(file) ((file)->spcOid)
#define GPUAGG_LOCATOR_DB(file) ((file)->dbOid)
#define GPUAGG_LOCATOR_NUMBER(file) ((file)->relNumber)
#define GPUAGG_SMGR_FILE rlocator
#else
typedef RelFileNode GpuAggFileLocator;

#define GPUAGG_LOCATOR_SPC(file) ((file)->spcNode)
#define GPUAGG_LOCATOR_DB(file) ((file)->dbNode)
#define GPUAGG_LOCATOR_NUMBER(file) ((file)->relNode)
#define GPUAGG_SMGR_FILE rnode
#endif

/*
 * Prunes a page that a scan has come to (access/heapam.h).  Since 19 that sets it all-visible,
 * too, where it pays: if nobody is about to change the table.
 */
#if PG_VERSION_NUM >= 190000
#define gpuagg_prune_page(rel, buffer, read_only) \
	do { \
		Buffer		map_ = InvalidBuffer; \
		\
		heap_page_prune_opt(rel, buffer, &map_, read_only); \
		if (BufferIsValid(map_)) \
			ReleaseBuffer(map_); \
	} while (0)
#else
#define gpuagg_prune_page(rel, buffer, read_only) heap_page_prune_opt(rel, buffer)
#endif

/* The first record from a place on; 19 also tells why there is none (access/xlogreader.h). */
#if PG_VERSION_NUM >= 190000
#define gpuagg_find_next_record(reader, from) \
	XLogFindNextRecord(reader, from, &(char *) {NULL})
#else
#define gpuagg_find_next_record(reader, from) XLogFindNextRecord(reader, from)
#endif

/* The state of a buffer's header, 64 bits wide since 19 (storage/buf_internals.h) */
#if PG_VERSION_NUM >= 190000
typedef uint64 GpuAggBufferState;

#define gpuagg_buffer_state(desc) pg_atomic_read_u64(&(desc)->state)
#define gpuagg_buffer_state_change(desc, from, to) \
	pg_atomic_compare_exchange_u64(&(desc)->state, from, to)
#else
typedef uint32 GpuAggBufferState;

#define gpuagg_buffer_state(desc) pg_atomic_read_u32(&(desc)->state)
#define gpuagg_buffer_state_change(desc, from, to) \
	pg_atomic_compare_exchange_u32(&(desc)->state, from, to)
#endif

/* "snapshot too old" went away in 17 (storage/bufmgr.h, access/snapmgr.h). */
#if PG_VERSION_NUM >= 170000
#define gpuagg_test_old_snapshot(snapshot, rel, page) ((void) 0)
#define gpuagg_old_snapshots() false
#else
#define gpuagg_old_snapshots() (old_snapshot_threshold >= 0)
#define gpuagg_test_old_snapshot(snapshot, rel, page) \
	TestForOldSnapshot(snapshot, rel, page)
#endif

/* Buffers in the ring of a bulk-read strategy (storage/bufmgr.h). */
#if PG_VERSION_NUM >= 160000
#define gpuagg_strategy_buffers(strategy) \
	GetAccessStrategyBufferCount(strategy)
#else
#define gpuagg_strategy_buffers(strategy) \
	Min(NBuffers / 8, 256 * 1024 / BLCKSZ)
#endif

/*
 * Reads a page of a scan in page mode and finds which of its rows are visible
 * (access/heapam.h, storage/bufmgr.h).
 */
#if PG_VERSION_NUM >= 170000
#define gpuagg_heap_read_page(scan, block) \
	do { \
		HeapScanDesc heap_ = (HeapScanDesc) (scan); \
		\
		if (BufferIsValid(heap_->rs_cbuf)) \
			ReleaseBuffer(heap_->rs_cbuf); \
		heap_->rs_cbuf = ReadBufferExtended((scan)->rs_rd, MAIN_FORKNUM, block, \
											RBM_NORMAL, heap_->rs_strategy); \
		heap_->rs_cblock = block; \
		heap_prepare_pagescan(scan); \
	} while (0)
#else
#define gpuagg_heap_read_page(scan, block) heapgetpage(scan, block)
#endif

/*
 * Which of a query's grouping columns tell groups apart: from 16 on the planner
 * leaves those out that conditions make constant, of scans' target lists, too
 * (nodes/pathnodes.h).
 */
#if PG_VERSION_NUM >= 160000
#define gpuagg_needed_keys(root, clause) \
	((clause) == (root)->parse->groupClause ? (root)->processed_groupClause : (clause))
#else
#define gpuagg_needed_keys(root, clause) (clause)
#endif

/*
 * The order that grouping columns are sorted in below the grouping: of grouping sets 18 marks
 * columns above it as values that may be NULL there (optimizer/paths.h).
 */
#if PG_VERSION_NUM >= 180000
#define gpuagg_group_pathkeys(root, clause) \
	make_pathkeys_for_sortclauses_extended(root, &(List *) {list_copy(clause)}, \
										   (root)->processed_tlist, false, true, \
										   &(bool) {false}, false)
#else
#define gpuagg_group_pathkeys(root, clause) \
	make_pathkeys_for_sortclauses(root, clause, (root)->processed_tlist)
#endif

/* What the abbreviation of a time zone is, UNKNOWN_FIELD: none (utils/datetime.h) */
#if PG_VERSION_NUM >= 160000
#define gpuagg_decode_abbreviation(lower, type, offset, zone) \
	((void) DecodeTimezoneAbbrev(0, lower, type, offset, zone, &(DateTimeErrorExtra) {0}))
#else
#define gpuagg_decode_abbreviation(lower, type, offset, zone) \
	((void) (*(type) = DecodeTimezoneAbbrev(0, lower, offset, zone)))
#endif

/* What an operator means in btree's order (utils/lsyscache.h) */
#if PG_VERSION_NUM >= 180000
typedef OpIndexInterpretation GpuAggOpMeaning;

#define gpuagg_op_meanings(operator) get_op_index_interpretation(operator)
#define GPUAGG_MEANING_STRATEGY(meaning) ((meaning)->cmptype)
StaticAssertDecl(COMPARE_LT == 1 && COMPARE_NE == 6, "comparisons count as strategies do");
#else
typedef OpBtreeInterpretation GpuAggOpMeaning;

#define gpuagg_op_meanings(operator) get_op_btree_interpretation(operator)
#define GPUAGG_MEANING_STRATEGY(meaning) ((meaning)->strategy)
#endif

/* Does this collation compare bytes? (utils/pg_locale.h) */
#if PG_VERSION_NUM >= 180000
#define gpuagg_collation_is_c(collation) \
	(OidIsValid(collation) && pg_newlocale_from_collation(collation)->collate_is_c)
#else
#define gpuagg_collation_is_c(collation) lc_collate_is_c(collation)
#endif

/* ERROR unless the user may run this plan (executor/executor.h). */
#if PG_VERSION_NUM >= 160000
#define gpuagg_check_permissions(stmt) \
	((void) ExecCheckPermissions((stmt)->rtable, (stmt)->permInfos, true))
#else
#define gpuagg_check_permissions(stmt) \
	((void) ExecCheckRTPerms((stmt)->rtable, true))
#endif

/* Is this attribute known to hold no NULL? (access/tupdesc.h) */
#if PG_VERSION_NUM >= 180000
#define gpuagg_attr_notnull(tupdesc, i) \
	(TupleDescCompactAttr(tupdesc, i)->attnullability == ATTNULLABLE_VALID)
#else
#define gpuagg_attr_notnull(tupdesc, i) (TupleDescAttr(tupdesc, i)->attnotnull)
#endif

/*
 * A kind of join as the one that keeps rows of its outer side, and whether it is that
 * with its sides reversed: right joins, of 16 right antijoins, of 18 right semijoins.
 */
static inline JoinType
gpuagg_join_type(JoinType type, bool *reversed)
{
	*reversed = true;
#if PG_VERSION_NUM >= 180000
	if (type == JOIN_RIGHT_SEMI)
		return JOIN_SEMI;
#endif
#if PG_VERSION_NUM >= 160000
	if (type == JOIN_RIGHT_ANTI)
		return JOIN_ANTI;
#endif
	if (type == JOIN_RIGHT)
		return JOIN_LEFT;
	*reversed = false;
	return type;
}

/* Expressions over a relation as those over one below it (optimizer/appendinfo.h) */
#if PG_VERSION_NUM >= 160000
#define gpuagg_adjust_appendrel_attrs(root, node, child, parent) \
	adjust_appendrel_attrs_multilevel(root, node, child, parent)
#else
#define gpuagg_adjust_appendrel_attrs(root, node, child, parent) \
	adjust_appendrel_attrs_multilevel(root, node, (child)->relids, (parent)->relids)
#endif

/*
 * Columns of the target list that grouping sets may make NULL are marked since 18; so they
 * cannot be translated where they stand for expressions (rewrite/rewriteManip.h).
 */
#if PG_VERSION_NUM >= 180000
#define gpuagg_before_grouping(root, node) \
	((root)->group_rtindex == 0 ? (node) : \
	 remove_nulling_relids(node, bms_make_singleton((root)->group_rtindex), NULL))
#else
#define gpuagg_before_grouping(root, node) (node)
#endif

/* Groups are estimated with the sets since 16 (optimizer/pathnode.h). */
#if PG_VERSION_NUM >= 160000
#define gpuagg_groupingsets_path(root, rel, scan, strategy, rollups, costs, groups) \
	create_groupingsets_path(root, rel, scan, NIL, strategy, rollups, costs)
#else
#define gpuagg_groupingsets_path(root, rel, scan, strategy, rollups, costs, groups) \
	create_groupingsets_path(root, rel, scan, NIL, strategy, rollups, costs, groups)
#endif

/*
 * Run-time pruning of an Append's n subplans (executor/execPartition.h): is there any,
 * its state and the subplans that are valid when execution begins, those that are now.
 */
#if PG_VERSION_NUM >= 180000
#define gpuagg_append_prunes(append) ((append)->part_prune_index >= 0)
#define gpuagg_pruning_init(ps, append, n, valid) \
	ExecInitPartitionExecPruning(ps, n, (append)->part_prune_index, (append)->apprelids, valid)
#define gpuagg_pruning_subplans(prune) ExecFindMatchingSubPlans(prune, false, NULL)

/* A copied state's own, in its memory: a plan that is begun changes them, and once alone */
#define gpuagg_pruning_own(estate) \
	((estate)->es_part_prune_states = NIL, \
	 (estate)->es_part_prune_results = NIL, \
	 (estate)->es_unpruned_relids = bms_copy((estate)->es_unpruned_relids), \
	 ExecDoInitialPruning(estate))
#else
#define gpuagg_append_prunes(append) ((append)->part_prune_info != NULL)
#define gpuagg_pruning_init(ps, append, n, valid) \
	ExecInitPartitionPruning(ps, n, (append)->part_prune_info, valid)
#define gpuagg_pruning_subplans(prune) ExecFindMatchingSubPlans(prune, false)
#define gpuagg_pruning_own(estate) ((void) 0)
#endif

/* An Append (optimizer/pathnode.h) */
#if PG_VERSION_NUM >= 190000
#define gpuagg_append_path(root, rel, paths, partial_paths, workers, aware) \
	create_append_path(root, rel, \
					   (AppendPathInput) {.subpaths = (paths), \
										  .partial_subpaths = (partial_paths)}, \
					   NIL, NULL, workers, aware, -1)
#else
#define gpuagg_append_path(root, rel, paths, partial_paths, workers, aware) \
	create_append_path(root, rel, paths, partial_paths, NIL, NULL, workers, aware, -1)
#endif

/* What a path's rows come from, if it is a node that passes all of them on; else NULL */
static inline Path *
gpuagg_path_below(Path *path)
{
	switch (nodeTag(path))
	{
		case T_ProjectionPath:
			return ((ProjectionPath *) path)->subpath;
		case T_MaterialPath:
			return ((MaterialPath *) path)->subpath;
		case T_MemoizePath:
			return ((MemoizePath *) path)->subpath;
		case T_SortPath:
		case T_IncrementalSortPath:
			return ((SortPath *) path)->subpath;
		case T_GatherPath:
			return ((GatherPath *) path)->subpath;
		case T_GatherMergePath:
			return ((GatherMergePath *) path)->subpath;
		default:
			return NULL;
	}
}

/*
 * The rows that a path of a join's input makes distinct, for a semijoin that is planned as
 * an inner join; NULL: it does not.  Since 19 it is a grouping like others, of a copy of
 * the relation (nodes/pathnodes.h).
 */
static inline Path *
gpuagg_made_distinct(Path *path)
{
#if PG_VERSION_NUM >= 190000
	if (!IsA(path, AggPath) && !IsA(path, UniquePath))
		return NULL;
	while (path->parent->unique_rel == NULL)
	{
		if (IsA(path, AggPath))
			path = ((AggPath *) path)->subpath;
		else if (IsA(path, UniquePath))
			path = ((UniquePath *) path)->subpath;
		else if ((path = gpuagg_path_below(path)) == NULL)
			return NULL;
	}
	return path->parent->cheapest_total_path;
#else
	return IsA(path, UniquePath) ? ((UniquePath *) path)->subpath : NULL;
#endif
}

/*
 * Columns of a subquery, and the operators that compare them, as query_is_distinct_for()
 * wants both, which since 19 looks at the operators' collations, too (optimizer/planmain.h).
 */
#if PG_VERSION_NUM >= 190000
typedef List *GpuAggDistinctColumns;

static inline void
gpuagg_distinct_column(GpuAggDistinctColumns *columns, int number, const OpExpr *op)
{
	DistinctColInfo *column = palloc_object(DistinctColInfo);

	column->colno = number;
	column->opid = op->opno;
	column->collid = op->inputcollid;
	*columns = lappend(*columns, column);
}

#define GPUAGG_NO_COLUMNS NIL
#define gpuagg_any_columns(columns) ((columns) != NIL)
#define gpuagg_query_is_distinct(query, columns) query_is_distinct_for(query, columns)
#define gpuagg_has_unique_index(root, rel, clauses) \
	relation_has_unique_index_for(root, rel, clauses, NULL)
#else
typedef struct GpuAggDistinctColumns
{
	List	   *numbers;
	List	   *operators;
} GpuAggDistinctColumns;

static inline void
gpuagg_distinct_column(GpuAggDistinctColumns *columns, int number, const OpExpr *op)
{
	columns->numbers = lappend_int(columns->numbers, number);
	columns->operators = lappend_oid(columns->operators, op->opno);
}

#define GPUAGG_NO_COLUMNS {NIL, NIL}
#define gpuagg_any_columns(columns) ((columns).numbers != NIL)
#define gpuagg_query_is_distinct(query, columns) \
	query_is_distinct_for(query, (columns).numbers, (columns).operators)
#define gpuagg_has_unique_index(root, rel, clauses) \
	relation_has_unique_index_for(root, rel, clauses, NIL, NIL)
#endif

/* Columns are laid out when all of them are told, since 19 (access/tupdesc.h). */
#if PG_VERSION_NUM >= 190000
#define gpuagg_tupdesc_finish(tupdesc) TupleDescFinalize(tupdesc)
#else
#define gpuagg_tupdesc_finish(tupdesc) ((void) (tupdesc))
#endif

/* A scan's slot for tuples of its table (executor/executor.h) */
#if PG_VERSION_NUM >= 190000
#define gpuagg_init_scan_slot(estate, ss, tupdesc, ops) \
	ExecInitScanTupleSlot(estate, ss, tupdesc, ops, 0)
#else
#define gpuagg_init_scan_slot(estate, ss, tupdesc, ops) \
	ExecInitScanTupleSlot(estate, ss, tupdesc, ops)
#endif

/* Is a node timed, and how long has it run, s? (executor/instrument.h) */
#if PG_VERSION_NUM >= 190000
#define gpuagg_instrument_timed(instrument) ((instrument)->instr.need_timer)
#define gpuagg_instrument_seconds(instrument) \
	INSTR_TIME_GET_DOUBLE((instrument)->instr.total)
#else
#define gpuagg_instrument_timed(instrument) ((instrument)->need_timer)
#define gpuagg_instrument_seconds(instrument) ((instrument)->total)
#endif

/*
 * How many more moments states of two arguments have: since 19 the value that all rows
 * share, of each argument, or NaN (utils/adt/float.c).
 */
#if PG_VERSION_NUM >= 190000
#define GPUAGG_COMMON_VALUES 2
#else
#define GPUAGG_COMMON_VALUES 0
#endif

/*
 * Are sums of integers sent between processes as 128 bits, the higher half first, and not as
 * numerics? (utils/adt/numeric.c: int8_avg_serialize, numeric_poly_serialize)
 */
#define GPUAGG_INT128_STATES (PG_VERSION_NUM >= 190000)

/* A day's first instant; *overflow: it is none of timestamptz's (utils/date.h). */
static inline TimestampTz
gpuagg_day_start(DateADT day, bool *overflow)
{
#if PG_VERSION_NUM >= 190000
	ErrorSaveContext errors = {T_ErrorSaveContext};
	TimestampTz start = date2timestamptz_safe(day, (Node *) &errors);

	*overflow = errors.error_occurred;
#else
	int			beyond;
	TimestampTz start = date2timestamptz_opt_overflow(day, &beyond);

	*overflow = beyond != 0;
#endif
	return start;
}

/* Plans a query outside of EXPLAIN (tcop/tcopprot.h). */
#if PG_VERSION_NUM >= 190000
#define gpuagg_plan_query(query, text, options) pg_plan_query(query, text, options, NULL, NULL)
#else
#define gpuagg_plan_query(query, text, options) pg_plan_query(query, text, options, NULL)
#endif

/* The planner hook's parameters (optimizer/planner.h) */
#if PG_VERSION_NUM >= 190000
#define GPUAGG_PLANNER_PARAMETERS \
	Query *parse, const char *text, int options, ParamListInfo params, ExplainState *es
#define GPUAGG_PLANNER_ARGUMENTS parse, text, options, params, es
#else
#define GPUAGG_PLANNER_PARAMETERS \
	Query *parse, const char *text, int options, ParamListInfo params
#define GPUAGG_PLANNER_ARGUMENTS parse, text, options, params
#endif

/* Makes a query's table the first one of another, with the rights that are asked for it. */
static inline void
gpuagg_copy_table_entry(const Query *from, int rti, Query *to)
{
	RangeTblEntry *entry = (RangeTblEntry *) copyObjectImpl(list_nth(from->rtable, rti - 1));

#if PG_VERSION_NUM >= 160000
	if (entry->perminfoindex > 0)
	{
		to->rteperminfos = list_make1(
			copyObjectImpl(list_nth(from->rteperminfos, entry->perminfoindex - 1)));
		entry->perminfoindex = 1;
	}
#endif
	to->rtable = list_make1(entry);
}

/*
 * Expressions over the rows of an outer join, which 16 marks as such (rewrite/rewriteManip.h): as
 * of its table alone; and a column of it
 */
#if PG_VERSION_NUM >= 160000
#define gpuagg_without_outer_join(node, join) \
	((join) == 0 ? (node) : remove_nulling_relids(node, bms_make_singleton(join), NULL))
#define gpuagg_set_outer_join(var, join) \
	((var)->varnullingrels = (join) == 0 ? NULL : bms_make_singleton(join))
#else
#define gpuagg_without_outer_join(node, join) (node)
#define gpuagg_set_outer_join(var, join) ((void) (var))
#endif

/*
 * Expressions of groups in their own places, not as columns of the entry that 18 has for them, the
 * last one (optimizer/optimizer.h); false: it is not.
 */
static inline bool
gpuagg_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	if (!query->hasGroupRTE)
		return true;
	if (((RangeTblEntry *) llast(query->rtable))->rtekind != RTE_GROUP)
		return false;
	query->targetList = (List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	query->rtable = list_delete_last(query->rtable);
	query->hasGroupRTE = false;
#else
	(void) query;
#endif
	return true;
}

/* Is it the entry that 18 has for expressions of groups?  Then these, by its columns. */
static inline bool
gpuagg_group_entry(const RangeTblEntry *rte, List **exprs)
{
#if PG_VERSION_NUM >= 180000
	*exprs = rte->groupexprs;
	return rte->rtekind == RTE_GROUP;
#else
	(void) rte;
	*exprs = NIL;
	return false;
#endif
}

/* Where ExplainState and ExplainProperty...() are declared */
#if PG_VERSION_NUM >= 180000
#define GPUAGG_EXPLAIN_HEADER "commands/explain_format.h"
#else
#define GPUAGG_EXPLAIN_HEADER "commands/explain.h"
#endif

/* Are columns shown with their tables' names?  18 counts no entry for groups. */
#if PG_VERSION_NUM >= 180000
#define gpuagg_explain_prefix(es) ((es)->rtable_size > 1)
#else
#define gpuagg_explain_prefix(es) (list_length((es)->rtable) > 1)
#endif

/* Extensions add options to EXPLAIN since 18 (commands/explain_state.h). */
#if PG_VERSION_NUM >= 180000
#define GPUAGG_HAS_EXPLAIN_OPTIONS
#endif

/* Its values are checked in settings since 19, too, as those of booleans. */
#if PG_VERSION_NUM >= 190000
#define gpuagg_register_explain_option(name, read) \
	RegisterExtensionExplainOption(name, read, GUCCheckBooleanExplainOption)
#else
#define gpuagg_register_explain_option(name, read) \
	RegisterExtensionExplainOption(name, read)
#endif

/*
 * An aggregate that is lowered to a look at whether a column of any type is NULL, though it be NOT
 * NULL: since 19 IS NULL of such a column is false when it is planned.
 */
#if PG_VERSION_NUM >= 190000
#define GPUAGG_COUNT_NULLS "pg_catalog.sum(pg_catalog.num_nulls(%s))"
#else
#define GPUAGG_COUNT_NULLS "pg_catalog.count(*) FILTER (WHERE %s IS NULL)"
#endif

/* What pg_get_loaded_modules() shows (fmgr.h) */
#ifdef PG_MODULE_MAGIC_EXT
#define GPUAGG_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "gpuagg", .version = "1.1.0")
#else
#define GPUAGG_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* In front of a declaration (c.h of 18) */
#ifndef pg_noreturn
#define pg_noreturn pg_attribute_noreturn()
#endif

#endif							/* GPUAGG_COMPAT_H */
