/*
 * cache_chunk.c
 *		What the column cache holds (cache_chunk.h): the directory, places in
 *		slabs, and what goes when memory is short.
 *
 * Places.  A chunk's first slab is made for all its blocks, from how many lines
 * the first pages have; what does not fit goes to further, smaller ones.  Places
 * are handed out in the order in which pages come and never taken back one by
 * one: a block whose page has more lines than before gets new places, and the
 * old ones are cleared.  So valid places always belong to one block, and the
 * places of a slab that are not in use lie at its end.
 *
 * Eviction is GreedyDual-Size-Frequency: a column of a chunk is worth
 *		clock + uses * bytes of pages to read again / bytes of the column
 * where the clock is the worth of what was evicted last, so that what is not
 * used any more ages.  A newcomer displaces only what is worth less than
 * itself: a table larger than the cache does not chase its own chunks through
 * it, and finds those that stay at the next scan.
 */
#include "postgres.h"

#include <float.h>

#include "port/pg_bitutils.h"
#include "service/cache_chunk.h"
#include "service/cache_memory.h"
#include "service/cache_shared.h"
#include "service/worker.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

dlist_head	gpuagg_cache_tables = DLIST_STATIC_INIT(gpuagg_cache_tables);

/* Of the limit, this part is free when a dictionary is begun. */
#define STRINGS_SHARE 8

/* An array of the directory takes at most so much more than its elements. */
#define ARRAY_HEAD 64

static double cache_clock = 0;

static bool
is_rows(const GpuAggCacheColumn *column)
{
	return column->attr == GPUAGG_CACHE_ROWS;
}

static bool make_room(Size bytes, double worth);

/* Memory of a table's directory, at any rate; others give way to it. */
static void *
directory_alloc(GpuAggCacheTable *table, Size bytes)
{
	(void) make_room(bytes, DBL_MAX);
	return gpuagg_cache_alloc(&table->directory, bytes);
}

static void *
directory_lengthen(GpuAggCacheTable *table, void *array, Size old_bytes, Size bytes)
{
	(void) make_room(bytes, DBL_MAX);
	return gpuagg_cache_lengthen(&table->directory, array, old_bytes, bytes);
}

static void
directory_free(GpuAggCacheTable *table, void *p)
{
	if (p != NULL)
		gpuagg_cache_free(&table->directory, p);
}

/* --------------------------------------------------------------- chunks --- */

GpuAggCacheChunk *
gpuagg_cache_chunk(const GpuAggCacheTable *table, uint32 number)
{
	return number < table->nchunks ? table->chunks[number] : NULL;
}

GpuAggCacheChunk *
gpuagg_cache_chunk_make(GpuAggCacheTable *table, uint32 number)
{
	GpuAggCacheChunk *chunk;

	if (number >= table->nchunks)
	{
		uint32		n = Max(number + 1, 2 * table->nchunks);

		table->chunks = directory_lengthen(table, table->chunks,
										   table->nchunks * sizeof(GpuAggCacheChunk *),
										   n * sizeof(GpuAggCacheChunk *));
		table->nchunks = n;
	}
	if (table->chunks[number] != NULL)
		return table->chunks[number];
	chunk = directory_alloc(table, sizeof(GpuAggCacheChunk));
	chunk->table = table;
	chunk->number = number;
	table->chunks[number] = chunk;
	return chunk;
}

static void
chunk_free_slabs(GpuAggCacheChunk *chunk)
{
	for (int i = 0; i < chunk->nslabs; i++)
		gpuagg_cache_slab_ops()->free(chunk->slabs[i].slab);
	chunk->nslabs = 0;
	chunk->full = false;
	chunk->nplaced = 0;
	directory_free(chunk->table, chunk->blocks);
	chunk->blocks = NULL;
	chunk->room = 0;
}

/* The i-th column of a chunk goes; without columns, places and slabs do. */
static void
chunk_drop(GpuAggCacheChunk *chunk, int i)
{
	GpuAggCacheFill *fill = chunk->fills[i];

	chunk->fills[i] = chunk->fills[--chunk->nfills];
	for (int k = 0; k < chunk->nslabs && !is_rows(fill->column); k++)
		gpuagg_cache_slab_ops()->drop_column(chunk->slabs[k].slab, fill->column->attr);
	directory_free(chunk->table, fill->filled);
	directory_free(chunk->table, fill);
	if (chunk->nfills == 0)
		chunk_free_slabs(chunk);
}

