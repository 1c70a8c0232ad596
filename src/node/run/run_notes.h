/*
 * run_notes.h
 *		What a run of a scan leaves to views and to later plans.
 */
#ifndef GPUAGG_NODE_RUN_NOTES_H
#define GPUAGG_NODE_RUN_NOTES_H

#include "postgres.h"

#include "node/scan/scan.h"

/* What was predicted of it, and how long it took: gpuagg.stat_cost */
extern void gpuagg_note_cost(const GpuAggScan *scan, const GpuAggTally *tally, instr_time took);

/* gpuagg.stat_tables */
extern void gpuagg_note_run(const GpuAggScan *scan, const GpuAggTally *tally,
							GpuAggStatus status, instr_time took);

/* How many groups a run of this plan has found */
extern void gpuagg_note_groups(const GpuAggScan *scan, const GpuAggPlanInfo *info,
							   const GpuAggTally *tally);

/* How many rows the look-ups of a task of this plan have left; counts that in *tally, too. */
extern void gpuagg_note_probes(const GpuAggScan *scan, const GpuAggPlanInfo *info,
							   const GpuAggProbes *probes, GpuAggTally *tally);

#endif							/* GPUAGG_NODE_RUN_NOTES_H */
