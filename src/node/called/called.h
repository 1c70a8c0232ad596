/*
 * called.h
 *		Values of a kept column's strings that only PostgreSQL computes: those that a device has
 *		not yet are given to it.
 */
#ifndef GPUAGG_NODE_CALLED_H
#define GPUAGG_NODE_CALLED_H

#include "postgres.h"

#include "ipc/errors.h"
#include "nodes/execnodes.h"
#include "planner/plan/plan.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

typedef struct GpuAggCalled GpuAggCalled;

/* exprs: of the node's custom_exprs.  NULL: the plan has none. */
extern GpuAggCalled *gpuagg_called_begin(PlanState *node, const GpuAggPlanInfo *info, List *exprs);

/*
 * Gives a device what it has not of each expression; *strings: of how many strings.  read: also of
 * strings of pages that it does not keep, and it learns the strings of which the least or greatest
 * are wanted.  Not OK: the device has not all of them, and error tells why.  Waits for the device.
 */
extern GpuAggStatus gpuagg_called_give(const GpuAggCalled *called, Relation rel, Snapshot snapshot,
									   int device, bool read, uint64 *strings,
									   GpuAggError *error);

/* For plans of this session: the device has all values, or it is to be planned without */
extern void gpuagg_called_know(const GpuAggCalled *called, Relation rel, bool there);

/* What is computed, as EXPLAIN shows it: a List of char * */
extern List *gpuagg_called_shown(const GpuAggCalled *called, Relation rel);

#endif							/* GPUAGG_NODE_CALLED_H */
