/*
 * equal_values.c
 *		Values that are told apart by nothing but their type's own equality (equal_values.h).
 *
 * Strings under a collation that is not deterministic, and values of types of other extensions:
 * their bytes differ though they are equal.  The first of equal values stays and represents them.
 * Others are found by the hash function by which PostgreSQL groups; those of the same hash are
 * compared one by one.  The extended one of char(n) counts trailing blanks under such a collation.
 */
#include "postgres.h"

#include "fmgr.h"
#include "node/regroup/equal_values.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/typcache.h"

typedef struct EqualKey
{
	uint64		hash;
	uint64		nth;			/* of those with this hash */
} EqualKey;

typedef struct EqualEntry
{
	EqualKey	key;
	uint64		number;
	Datum		value;
} EqualEntry;

struct GpuAggEqualValues
{
	TypeCacheEntry *type;
	Oid			collation;
	MemoryContext context;
	HTAB	   *entries;
	uint64		count;
};

GpuAggEqualValues *
gpuagg_equal_values_create(Oid type, Oid collation, MemoryContext context)
{
	GpuAggEqualValues *values = MemoryContextAllocZero(context, sizeof(GpuAggEqualValues));
	HASHCTL		info = {
		.keysize = sizeof(EqualKey),
		.entrysize = sizeof(EqualEntry),
		.hcxt = context
	};

	values->type = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO);
	values->collation = collation;
	values->context = context;
	values->entries = hash_create("gpuagg equal values", 256, &info,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return values;
}

static void
keep(GpuAggEqualValues *values, EqualEntry *entry, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(values->context);

	entry->value = datumCopy(value, values->type->typbyval, values->type->typlen);
	entry->number = values->count++;
	MemoryContextSwitchTo(old);
}

GpuAggBytes
gpuagg_equal_values_number(GpuAggEqualValues *values, Datum value)
{
	uint64	   *number = palloc(sizeof(uint64));
	EqualKey	key = {0};
	EqualEntry *entry;
	bool		found;

	if (values->type->typlen == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	key.hash = DatumGetUInt32(FunctionCall1Coll(&values->type->hash_proc_finfo, values->collation,
												value));
	for (;; key.nth++)
	{
		entry = hash_search(values->entries, &key, HASH_ENTER, &found);
		if (!found)
		{
			keep(values, entry, value);
			break;
		}
		if (DatumGetBool(FunctionCall2Coll(&values->type->eq_opr_finfo, values->collation,
										   entry->value, value)))
			break;
	}
	*number = entry->number;
	return (GpuAggBytes) {(const char *) number, sizeof(*number)};
}