/* Columns of which nothing is filled are not the chunk's. */
static void
drop_unfilled(GpuAggCacheChunk *chunk)
{
	for (int i = chunk->nfills - 1; i >= 0; i--)
		if (chunk->fills[i]->nfilled == 0)
			chunk_drop(chunk, i);
}

static void
drop_unwanted(GpuAggCacheChunk *chunk)
{
	for (int i = chunk->nfills - 1; i >= 0; i--)
		if (chunk->fills[i]->column->unwanted)
			chunk_drop(chunk, i);
}

static void
chunk_free(GpuAggCacheChunk *chunk)
{
	while (chunk->nfills > 0)
		chunk_drop(chunk, chunk->nfills - 1);
	chunk_free_slabs(chunk);
	directory_free(chunk->table, chunk->fills);
	chunk->table->chunks[chunk->number] = NULL;
	directory_free(chunk->table, chunk);
}

/*
 * Makes the arrays long enough for a block.  False: there is no memory for that
 * which is worth less.
 */
static bool
chunk_reach(GpuAggCacheChunk *chunk, uint32 block, double worth)
{
	uint32		room = Min(GPUAGG_CHUNK_BLOCKS, Max(2 * chunk->room, block + 64));
	Size		bitmap = GPUAGG_BITMAP_WORDS(room) * sizeof(uint64);
	Size		blocks = room * sizeof(GpuAggCacheBlock);

	if (block < chunk->room)
		return true;
	if (!make_room(chunk->nfills * (bitmap + ARRAY_HEAD) + blocks + ARRAY_HEAD, worth))
		return false;
	for (int i = 0; i < chunk->nfills; i++)
		chunk->fills[i]->filled =
			gpuagg_cache_lengthen(&chunk->table->directory, chunk->fills[i]->filled,
								  GPUAGG_BITMAP_WORDS(chunk->room) * sizeof(uint64),
								  bitmap);
	chunk->blocks = gpuagg_cache_lengthen(&chunk->table->directory, chunk->blocks,
										  chunk->room * sizeof(GpuAggCacheBlock),
										  blocks);
	for (uint32 i = chunk->room; i < room; i++)
		chunk->blocks[i].slab = GPUAGG_NO_SLAB;
	chunk->room = room;
	return true;
}

/* --------------------------------------------------------------- tables --- */

static bool
chunk_is_idle(const GpuAggCacheChunk *chunk)
{
	return chunk->users == 0 && chunk->filler == NULL;
}

static void
column_forget_strings(GpuAggCacheColumn *column)
{
	if (column->dictionary != NULL)
		gpuagg_cache_slab_ops()->dictionary_free(column->dictionary);
	column->dictionary = NULL;
}

static void
table_free(GpuAggCacheTable *table)
{
	dlist_mutable_iter iter;
	uint64		own;

	for (uint32 i = 0; i < table->nchunks; i++)
		if (table->chunks[i] != NULL)
			chunk_free(table->chunks[i]);
	dlist_foreach_modify(iter, &table->columns)
	{
		GpuAggCacheColumn *column = dlist_container(GpuAggCacheColumn, node, iter.cur);

		column_forget_strings(column);
		directory_free(table, column);
	}
	directory_free(table, table->chunks);
	dlist_delete(&table->node);
	own = table->directory;
	gpuagg_cache_free(&own, table);
}

static bool
table_is_empty(const GpuAggCacheTable *table)
{
	for (uint32 i = 0; i < table->nchunks; i++)
		if (table->chunks[i] != NULL)
			return false;
	return true;
}

void
gpuagg_cache_table_kill(GpuAggCacheTable *table)
{
	table->dead = true;
	if (table->jobs == 0)
		table_free(table);
}

void
gpuagg_cache_begin_anew(GpuAggCacheChunk *chunk)
{
	for (int i = 0; i < chunk->nfills; i++)
		if (chunk->fills[i]->nfilled > 0)
			return;
	while (chunk->nfills > 0)
		chunk_drop(chunk, chunk->nfills - 1);
}

