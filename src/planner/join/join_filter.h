/*
 * join_filter.h
 *		Filters before the slots of look-up tables (device/ops/lookup_filter.h): of which tables
 *		they are expected to pay.
 */
#ifndef GPUAGG_PLANNER_JOIN_FILTER_H
#define GPUAGG_PLANNER_JOIN_FILTER_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* What looking rows up takes with it, if the table is expected to have one */
extern void gpuagg_join_expect_filter(const GpuAggLower *lw, const GpuAggLookupLower *lookup,
									  GpuAggLookupExpected *expected);

#endif							/* GPUAGG_PLANNER_JOIN_FILTER_H */
