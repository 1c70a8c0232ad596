/*
 * host_probe_rates.h
 *		Rates of threads, for measuring the host device.
 */
#ifndef GPUAGG_HOST_HOST_PROBE_RATES_H
#define GPUAGG_HOST_HOST_PROBE_RATES_H

#include "host/host_probe_memory.h"

extern GpuAggStatus gpuagg_host_probe_random(GpuAggProbe *probe, GpuAggRandomKind kind,
											 uint64_t bytes, double *rate,
											 GpuAggError *error);

/* Those ceilings that are rates of threads; UNSUPPORTED: it is none. */
extern GpuAggStatus gpuagg_host_probe_rate_ceiling(GpuAggProbe *probe,
												   GpuAggCeiling ceiling, double *value,
												   GpuAggError *error);

extern GpuAggStatus gpuagg_host_probe_pattern(GpuAggProbe *probe, uint32_t words,
											  uint64_t bytes, bool huge, double *ns,
											  GpuAggError *error);
extern GpuAggStatus gpuagg_host_probe_threads(GpuAggProbe *probe, uint32_t threads,
											  double *rate, GpuAggError *error);

/* A thread's work again and again: all that it does with its own; events */
typedef uint64_t (*GpuAggProbeWork) (void *own);

/* Events a second of all threads; `owns` are so many bytes for each of them */
extern GpuAggStatus gpuagg_host_probe_work(GpuAggProbe *probe, GpuAggProbeWork work,
										   void *owns, size_t own_bytes, double *rate,
										   GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_PROBE_RATES_H */
