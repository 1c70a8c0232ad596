/*
 * scan_bind.h
 *		The program of a run, with its runtime constants and look-up tables.
 */
#ifndef GPUAGG_NODE_SCAN_BIND_H
#define GPUAGG_NODE_SCAN_BIND_H

#include "postgres.h"

#include "node/scan/scan.h"

typedef struct GpuAggBinding
{
	GpuAggProgram *program;
	GpuAggProgram *cards[GPUAGG_MAX_CARDS]; /* A card's own; NULL: the one of all. */
	GpuAggProbes probes;		/* Its look-ups. */
} GpuAggBinding;

/*
 * The program for a task of a device; false: see error.  All look-up tables are in it if `here` is
 * set; else a device may make some, and several cards that share the task have programs of their
 * own.  The tables of an empty table's joins are not made.  No block need be read, *nblocks is 0,
 * if nothing can be joined.  In the current memory context.
 */
extern bool gpuagg_scan_bind(GpuAggScan *scan, int device, BlockNumber *nblocks, bool here,
							 GpuAggBinding *binding, GpuAggError *error);

#endif							/* GPUAGG_NODE_SCAN_BIND_H */
