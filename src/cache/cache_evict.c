/*
 * cache_evict.c
 *		What goes from the column cache when memory is short (cache_evict.h).
 *
 * A newcomer displaces only what has less priority (cache_priority.h) than itself: a table
 * larger than the cache does not chase its own extents through it, and finds those that stay
 * at the next scan.  What rests is packed before anything goes.
 */
#include "postgres.h"

#include <float.h>

#include "cache/cache_evict.h"
#include "cache/cache_memory.h"
#include "cache/cache_pack.h"
#include "cache/cache_pin.h"
#include "cache/cache_priority.h"
#include "cache/cache_publish.h"
#include "cache/cache_rest.h"
#include "cache/cache_table.h"

static int
fill_index(const GpuAggCacheFill *fill)
{
	int			i = 0;

	while (fill->extent->fills[i] != fill)
		i++;
	return i;
}

/*
 * Makes some room for what has more priority than what goes.  An extent without columns goes,
 * too: else directories of what was held would take all the room there is.
 */
bool
gpuagg_cache_evict(double priority)
{
	GpuAggCacheFill *fill = gpuagg_cache_least_fill();
	GpuAggCacheExtent *extent;
	GpuAggCacheTable *table;
	GpuAggCacheColumn *column;

	/* what can be made again of strings that are there goes first */
	if (gpuagg_cache_drop_code_tables())
		return true;
	if (gpuagg_cache_pack_now())
		return true;
	if (fill == NULL || fill->priority >= priority)
		return false;
	gpuagg_cache_priority_went(fill->priority);
	column = fill->column;
	extent = fill->extent;
	table = extent->table;
	gpuagg_cache_extent_drop(extent, fill_index(fill));
	if (extent->nfills == 0)
		gpuagg_cache_extent_free(extent);
	gpuagg_cache_column_rest(table, column);
	gpuagg_cache_table_rest(table);
	gpuagg_cache_table_changed(table);
	return true;
}

/* A table of which nothing is held; false: there is none. */
static bool
forget_table(void)
{
	GpuAggCacheTable *table = gpuagg_cache_oldest_empty();

	if (table != NULL)
		gpuagg_cache_table_free(table);
	return table != NULL;
}

/* Room for so many bytes of the directory; false: what there is has more priority. */
bool
gpuagg_cache_make_room(Size bytes, double priority)
{
	while (gpuagg_cache_used() + bytes > gpuagg_cache_limit())
		if (!forget_table() && !gpuagg_cache_evict(priority))
			return false;
	return true;
}

/* Memory of a table's directory, at any rate; others give way to it. */
void *
gpuagg_cache_directory_alloc(GpuAggCacheTable *table, Size bytes)
{
	(void) gpuagg_cache_make_room(bytes, DBL_MAX);
	return gpuagg_cache_alloc(&table->directory, bytes);
}

void *
gpuagg_cache_directory_lengthen(GpuAggCacheTable *table, void *array,
								Size old_bytes, Size bytes)
{
	(void) gpuagg_cache_make_room(bytes, DBL_MAX);
	return gpuagg_cache_lengthen(&table->directory, array, old_bytes, bytes);
}
