/*
 * harmless_query.h
 *		Can running a query raise an error that depends on its rows?
 */
#ifndef GPUAGG_PLANNER_HARMLESS_QUERY_H
#define GPUAGG_PLANNER_HARMLESS_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* True: surely not; of one without aggregates */
extern bool gpuagg_is_harmless_query(const Query *query);

/*
 * gpuagg_is_harmless_query of one that aggregates all rows of its input, and so has one row at most
 */
extern bool gpuagg_is_harmless_total(const Query *query);

/* gpuagg_is_harmless_query of what it selects from and of WHERE, whatever is made of these rows */
extern bool gpuagg_is_harmless_input(const Query *query);

#endif							/* GPUAGG_PLANNER_HARMLESS_QUERY_H */
