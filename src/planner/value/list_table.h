/*
 * list_table.h
 *		Arrays that are known when execution starts, as devices see them.
 */
#ifndef GPUAGG_PLANNER_LIST_TABLE_H
#define GPUAGG_PLANNER_LIST_TABLE_H

#include "postgres.h"

#include "planner/value/constant.h"
#include "planner/value/zone.h"

/* May values of this type be listed, for a scalar of that type to be looked for? */
extern bool gpuagg_list_type(Oid element, uint8 scalar);

/* Has every element a form that devices know? */
extern bool gpuagg_list_fits(Datum array);

/*
 * What that kind of constant is of the array: the table is one of sorted int64
 * (gpuagg_listed_i64); palloc'd
 */
extern GpuAggConstant gpuagg_list_constant(Datum array, bool isnull, GpuAggZoneName kind);

#endif							/* GPUAGG_PLANNER_LIST_TABLE_H */
