/*
 * cuda_session_test.cu
 *		Whole probe sessions on a GPU, as gpuagg.calibrate() runs them: levels
 *		that are sane on any card, and what is known of an H200.
 *
 * GPUAGG_PROBE_RUNS sessions (default 1) at effort GPUAGG_PROBE_EFFORT
 * (default 0, seconds; 1 is calibrate()'s normal one, half a minute).  All of an
 * H200's figures are asked for at effort 1.  What is found is printed, for
 * people.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "on_cuda.h"
#include "probe/probe_run.h"

#define MiB ((uint64_t) 1 << 20)
#define GiB ((uint64_t) 1 << 30)
#define PAGES_BYTES (8 * MiB)

static const char *const kinds[] = {"cache", "tlb", "memory"};

static const char *const ceilings[] = {
#define X(name, unit) #name,
	GPUAGG_CEILING_LIST(X)
#undef X
};

static GpuAggProbeResult result;

static int
setting(const char *name, int without)
{
	const char *value = getenv(name);

	return value != NULL ? atoi(value) : without;
}

static const GpuAggLevel *
level_of(GpuAggLevelKind kind, uint32_t n)
{
	for (uint32_t i = 0; i < result.nlevels; i++)
		if (result.levels[i].kind == kind && result.levels[i].level == n)
			return &result.levels[i];
	return NULL;
}

/* Units of a group; 0: no such group */
static uint32_t
group_units(uint32_t group)
{
	uint32_t	n = 0;

	for (uint32_t unit = 0; unit < result.machine.units; unit++)
		n += result.group[unit] == group;
	return n;
}

/* Their numbers, as test/bench/kernels/grouping_gpu.cu wants them */
static void
print_groups(void)
{
	for (uint32_t group = 0; group < result.ngroups; group++)
	{
		const char *sep = group > 0 ? ";" : "";

		for (uint32_t unit = 0; unit < result.machine.units; unit++)
			if (result.group[unit] == group)
			{
				printf("%s%u", sep, unit);
				sep = ",";
			}
	}
	printf("\n");
}

static void
print_result(void)
{
	printf("# %.1f s, %.1f GiB, spread %.3f, busy %u\n", result.seconds,
		   (double) result.machine.bytes / (double) GiB, result.spread, result.busy);
	for (uint32_t i = 0; i < result.nlevels; i++)
	{
		const GpuAggLevel *l = &result.levels[i];

		printf("# %-6s %u: entries %llu, page %llu, sector %llu, reach %llu, hit %.1f, miss %.1f cycles, confidence %.3f\n",
			   kinds[l->kind], l->level, (unsigned long long) l->entries,
			   (unsigned long long) l->page_bytes, (unsigned long long) l->sector_bytes,
			   (unsigned long long) l->reach_bytes, l->hit_cycles, l->miss_cycles, l->confidence);
	}
	printf("# %u groups of units:", result.ngroups);
	for (uint32_t group = 0; group < result.ngroups; group++)
		printf(" %u", group_units(group));
	printf("\n# sms=");
	print_groups();
	for (int c = 0; c < GPUAGG_NCEILINGS; c++)
		printf("# %-22s %12.5g  spread %.4f\n", ceilings[c], result.ceiling[c],
			   result.ceiling_spread[c]);
}

/* Of any card */
static void
test_sane(void)
{
	bool		sane = result.npoints > 0;

	for (uint32_t i = 0; i < result.nlevels; i++)
	{
		const GpuAggLevel *l = &result.levels[i];

		sane = sane && l->hit_ns > 0 && l->confidence >= 0 && l->confidence <= 1 &&
			(l->kind == GPUAGG_LEVEL_MEMORY || l->reach_bytes > 0);
	}
	ok(sane, "levels have times, reaches and confidence");
	ok(level_of(GPUAGG_LEVEL_CACHE, 1) != NULL, "a cache was found");
	for (uint32_t group = 0; sane && group < result.ngroups; group++)
		sane = group_units(group) > 0;
	ok(sane, "no group is empty");
	ok(result.ceiling[GPUAGG_CEILING_TOUCH] > 0 &&
	   result.ceiling[GPUAGG_CEILING_TOUCH_PINNED_HOST] > 0, "first touch");
}

/* An H200: half of its L2, 64 GiB of TLB, groups of six and four */
static void
test_h200(void)
{
	const GpuAggLevel *tlb = level_of(GPUAGG_LEVEL_TLB, 1);
	const GpuAggLevel *cache = level_of(GPUAGG_LEVEL_CACHE, 2);
	bool		groups = result.ngroups > 0;

	is_int(tlb != NULL ? (long long) tlb->entries : 0, 2048, "H200: TLB entries");
	is_int(tlb != NULL ? (long long) tlb->page_bytes : 0, 32 * MiB, "H200: their pages");
	ok(cache != NULL && fabs((double) cache->reach_bytes / (32.0 * MiB) - 1) < 0.15,
	   "H200: knee of the L2");
	for (uint32_t n = 1; n <= 2; n++)
	{
		cache = level_of(GPUAGG_LEVEL_CACHE, n);
		is_int(cache != NULL ? (long long) cache->page_bytes : 0, 128, "H200: a cache's line");
		ok(cache != NULL && (cache->sector_bytes == 32 || cache->sector_bytes == 64),
		   "H200: its sector, or two");
	}
	for (uint32_t group = 0; group < result.ngroups; group++)
		groups = groups && (group_units(group) == 6 || group_units(group) == 4);
	ok(groups, "H200: groups of six units, and some of four");
}

static bool
is_h200(const TestDevice *test)
{
	GpuAggDeviceInfo cards[16];
	GpuAggError error = {};

	return test->ops->list(cards, 16, &error) > 0 && strstr(cards[0].name, "H200") != NULL;
}

static void
test_session(const TestDevice *test, GpuAggDevice *device, int effort)
{
	GpuAggProbeLimits limits = {};
	GpuAggError error = {};
	volatile int cancel = 0;

	limits.seconds = 600;
	limits.memory_share = 0.95;
	if (!is_int(gpuagg_probe_run(test->ops->probe, device, effort, &limits, &cancel, NULL,
								 &result, &error), GPUAGG_OK, "a session"))
	{
		printf("#   %s\n", error.message);
		return;
	}
	print_result();
	test_sane();
	if (effort > 0 && is_h200(test))
		test_h200();
}

static int
session_cases(const TestDevice *test)
{
	GpuAggDeviceConfig config = {};
	GpuAggDevice *device;
	GpuAggError error = {};
	void	   *pages = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE,
							 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (setting("GPUAGG_TEST_SCALE", 100) < 100)
	{
		printf("1..0 # SKIP nothing has its own speed\n");
		return 0;
	}
	config.ordinal = test->ordinal;
	config.memory_limit = GiB;
	config.pages = (const char *) pages;
	config.pages_bytes = PAGES_BYTES;
	if (!ok(pages != MAP_FAILED, "pages") ||
		!ok(test->ops->open(&config, &device, &error) == GPUAGG_OK, "open"))
		return done_testing();
	for (int i = 0; i < setting("GPUAGG_PROBE_RUNS", 1); i++)
		test_session(test, device, setting("GPUAGG_PROBE_EFFORT", 0));
	test->ops->close(device);
	munmap(pages, PAGES_BYTES);
	return done_testing();
}

int
main(void)
{
	return cuda_run(session_cases);
}
