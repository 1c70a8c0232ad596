/*
 * enum_order.h
 *		The order of an enum's values as devices see it: a table.
 */
#ifndef GPUAGG_PLANNER_ENUM_ORDER_H
#define GPUAGG_PLANNER_ENUM_ORDER_H

#include "postgres.h"

#include "planner/value/constant.h"

/*
 * The table of an enum (device/ops/ops_types.h) as it is in the catalog now, as a
 * constant; palloc'd
 */
extern GpuAggConstant gpuagg_enum_table(Oid type);

#endif							/* GPUAGG_PLANNER_ENUM_ORDER_H */
