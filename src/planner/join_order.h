/*
 * join_order.h
 *		What is expected of look-ups: which rows they leave, what they take.
 */
#ifndef GPUAGG_PLANNER_JOIN_ORDER_H
#define GPUAGG_PLANNER_JOIN_ORDER_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * ns of looking a row up in a table of so many bytes and fetching a column, by one thread
 * of a processor.
 */
extern double gpuagg_join_probe_ns(double bytes);

/* Of a look-up table, once the program is finished: what lets its order be chosen */
extern void gpuagg_join_expect(const GpuAggLower *lw, const GpuAggLookupLower *lookup, double bytes,
							   GpuAggLookupExpected *expected);

#endif							/* GPUAGG_PLANNER_JOIN_ORDER_H */
