/*
 * cache_publish.c
 *		Writes what backends see of the column cache (cache_shared.h).
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_table.h"
#include "ipc/cache_shared.h"

static void
entry_add_extent(GpuAggCacheEntry *entry, const GpuAggCacheExtent *extent,
				const GpuAggCacheFill *fill)
{
	if (fill == NULL || fill->nfilled == 0)
		return;
	entry->extents++;
	entry->blocks += fill->nfilled;
	entry->rows += fill->npositions;
}

static void
entry_begin(GpuAggCacheEntry *entry, const GpuAggCacheTable *table,
			const GpuAggCacheColumn *column)
{
	memset(entry, 0, sizeof(*entry));
	entry->dbid = table->dbid;
	entry->relid = table->relid;
	entry->relnumber = table->relnumber;
	if (column == NULL)
		return;
	entry->uses = column->uses;
	entry->last_use = column->last_use;
	entry->note = column->note;
}

static void
entry_fill(GpuAggCacheEntry *entry, const GpuAggCacheTable *table,
		   const GpuAggCacheColumn *column)
{
	entry_begin(entry, table, column);
	entry->attnum = column->attr + 1;
	if (column->dictionary != NULL)
	{
		GpuAggDictionaryInfo info = {0};

		gpuagg_cache_stripe_ops()->dictionary_info(column->dictionary, &info);
		entry->strings = info.entries;
		entry->bytes = info.bytes;
	}
	for (uint32 i = 0; i < table->nextents; i++)
	{
		const GpuAggCacheExtent *extent = table->extents[i];
		const GpuAggCacheFill *fill = extent == NULL ? NULL :
			gpuagg_cache_fill(extent, column);

		if (fill == NULL)
			continue;
		entry_add_extent(entry, extent, fill);
		entry->bytes += gpuagg_cache_fill_bytes(extent, fill);
	}
}

/* Of an extent's stripes, what is no column's: which positions are rows */
static uint64
rows_bytes(const GpuAggCacheExtent *extent)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	uint64		bytes = 0;

	for (int i = 0; i < extent->nstripes; i++)
	{
		GpuAggStripe *stripe = extent->stripes[i].stripe;

		bytes += ops->bytes(stripe);
		for (int k = 0; k < extent->nfills; k++)
			if (!gpuagg_cache_is_rows(extent->fills[k]->column))
				bytes -= ops->column_bytes(stripe, extent->fills[k]->column->attr);
	}
	return bytes;
}

/* Of an extent's columns, the one that most blocks are held of; NULL: none */
static const GpuAggCacheFill *
fill_most(const GpuAggCacheExtent *extent)
{
	const GpuAggCacheFill *most = NULL;

	for (int i = 0; i < extent->nfills; i++)
		if (most == NULL || extent->fills[i]->nfilled > most->nfilled)
			most = extent->fills[i];
	return most;
}

/* What is no column's, or of all of them: rows, and the directory */
static void
entry_fill_table(GpuAggCacheEntry *entry, GpuAggCacheTable *table)
{
	dlist_iter	iter;

	entry_begin(entry, table, NULL);
	dlist_foreach(iter, &table->columns)
	{
		const GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		if (gpuagg_cache_is_rows(column))
			entry_begin(entry, table, column);
	}
	entry->attnum = InvalidAttrNumber;
	entry->bytes = table->directory;
	for (uint32 i = 0; i < table->nextents; i++)
		if (table->extents[i] != NULL)
		{
			entry_add_extent(entry, table->extents[i], fill_most(table->extents[i]));
			entry->bytes += rows_bytes(table->extents[i]);
		}
}

/* Entries of a table, as far as there is room */
static uint32
table_publish(GpuAggCacheTable *table, GpuAggCacheEntry *entries, uint32 room)
{
	dlist_iter	iter;
	uint32		n = 0;

	if (room == 0)
		return 0;
	entry_fill_table(&entries[0], table);
	n += entries[0].blocks > 0;
	dlist_foreach(iter, &table->columns)
	{
		const GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		if (n == room || gpuagg_cache_is_rows(column))
			continue;
		entry_fill(&entries[n], table, column);
		n += entries[n].blocks > 0 || entries[n].note != NULL;
	}
	return n;
}

void
gpuagg_cache_publish(void)
{
	GpuAggCacheShared *shared = gpuagg_cache_shared_lock(LW_EXCLUSIVE);
	dlist_iter	iter;
	uint32		n = 0;

	dlist_foreach(iter, &gpuagg_cache_tables)
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, node, iter.cur);

		if (!table->dead)
			n += table_publish(table, shared->entries + n, GPUAGG_CACHE_ENTRIES - n);
	}
	shared->nentries = n;
	shared->limit = gpuagg_cache_limit();
	shared->used = gpuagg_cache_used();
	gpuagg_cache_shared_unlock();
}
