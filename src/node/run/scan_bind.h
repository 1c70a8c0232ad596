/*
 * scan_bind.h
 *		The program of a run, with its runtime constants and look-up tables.
 */
#ifndef GPUAGG_NODE_SCAN_BIND_H
#define GPUAGG_NODE_SCAN_BIND_H

#include "postgres.h"

#include "node/scan/scan.h"

/*
 * The program for a task of a device; NULL: see error.  All look-up tables are in it if `here` is
 * set; else a device may make some, and several cards that share the task have programs of their
 * own (GpuAggSpread).  The tables of an empty table's joins are not made.  No block need be read,
 * *nblocks is 0, if nothing can be joined.  In the current memory context.
 */
extern GpuAggProgram *gpuagg_scan_bind(GpuAggScan *scan, int device, BlockNumber *nblocks,
									   bool here, GpuAggError *error);

#endif							/* GPUAGG_NODE_SCAN_BIND_H */
