/*
 * groups.h
 *		All groups of one task: thread-local tables, and behind them the
 *		partitions that all threads share.
 */
#ifndef GPUAGG_HOST_GROUPS_H
#define GPUAGG_HOST_GROUPS_H

#include "host/partitions.h"

/* Of a task */
typedef struct GpuAggGroups
{
	const GpuAggPrepared *prepared;
	GpuAggMemory *memory;
	GpuAggHashWindow hash_window;
	GpuAggStrategy begun_with;	/* block-local, unless another is forced */
	uint32_t	local_rows;		/* groups that a local table holds at most */
	size_t		local_bytes;	/* bytes of strings that a local table holds at most */
	GpuAggPartitions partitions;
} GpuAggGroups;

/* Of a task and a thread */
typedef struct GpuAggGrouper
{
	GpuAggGroups *groups;
	GpuAggTable local;
	bool		bypass;			/* rows go to the partitions, except for
								 * those of groups that are in local */
	uint64_t	rows_since_flush;
	uint64_t	bypass_left;	/* rows until local grouping is tried again */
	uint64_t	bypass_length;
	uint32_t	heavy_hits;

	char	   *images;			/* GPUAGG_VECTOR_ROWS key images */
	uint64_t	hashes[GPUAGG_VECTOR_ROWS];
	char	   *rows[GPUAGG_VECTOR_ROWS];
	uint16_t	sel[GPUAGG_VECTOR_ROWS];
	uint16_t	within[GPUAGG_VECTOR_ROWS]; /* rows of the window */
	GpuAggSpiller spiller;
	size_t		bytes;			/* of this whole block */
} GpuAggGrouper;

extern void gpuagg_groups_init(GpuAggGroups *g, const GpuAggPrepared *prepared,
							   GpuAggMemory *memory, int threads,
							   const GpuAggTaskConfig *config);
extern void gpuagg_groups_free(GpuAggGroups *g);

/* NULL: no memory. */
extern GpuAggGrouper *gpuagg_grouper_create(GpuAggGroups *g, uint32_t thread);
extern void gpuagg_grouper_free(GpuAggGrouper *grouper);

/* Group n rows and apply their transitions. */
extern GpuAggStatus gpuagg_grouper_add(GpuAggGrouper *grouper,
									   const GpuAggInputs *in, uint32_t n,
									   GpuAggError *error);

/* Merge n groups, at most GPUAGG_VECTOR_ROWS, which are rows of the layout, with their states. */
extern GpuAggStatus gpuagg_grouper_add_groups(GpuAggGrouper *grouper,
											  const GpuAggKeyBlock *groups, uint32_t n,
											  GpuAggError *error);

/*
 * Move all local groups to the partitions.  Several groupers may do so at
 * the same time.
 */
extern GpuAggStatus gpuagg_grouper_flush(GpuAggGrouper *grouper, GpuAggError *error);

/* At the end: aggregate what all groupers have kept of a partition. */
extern GpuAggStatus gpuagg_grouper_aggregate(GpuAggGrouper *grouper, uint32_t partition,
											 const GpuAggGrouper *from, GpuAggError *error);

/* Without keys: move the group of `from`, if it has one, into that of `into`. */
extern GpuAggStatus gpuagg_grouper_merge_only_row(GpuAggGrouper *into,
												  GpuAggGrouper *from,
												  GpuAggError *error);

#endif							/* GPUAGG_HOST_GROUPS_H */
