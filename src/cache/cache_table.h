/*
 * cache_table.h
 *		Tables and columns that the column cache knows, and what goes when
 *		memory is short.
 *
 * Inside the worker.  A table lives until it is dead, or until the memory of
 * its directory is wanted while nothing of it is held.
 */
#ifndef GPUAGG_CACHE_CACHE_TABLE_H
#define GPUAGG_CACHE_CACHE_TABLE_H

#include "cache/cache_extent.h"

/* The table that is alive; NULL: there is none. */
extern GpuAggCacheTable *gpuagg_cache_table_of(uint32 dbid, uint32 relid);

/* Where tables that are alive are found */
#define GPUAGG_CACHE_BUCKETS 4096

/* Frees those of one bucket that have gone; returns how many were asked. */
extern uint32 gpuagg_cache_tables_gone(uint32 bucket, bool (*gone) (const GpuAggCacheTable *table));

/* Goes through all that are alive, from NULL to NULL. */
extern GpuAggCacheTable *gpuagg_cache_table_next(const GpuAggCacheTable *table);

/*
 * The table of a cache request, made if need be, for a job that counts itself; what the
 * cache has of the same relation in other files is dead from then on.
 */
extern GpuAggCacheTable *gpuagg_cache_table(const GpuAggCacheRequest *request);

/* Frees it now, or when the last job has left it. */
extern void gpuagg_cache_table_kill(GpuAggCacheTable *table);

/* A job that has counted itself leaves the table; extents of which nothing is held go, too. */
extern void gpuagg_cache_table_leave(GpuAggCacheTable *table);

/*
 * A column, or with attr negative all columns, of a table are not wanted any
 * more: they go now, or as soon as nobody uses them.
 */
extern void gpuagg_cache_table_unload(GpuAggCacheTable *table, int attr);

/*
 * The column, made if need be, for a job that has joined the table.  NULL: it is
 * known with another type or scale, and in use as such.
 */
extern GpuAggCacheColumn *gpuagg_cache_column(GpuAggCacheTable *table,
											  uint32 attr, uint32 type, uint32 scale);

/* Makes a column's dictionary if it has none; false: no memory. */
extern bool gpuagg_cache_dictionary(GpuAggCacheColumn *column);

/* Has the column got more strings than it could?  Then it is not cached. */
extern bool gpuagg_cache_is_full(GpuAggCacheColumn *column);

/* NULL: nothing of the extent is known. */
extern GpuAggCacheExtent *gpuagg_cache_extent(const GpuAggCacheTable *table,
											uint32 number);
extern GpuAggCacheExtent *gpuagg_cache_extent_make(GpuAggCacheTable *table,
												 uint32 number);

/*
 * Writes what backends see of tables that have changed since.  What has died or is freed
 * they see no more at once.
 */
extern void gpuagg_cache_publish(void);
extern void gpuagg_cache_table_used(GpuAggCacheTable *table);
extern void gpuagg_cache_table_changed(GpuAggCacheTable *table);
extern void gpuagg_cache_table_hide(GpuAggCacheTable *table);

/* Of a table that no job knows */
extern void gpuagg_cache_table_free(GpuAggCacheTable *table);

/* If nothing of it is held and no job knows it, it may be forgotten, until one comes. */
extern void gpuagg_cache_table_rest(GpuAggCacheTable *table);
extern void gpuagg_cache_table_wake(GpuAggCacheTable *table);

/*
 * A column of which nothing is left gives its dictionary up, and may come again
 * if it was unwanted.
 */
extern void gpuagg_cache_column_rest(GpuAggCacheTable *table,
									 GpuAggCacheColumn *column);

/* ------------------------------------------------------------- eviction --- */

/* The priority of so many pages and bytes of a column */
extern double gpuagg_cache_priority(const GpuAggCacheColumn *column, uint32 npages,
								 uint64 bytes);

/* A task uses the columns of an extent: their priority grows. */
extern void gpuagg_cache_touch(GpuAggCacheExtent *extent,
							   GpuAggCacheColumn *const *columns, int ncolumns);

/* The column of least priority goes, if that is less; false: there is none. */
extern bool gpuagg_cache_evict(double priority);

/*
 * Makes room for so many bytes of the directory; false: what there is is worth
 * more.
 */
extern bool gpuagg_cache_make_room(Size bytes, double priority);

/* Memory of a table's directory, at any rate; others give way to it. */
extern void *gpuagg_cache_directory_alloc(GpuAggCacheTable *table, Size bytes);
extern void *gpuagg_cache_directory_lengthen(GpuAggCacheTable *table, void *array,
											 Size old_bytes, Size bytes);

#endif							/* GPUAGG_CACHE_CACHE_TABLE_H */
