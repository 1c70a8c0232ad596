/*
 * probe_sim.h
 *		A synthetic memory hierarchy for the tests of the probes.
 *
 * TLB levels and caches with least-recently-used replacement, as a cyclic
 * chase sees them: a level that cannot hold all that the chase visits misses
 * each visit of something new.  A TLB of ways misses only in the sets that are
 * too full; if it is skewed, some sets are before the others, for elements that
 * begin anywhere.  A sequential chase visits an entry again while
 * it is in it, a shuffled one does not.  Times have noise, uniform in a share
 * of them, and bursts, which multiply a run of measurements.
 */
#ifndef GPUAGG_PROBE_SIM_H
#define GPUAGG_PROBE_SIM_H

#include <math.h>

#include "device/common.h"

typedef struct SimTlb
{
	uint64_t	entries;
	uint64_t	page_bytes;
	double		miss;			/* cycles */
	uint32_t	ways;			/* 0: any entry may take any place */
	uint32_t	skew;			/* sets that are full before the others */
} SimTlb;

typedef struct SimCache
{
	uint64_t	bytes;
	uint64_t	line_bytes;
	uint64_t	sector_bytes;	/* what a miss fetches */
	double		hit;			/* cycles */
} SimCache;

typedef struct SimHierarchy
{
	uint32_t	ntlbs;
	uint32_t	ncaches;
	SimTlb		tlb[4];
	SimCache	cache[4];
	double		memory;			/* cycles */
	double		noise;			/* share of a time, up or down */
	double		outliers;		/* share of measurements that take thrice */
	uint32_t	burst_every;	/* measurements; 0: none */
	uint32_t	burst_length;
	uint64_t	random;			/* state */
	uint64_t	measured;
} SimHierarchy;

/* 0 to 1 */
static inline double
sim_random(SimHierarchy *sim)
{
	sim->random = sim->random * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (double) (sim->random >> 11) / 9007199254740992.0;
}

static inline double
sim_noisy(SimHierarchy *sim, double value)
{
	value *= 1 + sim->noise * (2 * sim_random(sim) - 1);
	if (sim->outliers > 0 && sim_random(sim) < sim->outliers)
		value *= 3;
	sim->measured++;
	if (sim->burst_every != 0 &&
		sim->measured % sim->burst_every < sim->burst_length)
		value *= 1.6;
	return value;
}

/* Entries of `bytes` each that a chase visits */
static inline uint64_t
sim_visited(uint64_t stride, uint64_t count, uint64_t bytes)
{
	return stride >= bytes ? count : (count * stride + bytes - 1) / bytes;
}

/* Share of accesses that are to something new */
static inline double
sim_new(uint64_t stride, uint64_t bytes, bool shuffle)
{
	return shuffle || stride >= bytes ? 1 : (double) stride / (double) bytes;
}

/* Share of visits that a TLB misses, of what is new */
static inline double
sim_missed(const SimTlb *tlb, uint64_t visited, bool aligned)
{
	double		over = (double) visited - (double) tlb->entries +
		(aligned ? 0 : tlb->skew);

	if (tlb->ways == 0)
		return visited > tlb->entries;
	return fmin(1, fmax(0, over * (tlb->ways + 1) / (double) visited));
}

/* Cycles of an access through caches from `first` on, without noise */
static inline double
sim_access(const SimHierarchy *sim, uint32_t first, uint64_t stride,
		   uint64_t count, bool shuffle, bool aligned)
{
	double		cycles = first < sim->ncaches ? sim->cache[first].hit : sim->memory;

	for (uint32_t i = first; i < sim->ncaches; i++)
	{
		const SimCache *cache = &sim->cache[i];
		double		next = i + 1 < sim->ncaches ? sim->cache[i + 1].hit : sim->memory;

		if (sim_visited(stride, count, cache->line_bytes) <=
			cache->bytes / cache->line_bytes)
			break;
		cycles += (next - cache->hit) * sim_new(stride, cache->sector_bytes, shuffle);
	}
	for (uint32_t i = 0; i < sim->ntlbs; i++)
	{
		const SimTlb *tlb = &sim->tlb[i];

		cycles += tlb->miss * sim_new(stride, tlb->page_bytes, shuffle) *
			sim_missed(tlb, sim_visited(stride, count, tlb->page_bytes), aligned);
	}
	return cycles;
}

#define SIM_KIB(n) ((uint64_t) (n) << 10)
#define SIM_MIB(n) ((uint64_t) (n) << 20)
#define SIM_GIB(n) ((uint64_t) (n) << 30)

/* Paper 000, table 2; base cycles from its figures 3 and 4 */
static const SimHierarchy sim_k80 = {
	.ntlbs = 3, .memory = 222,
	.tlb = {
		{16, SIM_KIB(128), 9, 0, 0}, {65, SIM_MIB(2), 55, 0, 0},
		{1032, SIM_MIB(2), 177, 0, 0}
	},
	.noise = 0.002, .random = 1
};
static const SimHierarchy sim_p100 = {
	.ntlbs = 2, .memory = 230,
	.tlb = {{16, SIM_MIB(2), 9, 0, 0}, {65, SIM_MIB(32), 110, 0, 0}},
	.noise = 0.002, .random = 2
};

/* As measured: 292 cycles up to 64 GiB, 386 beyond; here at once */
static const SimHierarchy sim_h200 = {
	.ntlbs = 1, .memory = 292,
	.tlb = {{2048, SIM_MIB(32), 94, 0, 0}},
	.noise = 0.01, .random = 3
};

#endif							/* GPUAGG_PROBE_SIM_H */
