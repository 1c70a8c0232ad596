/*
 * table_cost.h
 *		How large look-up tables are expected to be, and what making them takes, by the profile.
 */
#ifndef GPUAGG_PLANNER_TABLE_COST_H
#define GPUAGG_PLANNER_TABLE_COST_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* Bytes of a row in a table besides its columns, as the slots of a hash table take them */
#define GPUAGG_TABLE_ROW_BYTES 16.0

/* Bytes of the table: at least as many as it will have, if its rows are estimated well */
extern double gpuagg_table_bytes(const GpuAggLookupLower *lookup);

/* While a device makes it */
extern double gpuagg_table_made_bytes(PlannerInfo *root, const GpuAggLookupLower *lookup);

/* ns of so many rows that the backend has into a table, with the tables that number its keys */
extern double gpuagg_table_read_ns(PlannerInfo *root, const GpuAggLookupLower *lookup, double rows);

/*
 * ns of a table of so many rows, as the backend would read them, that the device makes by the
 * program, of columns of the input that it keeps; if it may still have it of an earlier statement,
 * of looking whether it is as it was
 */
extern double gpuagg_table_made_ns(PlannerInfo *root, const GpuAggLookupLower *lookup,
								   const RelOptInfo *input, const GpuAggProgram *program,
								   double rows);

/* ns of what PostgreSQL computes of strings (lower_string.c) */
extern double gpuagg_table_values_ns(const GpuAggLookupLower *lookup);

#endif							/* GPUAGG_PLANNER_TABLE_COST_H */
