/*
 * key_rows.c
 *		Columns of groups that follow from a primary key among their keys (key_rows.h).
 *
 * A row is asked for once for all of its columns.  Nothing stays open between groups, so nothing
 * has to be closed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "node/result/key_rows.h"
#include "planner/catalogue/sql_function.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Outputs that are columns of one table's row */
typedef struct KeyRow
{
	Index		rti;
	Oid			relid;
	Oid			index;			/* of its primary key */
	AttrNumber	key;			/* a column of that key */
	RegProcedure equal;			/* that column's equality */
	int			n;
	int		   *outputs;
	AttrNumber *columns;
} KeyRow;

struct GpuAggKeyRows
{
	Snapshot	snapshot;
	MemoryContext context;		/* of a group's values */
	int			n;
	KeyRow	   *rows;
};

static RegProcedure
equality_of(Oid type)
{
	return gpuagg_function_oid(type == INT2OID ? GPUAGG_F_INT2EQ :
							   type == INT4OID ? GPUAGG_F_INT4EQ : GPUAGG_F_INT8EQ);
}

/* The primary key is one column, for the planner has found it so. */
static void
find_key(KeyRow *row)
{
	Oid			constraint;
	Bitmapset  *columns = get_primary_key_attnos(row->relid, false, &constraint);

	if (bms_membership(columns) != BMS_SINGLETON)
		elog(ERROR, "gpuagg: table %u has no primary key of one column", row->relid);
	row->key = bms_singleton_member(columns) + FirstLowInvalidHeapAttributeNumber;
	row->index = get_constraint_index(constraint);
	row->equal = equality_of(get_atttype(row->relid, row->key));
}

static KeyRow *
row_of(GpuAggKeyRows *rows, EState *estate, Index rti, int noutputs)
{
	KeyRow	   *row;

	for (int i = 0; i < rows->n; i++)
		if (rows->rows[i].rti == rti)
			return &rows->rows[i];
	row = &rows->rows[rows->n++];
	row->rti = rti;
	row->relid = exec_rt_fetch(rti, estate)->relid;
	row->outputs = palloc(noutputs * sizeof(int));
	row->columns = palloc(noutputs * sizeof(AttrNumber));
	find_key(row);
	return row;
}

GpuAggKeyRows *
gpuagg_key_rows_begin(EState *estate, const GpuAggPlanInfo *info, List *tlist)
{
	GpuAggKeyRows *rows = NULL;

	for (int i = 0; i < info->noutputs; i++)
	{
		const Var  *var = (const Var *) list_nth_node(TargetEntry, tlist, i)->expr;
		KeyRow	   *row;

		if (info->outputs[i].final != GPUAGG_FINAL_KEY_ROW)
			continue;
		if (rows == NULL)
		{
			rows = palloc0(sizeof(GpuAggKeyRows));
			rows->snapshot = estate->es_snapshot;
			rows->context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg key rows",
												  ALLOCSET_DEFAULT_SIZES);
			rows->rows = palloc0(info->noutputs * sizeof(KeyRow));
		}
		row = row_of(rows, estate, var->varno, info->noutputs);
		row->outputs[row->n] = i;
		row->columns[row->n++] = info->outputs[i].column;
	}
	return rows;
}

static void
take_columns(const KeyRow *row, Relation rel, HeapTuple tuple, Datum *values, bool *isnull)
{
	const TupleDesc desc = RelationGetDescr(rel);

	for (int i = 0; i < row->n; i++)
	{
		const Form_pg_attribute att = TupleDescAttr(desc, row->columns[i] - 1);
		const int	o = row->outputs[i];

		values[o] = heap_getattr(tuple, row->columns[i], desc, &isnull[o]);
		if (!isnull[o])
			values[o] = datumCopy(values[o], att->attbyval, att->attlen);
	}
}

static void
fill_row(const GpuAggKeyRows *rows, const KeyRow *row, Datum *values, bool *isnull)
{
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;
	ScanKeyData key;

	/* without a row there is no key, nor any other column */
	if (isnull[row->outputs[0]])
		return;
	ScanKeyInit(&key, row->key, BTEqualStrategyNumber, row->equal, values[row->outputs[0]]);
	rel = table_open(row->relid, AccessShareLock);
	scan = systable_beginscan(rel, row->index, true, rows->snapshot, 1, &key);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "gpuagg: a group has a key of no row of table \"%s\"",
			 RelationGetRelationName(rel));
	take_columns(row, rel, tuple, values, isnull);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

void
gpuagg_key_rows_fill(GpuAggKeyRows *rows, Datum *values, bool *isnull)
{
	MemoryContext old;

	MemoryContextReset(rows->context);
	old = MemoryContextSwitchTo(rows->context);
	for (int i = 0; i < rows->n; i++)
		fill_row(rows, &rows->rows[i], values, isnull);
	MemoryContextSwitchTo(old);
}
