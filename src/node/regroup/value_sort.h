/*
 * value_sort.h
 *		Values of groups, each of so many rows, in the order of a type's operator.
 */
#ifndef GPUAGG_NODE_VALUE_SORT_H
#define GPUAGG_NODE_VALUE_SORT_H

#include "postgres.h"

#include "planner/plan/regroup.h"

typedef struct GpuAggValueSort GpuAggValueSort;

typedef struct GpuAggSortedValue
{
	char	   *group;
	Datum		value;
	int64		rows;
} GpuAggSortedValue;

/* In this order; lone: of one group.  Takes work_mem, then goes to disk. */
extern GpuAggValueSort *gpuagg_value_sort_begin(const GpuAggRegroupSort *plan, bool lone);
extern void gpuagg_value_sort_add(GpuAggValueSort *sort, const GpuAggSortedValue *v);

/* When all are there: the next one, group by group.  It stays until the next call. */
extern void gpuagg_value_sort_perform(GpuAggValueSort *sort);
extern bool gpuagg_value_sort_next(GpuAggValueSort *sort, GpuAggSortedValue *v);
extern void gpuagg_value_sort_end(GpuAggValueSort *sort);

#endif							/* GPUAGG_NODE_VALUE_SORT_H */
