/*
 * tables.h
 *		A scan of several tables: which are read, by one task for those alike,
 *		and what becomes of their groups.
 */
#ifndef GPUAGG_NODE_TABLES_H
#define GPUAGG_NODE_TABLES_H

#include "postgres.h"

#include "executor/execPartition.h"
#include "node/scan/order.h"

/* One of them */
typedef struct GpuAggTable
{
	GpuAggScanTable table;
	int			program;
	uint32		seed;			/* Its sample's, if that is not REPEATABLE. */
} GpuAggTable;

/* A program, and the states of its runtime constants */
typedef struct GpuAggTableProgram
{
	const GpuAggPlanInfo *info;
	List	   *runtime;
	List	   *params;
} GpuAggTableProgram;

struct GpuAggTables
{
	int			ntables;		/* Tables that may be read by this execution. */
	GpuAggTable *tables;
	int			nprograms;
	GpuAggTableProgram *programs;
	int			nruntime;		/* Runtime constants of all programs. */
	bool		shared;			/* Tables of a program have one task. */
	PartitionPruneState *prune; /* NULL: tables are read whatever parameters are. */
	int			pruned;			/* Tables that were left out while planning. */
	int			removed;		/* Tables that were left out when execution began. */
};

/* Of a plan of several tables, which are opened; exprs: those that a node has of it */
extern const GpuAggTables *gpuagg_tables_begin(PlanState *ps, List *exprs, EState *estate,
											   int eflags);

/*
 * Runs tasks of the tables that are to be read, or the one task of a scan of one table.  *place,
 * *tally: as gpuagg_parts_run()
 */
extern GpuAggStatus gpuagg_tables_run(const GpuAggScan *scan, const GpuAggDemand *demand,
									  GpuAggPlace *place, GpuAggTally *tally, GpuAggError *error);

/* Makes the fallback plan, which has been initialised, draw the same samples. */
extern void gpuagg_tables_lend_seeds(const GpuAggTables *tables, PlanState *fallback);

extern void gpuagg_tables_end(const GpuAggTables *tables);

#endif							/* GPUAGG_NODE_TABLES_H */
