/*
 * regroup_batch.h
 *		Rows that the groups of a set are made of, some at a time.
 *
 * To find a row's group takes memory that the processor does not have at hand.  So the keys of
 * many rows are computed before the first of them is looked for.
 */
#ifndef GPUAGG_NODE_REGROUP_BATCH_H
#define GPUAGG_NODE_REGROUP_BATCH_H

#include "postgres.h"

#include "node/regroup/regroup_work.h"

/* For the set at work; lives in CurrentMemoryContext */
extern void gpuagg_regroup_batch_begin(GpuAggRegroupWork *r);

/*
 * The next rows, of which r->row is the first one's number, with all that has to be computed of
 * them if they are in this part of the set.  Their number; 0: no more
 */
extern int	gpuagg_regroup_batch_fill(GpuAggRegroupWork *r, GpuAggResults *from, uint32 part,
									  uint32 parts);

/* Each of them enters its group. */
extern GpuAggStatus gpuagg_regroup_batch_enter(GpuAggRegroupWork *r);

#endif							/* GPUAGG_NODE_REGROUP_BATCH_H */
