/*
 * block_feed.h
 *		Feeds the rows of a plan to a task, as blocks.
 */
#ifndef GPUAGG_NODE_BLOCK_FEED_H
#define GPUAGG_NODE_BLOCK_FEED_H

#include "postgres.h"

#include "node/run/device_task_inside.h"

/* Before there is a task, for the plan may have tasks of its own */
extern GpuAggStatus gpuagg_block_start(GpuAggTaskRun *run);

/* All rows to the device, until it has consumed them */
extern GpuAggStatus gpuagg_block_feed(GpuAggTaskRun *run);

#endif							/* GPUAGG_NODE_BLOCK_FEED_H */
