/*
 * ceilings.h
 *		What a device does at most (Revisiting Query Performance in GPU
 *		Database Systems, section 5.2), its kernels, and the host's access
 *		patterns and threads (Khuong, There's more to locality than caches).
 */
#ifndef GPUAGG_PROBE_CEILINGS_H
#define GPUAGG_PROBE_CEILINGS_H

#include "probe/probe_session.h"

/*
 * The spread that no more than a third of the ceilings exceed; those that are 0
 * do not count.  0: there are none.
 */
extern double gpuagg_ceilings_spread(const double *ceiling, const double *spread);

/* Also says whether the device seemed to be busy with something else */
extern GpuAggStatus gpuagg_ceilings_probe(GpuAggProbeSession *session);

/* Limits of a unit, and the device's kernels */
extern void gpuagg_kernels_list(GpuAggProbeSession *session);

/* Nothing where the device has no such functions */
extern GpuAggStatus gpuagg_patterns_probe(GpuAggProbeSession *session);
extern GpuAggStatus gpuagg_threads_probe(GpuAggProbeSession *session);

#endif							/* GPUAGG_PROBE_CEILINGS_H */
