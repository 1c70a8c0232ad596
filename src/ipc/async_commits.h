/*
 * async_commits.h
 *		Commits that did not wait for their WAL (synchronous_commit = off), of all backends.
 *
 * Others see what such a transaction has done before it can be read in the WAL.  Who goes by
 * the WAL has to know whether there are any.
 */
#ifndef GPUAGG_IPC_ASYNC_COMMITS_H
#define GPUAGG_IPC_ASYNC_COMMITS_H

#include "postgres.h"

#include "port/atomics.h"

typedef struct GpuAggAsyncCommits
{
	pg_atomic_uint64 begun;		/* commits; it rises before anybody sees what they have done */
	pg_atomic_uint64 done;		/* those of them whose end is known, or that failed */
	pg_atomic_uint64 end;		/* none of these has its record behind this LSN */
} GpuAggAsyncCommits;

/* While the postmaster loads the module: backends count from then on. */
extern void gpuagg_async_commits_init(void);

/* For shmem_start.c */
extern void gpuagg_async_commits_start(GpuAggAsyncCommits *shared);

/* Does who has read the WAL up to an LSN know of all commits that snapshots taken by now see? */
extern bool gpuagg_async_commits_within(uint64 lsn);

#endif							/* GPUAGG_IPC_ASYNC_COMMITS_H */
