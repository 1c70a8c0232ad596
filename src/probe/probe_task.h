/*
 * probe_task.h
 *		Probe sessions as a device: measuring is a task like any other to the
 *		device worker, which begins it, waits for its end, and may cancel it.
 *
 * The device made by gpuagg_probe_task_open stands before another one and runs
 * one session at a time.  A task of it takes no pages and no rows; its
 * "groups" are records: one GPUAGG_RECORD_RESULT, then any number of
 * GPUAGG_RECORD_POINTS.  Only task functions, event_fd, info and close of its
 * operations may be called.
 */
#ifndef GPUAGG_PROBE_PROBE_TASK_H
#define GPUAGG_PROBE_PROBE_TASK_H

#include "device/device.h"

typedef enum GpuAggRecordKind
{
	GPUAGG_RECORD_RESULT = 1,	/* a GpuAggProbeResult */
	GPUAGG_RECORD_POINTS		/* GpuAggCurvePoints */
} GpuAggRecordKind;

typedef struct GpuAggProbeRecord
{
	uint32_t	kind;			/* GpuAggRecordKind */
	uint32_t	bytes;			/* of what follows; a multiple of 8 */
} GpuAggProbeRecord;

extern const GpuAggDeviceOps gpuagg_probe_task_ops;

/*
 * A device that measures `device`, which must stay open longer.  NULL with
 * GPUAGG_UNSUPPORTED if it cannot be measured, or another reason.
 */
extern GpuAggDevice *gpuagg_probe_task_open(const GpuAggDeviceOps *ops,
										 GpuAggDevice *device,
										 GpuAggError *error);

#endif							/* GPUAGG_PROBE_PROBE_TASK_H */
