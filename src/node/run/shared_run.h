/*
 * shared_run.h
 *		Of a node in a parallel plan: what its run was like, which one process makes, for
 *		the leader's EXPLAIN.
 */
#ifndef GPUAGG_NODE_SHARED_RUN_H
#define GPUAGG_NODE_SHARED_RUN_H

#include "postgres.h"

#include "node/scan/scan.h"

extern Size gpuagg_shared_run_bytes(void);

/* The leader: at shared memory of so many bytes, before each launch of workers */
extern void gpuagg_shared_run_init(GpuAggScan *scan, void *at);

/* A worker */
extern void gpuagg_shared_run_attach(GpuAggScan *scan, void *at);

/* The node has run, in whichever process */
extern void gpuagg_shared_run_note(const GpuAggScan *scan);

/* The leader: the counters of the run are the node's, if a worker has made it. */
extern void gpuagg_shared_run_collect(GpuAggScan *scan);

/* The shared memory goes. */
extern void gpuagg_shared_run_forget(GpuAggScan *scan);

#endif							/* GPUAGG_NODE_SHARED_RUN_H */
