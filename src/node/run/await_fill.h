/*
 * await_fill.h
 *		A task that waits for another one to bring pages to the column cache.
 */
#ifndef GPUAGG_NODE_AWAIT_FILL_H
#define GPUAGG_NODE_AWAIT_FILL_H

#include "postgres.h"

#include "ipc/filling.h"
#include "node/run/device_task.h"

/*
 * A task that knows which pages it has to read is about to read them.  True: another one reads
 * them already; this one is to end, wait for *other (gpuagg_filling_wait), and be run anew, once.
 * other NULL: that was done.
 */
extern bool gpuagg_await_fill(const GpuAggTaskRun *run, GpuAggFiller *other);

#endif							/* GPUAGG_NODE_AWAIT_FILL_H */
