/*
 * correlated_rewrite.h
 *		A query whose correlated scalar subqueries are groupings that are joined.
 */
#ifndef GPUAGG_PLANNER_CORRELATED_REWRITE_H
#define GPUAGG_PLANNER_CORRELATED_REWRITE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Has the query subqueries in expressions at all?  Asked first, for most have none. */
extern bool gpuagg_correlated_any(const Query *query);

/*
 * A List of copies with the same rows, in which at least one subquery has become a grouping;
 * NIL: none can be.  Why not is told to who listens (refuse.h).  The groupings of the first
 * are joined with tables outside that may leave groups out, and IN of a subquery that has one is
 * of a grouping by itself; others are without one of these, or both.
 */
extern List *gpuagg_correlated_rewrite(const Query *query);

/*
 * A copy with the same rows and without groupings by primary keys (unique_group.h); NULL: there are
 * none.
 */
extern Query *gpuagg_correlated_rewrite_unique(const Query *query);

/* Is this such a grouping, or a copy of one? */
extern bool gpuagg_correlated_is_made(const Query *query);

#endif							/* GPUAGG_PLANNER_CORRELATED_REWRITE_H */
