/*
 * correlated.h
 *		Subqueries that depend on the row outside of them, planned as a grouping
 *		that is joined where a device makes it and that is cheaper.
 */
#ifndef GPUAGG_PLANNER_CORRELATED_H
#define GPUAGG_PLANNER_CORRELATED_H

#include "postgres.h"

#include "nodes/pathnodes.h"

extern void gpuagg_correlated_init(void);

/* A GpuAgg that groups the rows of this query has become part of a plan. */
extern void gpuagg_correlated_planned(const PlannerInfo *root);

#endif							/* GPUAGG_PLANNER_CORRELATED_H */
