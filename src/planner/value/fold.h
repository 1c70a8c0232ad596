/*
 * fold.h
 *		Constants computed as the planner will, before it does, without its errors.
 */
#ifndef GPUAGG_PLANNER_FOLD_H
#define GPUAGG_PLANNER_FOLD_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * An expression, a list of them, or a query with what is constant in it computed.  False: that
 * raises an error, which PostgreSQL raises only if somebody asks for the value; or it would call
 * functions that are not PostgreSQL's own.
 */
extern bool gpuagg_fold_constants(Node *node, Node **folded);

#endif							/* GPUAGG_PLANNER_FOLD_H */
