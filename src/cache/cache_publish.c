/*
 * cache_publish.c
 *		Writes what backends see of the column cache (cache_publish.h).
 *
 * Only of tables that have changed: there may be thousands, and a task that uses one is over
 * in less time than it takes to write about all of them.
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_publish.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"

/* That backends see an old state of; and those that they see, the one used last first */
static dlist_head changed = DLIST_STATIC_INIT(changed);
static dlist_head listed = DLIST_STATIC_INIT(listed);

static void
entry_add_extent(GpuAggCacheEntry *entry, const GpuAggCacheExtent *extent,
				const GpuAggCacheFill *fill)
{
	if (fill == NULL || fill->nfilled == 0)
		return;
	entry->extents++;
	entry->blocks += fill->nfilled;
	entry->rows += fill->npositions;
	entry->map_lsn = Max(entry->map_lsn, Max(extent->map_lsn, extent->table->followed));
	entry->page_lsn = Max(entry->page_lsn, Max(extent->page_lsn, extent->table->followed));
	entry->changes = extent->table->told_bytes > 0 ?
		extent->table->told_blocks / extent->table->told_bytes : -1;
}

static void
entry_begin(GpuAggCacheEntry *entry, const GpuAggCacheTable *table,
			const GpuAggCacheColumn *column)
{
	memset(entry, 0, sizeof(*entry));
	entry->dbid = table->dbid;
	entry->relid = table->relid;
	entry->relnumber = table->relnumber;
	entry->changes = -1;
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
		entry->saved += gpuagg_cache_fill_saved(extent, fill);
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

		if (stripe == NULL)
			continue;
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

/* An entry that a table or column has, or had, goes. */
static void
entry_remove(GpuAggCacheShared *shared, GpuAggCacheTable *table, uint32 *number)
{
	if (*number == 0)
		return;
	gpuagg_cache_entry_remove(shared, *number);
	*number = 0;
	if (--table->nentries == 0)
		dlist_delete(&table->listed);
}

static void
table_remove(GpuAggCacheShared *shared, GpuAggCacheTable *table)
{
	dlist_iter	iter;

	entry_remove(shared, table, &table->entry);
	dlist_foreach(iter, &table->columns)
		entry_remove(shared, table, &dlist_container(GpuAggCacheColumn, node, iter.cur)->entry);
}

/*
 * Where there is no room for an entry more, all of the table that was used least recently
 * go.
 */
static uint32
entry_make(GpuAggCacheShared *shared, const GpuAggCacheTable *table, const GpuAggCacheEntry *entry)
{
	uint32		number;

	while ((number = gpuagg_cache_entry_add(shared, entry)) == 0)
	{
		GpuAggCacheTable *last = dlist_is_empty(&listed) ? NULL :
			dlist_tail_element(GpuAggCacheTable, listed, &listed);

		if (last == NULL || last == table)
			return 0;
		table_remove(shared, last);
	}
	return number;
}

/* The entry of a table or column, if there is something to tell */
static void
entry_put(GpuAggCacheShared *shared, GpuAggCacheTable *table, uint32 *number,
		  const GpuAggCacheEntry *entry)
{
	if (entry->blocks == 0 && entry->note == NULL)
		entry_remove(shared, table, number);
	else if (*number != 0)
		gpuagg_cache_entry_set(shared, *number, entry);
	else
	{
		*number = entry_make(shared, table, entry);
		if (*number != 0 && table->nentries++ == 0)
			dlist_push_head(&listed, &table->listed);
	}
}

static void
table_publish(GpuAggCacheShared *shared, GpuAggCacheTable *table)
{
	GpuAggCacheEntry entry;
	dlist_iter	iter;

	if (table->nentries > 0 && table->is_used)
		dlist_move_head(&listed, &table->listed);
	table->is_used = false;
	entry_fill_table(&entry, table);
	entry_put(shared, table, &table->entry, &entry);
	dlist_foreach(iter, &table->columns)
	{
		GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		if (gpuagg_cache_is_rows(column))
			continue;
		entry_fill(&entry, table, column);
		entry_put(shared, table, &column->entry, &entry);
	}
}

/* Of a dead table backends see nothing, whoever still leaves it. */
static void
table_mark(GpuAggCacheTable *table)
{
	if (table->dead)
		return;
	if (!table->is_changed)
		dlist_push_tail(&changed, &table->changed);
	table->is_changed = true;
}

void
gpuagg_cache_table_used(GpuAggCacheTable *table)
{
	table->is_used = true;
	table_mark(table);
}

/* Not used: a table that is not listed does not come to be by that. */
void
gpuagg_cache_table_changed(GpuAggCacheTable *table)
{
	if (table->nentries > 0)
		table_mark(table);
}

void
gpuagg_cache_table_hide(GpuAggCacheTable *table)
{
	if (table->is_changed)
		dlist_delete(&table->changed);
	table->is_changed = false;
	if (table->nentries == 0)
		return;
	table_remove(gpuagg_cache_shared_lock(gpuagg_cache_at(), LW_EXCLUSIVE), table);
	gpuagg_cache_shared_unlock();
}

/* Backends, which plan, may come between two tables. */
void
gpuagg_cache_publish(void)
{
	GpuAggCacheShared *shared;

	while (!dlist_is_empty(&changed))
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, changed,
												  dlist_pop_head_node(&changed));

		table->is_changed = false;
		table_publish(gpuagg_cache_shared_lock(gpuagg_cache_at(), LW_EXCLUSIVE), table);
		gpuagg_cache_shared_unlock();
	}
	shared = gpuagg_cache_shared_lock(gpuagg_cache_at(), LW_EXCLUSIVE);
	shared->limit = gpuagg_cache_limit();
	shared->used = gpuagg_cache_used();
	gpuagg_cache_shared_unlock();
}

void
gpuagg_cache_note_kept(void)
{
	pg_atomic_fetch_add_u64(&gpuagg_shared->devices[gpuagg_cache_at()].cache.kept, 1);
}
