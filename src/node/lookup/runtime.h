/*
 * runtime.h
 *		Values of runtime constants.
 */
#ifndef GPUAGG_NODE_RUNTIME_H
#define GPUAGG_NODE_RUNTIME_H

#include "postgres.h"

#include "ipc/errors.h"
#include "nodes/execnodes.h"
#include "planner/plan/plan.h"

/* Makes ready expressions, and the parameters in them. */
extern void gpuagg_runtime_init(PlanState *ps, List *exprs, List **runtime, List **params);

/* The parameters are evaluated, before the expressions. */
extern void gpuagg_runtime_params(List *params, ExprContext *econtext);

/*
 * Evaluates the expressions of a program's runtime constants, in their order, into
 * values and isnull.  A status other than GPUAGG_OK ends the device's turn.
 */
extern GpuAggStatus gpuagg_runtime_values(List *exprs, const GpuAggRuntimeConst *runtime,
										  const GpuAggProgram *program, ExprContext *econtext,
										  Datum *values, bool *isnull, GpuAggError *error);

#endif							/* GPUAGG_NODE_RUNTIME_H */
