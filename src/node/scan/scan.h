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

/* What a device was to group by, as far as was known before it did */
typedef struct GpuAggPlannedStrategy
{
	bool		known;
	GpuAggStrategy strategy;
	GpuAggStrategyChoice pages; /* what was chosen for pages, which cached columns need
								 * not be grouped by */
} GpuAggPlannedStrategy;

typedef struct GpuAggTables GpuAggTables;
typedef struct GpuAggParts GpuAggParts;
typedef struct GpuAggSharedRun GpuAggSharedRun;

/* A table that a task reads */
typedef struct GpuAggTaskTable
{
	Relation	rel;			/* NULL: rows of a plan */
	BlockNumber nblocks;
	BlockNumber first;			/* blocks that the task reads, and the one behind them: all, */
	BlockNumber end;			/* unless several tasks share the table (spread.h) */
	Plan	   *row_plan;		/* of GpuAgg */
	GpuAggRows *rows;			/* NULL until needed */
	struct GpuAggTaskTable *parts[GPUAGG_MAX_CARDS];	/* what each card reads of it then;
														 * NULL until needed */
} GpuAggTaskTable;

/* A task of several cards, each of which reads a part of the tables (spread.h) */
typedef struct GpuAggSpread
{
	int			n;				/* cards; 0: not spread */
	struct
	{
		int			at;			/* the device at work; */
		GpuAggProgram *program; /* its own, of this run; NULL: the one of all */
		char		name[sizeof(((GpuAggTally *) 0)->device)];	/* as the last run's task told, */
		uint64		rows;		/* that were scanned there */
	}			cards[GPUAGG_MAX_CARDS];
	int			ran;			/* tasks whose groups are in the store; 0: one */
} GpuAggSpread;

/* Must be first in a node's own state, if it has one. */
typedef struct GpuAggScan
{
	CustomScanState css;
	GpuAggPlanInfo *info;
	Oid			relid;			/* what the query names; InvalidOid: a UNION ALL */
	Relation	rel;			/* the table; NULL: several, or rows of a plan */
	int			nread;			/* tables that a task reads one after the other, */
	GpuAggTaskTable **read;		/* which have the same program */
	GpuAggTables *tables;		/* tables.h; NULL: one.  Then the fields around are
								 * those of the tables that are at work */
	GpuAggParts *parts;			/* parts.h; NULL: all is grouped at once */
	int			nruntime;		/* runtime constants in custom_exprs, of all programs */
	List	   *runtime;		/* ExprStates of the runtime constants */
	List	   *params;			/* ExprStates of the parameters in them */
	GpuAggSampleState sample;
	GpuAggWantedState wanted;
	GpuAggLookups *lookups;		/* NULL: nothing is joined */
	GpuAggKeyRows *key_rows;	/* of groups that are returned; NULL: no column is of one */
	GpuAggPlanRows *rows;		/* of a plan, which are grouped; NULL: a table's.  Else there
								 * is no table: rel is NULL, and so is that of read[0] */
	GpuAggProbes probes;		/* of this run's program */
	int			eflags;			/* for plans initialised later */
	ResourceOwner owner;		/* of the query */

	int			device;			/* of those at work, the one of this run's tasks, */
	GpuAggSpread spread;		/* or all that share each of them; */
	bool		placed;			/* if it has been chosen (place.h) */
	uint32		been_on;		/* set of those that it was given to */
	bool		moved;			/* to another one, after one had failed */
	bool		ran;			/* rows may be returned */
	GpuAggPlannedStrategy planned;	/* of the last run, for EXPLAIN */
	bool		regrouped;		/* by the device: results are the query's groups, */
	uint64		made;			/* so many so far */

	/* what the device answered, by the kind of the program; the other is NULL */
	GpuAggResults *results;		/* groups */
	PlanState  *long_groups;	/* long_rows.h: makes those of keys that devices have no form
								 * of; NULL until needed */
	Bitmapset  *long_tables;	/* of which it can be given rows; NULL: none, or not asked yet */
	struct GpuAggLongScan *long_scans;	/* of its scans, by table: which row is next */
	GpuAggTidStore *tids;		/* or rows */
	bool		falling_back;	/* rows come from the fallback plan */
	PlanState  *fallback;		/* NULL until needed */
	GpuAggCounters counters;
	GpuAggSharedRun *shared;	/* shared_run.h; NULL: in no parallel plan */
} GpuAggScan;

/* Does EXPLAIN want to know how long things take? */
extern bool gpuagg_scan_timing(const GpuAggScan *scan);

/* For a scan's end: what is there to evaluate rows of the table, and of parts of it */
extern void gpuagg_scan_end_table(GpuAggTaskTable *table);

#endif							/* GPUAGG_NODE_SCAN_H */
