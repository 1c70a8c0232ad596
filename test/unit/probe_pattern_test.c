/*
 * probe_pattern_test.c
 *		Finds the boundary pattern in synthetic curves: clean, noisy, none, the
 *		K80 and P100 of Karnagel et al., Big Data causing Big (TLB) Problems,
 *		the H200.
 */

#include "probe/pattern.h"
#include "probe/stats.h"
#include "probe_sim.h"
#include "tap.h"

#define MAX_CURVES 18
#define MAX_COUNT 32768

static GpuAggStrideCurve curves[MAX_CURVES];

/* Curves of strides from `least` to `most` in `bytes` of memory */
static uint32_t
measure(SimHierarchy sim, uint64_t least, uint64_t most, uint64_t bytes,
		uint32_t nrepeats, bool shuffle)
{
	uint32_t	n = 0;

	for (uint64_t stride = least; stride <= most; stride *= 2, n++)
	{
		GpuAggStrideCurve *curve = &curves[n];
		uint64_t	count = bytes / stride < MAX_COUNT ? bytes / stride : MAX_COUNT;

		curve->stride = stride;
		curve->nrepeats = nrepeats;
		curve->npoints = gpuagg_pattern_counts(4, count, 4, curve->count);
		for (uint32_t r = 0; r < nrepeats; r++)
			for (uint32_t i = 0; i < curve->npoints; i++)
				curve->y[r][i] = sim_noisy(&sim, sim_access(&sim, 0, stride,
															curve->count[i], shuffle,
															false));
	}
	return n;
}

static bool
near(double got, double want, double share)
{
	return fabs(got / want - 1) <= share;
}

static bool
is_level(const GpuAggPattern *pattern, const SimTlb *tlb, const char *name)
{
	if (ok(pattern->stride == tlb->page_bytes && pattern->fits <= tlb->entries &&
		   pattern->exceeds > tlb->entries &&
		   near(pattern->high - pattern->low, tlb->miss, 0.3), name))
		return true;
	printf("#   page %llu, entries %llu to %llu, miss %g\n",
		   (unsigned long long) pattern->stride,
		   (unsigned long long) pattern->fits,
		   (unsigned long long) pattern->exceeds, pattern->high - pattern->low);
	return false;
}

static void
test_published(void)
{
	GpuAggPattern p[8];

	for (int shuffle = 0; shuffle <= 1; shuffle++)
	{
		uint32_t	n = measure(sim_k80, 4096, SIM_MIB(128), SIM_GIB(12), 5, shuffle);

		if (is_int(gpuagg_pattern_find(curves, n, p, 8), 3, "K80: three levels"))
		{
			is_level(&p[0], &sim_k80.tlb[0], "K80: 16 x 128 KiB");
			is_level(&p[1], &sim_k80.tlb[1], "K80: 65 x 2 MiB");
			is_level(&p[2], &sim_k80.tlb[2], "K80: 1032 x 2 MiB");
			ok(p[0].closed && p[1].closed && p[2].closed, "K80: 2X seen");
			ok(p[2].confidence == 1, "K80: all repeats agree");
		}
		n = measure(sim_p100, 4096, SIM_MIB(128), SIM_GIB(15), 5, shuffle);
		if (is_int(gpuagg_pattern_find(curves, n, p, 8), 2, "P100: two levels"))
		{
			is_level(&p[0], &sim_p100.tlb[0], "P100: 16 x 2 MiB");
			is_level(&p[1], &sim_p100.tlb[1], "P100: 65 x 32 MiB");
		}
	}
}

