/*
 * attempt.h
 *		One task of a scan: which device it goes to, its program, and what is tried when it
 *		fails.
 */
#ifndef GPUAGG_NODE_ATTEMPT_H
#define GPUAGG_NODE_ATTEMPT_H

#include "postgres.h"

#include "node/scan/scan.h"

/*
 * Runs the task of the tables at work: on the device, if need be on the other one.  whole: a run
 * has no other task.  Its answers are added to scan->results, and *tally, which is zero before,
 * tells what was done.
 */
extern GpuAggStatus gpuagg_attempt_run(GpuAggScan *scan, bool whole, GpuAggTally *tally,
									   GpuAggError *error);

#endif							/* GPUAGG_NODE_ATTEMPT_H */
