/*
 * cache_repin.c
 *		The list of pinned columns has changed (cache_repin.h).
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_pin.h"
#include "cache/cache_priority.h"
#include "cache/cache_repin.h"
#include "cache/cache_rest.h"
#include "cache/cache_table.h"

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
	if (!gpuagg_cache_pins_renew())
		return;
	for (GpuAggCacheTable *table = gpuagg_cache_table_next(NULL); table != NULL;
		 table = gpuagg_cache_table_next(table))
		if (table_changes(table))
			table_repin(table);
}
