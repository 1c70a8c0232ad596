/*
 * cache_table.c
 *		Tables and columns of the column cache (cache_table.h).
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_publish.h"
#include "cache/cache_rest.h"
#include "cache/cache_table.h"
#include "common/hashfn.h"

/*
 * Tables that are alive, by relation and by file: of each there is one at most.  A task may
 * read thousands of partitions, and asks for each.
 */
static dlist_head relations[GPUAGG_CACHE_BUCKETS];
static dlist_head files[GPUAGG_CACHE_BUCKETS];

GpuAggCacheExtent *
gpuagg_cache_extent(const GpuAggCacheTable *table, uint32 number)
{
	return number < table->nextents ? table->extents[number] : NULL;
}

void
gpuagg_cache_forget_strings(GpuAggCacheColumn *column)
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
	Assert(!table->is_changed && table->nentries == 0);
	for (uint32 i = 0; i < table->nextents; i++)
		if (table->extents[i] != NULL)
			gpuagg_cache_extent_free(table->extents[i]);
	dlist_foreach_modify(iter, &table->columns)
	{
		GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		gpuagg_cache_forget_strings(column);
		gpuagg_cache_free(&table->directory, column);
	}
	gpuagg_cache_free(&table->directory, table->extents);
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
	gpuagg_cache_forget_strings(column);
	column->unwanted = false;
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
is_file(const GpuAggCacheTable *table, uint32 spcoid, uint32 dbid, uint32 relnumber)
{
	return table->dbid == dbid && table->spcoid == spcoid && table->relnumber == relnumber;
}

GpuAggCacheTable *
gpuagg_cache_table_of_file(uint32 spcoid, uint32 dbid, uint32 relnumber)
{
	dlist_iter	iter;

	dlist_foreach(iter, &files[file_bucket(dbid, relnumber)])
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, file, iter.cur);

		if (is_file(table, spcoid, dbid, relnumber))
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

bool
gpuagg_cache_drop_code_tables(void)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	GpuAggCacheTable *table = ops->code_tables_drop == NULL ? NULL : gpuagg_cache_table_next(NULL);
	bool		any = false;

	for (; table != NULL; table = gpuagg_cache_table_next(table))
	{
		dlist_iter	iter;

		dlist_foreach(iter, &table->columns)
		{
			GpuAggDictionary *dictionary =
				dlist_container(GpuAggCacheColumn, node, iter.cur)->dictionary;

			any |= dictionary != NULL && ops->code_tables_drop(dictionary);
		}
	}
	return any;
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

GpuAggCacheTable *
gpuagg_cache_table_find(const GpuAggCacheRequest *request)
{
	GpuAggCacheTable *table = gpuagg_cache_table_of(request->dbid, request->relid);

	if (table != NULL && is_file(table, request->spcoid, request->dbid, request->relnumber))
		return table;
	kill_former(table);
	kill_former(gpuagg_cache_table_of_file(request->spcoid, request->dbid, request->relnumber));
	return NULL;
}

bool
gpuagg_cache_column_kept(const GpuAggCacheTable *table, uint32 attr, uint32 type,
						 GpuAggScale scale)
{
	dlist_iter	iter;

	dlist_foreach(iter, unconstify(dlist_head *, &table->columns))
	{
		const GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		if (column->attr == attr)
			return column->type == type && gpuagg_scale_same(column->scale, scale) &&
				(gpuagg_key_class(type) != GPUAGG_CLASS_BYTES || column->dictionary != NULL);
	}
	return false;
}

void
gpuagg_cache_table_link(GpuAggCacheTable *table)
{
	dlist_push_head(&relations[relation_bucket(table->dbid, table->relid)], &table->relation);
	dlist_push_head(&files[file_bucket(table->dbid, table->relnumber)], &table->file);
}
