/*
 * cache_table.c
 *		Tables and columns of the column cache (cache_table.h).
 */
#include "postgres.h"

#include <float.h>

#include "cache/cache_memory.h"
#include "cache/cache_pin.h"
#include "cache/cache_table.h"
#include "common/hashfn.h"
#include "utils/timestamp.h"

/*
 * Tables that are alive, by relation and by file: of each there is one at most.  A task may
 * read thousands of partitions, and asks for each.
 */
static dlist_head relations[GPUAGG_CACHE_BUCKETS];
static dlist_head files[GPUAGG_CACHE_BUCKETS];

/* Of the limit, this part is free when a dictionary is begun. */
#define STRINGS_SHARE 8

GpuAggCacheExtent *
gpuagg_cache_extent(const GpuAggCacheTable *table, uint32 number)
{
	return number < table->nextents ? table->extents[number] : NULL;
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

static void
column_forget_strings(GpuAggCacheColumn *column)
{
	if (column->dictionary != NULL)
		gpuagg_cache_stripe_ops()->dictionary_free(column->dictionary);
	column->dictionary = NULL;
}

/* Nobody finds or sees it any more. */
static void
table_unlink(GpuAggCacheTable *table)
{
	if (table->dead)
		return;
	table->dead = true;
	dlist_delete(&table->relation);
	dlist_delete(&table->file);
	gpuagg_cache_table_hide(table);
}

void
gpuagg_cache_table_free(GpuAggCacheTable *table)
{
	dlist_mutable_iter iter;
	uint64		own;

	/* columns know what backends see of them */
	table_unlink(table);
	for (uint32 i = 0; i < table->nextents; i++)
		if (table->extents[i] != NULL)
			gpuagg_cache_extent_free(table->extents[i]);
	dlist_foreach_modify(iter, &table->columns)
	{
		GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		column_forget_strings(column);
		gpuagg_cache_directory_free(table, column);
	}
	gpuagg_cache_directory_free(table, table->extents);
	gpuagg_cache_table_wake(table);
	own = table->directory;
	gpuagg_cache_free(&own, table);
}

void
gpuagg_cache_table_kill(GpuAggCacheTable *table)
{
	table_unlink(table);
	if (table->jobs == 0)
		gpuagg_cache_table_free(table);
}

static bool
column_is_filled(const GpuAggCacheTable *table, const GpuAggCacheColumn *column)
{
	for (uint32 i = 0; i < table->nextents; i++)
		if (table->extents[i] != NULL &&
			gpuagg_cache_fill(table->extents[i], column) != NULL)
			return true;
	return false;
}

/*
 * A column of which nothing is left gives its dictionary up, and may come again
 * if it was unwanted.
 */
void
gpuagg_cache_column_rest(GpuAggCacheTable *table, GpuAggCacheColumn *column)
{
	if (table->jobs > 0 || column_is_filled(table, column))
		return;
	column_forget_strings(column);
	column->unwanted = false;
}

static void
drop_unwanted(GpuAggCacheExtent *extent)
{
	for (int i = extent->nfills - 1; i >= 0; i--)
		if (extent->fills[i]->column->unwanted)
			gpuagg_cache_extent_drop(extent, i);
}

/*
 * Pages that grew have taken new positions until there was no stripe left, and
 * their old ones are of no use.
 */
static bool
extent_is_worn(const GpuAggCacheExtent *extent)
{
	uint64		taken = 0;
	uint64		live = 0;

	if (!extent->full)
		return false;
	for (int i = 0; i < extent->nstripes; i++)
		taken += extent->stripes[i].used;
	for (uint32 i = 0; i < extent->room; i++)
		if (extent->blocks[i].stripe != GPUAGG_NO_STRIPE)
			live += extent->blocks[i].positions;
	return live < taken - taken / 16;
}

/*
 * Drops what is not wanted of extents that nobody uses, extents that are better
 * filled anew, and extents and columns of which nothing is left.
 */
static void
table_tidy(GpuAggCacheTable *table)
{
	dlist_iter	iter;

	for (uint32 i = 0; i < table->nextents; i++)
	{
		GpuAggCacheExtent *extent = table->extents[i];

		if (extent == NULL || !gpuagg_cache_is_idle(extent))
			continue;
		gpuagg_cache_drop_useless(extent);
		drop_unwanted(extent);
		if (extent->nfills == 0 || extent_is_worn(extent))
			gpuagg_cache_extent_free(extent);
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
	table_tidy(table);
	gpuagg_cache_table_changed(table);
}

void
gpuagg_cache_table_leave(GpuAggCacheTable *table)
{
	table->jobs--;
	if (table->dead && table->jobs == 0)
	{
		gpuagg_cache_table_free(table);
		return;
	}
	table_tidy(table);
	gpuagg_cache_table_used(table);
	/* what jobs know is never forgotten, whatever the limit says */
	(void) gpuagg_cache_make_room(0, 0);
}

/* -------------------------------------------------------------- finding --- */

static uint32
relation_bucket(uint32 dbid, uint32 relid)
{
	return hash_combine(murmurhash32(dbid), murmurhash32(relid)) % GPUAGG_CACHE_BUCKETS;
}

static uint32
file_bucket(uint32 dbid, uint32 relnumber)
{
	return relation_bucket(dbid, relnumber);
}

GpuAggCacheTable *
gpuagg_cache_table_of(uint32 dbid, uint32 relid)
{
	dlist_iter	iter;

	dlist_foreach(iter, &relations[relation_bucket(dbid, relid)])
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, relation, iter.cur);

		if (table->dbid == dbid && table->relid == relid)
			return table;
	}
	return NULL;
}

