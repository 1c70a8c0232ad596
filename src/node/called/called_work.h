/*
 * called_work.h
 *		Values of an expression for some strings.
 */
#ifndef GPUAGG_NODE_CALLED_WORK_H
#define GPUAGG_NODE_CALLED_WORK_H

#include "postgres.h"

#include "ipc/errors.h"
#include "ipc/protocol.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"

typedef struct GpuAggCalledWork GpuAggCalledWork;

/* The expression of a string that is given in place of a CASE's tested value */
extern GpuAggCalledWork *gpuagg_called_work_begin(Expr *expr, ExprContext *econtext);
extern void gpuagg_called_work_end(GpuAggCalledWork *work);

/*
 * A STRINGS message, of so many bytes, becomes the ROWS message of the strings' values: also of
 * those that are errors, or that devices have no form of.  VALUE_ERROR: they cannot be computed
 * now; DEVICE_FAULT: it is no such message.
 */
extern GpuAggStatus gpuagg_called_compute(GpuAggCalledWork *work, const GpuAggMsg *strings,
										  Size bytes, StringInfo values, GpuAggError *error);

#endif							/* GPUAGG_NODE_CALLED_WORK_H */
