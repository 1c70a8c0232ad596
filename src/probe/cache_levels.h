/*
 * cache_levels.h
 *		Cache levels: capacity, latency, line and sector (Inferring Kaveri's
 *		Shared Virtual Memory Implementation).
 */
#ifndef GPUAGG_PROBE_CACHE_LEVELS_H
#define GPUAGG_PROBE_CACHE_LEVELS_H

#include "probe/probe_session.h"

/*
 * Cache levels of a curve of time against size, and the memory behind them,
 * without lines and sectors; returns how many.  scale: ns of a unit of y;
 * is_cycles: y is cycles.
 */
extern uint32_t gpuagg_cache_find(const GpuAggStrideCurve *curve, double scale,
								  bool is_cycles, GpuAggLevel *levels,
								  uint32_t max);

/* Adds the levels to the result; *last_bytes: of the last cache, 0: not found */
extern GpuAggStatus gpuagg_cache_probe(GpuAggProbeSession *session,
									   uint64_t *last_bytes);

#endif							/* GPUAGG_PROBE_CACHE_LEVELS_H */
