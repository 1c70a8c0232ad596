/*
 * host_probe_group.h
 *		How fast threads group, for measuring the host device.
 */
#ifndef GPUAGG_HOST_HOST_PROBE_GROUP_H
#define GPUAGG_HOST_HOST_PROBE_GROUP_H

#include "host/host_probe_memory.h"

/* Rows a second that all threads group */
extern GpuAggStatus gpuagg_host_probe_group(GpuAggProbe *probe, double *rate,
											GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_PROBE_GROUP_H */
