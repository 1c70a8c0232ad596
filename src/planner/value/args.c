/*
 * args.c
 *		Arguments of functions, operators and aggregates, by number.
 */
#include "postgres.h"

#include "nodes/pg_list.h"
#include "planner/value/args.h"

static SetToDefault no_argument = {
	.xpr.type = T_SetToDefault,
	.typeMod = -1,
	.location = -1
};

void *
gpuagg_arg(const List *args, int number)
{
	return number < list_length(args) ? list_nth(args, number) : &no_argument;
}

void *
gpuagg_agg_arg(const Aggref *agg, int number)
{
	return number < list_length(agg->args) ?
		(void *) list_nth_node(TargetEntry, agg->args, number)->expr : &no_argument;
}
