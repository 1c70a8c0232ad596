/*
 * regroup_run.h
 *		The query's groups, made of finer ones that a device has returned
 *		(planner/plan/regroup.h).
 */
#ifndef GPUAGG_NODE_REGROUP_RUN_H
#define GPUAGG_NODE_REGROUP_RUN_H

#include "postgres.h"

#include "node/scan/scan.h"

/* An empty store for the query's groups, if they are made of a device's; its program */
extern GpuAggResults *gpuagg_regroup_made_store(const GpuAggScan *scan, GpuAggProgram **program);

/* An empty store for what the device returns, if its groups are regrouped */
extern GpuAggResults *gpuagg_regroup_store(const GpuAggScan *scan);

/*
 * What the device may make of the groups that a task answers: nothing, if that is not the whole
 * of the work, or if only regroup_run can.
 */
extern void gpuagg_regroup_wish(const GpuAggScan *scan, bool whole, const GpuAggAnswer *answer,
								GpuAggRegrouping *wish);

/*
 * It has: scan->results becomes an empty store for the query's groups.  A status other than
 * GPUAGG_OK: that may not be.
 */
extern GpuAggStatus gpuagg_regroup_done(GpuAggScan *scan, GpuAggError *error);

/*
 * Puts the query's groups in the place of the device's, in scan->results, and adds how many to
 * *made.  A status other than GPUAGG_OK: only PostgreSQL can make them.
 */
extern GpuAggStatus gpuagg_regroup_run(GpuAggScan *scan, uint64 *made, GpuAggError *error);

#endif							/* GPUAGG_NODE_REGROUP_RUN_H */
