/*
 * plan_rows.h
 *		The rows of a plan of PostgreSQL's below GpuAgg, as blocks of columns for a device.
 */
#ifndef GPUAGG_NODE_PLAN_ROWS_H
#define GPUAGG_NODE_PLAN_ROWS_H

#include "postgres.h"

#include "ipc/client.h"
#include "node/result/long_values.h"
#include "nodes/execnodes.h"

typedef struct GpuAggPlanRows GpuAggPlanRows;

/*
 * Initialises the plan, whose target list is the outputs of the program, as a child of the
 * node.  Lives in the current memory context.
 */
extern GpuAggPlanRows *gpuagg_plan_rows_begin(CustomScanState *css, Plan *plan, int eflags,
											  const GpuAggPlanInfo *info);

/*
 * From the first row on, for a task with this program.  Evaluates a first block, before any
 * task of ours has begun: what the plan sorts, hashes or groups it does here.  All blocks, if
 * the plan may need a task of its own for one of them.  Numerics that devices have no form of
 * go to `longs`, unless that is NULL.
 */
extern GpuAggStatus gpuagg_plan_rows_start(GpuAggPlanRows *rows, const GpuAggProgram *program,
										   GpuAggLongValues *longs, GpuAggError *error);

/*
 * Sends the next block, if there is one; *sent tells.  PostgreSQL's own errors are raised.
 * A status other than GPUAGG_OK: a value that does not fit a device, or the worker is gone.
 */
extern GpuAggStatus gpuagg_plan_rows_send(GpuAggPlanRows *rows, GpuAggClient *client,
										  uint64 batch_id, bool *sent, GpuAggError *error);

/* A block has been consumed. */
extern void gpuagg_plan_rows_done(GpuAggPlanRows *rows, uint64 batch_id);

/* The task is over. */
extern void gpuagg_plan_rows_stop(GpuAggPlanRows *rows);

/* Rows given since the start */
extern uint64 gpuagg_plan_rows_given(const GpuAggPlanRows *rows);

extern void gpuagg_plan_rows_rescan(GpuAggPlanRows *rows, const Bitmapset *changed);
extern void gpuagg_plan_rows_end(GpuAggPlanRows *rows);

#endif							/* GPUAGG_NODE_PLAN_ROWS_H */