static bool
column_is_filled(const GpuAggCacheTable *table, const GpuAggCacheColumn *column)
{
	for (uint32 i = 0; i < table->nchunks; i++)
		if (table->chunks[i] != NULL &&
			gpuagg_cache_fill(table->chunks[i], column) != NULL)
			return true;
	return false;
}

/*
 * A column of which nothing is left gives its dictionary up, and may come again
 * if it was unwanted.
 */
static void
column_rest(GpuAggCacheTable *table, GpuAggCacheColumn *column)
{
	if (table->jobs > 0 || column_is_filled(table, column))
		return;
	column_forget_strings(column);
	column->unwanted = false;
}

/*
 * Pages that grew have taken new places until there was no slab left, and their
 * old ones are of no use.
 */
static bool
chunk_is_worn(const GpuAggCacheChunk *chunk)
{
	uint64		taken = 0;
	uint64		live = 0;

	if (!chunk->full)
		return false;
	for (int i = 0; i < chunk->nslabs; i++)
		taken += chunk->slabs[i].used;
	for (uint32 i = 0; i < chunk->room; i++)
		if (chunk->blocks[i].slab != GPUAGG_NO_SLAB)
			live += chunk->blocks[i].places;
	return live < taken - taken / 16;
}

/*
 * Drops what is not wanted of chunks that nobody uses, chunks that are better
 * filled anew, and chunks and columns of which nothing is left.
 */
static void
table_tidy(GpuAggCacheTable *table)
{
	dlist_iter	iter;

	for (uint32 i = 0; i < table->nchunks; i++)
	{
		GpuAggCacheChunk *chunk = table->chunks[i];

		if (chunk == NULL || !chunk_is_idle(chunk))
			continue;
		drop_unfilled(chunk);
		drop_unwanted(chunk);
		if (chunk->nfills == 0 || chunk_is_worn(chunk))
			chunk_free(chunk);
	}
	dlist_foreach(iter, &table->columns)
		column_rest(table, dlist_container(GpuAggCacheColumn, node, iter.cur));
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
}

void
gpuagg_cache_table_leave(GpuAggCacheTable *table)
{
	table->jobs--;
	if (table->dead && table->jobs == 0)
	{
		table_free(table);
		return;
	}
	table_tidy(table);
}

GpuAggCacheTable *
gpuagg_cache_table(const GpuAggCacheWish *wish)
{
	dlist_mutable_iter iter;
	GpuAggCacheTable *table = NULL;
	uint64		own = 0;

	dlist_foreach_modify(iter, &gpuagg_cache_tables)
	{
		GpuAggCacheTable *other = dlist_container(GpuAggCacheTable, node, iter.cur);

		if (other->dead || other->dbid != wish->dbid)
			continue;
		if (other->spcoid == wish->spcoid && other->relnumber == wish->relnumber &&
			other->relid == wish->relid)
			table = other;
		else if (other->relid == wish->relid ||
				 (other->spcoid == wish->spcoid && other->relnumber == wish->relnumber))
			gpuagg_cache_table_kill(other);
	}
	if (table != NULL)
	{
		dlist_move_head(&gpuagg_cache_tables, &table->node);
		return table;
	}
	(void) make_room(sizeof(GpuAggCacheTable), DBL_MAX);
	table = gpuagg_cache_alloc(&own, sizeof(GpuAggCacheTable));
	table->directory = own;
	table->spcoid = wish->spcoid;
	table->dbid = wish->dbid;
	table->relnumber = wish->relnumber;
	table->relid = wish->relid;
	dlist_init(&table->columns);
	dlist_push_head(&gpuagg_cache_tables, &table->node);
	return table;
}

/* -------------------------------------------------------------- columns --- */

static bool evict(double worth);

/* What all chunks have of a column goes.  False: some are in use. */
static bool
column_empty(GpuAggCacheTable *table, GpuAggCacheColumn *column)
{
	bool		all = true;

	for (uint32 i = 0; i < table->nchunks; i++)
	{
		GpuAggCacheChunk *chunk = table->chunks[i];

		for (int k = 0; chunk != NULL && k < chunk->nfills; k++)
		{
			if (chunk->fills[k]->column != column)
				continue;
			if (chunk_is_idle(chunk))
				chunk_drop(chunk, k);
			else
				all = false;
			break;
		}
	}
	return all;
}

