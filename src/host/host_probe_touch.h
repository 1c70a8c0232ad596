/*
 * host_probe_touch.h
 *		First touch of memory, for measuring the host device.
 */
#ifndef GPUAGG_HOST_HOST_PROBE_TOUCH_H
#define GPUAGG_HOST_HOST_PROBE_TOUCH_H

#include "host/host_probe_memory.h"

/* First touch, of pages of one kind: bytes a second; UNSUPPORTED: has none */
extern GpuAggStatus gpuagg_host_probe_first_touch(GpuAggProbe *probe, bool huge,
												  double *rate, GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_PROBE_TOUCH_H */
