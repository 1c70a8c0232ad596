/*
 * host_regroup.h
 *		Groups of a finished task, grouped once more (device/regrouping.h) by the threads
 *		of the pool, a table of the finer groups at a time.
 */
#ifndef GPUAGG_HOST_HOST_REGROUP_H
#define GPUAGG_HOST_HOST_REGROUP_H

#include "device/ops/regrouping_row.h"
#include "host/groups.h"

/* A set of groups that are made */
typedef struct GpuAggRegroupedSet
{
	GpuAggGroups groups;
	GpuAggGrouper **groupers;	/* of each thread, NULL until it works here */
	GpuAggRegroupingPlan plan;
	bool		copied;			/* each finer group is one of the set: it is made when it is
								 * returned */
} GpuAggRegroupedSet;

typedef struct GpuAggHostRegroup
{
	GpuAggRegrouping wish;
	GpuAggMemory *memory;
	uint32_t	threads;
	GpuAggPrepared *prepared;	/* of the groups that are made */
	GpuAggPrepared *hidden;		/* of the groups of hidden sets; NULL: there are none */
	GpuAggTaskConfig config;	/* of their grouping */
	GpuAggRegroupedSet *sets;
	char	  **rows;			/* of each thread: some rows, and their hashes */
	uint32_t	block;			/* rows that each thread has room for */
	size_t		row_bytes;		/* bytes of a row, as long as the longest kind */
	char	   *made;			/* a row, for whoever returns groups */
	size_t		bytes;			/* of this whole block */
	atomic_bool failed;			/* no memory: the finer groups are returned */
} GpuAggHostRegroup;

/* Of so many finer groups.  NULL: no memory */
extern GpuAggHostRegroup *gpuagg_host_regroup_create(const GpuAggRegrouping *wish,
													 const GpuAggPrepared *finer,
													 const GpuAggTaskConfig *config,
													 uint64_t groups, uint32_t threads,
													 GpuAggMemory *memory);
extern void gpuagg_host_regroup_free(GpuAggHostRegroup *r);

/* Begins a set, which is not copied; false: no memory. */
extern bool gpuagg_host_regroup_begin(GpuAggHostRegroup *r, uint32_t set);

/* A thread's work: a table of the set's source.  Lack of memory makes it fail. */
extern void gpuagg_host_regroup_table(GpuAggHostRegroup *r, uint32_t set, uint32_t thread,
									  const GpuAggTable *from, const atomic_bool *stop);

/* Do groups of the set lie in more than one thread's table, or there and elsewhere? */
extern bool gpuagg_host_regroup_needs_flush(const GpuAggHostRegroup *r, uint32_t set);

/* A thread's work then: what one of them has. */
extern void gpuagg_host_regroup_flush(GpuAggHostRegroup *r, uint32_t set, uint32_t owner);

/* The set's tables are complete. */
extern void gpuagg_host_regroup_end(GpuAggHostRegroup *r, uint32_t set);

/* Tables of a set that is not copied, by number; some are NULL. */
extern uint32_t gpuagg_host_regroup_tables(GpuAggHostRegroup *r, uint32_t set);
extern const GpuAggTable *gpuagg_host_regroup_result(GpuAggHostRegroup *r, uint32_t set,
													 uint32_t i);

#endif							/* GPUAGG_HOST_HOST_REGROUP_H */
