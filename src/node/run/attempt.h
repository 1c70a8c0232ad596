/*
 * attempt.h
 *		One task of a scan: which device it goes to, its program, and what is tried when it
 *		fails.
 */
#ifndef GPUAGG_NODE_ATTEMPT_H
#define GPUAGG_NODE_ATTEMPT_H

#include "postgres.h"

#include "node/scan/order.h"

/*
 * Runs a task of the demand: where the place says, or it is chosen by this task if none has been
 * before; if need be elsewhere, which the place says then.  The answers are added to what the
 * demand has found, and *tally, which is zero before, tells what was done.
 */
extern GpuAggStatus gpuagg_attempt_run(const GpuAggScan *scan, const GpuAggDemand *demand,
									   GpuAggPlace *place, GpuAggTally *tally, GpuAggError *error);

#endif							/* GPUAGG_NODE_ATTEMPT_H */
