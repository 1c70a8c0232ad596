/*
 * column_range.c
 *		Between which values a column lies (column_range.h).
 *
 * Every value that the statistics have is looked at, of each key several times for a query,
 * and they are compressed more often than not.  So a session remembers what they have told,
 * until some statistics change.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "common/hashfn.h"
#include "planner/estimate/bound_set.h"
#include "planner/estimate/column_range.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

typedef struct Known
{
	Oid			relid;			/* InvalidOid: none */
	AttrNumber	attno;
	bool		inherit;
	Oid			type;
	GpuAggValueSet set;
} Known;

static Known known[64];
static uint64 changes = 1;

static void
forget(Datum arg, int cache, uint32 hash)
{
	memset(known, 0, sizeof(known));
	changes++;
}

uint64
gpuagg_column_range_as_of(void)
{
	static bool registered = false;

	if (!registered)
		CacheRegisterSyscacheCallback(STATRELATTINH, forget, (Datum) 0);
	registered = true;
	return changes;
}

/* Adds some of a column's statistics. */
static void
add_values(HeapTuple stats, int kind, Oid type, GpuAggValueSet *set)
{
	AttStatsSlot slot;

	if (!get_attstatsslot(&slot, stats, kind, InvalidOid, ATTSTATSSLOT_VALUES))
		return;
	for (int i = 0; i < slot.nvalues; i++)
		(void) gpuagg_bound_add(set, type, slot.values[i]);
	free_attstatsslot(&slot);
}

static Known *
place_of(const Known *k)
{
	return &known[hash_combine(murmurhash32(k->relid), k->attno) % lengthof(known)];
}

bool
gpuagg_column_range(const VariableStatData *data, uint64 as_of, Oid type, GpuAggValueSet *set)
{
	const Form_pg_statistic form = (Form_pg_statistic) GETSTRUCT(data->statsTuple);
	Known		k = {.relid = form->starelid,
			   .attno = form->staattnum,
			   .inherit = form->stainherit,
			   .type = type,
			   .set = GPUAGG_SET_NOTHING};
	Known	   *place = place_of(&k);

	if (gpuagg_bound_class(type) == GPUAGG_CLASS_BYTES)
		return false;
	/* statistics of another extension's are its own */
	if (data->freefunc == ReleaseSysCache && place->relid == k.relid && place->attno == k.attno &&
		place->inherit == k.inherit && place->type == k.type && as_of == changes)
		k = *place;
	else
	{
		add_values(data->statsTuple, STATISTIC_KIND_HISTOGRAM, type, &k.set);
		add_values(data->statsTuple, STATISTIC_KIND_MCV, type, &k.set);
		if (data->freefunc == ReleaseSysCache && as_of == changes)
			*place = k;
	}
	*set = k.set;
	return gpuagg_set_may_value(set);
}
