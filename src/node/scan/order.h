/*
 * order.h
 *		What a task is to do, settled before it begins, and how it fared.
 *
 * A demand is made of devices for a part of what a scan is asked: who knows which tables are to be
 * read, and by which plan, makes it.  It becomes an order when it is known how much there is to
 * read, which device does it, and with which values.  Both go down the steps of a run and are
 * changed by none: who wants something else, as for another try or for one of several cards, makes
 * another one.
 */
#ifndef GPUAGG_NODE_ORDER_H
#define GPUAGG_NODE_ORDER_H

#include "postgres.h"

#include "node/scan/scan.h"

/* What the planner expects of the tables of a task */
typedef struct GpuAggExpected
{
	double		rows;
	double		passed;			/* Of these, rows that pass the filter. */
	double		groups;
} GpuAggExpected;

typedef struct GpuAggDemand
{
	const GpuAggPlanInfo *info;
	List	   *runtime;		/* ExprStates of the plan's runtime constants. */
	List	   *params;			/* ExprStates of the parameters in them. */

	/* Tables that are read one after the other; they have the same program */
	int			ntables;
	GpuAggScanTable *const *tables;

	GpuAggExpected expected;
	uint32		seed;			/* The sample's, if that is not REPEATABLE. */
	bool		whole;			/* It is all that is done in the run. */
	GpuAggFound *found;			/* Where the answers go. */
} GpuAggDemand;

/* What a task reads of a table */
typedef struct GpuAggTaskTable
{
	Relation	rel;			/* NULL: rows of a plan. */
	Plan	   *row_plan;		/* GpuAgg's row plan. */
	GpuAggRows **rows;			/* What evaluates its rows; *rows: NULL until needed. */
	BlockNumber nblocks;		/* All of its blocks. */

	/* Blocks that the task reads: all, unless several tasks share the table (spread.h) */
	BlockNumber first;
	BlockNumber end;			/* The one behind the last. */
} GpuAggTaskTable;

typedef struct GpuAggOrder
{
	const GpuAggDemand *demand;
	const GpuAggProgram *program;	/* It is bound: it has constants and look-up tables. */
	int			device;			/* The device at work that gets the task. */
	bool		host;			/* It is for the host device behind that one. */
	bool		uncached;		/* It must do without the column cache. */
	bool		moved;			/* A GPU has failed it, or another task of the run. */
	bool		whole;			/* It is all that is done in the run. */
	GpuAggAnswer answer;		/* Groups that are wanted. */
	GpuAggSampleTaken sample;

	/* Tables that are read one after the other */
	int			nread;
	const GpuAggTaskTable *read;
	BlockNumber nblocks;		/* Blocks of these together. */
} GpuAggOrder;

typedef struct GpuAggOutcome
{
	bool		on_gpu;			/* A GPU was to do it. */
	bool		cached;			/* The column cache was asked for. */
	bool		met_long;		/* It met a value that can only be kept beside all groups. */
} GpuAggOutcome;

/* What a scan demands, of its one table; of several, there is none in it yet (tables.h). */
extern void gpuagg_demand_begin(const GpuAggScan *scan, GpuAggFound *found, GpuAggDemand *demand);

extern GpuAggExpected gpuagg_demand_expected(const GpuAggPlanInfo *info);

/*
 * An order that wants what the demand does.  Nothing is known yet of a device, of values, and of
 * how many blocks there are: the tables are returned, for their blocks to be counted.  In the
 * current memory context.
 */
extern GpuAggTaskTable *gpuagg_order_begin(const GpuAggDemand *demand, GpuAggOrder *order);

#endif							/* GPUAGG_NODE_ORDER_H */
