/*
 * regroup_processes.h
 *		Regrouping by several processes, where expressions over the device's groups take long.
 */
#ifndef GPUAGG_NODE_REGROUP_PROCESSES_H
#define GPUAGG_NODE_REGROUP_PROCESSES_H

#include "postgres.h"

#include "node/regroup/regroup_work.h"

/*
 * How many processes pay for work that has begun, and of which nothing is done; 0: none.  The
 * first groups are computed to know how long that takes.
 */
extern int	gpuagg_regroup_processes(GpuAggRegroupWork *r);

/*
 * So many parallel workers, each with a share of the device's groups, make groups of these, which
 * are merged into r->results.  Returns how many there were; 0: none, and nothing is done.
 */
extern int	gpuagg_regroup_spread(GpuAggRegroupWork *r, int n, GpuAggStatus *status);

#endif							/* GPUAGG_NODE_REGROUP_PROCESSES_H */
