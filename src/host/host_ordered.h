/*
 * host_ordered.h
 *		Groups of a finished task of which rows at places of an order are wanted
 *		(device/ordered.h): those that hold none are merged where they lie.
 */
#ifndef GPUAGG_HOST_HOST_ORDERED_H
#define GPUAGG_HOST_HOST_ORDERED_H

#include "device/ops/ordered_row.h"
#include "host/host_task.h"

/* Merges, and lists in task->ordered which groups are returned.  Without memory all are. */
extern void gpuagg_host_order(GpuAggTask *task);

extern void gpuagg_host_ordered_free(GpuAggTask *task);

#endif							/* GPUAGG_HOST_HOST_ORDERED_H */
