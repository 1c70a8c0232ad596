/*
 * table_finder.h
 *		How the rows of a look-up table are going to be found (device/ops/lookup_make.h).
 */
#ifndef GPUAGG_PLANNER_TABLE_FINDER_H
#define GPUAGG_PLANNER_TABLE_FINDER_H

#include "postgres.h"

#include "planner/lower/lower.h"

typedef enum GpuAggFinder
{
	GPUAGG_FINDER_UNKNOWN,		/* statistics do not tell; slots, if it has to be one of both */
	GPUAGG_FINDER_SLOTS,		/* of a hash table */
	GPUAGG_FINDER_BITS			/* of integers that lie close together */
} GpuAggFinder;

/* Of a table of so many rows; *bytes: of what finds them */
extern GpuAggFinder gpuagg_table_finder(PlannerInfo *root, const GpuAggLookupLower *lookup,
										double rows, double *bytes);

#endif							/* GPUAGG_PLANNER_TABLE_FINDER_H */
