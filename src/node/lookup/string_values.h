/*
 * string_values.h
 *		What a query asks of the strings of a join's input, computed of each of them once.
 */
#ifndef GPUAGG_NODE_STRING_VALUES_H
#define GPUAGG_NODE_STRING_VALUES_H

#include "postgres.h"

#include "device/ops/ops_lookup.h"
#include "ipc/errors.h"
#include "node/lookup/numbered.h"
#include "nodes/execnodes.h"
#include "planner/plan/plan.h"

/*
 * The table of values by the strings' numbers, in the current memory context, of `limit` bytes at
 * most;
 * exprs: ExprStates of the table's columns behind its key.  NULL: *error tells.
 */
extern const GpuAggLookup *gpuagg_string_values(const GpuAggLookupPlan *plan, List *exprs,
												ExprContext *econtext,
												const GpuAggNumbered *numbers, Size limit,
												GpuAggError *error);

#endif							/* GPUAGG_NODE_STRING_VALUES_H */
