/*
 * unique_group.h
 *		A subquery that groups by a primary key, without that grouping.
 */
#ifndef GPUAGG_PLANNER_UNIQUE_GROUP_H
#define GPUAGG_PLANNER_UNIQUE_GROUP_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Does the query, or one inside, aggregate what a subquery in FROM groups?  Asked first, for most
 * do not.
 */
extern bool gpuagg_unique_group_any(const Query *query);

/*
 * Replaces such subqueries of this query, which has so many queries around it, by ones with the
 * same rows that are a table joined with a grouping of another.  False: there is none.
 */
extern bool gpuagg_unique_group(Query *level, int depth);

/* Has the query such a grouping among its tables? */
extern bool gpuagg_unique_group_is_joined(const Query *query);

#endif							/* GPUAGG_PLANNER_UNIQUE_GROUP_H */
