/*
 * lookups.h
 *		Look-up tables of a run: plans of the joins' inputs, run and made into blocks.
 */
#ifndef GPUAGG_NODE_LOOKUPS_H
#define GPUAGG_NODE_LOOKUPS_H

#include "postgres.h"

#include "device/ops/ops_lookup.h"
#include "ipc/errors.h"
#include "node/lookup/numbered.h"
#include "nodes/execnodes.h"
#include "planner/plan/plan.h"
#include "portability/instr_time.h"

typedef struct GpuAggLookups GpuAggLookups;

/* What EXPLAIN ANALYZE shows of a table, of the last run */
typedef struct GpuAggLookupShown
{
	uint64		rows;			/* Rows of all windows. */
	uint64		bytes;			/* Bytes of one window. */
	uint32		kind;			/* GpuAggLookupKind. */
	bool		filter;			/* There is a filter before a table of slots. */
	bool		on_device;		/* The device made it. */
	bool		before;			/* The device made it for an earlier statement. */
	int			windows;		/* Windows that it was made in, one after the other. */
	uint64		device_ns;
	instr_time	took;
} GpuAggLookupShown;

/*
 * Initialises the plans, which become children of the node, and what programs that make
 * tables take of the node's expressions.  NULL: the plan joins nothing.  In the current
 * memory context, the query's.  exprs: from the first of those on
 */
extern GpuAggLookups *gpuagg_lookups_begin(CustomScanState *css, const GpuAggPlanInfo *info,
										   List *exprs, int eflags);

/* A run begins, in whose memory context tables will be: those of the one before are gone. */
extern void gpuagg_lookups_run(GpuAggLookups *lookups);

/*
 * How many of the node's expressions are of look-ups, behind the runtime constants of its
 * programs
 */
extern int	gpuagg_lookups_nexprs(const GpuAggPlanInfo *info);

/*
 * Rows of this table, of so many pages, are looked up: what earlier runs found of it tells which
 * filters pay.
 */
extern void gpuagg_lookups_of(GpuAggLookups *lookups, Oid relid, double pages);

/*
 * Makes the tables for tasks of a device: has it make them, unless `here` is set, or runs the
 * plans.  The tasks of a run share them.  *nothing: no row can be joined; then some of them may
 * not have been made.  NULL: they cannot be made, and PostgreSQL's plan has to answer.
 */
extern const GpuAggLookup *const *gpuagg_lookups_make(GpuAggLookups *lookups, int device, bool here,
													  bool *nothing, GpuAggError *error);

/*
 * The tables that were made last for another device, which makes those that the first one
 * has made; in the current memory context.  NULL: it cannot make one.  None may have strings
 * that are numbers, for they are others on each device.
 */
extern const GpuAggLookup *const *gpuagg_lookups_make_again(GpuAggLookups *lookups, int device);

/* Has a table strings that are numbers, besides keys?  Is there one that a device might make? */
extern bool gpuagg_lookups_numbers(const GpuAggPlanInfo *info);
extern bool gpuagg_lookups_makeable(const GpuAggPlanInfo *info);

/* Constants of a program that is bound: what IN is where no row is found (lower_subplan.c) */
extern void gpuagg_lookups_fill(const GpuAggLookups *lookups, const GpuAggPlanInfo *info,
								GpuAggProgram *program);

/*
 * A table that does not fit memory is made in windows of its keys, one after the other
 * (lookup_windows.h).  How many there are; the one that is made next; more of them: false if
 * that is no help.
 */
extern int	gpuagg_lookups_windows(const GpuAggLookups *lookups);
extern void gpuagg_lookups_window(GpuAggLookups *lookups, int window);
extern bool gpuagg_lookups_widen(GpuAggLookups *lookups);

/*
 * Are there several windows?  Then no task knows which groups are wanted, and none makes coarser
 * ones.  lookups NULL: nothing is joined.
 */
extern bool gpuagg_lookups_several(const GpuAggLookups *lookups);

/* Does a table that was made last lie on the device? */
extern bool gpuagg_lookups_on_device(const GpuAggLookups *lookups);

/* Were tables made again in this run?  Then numbers of strings are others than before. */
extern bool gpuagg_lookups_again(const GpuAggLookups *lookups);

/*
 * Strings of a column, those of its keys counted, of a table that was made last; NULL:
 * it was not
 */
extern const GpuAggNumbered *gpuagg_lookups_numbered(const GpuAggLookups *lookups, int table,
													 int column);

/*
 * Before a copy of PostgreSQL's plan runs subqueries that only the device has read: what their
 * nodes make when
 * they run first has to stay as long as they do, which is longer than the copy.
 */
extern void gpuagg_lookups_begin_subqueries(GpuAggLookups *lookups);

/* The next run is to read the inputs again, with these parameters changed. */
extern void gpuagg_lookups_rescan(GpuAggLookups *lookups, Bitmapset *changed);

/* NULL: none was made yet */
extern const GpuAggLookupShown *gpuagg_lookups_shown(const GpuAggLookups *lookups, int i);
extern void gpuagg_lookups_end(GpuAggLookups *lookups);

#endif							/* GPUAGG_NODE_LOOKUPS_H */