GpuAggCacheColumn *
gpuagg_cache_column(GpuAggCacheTable *table, uint32 attr, uint32 type)
{
	GpuAggCacheColumn *column;
	dlist_iter	iter;

	dlist_foreach(iter, &table->columns)
	{
		column = dlist_container(GpuAggCacheColumn, node, iter.cur);
		if (column->attr != attr)
			continue;
		if (column->type == type)
			return column;
		/* ALTER TABLE that need not rewrite the table, as to timestamptz */
		if (table->jobs > 1 || !column_empty(table, column))
			return NULL;
		column_forget_strings(column);
		column->type = type;
		return column;
	}
	column = directory_alloc(table, sizeof(GpuAggCacheColumn));
	column->attr = attr;
	column->type = type;
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
	GpuAggDevice *device = gpuagg_worker.primary.device;
	GpuAggError error;

	if (column->dictionary != NULL)
		return true;
	if (gpuagg_cache_slab_ops()->dictionary_create == NULL)
		return false;
	(void) make_room(gpuagg_cache_limit() / STRINGS_SHARE, DBL_MAX);
	return gpuagg_cache_slab_ops()->dictionary_create(device, &column->dictionary,
										 &error) == GPUAGG_OK;
}

bool
gpuagg_cache_is_full(GpuAggCacheColumn *column)
{
	GpuAggDictionaryInfo info = {0};

	if (column->dictionary == NULL)
		return false;
	gpuagg_cache_slab_ops()->dictionary_info(column->dictionary, &info);
	if (!info.full)
		return false;
	column->unwanted = true;
	column->note = info.entries == GPUAGG_DICTIONARY_ENTRIES ?
		"too many distinct values" : "its distinct values take too much memory";
	return true;
}

GpuAggCacheFill *
gpuagg_cache_fill(const GpuAggCacheChunk *chunk, const GpuAggCacheColumn *column)
{
	for (int i = 0; i < chunk->nfills; i++)
		if (chunk->fills[i]->column == column)
			return chunk->fills[i];
	return NULL;
}

bool
gpuagg_cache_may_have(const GpuAggCacheChunk *chunk,
					  GpuAggCacheColumn *const *columns, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
		if (is_rows(columns[i]) && chunk->nfills > 0 &&
			gpuagg_cache_fill(chunk, columns[i]) == NULL)
			return false;
	return true;
}

/* Blocks that are filled in one column at least, into words that are clear */
static void
held_any(const GpuAggCacheChunk *chunk, uint32 words, uint64 *held)
{
	for (int i = 0; i < chunk->nfills; i++)
		for (uint32 w = 0; w < words; w++)
			held[w] |= chunk->fills[i]->filled[w];
}

/* Those that are filled in all of some columns; false: there are none. */
static bool
held_all(const GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
		 int ncolumns, uint32 words, uint64 *held)
{
	for (int i = 0; i < ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(chunk, columns[i]);

		if (fill == NULL)
			return false;
		for (uint32 w = 0; w < words; w++)
			held[w] = i == 0 ? fill->filled[w] : held[w] & fill->filled[w];
	}
	return true;
}

uint32
gpuagg_cache_held(const GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
				  int ncolumns, uint32 nblocks, uint64 *held)
{
	uint32		words = GPUAGG_BITMAP_WORDS(nblocks);
	uint32		reach = Min(nblocks, chunk->room);
	uint32		n = 0;

	memset(held, 0, words * sizeof(uint64));
	if (is_rows(columns[0]))
		held_any(chunk, GPUAGG_BITMAP_WORDS(reach), held);
	else if (!held_all(chunk, columns, ncolumns, GPUAGG_BITMAP_WORDS(reach), held))
	{
		memset(held, 0, words * sizeof(uint64));
		return 0;
	}
	if (reach % 64 != 0)
		held[reach / 64] &= (UINT64CONST(1) << reach % 64) - 1;
	for (uint32 w = 0; w < words; w++)
		n += pg_popcount64(held[w]);
	return n;
}

bool
gpuagg_cache_has(const GpuAggCacheChunk *chunk, uint32 block)
{
	for (int i = 0; block < chunk->room && i < chunk->nfills; i++)
		if (gpuagg_bit(chunk->fills[i]->filled, block))
			return true;
	return false;
}

