/*
 * ordered_sets.h
 *		percentile_cont, percentile_disc and mode, of sorted values that each stand for
 *		some rows.
 */
#ifndef GPUAGG_NODE_ORDERED_SETS_H
#define GPUAGG_NODE_ORDERED_SETS_H

#include "postgres.h"

#include "node/regroup/row_table.h"
#include "nodes/execnodes.h"
#include "planner/plan/plan.h"

typedef struct GpuAggOrderedSets GpuAggOrderedSets;

/* For a node's aggregates; lives in CurrentMemoryContext */
extern GpuAggOrderedSets *gpuagg_ordered_create(const GpuAggPlanInfo *info, List *tlist,
												PlanState *ps);

/* Forgets all values.  lone: those to come are of one group. */
extern void gpuagg_ordered_begin(GpuAggOrderedSets *sets, bool lone);

/* A value of so many rows of a group, for one of the plan's sorts */
extern void gpuagg_ordered_add(GpuAggOrderedSets *sets, int sort, char *group, Datum value,
							   int64 rows);

/* Puts the answers into the groups of the table, whose counts are there. */
extern void gpuagg_ordered_finish(GpuAggOrderedSets *sets, GpuAggRowTable *table);

#endif							/* GPUAGG_NODE_ORDERED_SETS_H */
