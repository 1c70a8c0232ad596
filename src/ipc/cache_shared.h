/*
 * cache_shared.h
 *		What backends see of the column cache, in main shared memory: a list of
 *		the columns that it holds, and the request to drop some.
 *
 * The worker writes what has changed whenever a job leaves the cache; there is room for
 * GPUAGG_CACHE_ENTRIES columns, those of the tables used last.  One lock guards all of it,
 * for as long as copying it, or writing about one table, takes.
 */
#ifndef GPUAGG_IPC_CACHE_SHARED_H
#define GPUAGG_IPC_CACHE_SHARED_H

#include "postgres.h"

#include "access/attnum.h"
#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/block.h"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"

#define GPUAGG_CACHE_ENTRIES 16384

/* Chains that they are found by: those of a table are in one. */
#define GPUAGG_CACHE_CHAINS 4096

/* Dropped databases that the worker has not heard of yet; more: it drops all. */
#define GPUAGG_CACHE_DROPPED 16

/*
 * A column of a table, or with InvalidAttrNumber what its columns share: which
 * rows there are, and the directory; blocks are those of which anything is held.
 */
typedef struct GpuAggCacheEntry
{
	Oid			dbid;
	Oid			relid;			/* InvalidOid: the entry is free */
	uint32		relnumber;		/* of the files that were read */
	AttrNumber	attnum;
	uint32		extents;			/* extents of which something is held */
	uint32		blocks;			/* blocks that are held */
	uint64		rows;			/* positions that these have, one for each line of
								 * their pages */
	uint64		bytes;			/* of the device's memory */
	uint64		saved;			/* so many more they would be if nothing was packed */
	uint32		strings;		/* entries of its dictionary; 0: none */
	uint64		map_lsn;		/* the greatest LSN of a map page with which an extent is held */
	uint64		page_lsn;		/* the greatest LSN of a page that is held; either is greater, if
								 * the WAL told up to there what has changed */
	double		changes;		/* blocks that change lately while a byte of WAL is written; -1: not
								 * known */
	uint64		uses;			/* tasks that wanted it */
	TimestampTz last_use;
	const char *note;			/* static string: why it is not cached; NULL */
	uint32		next;			/* number of the next one of its chain, or that is free; 0:
								 * none.  Numbers begin with 1. */
} GpuAggCacheEntry;

typedef struct GpuAggCacheShared
{
	pg_atomic_uint64 kept;		/* rises with each page that is kept, and each extent of which
								 * another state of the map is remembered */
	pg_atomic_uint32 follows;	/* what has changed the worker learns from the WAL */
	pg_atomic_uint64 asked;		/* requests so far; changed under the lock */
	ConditionVariable answered_one;
	pg_atomic_uint32 ndropped;	/* databases; changed under the lock */

	/* guarded by the lock */
	Oid			dropped[GPUAGG_CACHE_DROPPED];
	uint64		answered;		/* requests */
	Oid			dbid;			/* the request: what of which table */
	Oid			relid;
	AttrNumber	attnum;			/* InvalidAttrNumber: all columns */
	uint64		limit;			/* bytes that all may take, and take */
	uint64		used;
	uint32		nentries;		/* that have been used; some of them may be free again */
	uint32		nformer;		/* that were used when the worker ended, and are as they were */
	uint32		free;			/* the first of those that are free */
	uint32		chains[GPUAGG_CACHE_CHAINS];
	GpuAggCacheEntry entries[GPUAGG_CACHE_ENTRIES];
} GpuAggCacheShared;

/* For shmem_start.c: the lock, and the structure at its start */
extern void gpuagg_cache_shared_request(void);
extern void gpuagg_cache_shared_init(GpuAggCacheShared *shared);

/*
 * Each device has a list of its own.  For its worker, which writes it and answers requests
 */
extern GpuAggCacheShared *gpuagg_cache_shared_lock(int device, LWLockMode mode);
extern void gpuagg_cache_shared_unlock(void);

/* Under the lock.  add: the entry's number, or 0 if there is no room; set: of the same table */
extern uint32 gpuagg_cache_entry_add(GpuAggCacheShared *shared, const GpuAggCacheEntry *entry);
extern void gpuagg_cache_entry_set(GpuAggCacheShared *shared, uint32 number,
								   const GpuAggCacheEntry *entry);
extern void gpuagg_cache_entry_remove(GpuAggCacheShared *shared, uint32 number);

/* Takes the lock: no entry is left. */
extern void gpuagg_cache_shared_clear(int device);

/*
 * Databases that were dropped since the worker asked last: at most
 * GPUAGG_CACHE_DROPPED of them go to `dropped`, the result is their number.
 */
extern uint32 gpuagg_cache_dropped(int device, Oid *dropped);

/*
 * For views: a copy of a device's list, in the current memory context, and its length.
 */
extern uint32 gpuagg_cache_entries(int device, GpuAggCacheEntry **entries);

/*
 * gpuagg_cache_entries, and after the worker's end, until another one keeps something, what it kept
 */
extern uint32 gpuagg_cache_entries_last(int device, GpuAggCacheEntry **entries);

extern void gpuagg_cache_memory(int device, uint64 *limit, uint64 *used);

/* Bytes that the device with most memory may take for columns; 0: none keeps any. */
extern uint64 gpuagg_cache_room(void);

/*
 * Which part of nblocks blocks of a table, whose files have this number, a device is
 * likely to have for some columns, 0 to 1; without columns: of which it knows the rows.
 * For the planner of the one that has most: there the task is likely to run.
 */
extern double gpuagg_cache_fraction_on(int device, Oid relid, uint32 relnumber,
									   const AttrNumber *columns, int ncolumns,
									   BlockNumber nblocks);
extern double gpuagg_cache_fraction(Oid relid, uint32 relnumber,
									const AttrNumber *columns, int ncolumns,
									BlockNumber nblocks);

/*
 * For the planner: the greatest LSNs that a map page, and a page, of a table are held with on any
 * device.  What has a greater one was changed since.  0: nothing is held.  *changes: blocks of it
 * that change, lately, while a byte of WAL is written; -1: not known
 */
extern void gpuagg_cache_lsns(Oid relid, uint32 relnumber, uint64 *map_lsn, uint64 *page_lsn,
							  double *changes);

/* Do all devices learn from the WAL what has changed, so that no LSNs are compared? */
extern bool gpuagg_cache_follows(void);

/* GpuAggCacheShared.kept of the device */
extern uint64 gpuagg_cache_kept_so_far(int device);

/*
 * The part that all devices together, which may share a grouping (gpuagg.spread), are likely to
 * have
 */
extern double gpuagg_cache_fraction_together(Oid relid, uint32 relnumber,
											 const AttrNumber *columns, int ncolumns,
											 BlockNumber nblocks);

/*
 * For the planner: how many distinct strings a column has, if the cache has nearly all
 * of its nblocks blocks on one device; otherwise 0.
 */
extern double gpuagg_cache_strings(Oid relid, uint32 relnumber, AttrNumber attnum,
								   BlockNumber nblocks);

/*
 * Asks the workers to drop a column, or with InvalidAttrNumber all columns, of a
 * table of this database.  Waits, interruptibly, until it has; memory that
 * tasks still use is freed when they end.
 */
extern void gpuagg_cache_unload(Oid relid, AttrNumber attnum);

/* Tells the workers, which need not answer, that a database is gone. */
extern void gpuagg_cache_drop_database(Oid dbid);

#endif							/* GPUAGG_IPC_CACHE_SHARED_H */