void
gpuagg_cache_forget(GpuAggCacheChunk *chunk, uint32 block)
{
	uint64		bit = UINT64CONST(1) << block % 64;

	if (block >= chunk->room)
		return;
	for (int i = 0; i < chunk->nfills; i++)
	{
		GpuAggCacheFill *fill = chunk->fills[i];

		if ((fill->filled[block / 64] & bit) == 0)
			continue;
		fill->filled[block / 64] &= ~bit;
		fill->nfilled--;
		fill->nplaces -= chunk->blocks[block].places;
	}
}

void
gpuagg_cache_filled(GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
					int ncolumns, uint32 block)
{
	uint64		bit = UINT64CONST(1) << block % 64;

	for (int i = 0; i < ncolumns; i++)
	{
		GpuAggCacheFill *fill = gpuagg_cache_fill(chunk, columns[i]);

		if (fill->filled[block / 64] & bit)
			continue;
		fill->filled[block / 64] |= bit;
		fill->nfilled++;
		fill->nplaces += chunk->blocks[block].places;
	}
}

/* ------------------------------------------------------------- eviction --- */

/* What so many pages and bytes of a column are worth: see the file's head. */
static double
column_worth(const GpuAggCacheColumn *column, uint32 npages, uint64 bytes)
{
	return cache_clock +
		(double) column->uses * npages * BLCKSZ / Max(bytes, 1);
}

static uint64
fill_bytes(const GpuAggCacheChunk *chunk, const GpuAggCacheFill *fill)
{
	uint64		bytes = 0;

	for (int i = 0; i < chunk->nslabs; i++)
		bytes += is_rows(fill->column) ? gpuagg_cache_slab_ops()->bytes(chunk->slabs[i].slab) :
			gpuagg_cache_slab_ops()->column_bytes(chunk->slabs[i].slab, fill->column->attr);
	return bytes;
}

void
gpuagg_cache_touch(GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
				   int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
	{
		GpuAggCacheFill *fill = gpuagg_cache_fill(chunk, columns[i]);

		if (fill != NULL)
			fill->priority = column_worth(columns[i], fill->nfilled,
										  fill_bytes(chunk, fill));
	}
}

/* The column of an idle chunk that is worth least, if less than `worth` */
static bool
find_victim(double worth, GpuAggCacheChunk **chunk, int *i)
{
	dlist_iter	iter;

	*chunk = NULL;
	dlist_foreach(iter, &gpuagg_cache_tables)
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, node, iter.cur);

		for (uint32 c = 0; c < table->nchunks; c++)
		{
			GpuAggCacheChunk *at = table->chunks[c];

			if (at == NULL || !chunk_is_idle(at))
				continue;
			for (int k = 0; k < at->nfills; k++)
				if (at->fills[k]->priority < worth)
				{
					worth = at->fills[k]->priority;
					*chunk = at;
					*i = k;
				}
		}
	}
	return *chunk != NULL;
}

/* Makes some room for what is worth more than what goes. */
static bool
evict(double worth)
{
	GpuAggCacheChunk *chunk;
	GpuAggCacheColumn *column;
	int			i;

	if (!find_victim(worth, &chunk, &i))
		return false;
	cache_clock = Max(cache_clock, chunk->fills[i]->priority);
	column = chunk->fills[i]->column;
	chunk_drop(chunk, i);
	column_rest(chunk->table, column);
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

		if (table->jobs == 0 && table_is_empty(table))
		{
			table_free(table);
			return true;
		}
	}
	return false;
}

/* Room for so many bytes of the directory; false: what there is is worth more. */
static bool
make_room(Size bytes, double worth)
{
	while (gpuagg_cache_used() + bytes > gpuagg_cache_limit())
		if (!forget_table() && !evict(worth))
			return false;
	return true;
}

/* --------------------------------------------------------------- places --- */

/* What so many places take of a column; of the rows, a bit each */
static uint64
places_bytes(const GpuAggCacheColumn *column, uint64 places)
{
	if (is_rows(column))
		return places / 8;
	return places * (column->dictionary != NULL ? sizeof(int32) :
					 gpuagg_type_slot_bytes(column->type));
}

