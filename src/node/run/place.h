/*
 * place.h
 *		Which of several devices a scan's tasks are given to.
 */
#ifndef GPUAGG_NODE_PLACE_H
#define GPUAGG_NODE_PLACE_H

#include "postgres.h"

#include "node/scan/order.h"

/*
 * Chooses the device for all tasks of a run, or several that share each task, unless that is done.
 * The order is of the first one, and has no device yet.  Of one device there is nothing to choose.
 */
extern void gpuagg_place(const GpuAggOrder *order, GpuAggPlace *place);

/* Another GPU than those of a set, on which a task has failed; -1: there is none. */
extern int	gpuagg_place_other(uint32 been_on);

#endif							/* GPUAGG_NODE_PLACE_H */
