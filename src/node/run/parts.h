/*
 * parts.h
 *		A grouping in parts (planner/plan/regroup_parts.h): a task for each, whose groups are
 *		made into the query's, and then merged.
 */
#ifndef GPUAGG_NODE_PARTS_H
#define GPUAGG_NODE_PARTS_H

#include "postgres.h"

#include "node/scan/order.h"

/* When the plan is unpacked, of one table */
extern const GpuAggParts *gpuagg_parts_begin(const GpuAggScan *scan);

/*
 * The query's groups, into what the scan's demand has found, which is empty; also where there are
 * no parts.  *place is where tasks go, and is changed if they go elsewhere; *tally is zero before.
 */
extern GpuAggStatus gpuagg_parts_run(const GpuAggScan *scan, const GpuAggDemand *demand,
									 GpuAggPlace *place, GpuAggTally *tally, GpuAggError *error);

extern void gpuagg_parts_end(const GpuAggParts *parts);

#endif							/* GPUAGG_NODE_PARTS_H */
