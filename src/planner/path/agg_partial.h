/*
 * agg_partial.h
 *		Groupings of several tables of which the device reads some, and PostgreSQL the
 *		others: the states of both are combined.
 */
#ifndef GPUAGG_PLANNER_AGG_PARTIAL_H
#define GPUAGG_PLANNER_AGG_PARTIAL_H

#include "postgres.h"

#include "planner/path/agg_grouping.h"

/*
 * When all is lowered: lets the node return states in place of aggregates, and what it
 * filters and projects above.  False: an aggregate has no states that are known.
 */
extern bool gpuagg_agg_partial_outputs(GpuAggGrouping *g);

/* The query's groups, of those of the node and of PostgreSQL's of the other tables */
extern Path *gpuagg_agg_partial_finish(const GpuAggGrouping *g, Path *path);

#endif							/* GPUAGG_PLANNER_AGG_PARTIAL_H */
