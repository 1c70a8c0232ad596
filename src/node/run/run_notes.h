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

/* How many groups there are of tables that have so many blocks */
extern void gpuagg_note_groups(const GpuAggScan *scan, uint64 blocks, uint64 groups);

/*
 * How many rows the look-ups of a task have left, of tables that have so many blocks; counts that
 * in *tally, too.
 */
extern void gpuagg_note_probes(const GpuAggScan *scan, const GpuAggProbes *probes, uint64 blocks,
							   GpuAggTally *tally);

#endif							/* GPUAGG_NODE_RUN_NOTES_H */
