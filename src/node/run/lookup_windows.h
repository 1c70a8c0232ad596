/*
 * lookup_windows.h
 *		Runs of a scan one after the other, each with a part of a look-up table that is
 *		larger than memory.
 */
#ifndef GPUAGG_NODE_LOOKUP_WINDOWS_H
#define GPUAGG_NODE_LOOKUP_WINDOWS_H

#include "postgres.h"

#include "node/scan/scan.h"

/*
 * Runs all tasks of the scan, for each window; the groups are in scan->results.  *tally is zero
 * before.
 */
extern GpuAggStatus gpuagg_windows_run(GpuAggScan *scan, GpuAggTally *tally,
									   GpuAggError *error);

#endif							/* GPUAGG_NODE_LOOKUP_WINDOWS_H */
