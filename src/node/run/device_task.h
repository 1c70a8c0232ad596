/*
 * device_task.h
 *		One run of a device task, from begin to the last answer.
 */
#ifndef GPUAGG_NODE_DEVICE_TASK_H
#define GPUAGG_NODE_DEVICE_TASK_H

#include "postgres.h"

#include "node/scan/order.h"

/* What a task is to do of an order, and what it did */
typedef struct GpuAggPass
{
	GpuAggHashWindow hash_window;	/* The groups that it is to find. */
	double		share;			/* Which part of the rows; 1, unless tasks share them. */
	double		expected_groups;
	double		page_lines;		/* Lines of a page. */
	GpuAggStrategy strategy;
	GpuAggStrategy resident_strategy;	/* The strategy where columns are kept. */
	uint64		scope_bytes;	/* Bytes of the table that a pass or part touches. */
	bool		forced;
	GpuAggDrawWay draw_way;		/* How draws are made. */
	uint32		draw_windows;
	GpuAggFaultStage fault;
	bool		alone;			/* There is no other task beside it. */

	/* Results; of a pass that failed, up to then */
	uint64		rows;			/* Rows that passed the filter. */
	uint64		groups;
	uint64		pages;			/* Pages that were handed over. */
	bool		shared;			/* Other tasks were on the device. */
} GpuAggPass;

/*
 * Runs the order's task, or the part of it that the pass is, and adds the groups or chosen rows to
 * what the demand has found, and the figures to *tally: rows and pages only of the first window,
 * for the others read the same.  *outcome, which is zero before the first, tells how it
 * fared.  Synchronous: when it returns, or raises an error, no task, slot or pin is left.  A
 * status other than GPUAGG_OK: what it added to the results is of no use; passes.c knows what to
 * do.
 */
extern GpuAggStatus gpuagg_task_run(const GpuAggScan *scan, const GpuAggOrder *order,
									GpuAggPass *pass, GpuAggTally *tally, GpuAggOutcome *outcome,
									GpuAggError *error);

/*
 * A task in steps, for several at once (spread.c).  create: the order and what is
 * pointed to last as long.  step: what is to be done now; *idle: nothing, the latch will be set
 * when there is; *over: all that is left is to collect the groups.  collect: of one task after
 * the other, for they share a store.  abort: from any state, error cleanup included.  end: as
 * its status is, after begin, whatever became of that.
 */
typedef struct GpuAggTaskRun GpuAggTaskRun;

extern GpuAggTaskRun *gpuagg_run_create(const GpuAggScan *scan, const GpuAggOrder *order,
										GpuAggPass *pass, GpuAggTally *tally,
										GpuAggOutcome *outcome, GpuAggError *error);
extern GpuAggStatus gpuagg_run_begin(GpuAggTaskRun *run);
extern GpuAggStatus gpuagg_run_step(GpuAggTaskRun *run, bool *idle, bool *over);
extern GpuAggStatus gpuagg_run_sleep(GpuAggTaskRun *run);
extern GpuAggStatus gpuagg_run_collect(GpuAggTaskRun *run);
extern void gpuagg_run_abort(GpuAggTaskRun *run);
extern void gpuagg_run_end(GpuAggTaskRun *run, GpuAggStatus status);

#endif							/* GPUAGG_NODE_DEVICE_TASK_H */
