/*
 * args.h
 *		Arguments of functions, operators and aggregates, by number.
 *
 * Who asks for an argument need not know how many there are: beyond the end is
 * an expression that nothing supports and no type has, so every recogniser says
 * no to it.  PostgreSQL's linitial and lsecond would read from a list that is
 * empty, or too short; test/lib/lists says where they are allowed.
 */
#ifndef GPUAGG_PLANNER_ARGS_H
#define GPUAGG_PLANNER_ARGS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* The argument of this number, from 0; DEFAULT, of no type, where there is none. */
extern void *gpuagg_arg(const List *args, int number);

/* The argument of an aggregate; ORDER BY's expressions follow its arguments. */
extern void *gpuagg_agg_arg(const Aggref *agg, int number);

#endif
