/*
 * join_order.h
 *		What is expected of look-ups: which rows they leave, what they take.
 */
#ifndef GPUAGG_PLANNER_JOIN_ORDER_H
#define GPUAGG_PLANNER_JOIN_ORDER_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * ns of looking a row up, or fetching a column, in a table of so many bytes, all of the device at
 * work
 */
extern double gpuagg_join_probe_ns(double bytes);

/*
 * ns of looking so many rows up in all tables, one after the other, in the
 * order of the run (probe_order.h): what one leaves the next is asked for.
 */
extern double gpuagg_join_probes_ns(const GpuAggLookupPlan *plans, int n, double rows);

/* Of a look-up table, once the program is finished: what lets its order be chosen */
extern void gpuagg_join_expect(const GpuAggLower *lw, const GpuAggLookupLower *lookup, double bytes,
							   GpuAggLookupExpected *expected);

#endif							/* GPUAGG_PLANNER_JOIN_ORDER_H */
