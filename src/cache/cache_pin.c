/*
 * cache_pin.c
 *		Columns that others do not displace (cache_pin.h).
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_pin.h"
#include "ipc/pins_shared.h"
#include "utils/memutils.h"

/* The list as it was after so many changes; no list was looked at yet: NULL */
static GpuAggPin *pins = NULL;
static uint32 npins = 0;
static uint32 seen = 0;

static uint64 secured = 0;		/* bytes */

bool
gpuagg_cache_is_pinned(const GpuAggCacheTable *table, uint32 attr)
{
	const GpuAggPin pin = {table->dbid, table->relid, (AttrNumber) (attr + 1)};

	return npins > 0 && attr != GPUAGG_CACHE_ROWS && gpuagg_pins_have(pins, npins, &pin);
}

bool
gpuagg_cache_would_secure(const GpuAggCacheColumn *column, uint64 bytes)
{
	return column->pinned && secured + bytes <= gpuagg_cache_limit() / GPUAGG_PINNED_PART;
}

void
gpuagg_cache_release(GpuAggCacheFill *fill)
{
	secured -= fill->secured;
	fill->secured = 0;
}

bool
gpuagg_cache_secure(GpuAggCacheFill *fill, uint64 bytes)
{
	gpuagg_cache_release(fill);
	if (!gpuagg_cache_would_secure(fill->column, bytes))
		return false;
	fill->secured = bytes;
	secured += bytes;
	return true;
}

/* Has a table's column come to be pinned, or not to be? */
static bool
table_changes(GpuAggCacheTable *table)
{
	bool		changes = false;
	dlist_iter	iter;

	dlist_foreach(iter, &table->columns)
	{
		GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);
		bool		pinned = gpuagg_cache_is_pinned(table, column->attr);

		changes |= pinned != column->pinned;
		column->pinned = pinned;
	}
	return changes;
}

/* What is there gets the priority that it has now. */
static void
table_repin(GpuAggCacheTable *table)
{
	for (uint32 i = 0; i < table->nextents; i++)
	{
		GpuAggCacheExtent *extent = table->extents[i];

		if (extent == NULL)
			continue;
		gpuagg_cache_extent_wake(extent);
		for (int k = 0; k < extent->nfills; k++)
			gpuagg_cache_touch(extent, &extent->fills[k]->column, 1);
		gpuagg_cache_extent_rest(extent);
	}
}

void
gpuagg_cache_pins_look(void)
{
	uint32		changes = gpuagg_pins_changes();
	MemoryContext before;

	if (changes == seen)
		return;
	seen = changes;
	if (pins != NULL)
		pfree(pins);
	pins = NULL;
	npins = 0;
	before = MemoryContextSwitchTo(TopMemoryContext);
	npins = gpuagg_pins_copy(&pins);
	MemoryContextSwitchTo(before);
	for (GpuAggCacheTable *table = gpuagg_cache_table_next(NULL); table != NULL;
		 table = gpuagg_cache_table_next(table))
		if (table_changes(table))
			table_repin(table);
}
