/*
 * sharing.h
 *		Which units share a TLB (Karnagel et al., Big Data causing Big (TLB)
 *		Problems, section 3.3).
 */
#ifndef GPUAGG_PROBE_SHARING_H
#define GPUAGG_PROBE_SHARING_H

#include "probe/probe_session.h"

/*
 * reach_bytes: of the last TLB level found.  Fills the result's groups, or
 * leaves them empty: units do not differ, memory is too small for two regions
 * that the level holds only one of, other work keeps units, or there was no
 * time.
 */
extern GpuAggStatus gpuagg_sharing_probe(GpuAggProbeSession *session,
										 uint64_t reach_bytes);

#endif							/* GPUAGG_PROBE_SHARING_H */
