/*
 * parts.h
 *		A grouping in parts (planner/plan/regroup_parts.h): a task for each, whose groups are
 *		made into the query's, and then merged.
 */
#ifndef GPUAGG_NODE_PARTS_H
#define GPUAGG_NODE_PARTS_H

#include "postgres.h"

#include "node/scan/scan.h"

/* When the plan is unpacked, of one table */
extern void gpuagg_parts_begin(GpuAggScan *scan);

/* The query's groups into scan->results; also where there are no parts.  *tally is zero before. */
extern GpuAggStatus gpuagg_parts_run(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error);

/* Of a scan that has parts */
extern void gpuagg_parts_end(GpuAggScan *scan);

#endif							/* GPUAGG_NODE_PARTS_H */
