/*
 * passes.h
 *		A scan's work on one device: one task, or one for each window of the
 *		hash space.
 */
#ifndef GPUAGG_NODE_PASSES_H
#define GPUAGG_NODE_PASSES_H

#include "postgres.h"

#include "cost/choose.h"
#include "node/scan.h"
#include "node/device_task.h"

/* The strategy by which a device would group now, as far as the plan's estimates tell */
extern void gpuagg_passes_plan(const GpuAggScan *scan, int device, BlockNumber nblocks,
							   GpuAggPlannedStrategy *planned);

/* How it would make so many draws */
extern void gpuagg_passes_draws(const GpuAggScan *scan, int device, BlockNumber nblocks,
								double draws, bool host, GpuAggDrawPlan *plan);

/*
 * Of a device: which part of the tables' pages it has, for
 * the columns that the program loads; and how long the scan would take there if it had
 * such a part, until the first group can be returned, in ns.  Keeps: could it have any?
 */
extern double gpuagg_passes_held(const GpuAggScan *scan, int device, BlockNumber nblocks);

/* Of which part it has any columns */
extern double gpuagg_passes_known(const GpuAggScan *scan, int device, BlockNumber nblocks);
extern double gpuagg_passes_predict(const GpuAggScan *scan, int device, BlockNumber nblocks,
									double held);
extern bool gpuagg_passes_keeps(const GpuAggScan *scan);

/* The same of a task that reads such a share of the tables, nblocks blocks */
extern void gpuagg_passes_predict_part(const GpuAggScan *scan, int device, BlockNumber nblocks,
									   double share, double held, GpuAggPrediction *prediction);

/* How many groups it will find */
extern double gpuagg_passes_part_groups(const GpuAggScan *scan, double share);

/* Plans its pass on a device, the n-th of several tasks; false: it would need several. */
extern bool gpuagg_passes_part(GpuAggScan *scan, int device, const GpuAggProgram *program,
							   BlockNumber nblocks, double share, int n, GpuAggPass *pass,
							   GpuAggTally *tally);

/*
 * Runs all tasks, which add to the scan's empty store; *tally is zero before.  A status other
 * than GPUAGG_OK: the store is of no use, and no work is tallied; the host device
 * (host = true: only on that one) or PostgreSQL's plan has to answer.
 */
extern GpuAggStatus gpuagg_passes_run(GpuAggScan *scan,
									  const GpuAggProgram *program,
									  BlockNumber nblocks, bool host,
									  GpuAggTally *tally, GpuAggError *error);

#endif							/* GPUAGG_NODE_PASSES_H */
