/*
 * cache_wal.h
 *		What the WAL tells of blocks that are held: which of them have changed.
 *
 * Inside the worker, which reads the WAL when a task begins that wants to know, as far as it is
 * written.  A block that no record has changed since it was kept is as it is held; nobody need
 * look at its page, at the visibility map, or at what VACUUM, locks and hint bits have done to it.
 * src/cache/VALIDITY.md says why that is right.
 */
#ifndef GPUAGG_CACHE_CACHE_WAL_H
#define GPUAGG_CACHE_CACHE_WAL_H

#include "cache/cache_extent.h"

/*
 * Reads on to the end of what is written.  False: what others have committed may lie behind
 * that, or the WAL cannot be read; then it tells nothing of any block now.
 */
extern bool gpuagg_cache_wal_follow(void);

/* It has been read up to here; 0: it is not read. */
extern uint64 gpuagg_cache_wal_position(void);

/*
 * A block that is kept, or compared with its page, is what the page was, which was read when the
 * WAL had been read up to `since`, or later; 0: it was not.
 */
extern void gpuagg_cache_wal_known(GpuAggCacheExtent *extent, uint32 number, uint64 since);

/* gpuagg_cache_wal_known of some blocks, a bit for each */
extern void gpuagg_cache_wal_confirm(GpuAggCacheExtent *extent, const uint64 *blocks,
									 uint32 nblocks, uint64 since);

/* Is a block as its page was at gpuagg_cache_wal_position()? */
extern bool gpuagg_cache_wal_same(GpuAggCacheExtent *extent, uint32 number);

/*
 * Of *n blocks that are held, below nblocks, those go that have changed.  True: the others have
 * not; false: of some the WAL does not tell.  *fresh grows by those that have since a task asked
 * last.
 */
extern bool gpuagg_cache_wal_sort(GpuAggCacheExtent *extent, uint32 nblocks, uint64 *held,
								  uint32 *n, uint64 *fresh);

/* For the worker's loop: reads on while no task asks.  False: there is nothing to read. */
extern bool gpuagg_cache_wal_idle(void);

#endif							/* GPUAGG_CACHE_CACHE_WAL_H */
