/*
 * spread.h
 *		A task that several cards share: each reads a part of the tables, and the backend
 *		merges the groups.
 */
#ifndef GPUAGG_NODE_SPREAD_H
#define GPUAGG_NODE_SPREAD_H

#include "postgres.h"

#include "node/run/device_task.h"
#include "node/run/scan_bind.h"

/* May so many cards share an order? */
extern bool gpuagg_spread_possible(const GpuAggOrder *order, int ncards);

/* Groups that each part returns, if a part has so many */
extern double gpuagg_spread_returned(const GpuAggOrder *order, double part_groups);

/*
 * Groups that one device alone would sort out, or make the query's groups of, which it may if its
 * task is the whole of a run
 */
extern double gpuagg_spread_left(const GpuAggOrder *order);

/* The task of one of them */
typedef struct GpuAggSpreadTask
{
	GpuAggOrder order;
	GpuAggProgram *program;		/* The order's: the task's own, or that of all. */
	GpuAggPass	pass;
	GpuAggTally tally;
	GpuAggOutcome outcome;
	GpuAggTaskRun  *run;
	bool		over;			/* Nothing is left but to collect its groups. */
	GpuAggStatus status;
	GpuAggError error;
} GpuAggSpreadTask;

/*
 * Plans the tasks of the place's cards, which share the order, and under EXPLAIN ANALYZE what one
 * device would do; NULL: it is not to be spread after all.  In the current memory context.
 */
extern GpuAggSpreadTask *gpuagg_spread_plan(const GpuAggScan *scan, const GpuAggOrder *order,
											const GpuAggPlace *place, const GpuAggBinding *binding,
											GpuAggPlannedStrategy *planned);

/*
 * Runs them all at once, and adds the groups of those that succeed to what the demand has found,
 * each one's behind those of the one before, and what they did to *tally and to *cards, which knows
 * how many they are.  What the others are to do is left to do; false: all of it is, and what is in
 * the store is to be cut off.
 */
extern bool gpuagg_spread_run(const GpuAggScan *scan, GpuAggSpreadTask *tasks,
							  GpuAggTallyCards *cards, GpuAggTally *tally);

/* What became of one that ran alone */
extern void gpuagg_spread_count(GpuAggTallyCards *cards, int i, const GpuAggTally *tally);

#endif							/* GPUAGG_NODE_SPREAD_H */
