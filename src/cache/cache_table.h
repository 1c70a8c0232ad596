/*
 * cache_table.h
 *		Tables and columns that the column cache knows.
 *
 * Inside the worker.  A table lives until it is dead, or until the memory of its directory
 * is wanted while nothing of it is held.  Nothing here takes memory: that is cache_make.h.
 */
#ifndef GPUAGG_CACHE_CACHE_TABLE_H
#define GPUAGG_CACHE_CACHE_TABLE_H

#include "cache/cache_extent.h"

/* The table that is alive; NULL: there is none. */
extern GpuAggCacheTable *gpuagg_cache_table_of(uint32 dbid, uint32 relid);

/* The table of a file; NULL: there is none. */
extern GpuAggCacheTable *gpuagg_cache_table_of_file(uint32 spcoid, uint32 dbid, uint32 relnumber);

/*
 * The table of a cache request.  NULL: it is not known, and what the cache has of the same
 * relation in other files, or of the file as another relation's, is dead from then on.
 */
extern GpuAggCacheTable *gpuagg_cache_table_find(const GpuAggCacheRequest *request);

/* Does it know a column of this type and scale, and codes of its strings? */
extern bool gpuagg_cache_column_kept(const GpuAggCacheTable *table, uint32 attr, uint32 type,
									 GpuAggScale scale);

/* A new table is alive. */
extern void gpuagg_cache_table_link(GpuAggCacheTable *table);

/* Where tables that are alive are found */
#define GPUAGG_CACHE_BUCKETS 4096

/* Frees those of one bucket that have gone; returns how many were asked. */
/* What dictionaries keep of expressions goes, where nobody has it; was there any? */
extern bool gpuagg_cache_drop_code_tables(void);

extern uint32 gpuagg_cache_tables_gone(uint32 bucket, bool (*gone) (const GpuAggCacheTable *table));

/* Goes through all that are alive, from NULL to NULL. */
extern GpuAggCacheTable *gpuagg_cache_table_next(const GpuAggCacheTable *table);

/* Frees it now, or when the last job has left it. */
extern void gpuagg_cache_table_kill(GpuAggCacheTable *table);

/* Of a table that no job knows */
extern void gpuagg_cache_table_free(GpuAggCacheTable *table);

/* NULL: nothing of the extent is known. */
extern GpuAggCacheExtent *gpuagg_cache_extent(const GpuAggCacheTable *table,
											uint32 number);

/* A column's dictionary goes, if it has one. */
extern void gpuagg_cache_forget_strings(GpuAggCacheColumn *column);

/*
 * A column of which nothing is left gives its dictionary up, and may come again
 * if it was unwanted.
 */
extern void gpuagg_cache_column_rest(GpuAggCacheTable *table,
									 GpuAggCacheColumn *column);

/* Has the column got more strings than it could?  Then it is not cached. */
extern bool gpuagg_cache_is_full(GpuAggCacheColumn *column);

#endif							/* GPUAGG_CACHE_CACHE_TABLE_H */
