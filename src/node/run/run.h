/*
 * run.h
 *		What the nodes GpuAgg and GpuSample call of their scan: begin, run, rescan, end.
 */
#ifndef GPUAGG_NODE_RUN_H
#define GPUAGG_NODE_RUN_H

#include "postgres.h"

#include "node/scan/scan.h"

/*
 * Unpacks the plan and makes ready what the device's constants and the sample
 * take of its custom_exprs, which exprs are.  rel NULL: of several tables, or of a plan's rows.
 */
extern void gpuagg_scan_begin(GpuAggScan *scan, Relation rel, List *exprs,
							  EState *estate, int eflags);

/*
 * Runs all of the work: on the device, if need be on the other one, else readies the
 * fallback plan.  Afterwards rows may be read from the start.
 */
extern void gpuagg_scan_run(GpuAggScan *scan);

/*
 * Rows are to be read again.  If parameters have changed that the rows depend
 * on, or "again" says so, the next row asked for runs another task.
 */
extern void gpuagg_scan_rescan(GpuAggScan *scan, bool again);

extern void gpuagg_scan_end(GpuAggScan *scan);

#endif							/* GPUAGG_NODE_RUN_H */
