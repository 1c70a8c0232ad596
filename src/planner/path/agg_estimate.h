/*
 * agg_estimate.h
 *		How many rows, groups and pages a grouping has, as is expected.
 */
#ifndef GPUAGG_PLANNER_AGG_ESTIMATE_H
#define GPUAGG_PLANNER_AGG_ESTIMATE_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"
#include "utils/relcache.h"

/* Rows that pass what the device tests of WHERE, and its joins */
extern double gpuagg_agg_estimate_passed(const GpuAggGrouping *g);

/* Groups: of the device, of the query, and as PostgreSQL expects them; relation: NULL, of a plan */
extern void gpuagg_agg_estimate_groups(GpuAggGrouping *g, Relation relation);

/* Which part of the table's pages need not be fed, and are all-visible */
extern void gpuagg_agg_estimate_pages(GpuAggGrouping *g, Relation relation);

#endif							/* GPUAGG_PLANNER_AGG_ESTIMATE_H */
