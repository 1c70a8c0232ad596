/*
 * leftover.h
 *		Which rows of a scan's task a copy of the fallback plan can be given, to join them
 *		(joined_rows.h) or to make groups of them (long_rows.h).
 */
#ifndef GPUAGG_NODE_LEFTOVER_H
#define GPUAGG_NODE_LEFTOVER_H

#include "postgres.h"

#include "node/scan/scan.h"

/* May single rows be joined? */
extern bool gpuagg_leftover_joined(const GpuAggScan *scan);

/* Range table indexes of what is read: the table, or its partitions. */
extern Bitmapset *gpuagg_leftover_tables(const GpuAggScan *scan);

/*
 * Range table indexes of the tables that the fallback plan can be given rows of, to make groups of
 * them; in the current memory context
 */
extern Bitmapset *gpuagg_leftover_given(const GpuAggScan *scan);

/*
 * For which of the keys that groups of this plan have, as bits, may rows of the table that a row
 * plan scans make groups?
 */
extern uint32 gpuagg_leftover_keys(const GpuAggScan *scan, const GpuAggPlanInfo *info,
								   const Plan *row_plan);

#endif							/* GPUAGG_NODE_LEFTOVER_H */
