/*
 * harmless.h
 *		Can evaluating an expression raise an error that depends on its columns?
 */
#ifndef GPUAGG_PLANNER_HARMLESS_H
#define GPUAGG_PLANNER_HARMLESS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* True: surely not */
extern bool gpuagg_is_harmless(Node *expr);

/* gpuagg_is_harmless of what is made of these, none of which raises one */
extern bool gpuagg_is_harmless_above(Node *expr, List *outputs);

/*
 * gpuagg_is_harmless of an aggregate: the extremes, sums and averages of integers and of numerics
 * that cannot overflow, AND and OR.  All of these are NULL of no rows.
 */
extern bool gpuagg_is_harmless_aggregate(const Aggref *agg);

/*
 * Digits before the point that the value of an expression of numerics has at most; -1: any number.
 * An upper bound as a typmod, of a column that has none; -1: there is none.
 */
extern int	gpuagg_whole_digits(Node *expr);
extern int32 gpuagg_typmod_of_digits(int digits);

/* Can values of the expression be compared and hashed without an error? */
extern bool gpuagg_is_comparable(Node *expr);

/* A node that raises none itself: only what it is made of may */
extern bool gpuagg_fails_by_its_parts(const Node *node);

/* Of an integer to numeric: of different ones differ, and there is no error */
extern bool gpuagg_is_integer_cast(Oid function);

#endif							/* GPUAGG_PLANNER_HARMLESS_H */
