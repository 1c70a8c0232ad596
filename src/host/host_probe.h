/*
 * host_probe.h
 *		The host's part of measuring its memory hierarchy.
 *
 * Operations need no open device: threads are the session's own, so that
 * queries' pool goes on.
 */
#ifndef GPUAGG_HOST_HOST_PROBE_H
#define GPUAGG_HOST_HOST_PROBE_H

#include "device/probe.h"

extern const GpuAggProbeOps gpuagg_host_probe_ops;

/* As the operation of that name */
extern GpuAggStatus gpuagg_host_probe_ceiling(GpuAggProbe *probe,
											  GpuAggCeiling ceiling, double *value,
											  GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_PROBE_H */
