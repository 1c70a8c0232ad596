/*
 * cache_tidy.c
 *		What goes from a table when a job leaves it, or a user unloads it (cache_tidy.h).
 */
#include "postgres.h"

#include "cache/cache_arrange.h"
#include "cache/cache_evict.h"
#include "cache/cache_free.h"
#include "cache/cache_pack.h"
#include "cache/cache_publish.h"
#include "cache/cache_rest.h"
#include "cache/cache_table.h"
#include "cache/cache_tidy.h"

static void
drop_unwanted(GpuAggCacheExtent *extent)
{
	for (int i = extent->nfills - 1; i >= 0; i--)
		if (extent->fills[i]->column->unwanted)
			gpuagg_cache_extent_drop(extent, i);
}

/*
 * Of an extent that nobody uses: pages that grew have taken new positions until there was no
 * stripe left, and neither what is free, nor what formers leave now, is of use for any page.
 */
static bool
extent_is_worn(GpuAggCacheExtent *extent)
{
	uint64		taken = 0;
	uint64		live = 0;

	if (!extent->full)
		return false;
	extent->full = extent->next_former == extent->nformers &&
		gpuagg_cache_free_most(extent) < GPUAGG_MAX_LINES;
	if (!extent->full)
		return false;
	for (int i = 0; i < extent->nstripes; i++)
		taken += extent->stripes[i].closed ? 0 : extent->stripes[i].used;
	for (uint32 i = 0; i < extent->room; i++)
		if (extent->blocks[i].stripe != GPUAGG_NO_STRIPE)
			live += extent->blocks[i].positions;
	return live < taken - taken / 16;
}

/*
 * Drops what is not wanted of extents that nobody uses, extents that are better
 * filled anew, and extents and columns of which nothing is left.  The others are packed, or do not
 * wait to be.
 */
static void
table_tidy(GpuAggCacheTable *table, GpuAggPack pack)
{
	dlist_iter	iter;

	for (uint32 i = 0; i < table->nextents; i++)
	{
		GpuAggCacheExtent *extent = table->extents[i];

		if (extent == NULL)
			continue;
		if (gpuagg_cache_is_idle(extent))
		{
			gpuagg_cache_drop_useless(extent);
			drop_unwanted(extent);
		}
		if (extent->nfills > 0)
			gpuagg_cache_arrange(extent);
		if (gpuagg_cache_is_idle(extent) && (extent->nfills == 0 || extent_is_worn(extent)))
			gpuagg_cache_extent_free(extent);
		else if (pack == GPUAGG_PACK_ON)
			gpuagg_cache_pack_all(extent);
		else if (pack == GPUAGG_PACK_OFF)
			gpuagg_cache_pack_never(extent);
	}
	dlist_foreach(iter, &table->columns)
		gpuagg_cache_column_rest(table, dlist_container(GpuAggCacheColumn, node, iter.cur));
	gpuagg_cache_table_rest(table);
}

void
gpuagg_cache_table_unload(GpuAggCacheTable *table, int attr)
{
	dlist_iter	iter;

	if (attr < 0)
	{
		gpuagg_cache_table_kill(table);
		return;
	}
	dlist_foreach(iter, &table->columns)
	{
		GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		if (column->attr != (uint32) attr)
			continue;
		column->unwanted = true;
		column->note = NULL;
	}
	table_tidy(table, GPUAGG_PACK_AUTO);
	gpuagg_cache_table_changed(table);
}

void
gpuagg_cache_table_leave(GpuAggCacheTable *table, GpuAggPack pack)
{
	table->jobs--;
	if (table->dead && table->jobs == 0)
	{
		gpuagg_cache_table_free(table);
		return;
	}
	table_tidy(table, pack);
	gpuagg_cache_table_used(table);
	/* what jobs know is never forgotten, whatever the limit says */
	(void) gpuagg_cache_make_room(0, 0);
}
