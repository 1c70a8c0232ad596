/*
 * scan_bind.h
 *		The program of a run, with its runtime constants and look-up tables.
 */
#ifndef GPUAGG_NODE_SCAN_BIND_H
#define GPUAGG_NODE_SCAN_BIND_H

#include "postgres.h"

#include "node/scan/order.h"

typedef struct GpuAggBinding
{
	GpuAggProgram *program;
	GpuAggProgram *cards[GPUAGG_MAX_CARDS]; /* A card's own; NULL: the one of all. */
	GpuAggProbes probes;		/* Its look-ups. */
	bool		nothing;		/* No row can be joined: no block need be read. */
} GpuAggBinding;

/*
 * The program for tasks of an order, on its device, or on the cards of the place; false: see
 * error.  All look-up tables are in it if `here` is set; else a device may make some, and several
 * cards that share the task have programs of their own.  The tables of an empty table's joins are
 * not made.  In the current memory context.
 */
extern bool gpuagg_scan_bind(const GpuAggScan *scan, const GpuAggOrder *order,
							 const GpuAggPlace *place, bool here, GpuAggBinding *binding,
							 GpuAggError *error);

#endif							/* GPUAGG_NODE_SCAN_BIND_H */
