/*
 * probes.h
 *		Look-ups of a run: in which order, and how many rows each was asked for and left.
 */
#ifndef GPUAGG_NODE_PROBES_H
#define GPUAGG_NODE_PROBES_H

#include "postgres.h"

#include "device/ops/stages.h"
#include "planner/plan/plan.h"

/* Rows that a filter met, passed, and left behind its stages but the last */
typedef struct GpuAggStageRows
{
	uint64		scanned;
	uint64		passed;
	uint64		left[GPUAGG_STAGES - 1];
} GpuAggStageRows;

/* Look-ups of a bound program */
typedef struct GpuAggProbes
{
	int			nstages;
	/* The stage that looks rows up; nstages: rows that pass are looked up. */
	int			stage[GPUAGG_MAX_LOOKUPS];
	bool		alone[GPUAGG_MAX_LOOKUPS];	/* All that it asks is whether a row is found. */
	bool		known[GPUAGG_MAX_LOOKUPS];	/* Earlier runs have told what it leaves. */
} GpuAggProbes;

/* What they were asked, and answered */
typedef struct GpuAggProbed
{
	GpuAggProbes probes;		/* Of the last program that ran. */

	/* Sums over tasks */
	uint64		tasks;
	uint64		probed[GPUAGG_MAX_LOOKUPS];
	uint64		left[GPUAGG_MAX_LOOKUPS];
} GpuAggProbed;

/*
 * Puts the look-ups of a bound program into the order that is expected to be fastest: by
 * what earlier runs have found, else by what the planner estimates.
 */
extern void gpuagg_probes_arrange(GpuAggProbes *probes, const GpuAggPlanInfo *info, Oid relid,
								  double pages, GpuAggProgram *program);

/* It has run, which is counted; what was not known is remembered for later plans and runs. */
extern void gpuagg_probes_note(const GpuAggProbes *probes, const GpuAggPlanInfo *info, Oid relid,
							   double pages, const GpuAggStageRows *rows, GpuAggProbed *probed);

/* Counts what other tasks were asked after those of *probed. */
extern void gpuagg_probed_then(GpuAggProbed *probed, const GpuAggProbed *next);

/* Does the filter ask for rows of that look-up?  Else it drops none. */
extern bool gpuagg_probes_filter(const GpuAggProbes *probes, int lookup);

#endif							/* GPUAGG_NODE_PROBES_H */
