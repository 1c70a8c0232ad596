/*
 * regroup_run.h
 *		The query's groups, made of finer ones that a device has returned
 *		(planner/plan/regroup.h).
 */
#ifndef GPUAGG_NODE_REGROUP_RUN_H
#define GPUAGG_NODE_REGROUP_RUN_H

#include "postgres.h"

#include "node/scan/order.h"

/*
 * What the device may make of the groups that a task answers: nothing, if that is not the whole
 * of the work, or if only regroup_run can.
 */
extern void gpuagg_regroup_wish(const GpuAggPlanInfo *info, bool whole, GpuAggRegrouping *wish);

/* And whether it may merge groups that hold no row that an order asks for; no fractions: not */
extern void gpuagg_regroup_order_wish(const GpuAggScan *scan, const GpuAggPlanInfo *info,
									  bool whole, const GpuAggAnswer *answer,
									  GpuAggOrdered *wish);

/*
 * It has: what was found becomes an empty store for the query's groups.  A status other than
 * GPUAGG_OK: that may not be.
 */
extern GpuAggStatus gpuagg_regroup_done(const GpuAggScan *scan, const GpuAggDemand *demand,
										GpuAggError *error);

/*
 * Puts the query's groups in the place of the device's, in what the demand has found, and adds how
 * many to *made.  A status other than GPUAGG_OK: only PostgreSQL can make them.
 */
extern GpuAggStatus gpuagg_regroup_run(const GpuAggScan *scan, const GpuAggDemand *demand,
									   uint64 *made, GpuAggError *error);

#endif							/* GPUAGG_NODE_REGROUP_RUN_H */
