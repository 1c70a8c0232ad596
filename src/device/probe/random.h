/*
 * random.h
 *		The random-access curve: rate against the size of the region.
 */
#ifndef GPUAGG_DEVICE_PROBE_RANDOM_H
#define GPUAGG_DEVICE_PROBE_RANDOM_H

#include "device/probe/session.h"

/* 1 MiB, 1.4 MiB, 2 MiB ... to `most`; returns how many */
extern uint32_t gpuagg_random_sizes(uint64_t most,
									uint64_t sizes[GPUAGG_MAX_RANDOM_POINTS]);

extern GpuAggStatus gpuagg_random_probe(GpuAggProbeSession *session);

#endif							/* GPUAGG_DEVICE_PROBE_RANDOM_H */
