/*
 * plan_text.h
 *		A statement's text planned, without running it, for functions that tell of plans.
 */
#ifndef GPUAGG_FUNCTIONS_PLAN_TEXT_H
#define GPUAGG_FUNCTIONS_PLAN_TEXT_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The query inside a utility statement that has one, as EXPLAIN does; NULL: there is none. */
extern Query *gpuagg_inner_query(Query *query);

/*
 * The plans, a List of PlannedStmt, of what the one statement in the text is rewritten to; of
 * EXPLAIN and the like, of the query inside.  $1, $2 ... may stand in it.  As for EXPLAIN,
 * the user must be allowed to run it.  Errors point into the text, and name the function
 * that took it.
 */
extern List *gpuagg_plan_text(const char *text, const char *function);

#endif							/* GPUAGG_FUNCTIONS_PLAN_TEXT_H */
