/*
 * cache_evict.c
 *		What goes from the column cache when memory is short (cache_table.h).
 *
 * GreedyDual-Size-Frequency: a column of an extent has the priority
 *		clock + uses * bytes of pages to read again / bytes of the column
 * where the clock is the priority of what was evicted last, so that what is not
 * used any more ages.  A newcomer displaces only what has less priority than
 * itself: a table larger than the cache does not chase its own extents through
 * it, and finds those that stay at the next scan.
 */
#include "postgres.h"

#include <float.h>

#include "cache/cache_memory.h"
#include "cache/cache_table.h"

static double cache_clock = 0;

/* The priority of so many pages and bytes of a column: see the file's head. */
double
gpuagg_cache_priority(const GpuAggCacheColumn *column, uint32 npages, uint64 bytes)
{
	return cache_clock +
		(double) column->uses * npages * BLCKSZ / Max(bytes, 1);
}

void
gpuagg_cache_touch(GpuAggCacheExtent *extent, GpuAggCacheColumn *const *columns,
				   int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
	{
		GpuAggCacheFill *fill = gpuagg_cache_fill(extent, columns[i]);

		if (fill != NULL)
			fill->priority = gpuagg_cache_priority(columns[i], fill->nfilled,
												gpuagg_cache_fill_bytes(extent, fill));
	}
}

/* The column of an idle extent of least priority, if less than `priority` */
static bool
find_victim(double priority, GpuAggCacheExtent **extent, int *i)
{
	dlist_iter	iter;

	*extent = NULL;
	dlist_foreach(iter, &gpuagg_cache_tables)
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, node, iter.cur);

		for (uint32 c = 0; c < table->nextents; c++)
		{
			GpuAggCacheExtent *at = table->extents[c];

			if (at == NULL || !gpuagg_cache_is_idle(at))
				continue;
			for (int k = 0; k < at->nfills; k++)
				if (at->fills[k]->priority < priority)
				{
					priority = at->fills[k]->priority;
					*extent = at;
					*i = k;
				}
		}
	}
	return *extent != NULL;
}

/* Makes some room for what has more priority than what goes. */
bool
gpuagg_cache_evict(double priority)
{
	GpuAggCacheExtent *extent;
	GpuAggCacheColumn *column;
	int			i = 0;

	if (!find_victim(priority, &extent, &i))
		return false;
	cache_clock = Max(cache_clock, extent->fills[i]->priority);
	column = extent->fills[i]->column;
	gpuagg_cache_extent_drop(extent, i);
	gpuagg_cache_column_rest(extent->table, column);
	return true;
}

/* A table of which nothing is held, the one used last of all; false: none */
static bool
forget_table(void)
{
	dlist_iter	iter;

	dlist_reverse_foreach(iter, &gpuagg_cache_tables)
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, node, iter.cur);

		if (table->jobs == 0 && gpuagg_cache_table_is_empty(table))
		{
			gpuagg_cache_table_free(table);
			return true;
		}
	}
	return false;
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
