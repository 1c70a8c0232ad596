/*
 * task.h
 *		One run of a device task, from begin to the last group.
 */
#ifndef GPUAGG_EXECUTOR_TASK_H
#define GPUAGG_EXECUTOR_TASK_H

#include "postgres.h"

#include "executor/agg_node.h"

/*
 * Scans nblocks blocks of the node's table on the device with a bound
 * program, and leaves the groups in node->results and the figures in
 * node->counters.  Synchronous: when it returns, or raises an error, no task,
 * slot or pin is left.  A status other than GPUAGG_OK: the results are of no
 * use; the host device (host = true: only on that one) or PostgreSQL's plan
 * has to answer.
 */
extern GpuAggStatus gpuagg_task_run(GpuAggScanState *node,
									const GpuAggProgram *program,
									BlockNumber nblocks, bool host,
									GpuAggError *error);

/*
 * Did a GPU fail the task in a way that the host device may not?  Tells of
 * the last gpuagg_task_run.
 */
extern bool gpuagg_task_redoable(const GpuAggScanState *node,
								 GpuAggStatus status);

#endif							/* GPUAGG_EXECUTOR_TASK_H */
