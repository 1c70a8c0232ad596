/*
 * column_range.h
 *		Between which values a column lies, as its statistics tell.
 */
#ifndef GPUAGG_PLANNER_COLUMN_RANGE_H
#define GPUAGG_PLANNER_COLUMN_RANGE_H

#include "postgres.h"

#include "device/ops/value_set.h"
#include "utils/selfuncs.h"

/* To be asked for before the statistics are: what changes them later is seen by it. */
extern uint64 gpuagg_column_range_as_of(void);

/*
 * Of a column with statistics, as bound_set.h has values; false: of another type, or nothing is
 * known.
 */
extern bool gpuagg_column_range(const VariableStatData *data, uint64 as_of, Oid type,
								GpuAggValueSet *set);

#endif							/* GPUAGG_PLANNER_COLUMN_RANGE_H */