static bool
same_file(const GpuAggCacheTable *table, const GpuAggCacheRequest *request)
{
	return table->dbid == request->dbid && table->spcoid == request->spcoid &&
		table->relnumber == request->relnumber;
}

static GpuAggCacheTable *
find_file(const GpuAggCacheRequest *request)
{
	dlist_iter	iter;

	dlist_foreach(iter, &files[file_bucket(request->dbid, request->relnumber)])
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, file, iter.cur);

		if (same_file(table, request))
			return table;
	}
	return NULL;
}

GpuAggCacheTable *
gpuagg_cache_table_next(const GpuAggCacheTable *table)
{
	uint32		bucket = 0;

	if (table != NULL)
	{
		bucket = relation_bucket(table->dbid, table->relid);
		if (dlist_has_next(&relations[bucket], (dlist_node *) &table->relation))
			return dlist_container(GpuAggCacheTable, relation, table->relation.next);
		bucket++;
	}
	for (; bucket < GPUAGG_CACHE_BUCKETS; bucket++)
		if (!dlist_is_empty(&relations[bucket]))
			return dlist_head_element(GpuAggCacheTable, relation, &relations[bucket]);
	return NULL;
}

uint32
gpuagg_cache_tables_gone(uint32 bucket, bool (*gone) (const GpuAggCacheTable *table))
{
	dlist_mutable_iter iter;
	uint32		n = 0;

	dlist_foreach_modify(iter, &relations[bucket])
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, relation, iter.cur);

		n++;
		if (gone(table))
			gpuagg_cache_table_kill(table);
	}
	return n;
}

/* One whose number or file is another table's now */
static void
kill_former(GpuAggCacheTable *table)
{
	if (table != NULL)
		gpuagg_cache_table_kill(table);
}

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
	dlist_push_head(&relations[relation_bucket(table->dbid, table->relid)], &table->relation);
	dlist_push_head(&files[file_bucket(table->dbid, table->relnumber)], &table->file);
	return table;
}

GpuAggCacheTable *
gpuagg_cache_table(const GpuAggCacheRequest *request)
{
	GpuAggCacheTable *table = gpuagg_cache_table_of(request->dbid, request->relid);

	if (table == NULL || !same_file(table, request))
	{
		kill_former(table);
		kill_former(find_file(request));
		return table_make(request);
	}
	gpuagg_cache_table_wake(table);
	return table;
}

/* -------------------------------------------------------------- columns --- */

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
gpuagg_cache_column(GpuAggCacheTable *table, uint32 attr, uint32 type, uint32 scale)
{
	GpuAggCacheColumn *column;
	dlist_iter	iter;

	dlist_foreach(iter, &table->columns)
	{
		column = dlist_container(GpuAggCacheColumn, node, iter.cur);
		if (column->attr != attr)
			continue;
		if (column->type == type && column->scale == scale)
			return column;
		/* ALTER TABLE that need not rewrite the table, as to timestamptz, or to numeric */
		if (table->jobs > 1 || !column_empty(table, column))
			return NULL;
		column_forget_strings(column);
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

bool
gpuagg_cache_is_full(GpuAggCacheColumn *column)
{
	GpuAggDictionaryInfo info = {0};

	if (column->dictionary == NULL)
		return false;
	gpuagg_cache_stripe_ops()->dictionary_info(column->dictionary, &info);
	if (!info.full)
		return false;
	column->unwanted = true;
	column->note = info.entries == GPUAGG_DICTIONARY_ENTRIES ?
		"too many distinct values" : "its distinct values take too much memory";
	return true;
}
