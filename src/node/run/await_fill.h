/*
 * await_fill.h
 *		A task that waits for another one to bring pages to the column cache.
 */
#ifndef GPUAGG_NODE_AWAIT_FILL_H
#define GPUAGG_NODE_AWAIT_FILL_H

#include "postgres.h"

#include "node/run/device_task.h"

/*
 * A task that knows which pages it has to read is about to read them.  True: another one reads
 * them already; this one is to end, to wait, and to be run anew, once.
 */
extern bool gpuagg_await_begin(GpuAggTaskRun *run);

/* After it has ended: until the other one has read them, or for as long as that may pay. */
extern void gpuagg_await_wait(GpuAggTaskRun *run);

/* Its pages are read. */
extern void gpuagg_await_end(const GpuAggTaskRun *run);

#endif							/* GPUAGG_NODE_AWAIT_FILL_H */
