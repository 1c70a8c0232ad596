/*
 * place.h
 *		Which of several devices a scan's tasks are given to.
 */
#ifndef GPUAGG_NODE_PLACE_H
#define GPUAGG_NODE_PLACE_H

#include "postgres.h"

#include "node/scan/scan.h"

/*
 * Chooses the device for all tasks of this run of the scan, of whose tables nblocks blocks
 * are to be read first, unless that is done: it is in scan->device, or several that share each
 * task, in scan->spread.  Of one device there is nothing to choose.  whole: a run has one task.
 */
extern void gpuagg_place(GpuAggScan *scan, bool whole, BlockNumber nblocks);

/* Another GPU than those of a set, on which a task has failed; -1: there is none. */
extern int	gpuagg_place_other(uint32 been_on);

#endif							/* GPUAGG_NODE_PLACE_H */
