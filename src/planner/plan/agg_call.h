/*
 * agg_call.h
 *		Calls of aggregates that the planner makes itself.
 *
 * All that a plan computes beside what the query asks for is made here, so that
 * no call has one function and the types of another: an executor makes a state's
 * first value by its transition type.
 */
#ifndef GPUAGG_PLANNER_AGG_CALL_H
#define GPUAGG_PLANNER_AGG_CALL_H

#include "postgres.h"

#include "nodes/primnodes.h"

/*
 * A plain call of an aggregate of one argument, or of none (count(*)) if arg is NULL, by rows
 * that pass the filter, if any, under the argument's collation.  The function's result and
 * transition types must not be polymorphic.
 */
extern Aggref *gpuagg_agg_call(Oid function, Expr *arg, Expr *filter);

/* The query's call, whose types the parser has resolved, with another argument and filter */
extern Aggref *gpuagg_agg_call_of(const Aggref *agg, Expr *arg, Expr *filter);

#endif
