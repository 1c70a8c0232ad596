/*
 * lookup_windows.h
 *		Runs of a scan one after the other, each with a part of a look-up table that is
 *		larger than memory.
 */
#ifndef GPUAGG_NODE_LOOKUP_WINDOWS_H
#define GPUAGG_NODE_LOOKUP_WINDOWS_H

#include "postgres.h"

#include "node/scan/order.h"

/* Runs all tasks of the demand, for each window.  *place, *tally: as gpuagg_parts_run() */
extern GpuAggStatus gpuagg_windows_run(const GpuAggScan *scan, const GpuAggDemand *demand,
									   GpuAggPlace *place, GpuAggTally *tally, GpuAggError *error);

#endif							/* GPUAGG_NODE_LOOKUP_WINDOWS_H */
