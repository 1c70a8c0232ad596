/*
 * tlb.h
 *		The TLB levels of a device (Karnagel et al., Big Data causing Big (TLB)
 *		Problems, section 3.2).
 */
#ifndef GPUAGG_PROBE_TLB_H
#define GPUAGG_PROBE_TLB_H

#include "probe/probe_session.h"

/* What to measure */
typedef struct GpuAggTlbPlan
{
	uint64_t	least_stride;
	uint64_t	most_stride;
	uint64_t	most_page;		/* that an entry may cover */
	uint64_t	most_count;		/* elements, whatever the stride */
	uint64_t	bytes;			/* no chase goes beyond */
	uint32_t	per_octave;
} GpuAggTlbPlan;

/* cache_bytes: of the last-level cache; 0: not known */
extern GpuAggTlbPlan gpuagg_tlb_plan(const GpuAggProbeMachine *machine,
									 uint64_t cache_bytes);

/*
 * Entries of a level whose curve is seen to depart from its plateau after
 * `departs` elements and has risen by half at `half` (> departs); `hidden` is
 * the share of the rise, below a half, that noise may hide.  Of what lies
 * between, the roundest number: a TLB has sets times ways.  Where the curve
 * rises at once there is nothing between.
 */
extern uint64_t gpuagg_tlb_entries(uint64_t departs, uint64_t half,
								   double hidden);

/*
 * Adds the levels found to the result, by reach.  huge: on the host's 2 MiB
 * pages; a device that refuses those adds none.
 */
extern GpuAggStatus gpuagg_tlb_probe(GpuAggProbeSession *session,
									 uint64_t cache_bytes, bool huge);

#endif							/* GPUAGG_PROBE_TLB_H */
