/*
 * worker.h
 *		Inside the device worker: the worker, its devices, and how it ends when one is lost.
 */
#ifndef GPUAGG_WORKER_WORKER_H
#define GPUAGG_WORKER_WORKER_H

#include "postgres.h"

#include "compat.h"
#include "device/device.h"
#include "ipc/shmem.h"
#include "lib/ilist.h"

/*
 * A GPU lost that often, each time within a minute of the one before, is
 * turned off; after so many losses of the host device a restarted worker
 * waits before it opens it.
 */
#define GPUAGG_MAX_LOSSES 5

/* A device, and what the jobs on it hold */
typedef struct GpuAggWorkerDevice
{
	const GpuAggDeviceOps *ops;
	GpuAggDevice *device;		/* NULL: not open */
	struct GpuAggWorkerDevice *measures;	/* that device; NULL: runs tasks */
	int			event_fd;		/* -1: none */
	int			nrunning;		/* jobs that hold a task of it */
	int			nshort;			/* short jobs that hold a task of it (queue.c) */
	uint64		reserved;		/* sum of their estimates */
	uint64		made_bytes;		/* of look-up tables that it has made (job_made.h) */
} GpuAggWorkerDevice;

typedef struct GpuAggWorker
{
	int			at;				/* which of the devices at work is its own */
	GpuAggWorkerDevice primary; /* runs tasks: a GPU or the host device */
	GpuAggWorkerDevice fallback; /* the host device behind a GPU; opened when
								 * a task needs it */
	GpuAggWorkerDevice measure_primary; /* what measures `primary` (probe/probe_task.h); opened when
										 * asked for */
	GpuAggWorkerDevice measure_fallback; /* what measures `fallback`; opened when asked for */
	dlist_head	jobs;
	char	   *results;		/* GPUAGG_RESULTS_BYTES for one message */
} GpuAggWorker;

extern GpuAggWorker gpuagg_worker;

/* The state of its device that backends see */
static inline GpuAggDeviceState *
gpuagg_worker_state(void)
{
	return gpuagg_shmem_state(gpuagg_worker.at);
}

/* All that jobs may be on, open or not */
#define GPUAGG_WORKER_DEVICES 4
extern GpuAggWorkerDevice *gpuagg_worker_device(int i);

/* The device does not come to rest, and is not waited for. */
extern bool gpuagg_worker_hung;

/* What gpuagg.devices shows of this worker's device; a NULL message keeps the old one. */
extern void gpuagg_worker_status(GpuAggDeviceStatus status, const char *why_not);

/* Losses in short succession, of which the last one was a moment ago */
extern uint32 gpuagg_worker_losses(void);

/* The device is gone for good; logs, exits. */
pg_noreturn extern void gpuagg_worker_lost(const GpuAggWorkerDevice *on, const char *message);

/* The device does not come to rest; logs, exits. */
pg_noreturn extern void gpuagg_worker_hangs(const GpuAggWorkerDevice *on, const char *message);

#endif							/* GPUAGG_WORKER_WORKER_H */
