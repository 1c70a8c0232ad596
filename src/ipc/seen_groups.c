/*
 * seen_groups.c
 *		How many groups groupings had when they ran last (seen_groups.h).
 *
 * A set's few entries are looked through under one spinlock.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "ipc/seen_groups.h"
#include "ipc/shmem.h"
#include "miscadmin.h"

static GpuAggSeenEntry *
entry_set(Oid relid, const GpuAggSeenKey *key)
{
	uint64		hash = hash_combine64(hash_combine64(key->keys, key->filter), relid);

	return gpuagg_shared->seen.entries[hash % GPUAGG_SEEN_SETS];
}

static bool
entry_is(const GpuAggSeenEntry *entry, Oid relid, const GpuAggSeenKey *key)
{
	return entry->relid == relid && entry->dbid == MyDatabaseId &&
		entry->key.keys == key->keys && entry->key.filter == key->filter;
}

/* The grouping's own entry, or the one that gives way */
static GpuAggSeenEntry *
entry_for(GpuAggSeenEntry *set, Oid relid, const GpuAggSeenKey *key)
{
	GpuAggSeenEntry *oldest = set;

	for (int i = 0; i < GPUAGG_SEEN_WAYS; i++)
	{
		if (entry_is(&set[i], relid, key))
			return &set[i];
		if (set[i].met < oldest->met)
			oldest = &set[i];
	}
	return oldest;
}

void
gpuagg_seen_groups_note(Oid relid, const GpuAggSeenKey *key, double pages, double groups)
{
	GpuAggSeenGroups *seen = &gpuagg_shared->seen;
	GpuAggSeenEntry *entry;

	if (key->keys == 0)
		return;
	SpinLockAcquire(&seen->mutex);
	entry = entry_for(entry_set(relid, key), relid, key);
	entry->dbid = MyDatabaseId;
	entry->relid = relid;
	entry->key = *key;
	entry->pages = pages;
	entry->groups = groups;
	entry->met = ++seen->clock;
	SpinLockRelease(&seen->mutex);
}

double
gpuagg_seen_groups_find(Oid relid, const GpuAggSeenKey *key, double pages)
{
	GpuAggSeenGroups *seen = &gpuagg_shared->seen;
	GpuAggSeenEntry *set = entry_set(relid, key);
	double		groups = 0;

	if (key->keys == 0)
		return 0;
	SpinLockAcquire(&seen->mutex);
	for (int i = 0; i < GPUAGG_SEEN_WAYS; i++)
	{
		if (!entry_is(&set[i], relid, key))
			continue;
		set[i].met = ++seen->clock;
		if (set[i].pages >= pages / 2 && set[i].pages <= pages * 2)
			groups = Max(1, set[i].groups);
	}
	SpinLockRelease(&seen->mutex);
	return groups;
}

/* --------------------------------------------------------------- columns --- */

/* Not a hash of keys; as a table of one page, for its size tells nothing of its values */
static GpuAggSeenKey
strange_key(AttrNumber attno)
{
	return (GpuAggSeenKey) {.keys = UINT64_C(0x737472616E676521),.filter = attno};
}

void
gpuagg_seen_strange_note(Oid relid, AttrNumber attno)
{
	const GpuAggSeenKey key = strange_key(attno);

	gpuagg_seen_groups_note(relid, &key, 1, 1);
}

bool
gpuagg_seen_strange(Oid relid, AttrNumber attno)
{
	const GpuAggSeenKey key = strange_key(attno);

	return gpuagg_seen_groups_find(relid, &key, 1) > 0;
}