/* What the least worthy column of a chunk would be worth in one more slab */
static double
slab_worth(const GpuAggCacheChunk *chunk, uint64 places, uint64 npages)
{
	double		worth = 0;

	for (int i = 0; i < chunk->nfills; i++)
	{
		const GpuAggCacheColumn *column = chunk->fills[i]->column;
		double		one = column_worth(column, npages, places_bytes(column, places));

		if (i == 0 || one < worth)
			worth = one;
	}
	return worth;
}

/* Adds what the slab lacks of its chunk's columns. */
static bool
slab_columns(const GpuAggCacheChunk *chunk, GpuAggSlab *slab, double worth)
{
	for (int i = 0; i < chunk->nfills; i++)
	{
		const GpuAggCacheColumn *column = chunk->fills[i]->column;
		GpuAggError error;
		GpuAggStatus status;

		if (is_rows(column) || gpuagg_cache_slab_ops()->column_bytes(slab, column->attr) > 0)
			continue;
		do
			status = gpuagg_cache_slab_ops()->add_column(slab, column->attr, column->type,
											column->dictionary, &error);
		while (status == GPUAGG_OUT_OF_MEMORY && evict(worth));
		if (status != GPUAGG_OK)
			return false;
	}
	return true;
}

/* One more slab, with all of the chunk's columns; false: no memory. */
static bool
add_slab(GpuAggCacheChunk *chunk, uint64 places, uint64 npages)
{
	double		worth = slab_worth(chunk, places, npages);
	GpuAggSlab *slab;
	GpuAggError error;
	GpuAggStatus status;

	chunk->full |= chunk->nslabs == GPUAGG_CHUNK_SLABS;
	if (chunk->full || places > PG_INT32_MAX)
		return false;
	do
		status = gpuagg_cache_slab_ops()->create(gpuagg_worker.primary.device,
									(uint32) places, &slab, &error);
	while (status == GPUAGG_OUT_OF_MEMORY && evict(worth));
	if (status != GPUAGG_OK)
		return false;
	if (!slab_columns(chunk, slab, worth))
	{
		gpuagg_cache_slab_ops()->free(slab);
		return false;
	}
	chunk->slabs[chunk->nslabs++] =
		(GpuAggCacheSlab) {.slab = slab,.places = (uint32) places};
	return true;
}

static void
add_fill(GpuAggCacheChunk *chunk, GpuAggCacheColumn *column)
{
	GpuAggCacheFill *fill;

	if (chunk->nfills == chunk->max_fills)
	{
		int			max = Max(8, 2 * chunk->max_fills);

		chunk->fills = directory_lengthen(chunk->table, chunk->fills,
										  chunk->nfills * sizeof(GpuAggCacheFill *),
										  max * sizeof(GpuAggCacheFill *));
		chunk->max_fills = max;
	}
	fill = directory_alloc(chunk->table, sizeof(GpuAggCacheFill));
	fill->column = column;
	fill->priority = cache_clock;
	fill->filled = directory_alloc(chunk->table,
								   Max(GPUAGG_BITMAP_WORDS(chunk->room), 1) *
								   sizeof(uint64));
	chunk->fills[chunk->nfills++] = fill;
}

/* The rows alone are no more than what other columns tell. */
static void
drop_rows(GpuAggCacheChunk *chunk)
{
	for (int i = chunk->nfills - 1; i >= 0 && chunk->nfills > 1; i--)
		if (is_rows(chunk->fills[i]->column))
			chunk_drop(chunk, i);
}

bool
gpuagg_cache_open(GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
				  int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
		if (gpuagg_cache_fill(chunk, columns[i]) == NULL)
			add_fill(chunk, columns[i]);
	for (int i = 0; i < chunk->nslabs; i++)
		if (!slab_columns(chunk, chunk->slabs[i].slab,
						  slab_worth(chunk, chunk->slabs[i].places,
									 chunk->nplaced)))
		{
			drop_unfilled(chunk);
			return false;
		}
	drop_rows(chunk);
	return true;
}

static void
clear_places(GpuAggCacheChunk *chunk, const GpuAggCacheBlock *block, uint32 from)
{
	GpuAggPlaces places = {block->place + from, block->places - from};
	GpuAggError error;

	if (places.count > 0 &&
		gpuagg_cache_slab_ops()->clear(chunk->slabs[block->slab].slab, places, &error) != GPUAGG_OK)
		elog(ERROR, "gpuagg: could not clear places of a slab: %s", error.message);
}

