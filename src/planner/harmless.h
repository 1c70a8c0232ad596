/*
 * harmless.h
 *		Can evaluating an expression raise an error that depends on its columns?
 */
#ifndef GPUAGG_PLANNER_HARMLESS_H
#define GPUAGG_PLANNER_HARMLESS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* True: surely not */
extern bool gpuagg_is_harmless(Node *expr);

/* The same of what is made of these, none of which raises one */
extern bool gpuagg_is_harmless_above(Node *expr, List *outputs);

/* A node that raises none itself: only what it is made of may */
extern bool gpuagg_fails_by_its_parts(const Node *node);

/* Of an integer to numeric: of different ones differ, and there is no error */
extern bool gpuagg_is_integer_cast(Oid function);

#endif							/* GPUAGG_PLANNER_HARMLESS_H */
