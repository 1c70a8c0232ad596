/*
 * passes.h
 *		A scan's work on one device: one task, or one for each window of the
 *		hash space.
 */
#ifndef GPUAGG_NODE_PASSES_H
#define GPUAGG_NODE_PASSES_H

#include "postgres.h"

#include "cost/choose.h"
#include "node/run/device_task.h"

/* The strategy by which a device would group now, as far as the plan's estimates tell */
extern void gpuagg_passes_plan(const GpuAggOrder *order, int device,
							   GpuAggPlannedStrategy *planned);

/* How a device would make so many draws */
extern void gpuagg_passes_draws(const GpuAggOrder *order, int device, double draws,
								GpuAggDrawPlan *plan);

/* Which part of the tables' pages a device has, for all columns that the program loads */
extern double gpuagg_passes_held(const GpuAggOrder *order, int device);

/* Of which part of the pages a device has any of these columns */
extern double gpuagg_passes_known(const GpuAggOrder *order, int device);

/*
 * How long the order would take on a device that had such a part, until the first group can be
 * returned, in ns
 */
extern double gpuagg_passes_predict(const GpuAggOrder *order, int device, double held);

/* Could a device have any part? */
extern bool gpuagg_passes_keeps(const GpuAggOrder *order);

/* How long a task would take that reads such a share of the tables, nblocks blocks */
extern void gpuagg_passes_predict_part(const GpuAggOrder *order, int device, BlockNumber nblocks,
									   double share, double held, GpuAggPrediction *prediction);

/* How many groups such a task will find */
extern double gpuagg_passes_part_groups(const GpuAggOrder *order, double share);

/*
 * Plans the pass of such a task, the n-th of several, and begins its tally; false: it would need
 * several.
 */
extern bool gpuagg_passes_part(const GpuAggScan *scan, const GpuAggOrder *order, double share,
							   int n, GpuAggPass *pass, GpuAggTally *tally);

/*
 * Runs all tasks of an order, which add to what its demand has found; *tally and *outcome are zero
 * before.  A status other than GPUAGG_OK: the store is of no use, and no work is tallied;
 * remedy.h tells what may help.
 */
extern GpuAggStatus gpuagg_passes_run(const GpuAggScan *scan, const GpuAggOrder *order,
									  GpuAggTally *tally, GpuAggOutcome *outcome,
									  GpuAggError *error);

#endif							/* GPUAGG_NODE_PASSES_H */
