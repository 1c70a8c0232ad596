/*
 * correlated_distinct.h
 *		IN of a subquery that has a grouping joined: its rows as a grouping, too.
 */
#ifndef GPUAGG_PLANNER_CORRELATED_DISTINCT_H
#define GPUAGG_PLANNER_CORRELATED_DISTINCT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Makes the rows of such subqueries among these conditions DISTINCT; true: there are some. */
extern bool gpuagg_correlated_distinct(List *conjuncts);

#endif							/* GPUAGG_PLANNER_CORRELATED_DISTINCT_H */
