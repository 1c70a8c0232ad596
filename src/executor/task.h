/*
 * task.h
 *		One run of a device task, from begin to the last answer.
 */
#ifndef GPUAGG_EXECUTOR_TASK_H
#define GPUAGG_EXECUTOR_TASK_H

#include "postgres.h"

#include "executor/scan.h"

/*
 * Scans nblocks blocks of the scan's table on the device with a bound
 * program, and leaves the groups in scan->results, or the chosen rows in
 * scan->chosen, and the figures in scan->counters.  Synchronous: when it returns, or raises an error, no task,
 * slot or pin is left.  A status other than GPUAGG_OK: the results are of no
 * use; the host device (host = true: only on that one) or PostgreSQL's plan
 * has to answer.
 */
extern GpuAggStatus gpuagg_task_run(GpuAggScan *scan,
									const GpuAggProgram *program,
									BlockNumber nblocks, bool host,
									GpuAggError *error);

/*
 * Did a GPU fail the task in a way that the host device may not?  Tells of
 * the last gpuagg_task_run.
 */
extern bool gpuagg_task_redoable(const GpuAggScan *scan,
								 GpuAggStatus status);

#endif							/* GPUAGG_EXECUTOR_TASK_H */
