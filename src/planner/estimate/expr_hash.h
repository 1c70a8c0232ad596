/*
 * expr_hash.h
 *		By what expressions are remembered from one statement to another.
 */
#ifndef GPUAGG_PLANNER_EXPR_HASH_H
#define GPUAGG_PLANNER_EXPR_HASH_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * A hash of expressions over the table, the same wherever they stand in a query, in any
 * order; 0: of none, or of some whose values are not known yet
 */
extern uint64 gpuagg_exprs_hash(List *exprs, Index relid);

#endif							/* GPUAGG_PLANNER_EXPR_HASH_H */
