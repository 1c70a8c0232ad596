/*
 * tables.h
 *		A scan of several tables: which are read, by one task for those alike,
 *		and what becomes of their groups.
 */
#ifndef GPUAGG_NODE_TABLES_H
#define GPUAGG_NODE_TABLES_H

#include "postgres.h"

#include "executor/execPartition.h"
#include "node/scan/scan.h"

/* One of them */
typedef struct GpuAggTable
{
	GpuAggTaskTable task;
	int			program;
	uint32		seed;			/* Its sample's, if that is not REPEATABLE. */
} GpuAggTable;

/* A program, and the states of its runtime constants */
typedef struct GpuAggTableProgram
{
	GpuAggPlanInfo *info;
	List	   *runtime;
	List	   *params;
} GpuAggTableProgram;

struct GpuAggTables
{
	int			ntables;		/* Tables that may be read by this execution. */
	GpuAggTable *tables;
	int			nprograms;
	GpuAggTableProgram *programs;
	bool		shared;			/* Tables of a program have one task. */
	PartitionPruneState *prune; /* NULL: tables are read whatever parameters are. */
	int			pruned;			/* Tables that were left out while planning. */
	int			removed;		/* Tables that were left out when execution began. */

	/* All tables, as planned */
	double		est_rows;
	double		est_passed;
	double		est_groups;

	/* The last run */
	uint64		nblocks;		/* Blocks of all tables. */
	int			tasks;
};

/* For gpuagg_scan_begin: scan->tables, and what the scan has of the first table. */
extern void gpuagg_tables_begin(GpuAggScan *scan, List *exprs, EState *estate, int eflags);

/*
 * Runs tasks of the tables that are to be read, or the one task of a scan of one table; their
 * groups are in scan->results, and *tally, which is zero before, tells what was done.
 */
extern GpuAggStatus gpuagg_tables_run(GpuAggScan *scan, GpuAggTally *tally,
									  GpuAggError *error);

/* Makes the fallback plan, which has been initialised, draw the same samples. */
extern void gpuagg_tables_lend_seeds(GpuAggScan *scan);

extern void gpuagg_tables_end(GpuAggScan *scan);

#endif							/* GPUAGG_NODE_TABLES_H */
