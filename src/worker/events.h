/*
 * events.h
 *		What the worker's loop waits for: its latch, the postmaster, its devices.
 */
#ifndef GPUAGG_WORKER_EVENTS_H
#define GPUAGG_WORKER_EVENTS_H

#include "postgres.h"

#include "worker/worker.h"

/* To be called once, when the primary device is open. */
extern void gpuagg_events_setup(void);

/* The loop is woken for the device's event from now on. */
extern void gpuagg_events_watch(GpuAggWorkerDevice *on);

/* Look again rather than sleep? */
extern bool gpuagg_events_polls(void);

/* Sleeps until one of them has something to say; at most so many ms, -1: without limit. */
extern void gpuagg_events_wait(long timeout);

#endif							/* GPUAGG_WORKER_EVENTS_H */
