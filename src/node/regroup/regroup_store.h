/*
 * regroup_store.h
 *		Stores of the groups that regrouping reads and makes.
 */
#ifndef GPUAGG_NODE_REGROUP_STORE_H
#define GPUAGG_NODE_REGROUP_STORE_H

#include "postgres.h"

#include "access/attnum.h"
#include "node/result/results.h"
#include "node/scan/scan.h"

/*
 * Outputs of the device's groups: keys that expressions read or sorts take, and those that
 * results.c has to check.  Returns their number; read[i] is the key that the i-th is,
 * from 1, or 0; sorted[i] is the place of the i-th key.
 */
extern int	gpuagg_regroup_device_outputs(const GpuAggRegroup *plan, const GpuAggProgram *device,
										  GpuAggOutput *outputs, AttrNumber *read, int *sorted);

/* An empty store for what the device returns, if its groups are regrouped */
extern GpuAggResults *gpuagg_regroup_store(const GpuAggScan *scan, const GpuAggPlanInfo *info);

/* An empty store for the query's groups, if they are made of a device's; its program */
extern GpuAggResults *gpuagg_regroup_made_store(const GpuAggScan *scan, const GpuAggPlanInfo *info,
												GpuAggProgram **program);

/* An empty store for the query's groups, of this program, with so many bytes of memory */
extern GpuAggResults *gpuagg_regroup_made_of(const GpuAggScan *scan, const GpuAggPlanInfo *info,
											 const GpuAggProgram *program, Size limit);

#endif							/* GPUAGG_NODE_REGROUP_STORE_H */
