/*
 * strange_columns.c
 *		Columns with numerics that no device has a form of (strange_columns.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "cost/predict.h"
#include "ipc/seen_groups.h"
#include "ipc/shmem.h"
#include "node/scan/strange_columns.h"
#include "planner/value/constant.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Of a partition, the column of what the query names */
static AttrNumber
named_column(const GpuAggScan *scan, Relation rel, AttrNumber attno)
{
	return RelationGetRelid(rel) == scan->relid ? attno :
		get_attnum(scan->relid, NameStr(TupleDescAttr(RelationGetDescr(rel), attno - 1)->attname));
}

void
gpuagg_note_strange(const GpuAggScan *scan, const GpuAggPlanInfo *info, Relation rel, HeapTuple row)
{
	const GpuAggProgram *program = info->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);

	if (info->regroup == NULL || !OidIsValid(scan->relid))
		return;
	for (uint32 i = 0; i < program->nattrs; i++)
	{
		bool		isnull;
		int64		value;
		Datum		datum;
		AttrNumber	named;

		if (attrs[i].reg == GPUAGG_NO_REG || attrs[i].type != GPUAGG_T_NUMERIC)
			continue;
		datum = heap_getattr(row, i + 1, RelationGetDescr(rel), &isnull);
		if (isnull || gpuagg_numeric_stored(datum, attrs[i].scale, &value))
			continue;
		named = named_column(scan, rel, i + 1);
		if (named > 0)
			gpuagg_seen_strange_note(scan->relid, named);
	}
}
