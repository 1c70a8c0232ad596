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

/* A table that a task reads */
typedef struct GpuAggTaskTable
{
	Relation	rel;			/* NULL: rows of a plan. */
	BlockNumber nblocks;

	/* Blocks that the task reads: all, unless several tasks share the table (spread.h) */
	BlockNumber first;
	BlockNumber end;			/* The one behind the last. */

	Plan	   *row_plan;		/* GpuAgg's row plan. */
	GpuAggRows *rows;			/* NULL until needed. */
	/* What each card reads of a table that is shared; NULL until needed. */
	struct GpuAggTaskTable *parts[GPUAGG_MAX_CARDS];
} GpuAggTaskTable;

/* A task of several cards, each of which reads a part of the tables (spread.h) */
typedef struct GpuAggSpread
{
	int			n;				/* Cards; 0: the task is not spread. */
	struct
	{
		int			at;			/* The device at work. */
	}			cards[GPUAGG_MAX_CARDS];
} GpuAggSpread;

/* Must be first in a node's own state, if it has one. */
typedef struct GpuAggScan
{
	CustomScanState css;
	GpuAggPlanInfo *info;

	/* Tables that are at work: those of one program, which a task reads one after the other */
	Oid			relid;			/* What the query names; InvalidOid: a UNION ALL. */
	Relation	rel;			/* The table; NULL: several, or rows of a plan. */
	int			nread;
	GpuAggTaskTable **read;

	GpuAggTables *tables;		/* All tables, if there are several; NULL: one (tables.h). */
	GpuAggParts *parts;			/* NULL: all is grouped at once (parts.h). */
	int			nruntime;		/* Runtime constants in custom_exprs, of all programs. */
	List	   *runtime;		/* ExprStates of the runtime constants. */
	List	   *params;			/* ExprStates of the parameters in them. */
	GpuAggSampleState sample;
	GpuAggWantedState wanted;
	GpuAggLookups *lookups;		/* NULL: nothing is joined. */
	/* Reads columns that follow from keys, of groups that are returned; NULL: there are none. */
	GpuAggKeyRows *key_rows;

	/*
	 * Rows of a plan, which are grouped instead of a table's: rel is NULL then, and so is that of
	 * read[0].  NULL: there is no such plan.
	 */
	GpuAggPlanRows *rows;

	int			eflags;			/* For plans that are initialised later. */
	ResourceOwner owner;		/* The query's. */

	/* The devices of this run's tasks */
	int			device;			/* The device at work that has each, unless it is spread. */
	GpuAggSpread spread;		/* The cards that share each. */
	bool		placed;			/* They have been chosen (place.h). */
	uint32		been_on;		/* A set of devices that tasks were given to. */
	bool		moved;			/* A task went to another one, after one had failed. */

	bool		ran;			/* Rows may be returned. */
	bool		regrouped;		/* The device has regrouped: results are the query's groups. */
	uint64		made;			/* Groups that it has made by regrouping so far. */

	/* What the device answered, by the kind of the program; one of both is NULL */
	GpuAggResults *results;		/* Groups. */
	GpuAggTidStore *tids;		/* Rows. */

	/* Groups of keys that devices have no form of (long_rows.h) */
	PlanState  *long_groups;	/* The plan that makes them; NULL until needed. */
	Bitmapset  *long_tables;	/* Tables of whose rows it makes them; NULL: none, or not known. */
	struct GpuAggLongScan *long_scans;	/* Its scans, by table: which row is next. */

	bool		falling_back;	/* Rows come from the fallback plan. */
	PlanState  *fallback;		/* NULL until needed. */
	GpuAggCounters counters;
	GpuAggSharedRun *shared;	/* NULL: in no parallel plan (shared_run.h). */
} GpuAggScan;

/* Does EXPLAIN want to know how long things take? */
extern bool gpuagg_scan_timing(const GpuAggScan *scan);

/* For a scan's end: what is there to evaluate rows of the table, and of parts of it */
extern void gpuagg_scan_end_table(GpuAggTaskTable *table);

#endif							/* GPUAGG_NODE_SCAN_H */
