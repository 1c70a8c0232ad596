/*
 * value_bound.h
 *		How many different values an expression can have, as far as statistics
 *		and what its functions return tell.
 *
 * An estimate: statistics are of a sample of the rows, and may be old.
 */
#ifndef GPUAGG_PLANNER_VALUE_BOUND_H
#define GPUAGG_PLANNER_VALUE_BOUND_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "planner/estimate/bound_set.h"
#include "utils/rel.h"

/* Where the columns of an expression come from: a table, or a join of which relation is one */
typedef struct GpuAggBoundSource
{
	PlannerInfo *root;
	RelOptInfo *rel;
	Relation	relation;
	bool		exact_hidden;	/* row security applies: what the cache knows of hidden
								 * rows must not show */
} GpuAggBoundSource;

extern GpuAggValueBound gpuagg_value_bound(const GpuAggBoundSource *source, Node *expr);

#endif							/* GPUAGG_PLANNER_VALUE_BOUND_H */
