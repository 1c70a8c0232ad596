/*
 * long_rows.h
 *		Groups whose keys are numerics that devices have no form of.
 */
#ifndef GPUAGG_NODE_LONG_ROWS_H
#define GPUAGG_NODE_LONG_ROWS_H

#include "postgres.h"

#include "node/scan/scan.h"

/* The next of these groups, as the fallback plan gives it; NULL: no more */
extern TupleTableSlot *gpuagg_long_rows_next(GpuAggScan *scan);

/* Before they are read again, or others are there */
extern void gpuagg_long_rows_end(GpuAggScan *scan);

#endif							/* GPUAGG_NODE_LONG_ROWS_H */
