/*
 * cache_make.c
 *		What jobs want comes into the column cache (cache_make.h).
 */
#include "postgres.h"

#include <float.h>

#include "cache/cache_evict.h"
#include "cache/cache_make.h"
#include "cache/cache_memory.h"
#include "cache/cache_pin.h"
#include "cache/cache_rest.h"
#include "cache/cache_table.h"

/* Of the limit, this part is free when a dictionary is begun. */
#define STRINGS_SHARE 8

static GpuAggCacheTable *
table_make(const GpuAggCacheRequest *request)
{
	GpuAggCacheTable *table;
	uint64		own = 0;

	(void) gpuagg_cache_make_room(sizeof(GpuAggCacheTable), DBL_MAX);
	table = gpuagg_cache_alloc(&own, sizeof(GpuAggCacheTable));
	table->directory = own;
	table->spcoid = request->spcoid;
	table->dbid = request->dbid;
	table->relnumber = request->relnumber;
	table->relid = request->relid;
	dlist_init(&table->columns);
	gpuagg_cache_table_link(table);
	return table;
}

GpuAggCacheTable *
gpuagg_cache_table(const GpuAggCacheRequest *request)
{
	GpuAggCacheTable *table = gpuagg_cache_table_find(request);

	if (table == NULL)
		return table_make(request);
	gpuagg_cache_table_wake(table);
	return table;
}

GpuAggCacheExtent *
gpuagg_cache_extent_make(GpuAggCacheTable *table, uint32 number)
{
	GpuAggCacheExtent *extent;

	if (number >= table->nextents)
	{
		uint32		n = Max(number + 1, 2 * table->nextents);

		table->extents =
			gpuagg_cache_directory_lengthen(table, table->extents,
											table->nextents * sizeof(GpuAggCacheExtent *),
											n * sizeof(GpuAggCacheExtent *));
		table->nextents = n;
	}
	if (table->extents[number] != NULL)
		return table->extents[number];
	extent = gpuagg_cache_directory_alloc(table, sizeof(GpuAggCacheExtent));
	extent->table = table;
	extent->number = number;
	dlist_init(&extent->readers);
	table->extents[number] = extent;
	table->nheld++;
	return extent;
}

/* What all extents have of a column goes.  False: some are in use. */
static bool
column_empty(GpuAggCacheTable *table, GpuAggCacheColumn *column)
{
	bool		all = true;

	for (uint32 i = 0; i < table->nextents; i++)
	{
		GpuAggCacheExtent *extent = table->extents[i];

		for (int k = 0; extent != NULL && k < extent->nfills; k++)
		{
			if (extent->fills[k]->column != column)
				continue;
			if (gpuagg_cache_is_idle(extent))
				gpuagg_cache_extent_drop(extent, k);
			else
				all = false;
			break;
		}
	}
	return all;
}

GpuAggCacheColumn *
gpuagg_cache_column(GpuAggCacheTable *table, uint32 attr, uint32 type, GpuAggScale scale)
{
	GpuAggCacheColumn *column;
	dlist_iter	iter;

	dlist_foreach(iter, &table->columns)
	{
		column = dlist_container(GpuAggCacheColumn, node, iter.cur);
		if (column->attr != attr)
			continue;
		if (column->type == type && gpuagg_scale_same(column->scale, scale))
			return column;
		/* ALTER TABLE that need not rewrite the table, as to timestamptz, or to numeric */
		if (table->jobs > 1 || !column_empty(table, column))
			return NULL;
		gpuagg_cache_forget_strings(column);
		column->type = type;
		column->scale = scale;
		return column;
	}
	column = gpuagg_cache_directory_alloc(table, sizeof(GpuAggCacheColumn));
	column->attr = attr;
	column->type = type;
	column->scale = scale;
	column->pinned = gpuagg_cache_is_pinned(table, attr);
	dlist_push_tail(&table->columns, &column->node);
	return column;
}

/*
 * A dictionary grows where nothing can be evicted for it, so that some memory is
 * made free beforehand.
 */
bool
gpuagg_cache_dictionary(GpuAggCacheColumn *column)
{
	GpuAggDevice *device = gpuagg_cache_device();
	GpuAggError error;

	if (column->dictionary != NULL)
		return true;
	if (gpuagg_cache_stripe_ops()->dictionary_create == NULL)
		return false;
	(void) gpuagg_cache_make_room(gpuagg_cache_limit() / STRINGS_SHARE, DBL_MAX);
	return gpuagg_cache_stripe_ops()->dictionary_create(device, &column->dictionary,
													  &error) == GPUAGG_OK;
}
