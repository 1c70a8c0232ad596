/*
 * scan.h
 *		The record of a scan that the nodes GpuAgg and GpuSample share: of one table, or of
 *		several, whose work a device does before the first row is returned.
 */
#ifndef GPUAGG_NODE_SCAN_H
#define GPUAGG_NODE_SCAN_H

#include "postgres.h"

#include "heap/scan_sample.h"
#include "ipc/errors.h"
#include "node/lookup/lookups.h"
#include "node/lookup/probes.h"
#include "node/result/key_rows.h"
#include "node/result/results.h"
#include "node/result/tid_store.h"
#include "node/row/plan_rows.h"
#include "node/row/rows.h"
#include "node/scan/tally.h"
#include "node/scan/wanted_groups.h"
#include "nodes/extensible.h"
#include "planner/plan/plan.h"
#include "portability/instr_time.h"
#include "settings.h"
#include "utils/relcache.h"

/* What EXPLAIN ANALYZE shows, of all runs of the node */
typedef struct GpuAggCounters
{
	GpuAggTally tally;			/* Sums over these runs. */
	instr_time	run_time;		/* In tasks, while timing: all but emitting groups. */
	GpuAggFallback fallback;	/* Why PostgreSQL's plan ran last, if it did. */
	char		fallback_message[GPUAGG_MESSAGE_BYTES];
} GpuAggCounters;

typedef struct GpuAggTables GpuAggTables;
typedef struct GpuAggParts GpuAggParts;
typedef struct GpuAggSharedRun GpuAggSharedRun;
typedef struct GpuAggCalled GpuAggCalled;

/* A table that tasks read */
typedef struct GpuAggScanTable
{
	Relation	rel;			/* NULL: rows of a plan. */
	Plan	   *row_plan;		/* GpuAgg's row plan. */
	/* What evaluates its rows: for a task, and for each card's where several share the table */
	GpuAggRows *rows[1 + GPUAGG_MAX_CARDS];	/* NULL until needed. */
} GpuAggScanTable;

/* Where the tasks of a run go (place.h) */
typedef struct GpuAggPlace
{
	bool		chosen;
	int			device;			/* The device at work that has each, unless it is spread. */
	int			ncards;			/* Cards that share each; 0: they are not spread. */
	int			cards[GPUAGG_MAX_CARDS];	/* The devices at work that these are. */
	uint32		been_on;		/* A set of devices that tasks were given to. */
	bool		moved;			/* A task went to another one, after one had failed. */
} GpuAggPlace;

/* What devices have answered, by the kind of the program: one of the first two is NULL */
typedef struct GpuAggFound
{
	GpuAggResults *results;		/* Groups. */
	GpuAggTidStore *tids;		/* Rows. */
	bool		regrouped;		/* The device has regrouped: results are the query's groups. */
	bool		ordered;		/* The device was asked for rows of an order (device/ordered.h). */
	uint64		made;			/* Groups that it has made by regrouping so far. */
	int			processes;		/* That have regrouped beside the backend. */
} GpuAggFound;

/*
 * The nodes write it, and run.c; a run below that reads it.  Must be first in a node's own state,
 * if it has one.
 */
typedef struct GpuAggScan
{
	CustomScanState css;
	const GpuAggPlanInfo *info; /* Of several tables, the first program's. */
	Oid			relid;			/* What the query names; InvalidOid: a UNION ALL. */
	Relation	rel;			/* The table; NULL: several, or rows of a plan. */

	/* One table, or rows of a plan */
	GpuAggScanTable *table;		/* NULL: there are several. */
	List	   *runtime;		/* ExprStates of the runtime constants. */
	List	   *params;			/* ExprStates of the parameters in them. */

	const GpuAggTables *tables; /* All tables, if there are several; NULL: one (tables.h). */
	const GpuAggParts *parts;	/* NULL: all is grouped at once (parts.h). */
	int			nruntime;		/* Runtime constants in custom_exprs, of all programs. */
	GpuAggSampleState sample;
	GpuAggWantedState wanted;
	GpuAggLookups *lookups;		/* NULL: nothing is joined. */
	GpuAggCalled *called;		/* What PostgreSQL computes of kept strings; NULL: nothing. */
	/* Reads columns that follow from keys, of groups that are returned; NULL: there are none. */
	GpuAggKeyRows *key_rows;

	/*
	 * Rows of a plan, which are grouped instead of a table's: rel is NULL then, and so is that of
	 * the table.  NULL: there is no such plan.
	 */
	GpuAggPlanRows *rows;

	int			eflags;			/* For plans that are initialised later. */
	ResourceOwner owner;		/* The query's. */

	/* The last run */
	bool		ran;			/* Rows may be returned. */
	GpuAggPlace place;
	GpuAggFound found;

	/* Groups of keys that devices have no form of (long_rows.h) */
	Bitmapset  *long_tables;	/* Tables of whose rows a plan makes them. */
	PlanState  *long_groups;	/* That plan; NULL until needed. */
	struct GpuAggLongScan *long_scans;	/* Its scans, by table: which row is next. */

	bool		falling_back;	/* Rows come from the fallback plan. */
	PlanState  *fallback;		/* NULL until needed. */
	GpuAggCounters counters;
	GpuAggSharedRun *shared;	/* NULL: in no parallel plan (shared_run.h). */
} GpuAggScan;

/* Does EXPLAIN want to know how long things take? */
extern bool gpuagg_scan_timing(const GpuAggScan *scan);

/* For a scan's end: what is there to evaluate rows of the table */
extern void gpuagg_scan_end_table(GpuAggScanTable *table);

#endif							/* GPUAGG_NODE_SCAN_H */