static void
test_h200(void)
{
	SimHierarchy sim = sim_h200;
	GpuAggPattern p[8];
	uint32_t	n = measure(sim, 4096, SIM_MIB(128), SIM_GIB(125), 5, false);
	uint32_t	found = 0;
	double		confidence = 0;

	if (is_int(gpuagg_pattern_find(curves, n, p, 8), 1, "H200: one level"))
	{
		is_level(&p[0], &sim_h200.tlb[0], "H200: 2048 x 32 MiB");
		ok(!p[0].closed, "H200: memory ends before 2X's boundary");
		is_double(p[0].confidence, 0.8, "H200: confidence of an open pattern");
	}
	n = measure(sim, 4096, SIM_MIB(128), SIM_GIB(60), 5, false);
	is_int(gpuagg_pattern_find(curves, n, p, 8), 0, "H200 with 60 GiB: none");

	sim.noise = 0.15;
	sim.outliers = 0.03;
	for (uint32_t i = 0; i < 40; i++)
	{
		sim.random = 1000 + i;
		n = measure(sim, 4096, SIM_MIB(128), SIM_GIB(125), 7, false);
		n = gpuagg_pattern_find(curves, n, p, 8);
		if (n == 1 && p[0].stride == SIM_MIB(32) && p[0].fits <= 2048 * 1.2 &&
			p[0].exceeds >= 2048 * 0.8)
		{
			found++;
			confidence += p[0].confidence / 40;
		}
	}
	ok(found >= 26, "H200 in noise of 15 % with outliers");
	ok(confidence > 0.2 && confidence < 0.8, "noise lowers the confidence");
	printf("#   found %u of 40, confidence %.2f\n", found, confidence);
}

static void
test_none(void)
{
	SimHierarchy sim = {.memory = 292, .noise = 0.15, .outliers = 0.03};
	GpuAggPattern p[8];
	uint32_t	invented = 0;
	uint32_t	found;

	for (uint32_t i = 0; i < 40; i++)
	{
		uint32_t	n;

		sim.random = i;
		n = measure(sim, 4096, SIM_MIB(128), SIM_GIB(64), 5, false);
		invented += gpuagg_pattern_find(curves, n, p, 8);
	}
	is_int(invented, 0, "no boundary: nothing found");

	sim = sim_p100;
	sim.burst_every = 97;
	sim.burst_length = 9;
	found = gpuagg_pattern_find(curves, measure(sim, 4096, SIM_MIB(128),
												SIM_GIB(15), 5, false), p, 8);
	ok(found >= 1 && p[found - 1].stride == SIM_MIB(32) &&
	   p[found - 1].fits <= 65 && p[found - 1].exceeds > 65,
	   "bursts: the last level, if not the faint first one");
}

/* Replacement that is not LRU: misses grow from one to two times the entries. */
static void
test_gradual(void)
{
	GpuAggPattern p[8];
	uint32_t	n = measure(sim_h200, SIM_KIB(4), SIM_MIB(4), SIM_GIB(8), 3, true);

	for (uint32_t c = 0; c < n; c++)
		for (uint32_t i = 0; i < curves[c].npoints; i++)
		{
			double		pages = (double) sim_visited(curves[c].stride,
													curves[c].count[i], SIM_KIB(64));
			double		miss = fmin(1, fmax(0, pages / 512 - 1));

			for (uint32_t r = 0; r < 3; r++)
				curves[c].y[r][i] = 100 + 80 * miss;
		}
	is_int(gpuagg_pattern_find(curves, n, p, 8), 1, "a gradual rise is one level");
	ok(p[0].stride == SIM_KIB(64) && p[0].exceeds >= 512 && p[0].fits <= 1024,
	   "a gradual rise: where");
}

static void
test_counts(void)
{
	uint64_t	counts[GPUAGG_CURVE_POINTS];
	uint32_t	n = gpuagg_pattern_counts(4, 1000, 4, counts);
	bool		rising = true;

	for (uint32_t i = 1; i < n; i++)
		rising = rising && counts[i] > counts[i - 1];
	ok(rising && counts[0] == 4 && counts[n - 1] == 1000, "counts rise to the last");
	is_int(gpuagg_pattern_counts(4, 3, 4, counts), 0, "no counts");
	is_int(gpuagg_pattern_counts(4, 4, 4, counts), 1, "one count");
}

int
main(void)
{
	test_counts();
	test_published();
	test_h200();
	test_none();
	test_gradual();
	return done_testing();
}
