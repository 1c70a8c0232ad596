/*
 * random_access.h
 *		The random-access curve: rate against the size of the region.
 */
#ifndef GPUAGG_PROBE_RANDOM_ACCESS_H
#define GPUAGG_PROBE_RANDOM_ACCESS_H

#include "probe/probe_session.h"

/* 1 MiB, 1.4 MiB, 2 MiB ... to `most`; returns how many */
extern uint32_t gpuagg_random_sizes(uint64_t most,
									uint64_t sizes[GPUAGG_MAX_RANDOM_POINTS]);

extern GpuAggStatus gpuagg_random_probe(GpuAggProbeSession *session);

#endif							/* GPUAGG_PROBE_RANDOM_ACCESS_H */
