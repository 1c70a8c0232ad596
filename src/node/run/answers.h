/*
 * answers.h
 *		What a scan's answers are kept in: groups, or the rows that are chosen.
 */
#ifndef GPUAGG_NODE_ANSWERS_H
#define GPUAGG_NODE_ANSWERS_H

#include "postgres.h"

#include "node/scan/scan.h"

/* An empty store for groups of a device: the query's, or finer ones */
extern GpuAggResults *gpuagg_scan_task_results(const GpuAggScan *scan);

/* Begins such a store, in the place of what was answered before. */
extern void gpuagg_scan_open_results(GpuAggScan *scan);

/* Takes back what was answered behind a mark. */
extern void gpuagg_scan_cut(GpuAggScan *scan, const GpuAggStoreMark *mark);

/* Takes back all that was answered. */
extern void gpuagg_scan_forget(GpuAggScan *scan);

/* The next row that is asked for is the first. */
extern void gpuagg_scan_rewind(GpuAggScan *scan);

/* The store's groups, of several tasks, merged, in a store of their own: so many */
extern GpuAggStatus gpuagg_scan_merge(GpuAggScan *scan, uint64 *merged, GpuAggError *error);

#endif							/* GPUAGG_NODE_ANSWERS_H */
