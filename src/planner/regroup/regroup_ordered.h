/*
 * regroup_ordered.h
 *		Plans ordered-set aggregates (percentile_cont, percentile_disc, mode), for
 *		regroup_plan.c.
 */
#ifndef GPUAGG_PLANNER_REGROUP_ORDERED_H
#define GPUAGG_PLANNER_REGROUP_ORDERED_H

#include "postgres.h"

#include "planner/plan/plan.h"

extern bool gpuagg_ordered_is(const Aggref *agg);

/* One that regrouping can make? */
extern bool gpuagg_ordered_check(const Aggref *agg);

/* Its order; value, weight, filter and count are the caller's to fill in. */
extern GpuAggRegroupSort gpuagg_ordered_sort(const Aggref *agg);

/* Adds a sort or finds the same one; key is the value's output, if that is a key. */
extern bool gpuagg_ordered_add_sort(GpuAggRegroup *r, GpuAggRegroupSort sort,
									const GpuAggOutput *key, int16 *number);

#endif							/* GPUAGG_PLANNER_REGROUP_ORDERED_H */
