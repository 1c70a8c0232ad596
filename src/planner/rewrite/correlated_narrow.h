/*
 * correlated_narrow.h
 *		Leaves groups out that no row outside asks for.
 */
#ifndef GPUAGG_PLANNER_CORRELATED_NARROW_H
#define GPUAGG_PLANNER_CORRELATED_NARROW_H

#include "postgres.h"

#include "planner/rewrite/correlated_group.h"

/*
 * Adds to the grouping what these conditions of the query around it demand of its keys.  They
 * depend on no query further out.  True: it is joined with a table outside, if that may be.
 */
extern bool gpuagg_correlated_narrow(const Query *level, List *conditions,
									 GpuAggCorrelatedGroup *group, bool semijoins);

#endif							/* GPUAGG_PLANNER_CORRELATED_NARROW_H */