/* New places in a slab that has enough left, or in a new one */
static bool
take_places(GpuAggCacheChunk *chunk, GpuAggCacheBlock *block, uint32 nlines,
			uint64 lines_expected)
{
	uint64		places = Max(lines_expected, nlines);
	int			i = 0;

	while (i < chunk->nslabs &&
		   chunk->slabs[i].places - chunk->slabs[i].used < nlines)
		i++;
	if (i == chunk->nslabs && !add_slab(chunk, places, places / Max(nlines, 1)))
		return false;
	chunk->nplaced += block->slab == GPUAGG_NO_SLAB;
	block->slab = (uint16) i;
	block->place = chunk->slabs[i].used;
	block->places = (uint16) nlines;
	chunk->slabs[i].used += nlines;
	return true;
}

GpuAggCacheBlock *
gpuagg_cache_place(GpuAggCacheChunk *chunk, uint32 number, uint32 nlines,
				   uint64 lsn, uint64 lines_expected)
{
	uint64		places = Max(lines_expected, nlines);
	GpuAggCacheBlock *block;

	if (!chunk_reach(chunk, number,
					 slab_worth(chunk, places, places / Max(nlines, 1))))
		return NULL;
	block = &chunk->blocks[number];
	if (block->lsn != lsn || lsn == 0)
		gpuagg_cache_forget(chunk, number);
	if (block->slab != GPUAGG_NO_SLAB && block->places >= nlines)
		clear_places(chunk, block, nlines);
	else
	{
		gpuagg_cache_forget(chunk, number);
		if (block->slab != GPUAGG_NO_SLAB)
			clear_places(chunk, block, 0);
		if (!take_places(chunk, block, nlines, lines_expected))
			return NULL;
	}
	block->lsn = lsn;
	return block;
}

/* ----------------------------------------------------------- publishing --- */

static void
entry_add_chunk(GpuAggCacheEntry *entry, const GpuAggCacheChunk *chunk,
				const GpuAggCacheFill *fill)
{
	if (fill == NULL || fill->nfilled == 0)
		return;
	entry->chunks++;
	entry->blocks += fill->nfilled;
	entry->rows += fill->nplaces;
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

		gpuagg_cache_slab_ops()->dictionary_info(column->dictionary, &info);
		entry->strings = info.entries;
		entry->bytes = info.bytes;
	}
	for (uint32 i = 0; i < table->nchunks; i++)
	{
		const GpuAggCacheChunk *chunk = table->chunks[i];
		const GpuAggCacheFill *fill = chunk == NULL ? NULL :
			gpuagg_cache_fill(chunk, column);

		if (fill == NULL)
			continue;
		entry_add_chunk(entry, chunk, fill);
		entry->bytes += fill_bytes(chunk, fill);
	}
}

/* Of a chunk's slabs, what is no column's: which places are rows */
static uint64
rows_bytes(const GpuAggCacheChunk *chunk)
{
	uint64		bytes = 0;

	for (int i = 0; i < chunk->nslabs; i++)
	{
		bytes += gpuagg_cache_slab_ops()->bytes(chunk->slabs[i].slab);
		for (int k = 0; k < chunk->nfills; k++)
			if (!is_rows(chunk->fills[k]->column))
				bytes -= gpuagg_cache_slab_ops()->column_bytes(chunk->slabs[i].slab,
															   chunk->fills[k]->column->attr);
	}
	return bytes;
}

/* Of a chunk's columns, the one that most blocks are held of; NULL: none */
static const GpuAggCacheFill *
fill_most(const GpuAggCacheChunk *chunk)
{
	const GpuAggCacheFill *most = NULL;

	for (int i = 0; i < chunk->nfills; i++)
		if (most == NULL || chunk->fills[i]->nfilled > most->nfilled)
			most = chunk->fills[i];
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

		if (is_rows(column))
			entry_begin(entry, table, column);
	}
	entry->attnum = InvalidAttrNumber;
	entry->bytes = table->directory;
	for (uint32 i = 0; i < table->nchunks; i++)
		if (table->chunks[i] != NULL)
		{
			entry_add_chunk(entry, table->chunks[i], fill_most(table->chunks[i]));
			entry->bytes += rows_bytes(table->chunks[i]);
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

		if (n == room || is_rows(column))
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
