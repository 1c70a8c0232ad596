/*
 * probe_run.h
 *		A probe session: all that is measured of a device.
 */
#ifndef GPUAGG_PROBE_PROBE_RUN_H
#define GPUAGG_PROBE_PROBE_RUN_H

#include "device/probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Runs all probes.  effort: 0 low (a few seconds, for tests), 1 normal, 2 high.
 * Blocks; for a thread of its own.
 */
extern GpuAggStatus gpuagg_probe_run(const GpuAggProbeOps *ops, void *device,
									 int effort,
									 const GpuAggProbeLimits *limits,
									 const volatile int *cancel,
									 const GpuAggProbeObserver *observer,
									 GpuAggProbeResult *result,
									 GpuAggError *error);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_PROBE_PROBE_RUN_H */
