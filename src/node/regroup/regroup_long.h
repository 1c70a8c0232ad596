/*
 * regroup_long.h
 *		Numerics that devices have no form of (long_values.h), where the query's groups are made
 *		of finer ones: from these to those.
 */
#ifndef GPUAGG_NODE_REGROUP_LONG_H
#define GPUAGG_NODE_REGROUP_LONG_H

#include "postgres.h"

#include "node/regroup/regroup_work.h"

/* Lets a store of finer groups keep what states of the query's groups take. */
extern void gpuagg_regroup_long_keep(const GpuAggPlanInfo *info, GpuAggResults *finer);

/* Rows that are kept as a whole beside finer groups go beside the query's. */
extern GpuAggStatus gpuagg_regroup_long_rows(GpuAggResults *finer, GpuAggResults *made,
											 GpuAggError *error);

/* What lies beside one of the device's groups goes beside the group that it is part of. */
extern GpuAggStatus gpuagg_regroup_long_enter(GpuAggRegroupWork *r, const char *row,
											  const char *group);

/*
 * What lies beside the device's finer groups goes beside all of the query's, which the device has
 * made by keys and states alone.
 */
extern GpuAggStatus gpuagg_regroup_long_made(const GpuAggPlanInfo *info, GpuAggResults *finer,
											 GpuAggResults *made, GpuAggError *error);

/* What lies beside groups of a part goes beside those that all parts are merged to. */
extern GpuAggStatus gpuagg_regroup_long_join(GpuAggResults *part, GpuAggResults *all,
											 GpuAggError *error);

#endif							/* GPUAGG_NODE_REGROUP_LONG_H */
