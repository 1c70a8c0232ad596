/*
 * devices.h
 *		The devices of the worker, opened and closed.
 */
#ifndef GPUAGG_WORKER_DEVICES_H
#define GPUAGG_WORKER_DEVICES_H

#include "postgres.h"

#include "worker/worker.h"

/*
 * Opens the GPU that gpuagg.device asks for as the primary device; false: there is none to open,
 * which is logged and shown.
 */
extern bool gpuagg_devices_open_gpu(void);

/* Opens the host device as the primary one; may be called again. */
extern bool gpuagg_devices_open_host(GpuAggError *error);

/*
 * The device of a task, or what measures that device; NULL with the reason if it cannot be
 * opened.
 */
extern GpuAggWorkerDevice *gpuagg_devices_route(bool host, bool measure, GpuAggError *error);

/* Updates what gpuagg.devices shows. */
extern void gpuagg_devices_publish(void);

/* Bytes of the primary device's memory that the cache takes by default */
extern uint64 gpuagg_devices_spare(void);

/* Closes all devices; no task may be left. */
extern void gpuagg_devices_close(void);

#endif							/* GPUAGG_WORKER_DEVICES_H */
