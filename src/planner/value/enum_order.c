/*
 * enum_order.c
 *		The order of an enum's values as devices see it (enum_order.h).
 *
 * ALTER TYPE ... ADD VALUE may put a value anywhere, and give others new numbers in
 * the catalog, but never changes the order of two.  So a table that is made when
 * execution starts orders all values that its snapshot can see.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_enum.h"
#include "device/ops/load_types.h"
#include "device/ops/ops_types.h"
#include "planner/catalogue/sql_function.h"
#include "planner/value/enum_order.h"
#include "utils/rel.h"

static int
compare_values(const void *a, const void *b)
{
	const int32 x = ((const GpuAggEnumEntry *) a)->value;
	const int32 y = ((const GpuAggEnumEntry *) b)->value;

	return x < y ? -1 : x > y;
}

/* The values in their order */
static GpuAggEnumEntry *
read_values(Oid type, int *n)
{
	int			max = 64;
	GpuAggEnumEntry *entries = palloc(max * sizeof(*entries));
	Relation	catalog = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	*n = 0;
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber,
				gpuagg_function_oid(GPUAGG_F_OIDEQ), ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(catalog, index, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		if (*n == max)
			entries = repalloc(entries, (max *= 2) * sizeof(*entries));
		entries[*n].value = gpuagg_hold_oid(((Form_pg_enum) GETSTRUCT(tuple))->oid);
		entries[*n].rank = *n;
		(*n)++;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(catalog, AccessShareLock);
	return entries;
}

GpuAggConstant
gpuagg_enum_table(Oid type)
{
	GpuAggConstant c;
	int			n;
	GpuAggEnumEntry *entries = read_values(type, &n);

	qsort(entries, n, sizeof(*entries), compare_values);
	memset(&c, 0, sizeof(c));
	c.value.type = GPUAGG_T_TEXT;
	c.value.state = GPUAGG_ST_VALUE;
	c.value.len = n * sizeof(*entries);
	c.bytes = (const char *) entries;
	return c;
}
