/*
 * harmless.h
 *		Can evaluating an expression raise an error that depends on its columns?
 */
#ifndef GPUAGG_PLANNER_HARMLESS_H
#define GPUAGG_PLANNER_HARMLESS_H

#include "postgres.h"

#include "nodes/nodes.h"

/* True: surely not */
extern bool gpuagg_is_harmless(Node *expr);

/* Of an integer to numeric: of different ones differ, and there is no error */
extern bool gpuagg_is_integer_cast(Oid function);

/* The operator by itself, or = of a DistinctExpr */
extern bool gpuagg_operator_is_harmless(OpExpr *expr);

#endif							/* GPUAGG_PLANNER_HARMLESS_H */
