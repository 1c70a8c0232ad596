/*
 * lookup_table.h
 *		Look-up tables of rows that the backend has read.
 */
#ifndef GPUAGG_NODE_LOOKUP_TABLE_H
#define GPUAGG_NODE_LOOKUP_TABLE_H

#include "postgres.h"

#include "device/ops/lookup_make.h"
#include "ipc/errors.h"
#include "node/lookup/numbered.h"
#include "planner/plan/plan.h"

/* Rows as columns, by the plan's: GpuAggBytes, int64 or double, and 1 where NULL */
typedef struct GpuAggLookupColumns
{
	const GpuAggLookupPlan *plan;
	uint64		nrows;
	uint64		filters;		/* As GpuAggLookupRows has it. */
	void	   *values[GPUAGG_LOOKUP_MAX_COLUMNS];
	uint8	   *nulls[GPUAGG_LOOKUP_MAX_COLUMNS];
} GpuAggLookupColumns;

/* Is its number in the column's place? */
extern bool gpuagg_lookup_is_numbered(const GpuAggLookupPlan *plan, int column);

/* The class of a column as it is in the table */
extern GpuAggClass gpuagg_lookup_column_class(const GpuAggLookupPlan *plan, int column);

/*
 * The table, in the context, of `limit` bytes at most.  NULL: it is larger, or its keys are
 * not unique where they must be.  Key columns that share a word are joined in place.
 */
extern const GpuAggLookup *gpuagg_lookup_table(GpuAggLookupColumns *columns, MemoryContext context,
											   Size limit, GpuAggError *error);

/*
 * The table that finds numbers of the values of a key column: each of these once.  The
 * column's numbers become those of its rows.
 */
extern const GpuAggLookup *gpuagg_lookup_helper(GpuAggLookupColumns *columns, int column,
												const GpuAggNumbered *numbers,
												MemoryContext context, Size limit,
												GpuAggError *error);

/* What is said of rows or tables for which memory does not suffice */
extern GpuAggStatus gpuagg_lookup_too_large(GpuAggError *error);

#endif							/* GPUAGG_NODE_LOOKUP_TABLE_H */
