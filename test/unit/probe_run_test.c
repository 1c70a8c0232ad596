/*
 * probe_run_test.c
 *		Whole probe sessions on a simulated device: what is put in must come
 *		out.  Also the TLB sharing driver alone, and what ends a session.
 */
#include <stdlib.h>
#include <time.h>

#include "probe/cache_levels.h"
#include "probe/ceilings.h"
#include "probe/probe_run.h"
#include "probe/random_access.h"
#include "probe/sharing.h"
#include "probe/tlb.h"
#include "probe_sim.h"
#include "tap.h"

/* Of the first byte of memory: 2 MiB after what the TLB calls a block */
#define SIM_ADDRESS (SIM_GIB(120) + SIM_MIB(2))

typedef struct SimDevice
{
	SimHierarchy sim;
	GpuAggProbeMachine machine;
	uint32_t	grouping;		/* pairs of units dealt to so many groups; 0: all
								 * share, UINT32_MAX: none does */
	double		ceiling_noise;
	double		slowed;
	bool		busy_units;
	bool		huge_pages;		/* which make no difference */
	bool		passes_l1;		/* chases that do not ask for it */
	uint32_t	fail_after;		/* chases; 0: never */
	uint32_t	cancel_after;
	long		chase_ns;		/* that each takes; 0: no time */
	double		seconds;		/* of the session; 0: as its effort says */
	uint32_t	chases;
	uint32_t	pairs;
	uint32_t	begun;
	uint32_t	ended;
	uint32_t	outside;		/* of the memory */
	int			cancel;
} SimDevice;

static SimDevice *
sim_of(GpuAggProbe *probe)
{
	return (SimDevice *) probe;
}

static GpuAggStatus
sim_begin(void *device, const GpuAggProbeLimits *limits,
		  const volatile int *cancel, GpuAggProbe **probe,
		  GpuAggProbeMachine *machine, GpuAggError *error)
{
	SimDevice  *d = device;

	(void) limits;
	(void) cancel;
	(void) error;
	d->begun++;
	*probe = (GpuAggProbe *) d;
	*machine = d->machine;
	return GPUAGG_OK;
}

static void
sim_end(GpuAggProbe *probe)
{
	sim_of(probe)->ended++;
}

static GpuAggStatus
sim_chase(GpuAggProbe *probe, const GpuAggChase *chase, GpuAggChaseTime *time,
		  GpuAggError *error)
{
	SimDevice  *d = sim_of(probe);
	uint32_t	first;

	d->chases++;
	nanosleep(&(struct timespec) {.tv_nsec = d->chase_ns}, NULL);
	if (chase->huge && !d->huge_pages)
		return GPUAGG_UNSUPPORTED;
	if (d->fail_after != 0 && d->chases > d->fail_after)
		return error->status = GPUAGG_DEVICE_FAULT;
	if (d->cancel_after != 0 && d->chases > d->cancel_after)
		d->cancel = 1;
	d->outside += gpuagg_chase_first(chase, SIM_ADDRESS) +
		chase->stride * chase->count > d->machine.bytes;
	first = d->passes_l1 && !chase->own_cache;
	time->cycles = sim_noisy(&d->sim, sim_access(&d->sim, first, chase->stride,
												 chase->count, chase->shuffle,
												 chase->align >= SIM_GIB(8)));
	time->ns = time->cycles / 2;
	return GPUAGG_OK;
}

static uint32_t
sim_group(const SimDevice *d, uint32_t unit)
{
	return d->grouping == 0 ? 0 : d->grouping == UINT32_MAX ? unit :
		unit / 2 % d->grouping;
}

static GpuAggStatus
sim_pair(GpuAggProbe *probe, uint32_t unit, uint32_t other, uint64_t start,
		 uint64_t other_start, uint64_t bytes, double *rate, GpuAggError *error)
{
	SimDevice  *d = sim_of(probe);
	const SimTlb *last = &d->sim.tlb[d->sim.ntlbs - 1];
	uint64_t	visited = other == unit ? bytes : 2 * bytes;

	(void) error;
	if (d->busy_units)
		return GPUAGG_BUSY;
	d->pairs++;
	d->outside += start + bytes > d->machine.bytes ||
		other_start + bytes > d->machine.bytes;
	*rate = 3e8 / sim_noisy(&d->sim, 1);
	if (sim_group(d, unit) == sim_group(d, other) &&
		visited > last->entries * last->page_bytes)
		*rate /= d->slowed;
	return GPUAGG_OK;
}

static GpuAggStatus
sim_random_rate(GpuAggProbe *probe, GpuAggRandomKind kind, uint64_t bytes,
				double *rate, GpuAggError *error)
{
	SimDevice  *d = sim_of(probe);

	(void) error;
	*rate = sim_noisy(&d->sim, (bytes <= SIM_MIB(32) ? 160e9 : 40e9) / (kind + 1));
	return GPUAGG_OK;
}

static GpuAggStatus
sim_ceiling(GpuAggProbe *probe, GpuAggCeiling ceiling, double *value,
			GpuAggError *error)
{
	SimDevice  *d = sim_of(probe);

	(void) error;
	if (ceiling == GPUAGG_CEILING_ZERO_COPY_OUT)
		return GPUAGG_UNSUPPORTED;
	*value = (1 + ceiling) * 1e9 *
		(1 + d->ceiling_noise * (2 * sim_random(&d->sim) - 1));
	return GPUAGG_OK;
}

static bool
sim_kernel(GpuAggProbe *probe, uint32_t n, GpuAggKernelInfo *kernel)
{
	(void) probe;
	*kernel = (GpuAggKernelInfo) {.name = "sim", .registers = 32 + n};
	return n < 3;
}

static void
sim_limits(GpuAggProbe *probe, GpuAggUnitLimits *limits)
{
	(void) probe;
	limits->warps = 64;
}

static const GpuAggProbeOps sim_ops = {
	.begin = sim_begin, .end = sim_end, .chase = sim_chase, .pair = sim_pair,
	.random = sim_random_rate, .ceiling = sim_ceiling, .kernel = sim_kernel,
	.unit_limits = sim_limits
};

/* An H200: L2 of 60 MiB, 64 GiB of TLB, groups of six units and some of four */
static SimDevice
h200(void)
{
	SimDevice	d = {
		.sim = {
			.ntlbs = 1, .tlb = {{2048, SIM_MIB(32), 94, 0, 0}},
			.ncaches = 2, .memory = 700, .noise = 0.01, .random = 7,
			.cache = {{SIM_KIB(256), 128, 32, 40}, {SIM_MIB(60), 128, 32, 292}}
		},
		.machine = {
			.units = 132, .warp = 32, .bytes = SIM_GIB(125),
			.total_bytes = SIM_GIB(139), .cache_bytes = SIM_MIB(60),
			.clock_ghz = 2
		},
		.grouping = 24, .ceiling_noise = 0.02, .slowed = 5, .passes_l1 = true
	};

	return d;
}

typedef struct Watch
{
	double		share;
	bool		falls;
	uint32_t	points[3];
} Watch;

static void
watch_progress(void *context, const char *stage, double share)
{
	Watch	   *w = context;

	w->falls = w->falls || stage == NULL || share < w->share - 1e-9;
	w->share = share;
}

static void
watch_point(void *context, const GpuAggCurvePoint *point)
{
	((Watch *) context)->points[point->curve]++;
}

static GpuAggProbeResult result;
static GpuAggError error;

static GpuAggStatus
run(SimDevice *d, int effort, Watch *watch)
{
	GpuAggProbeLimits limits = {.memory_share = 1, .seconds = d->seconds};
	GpuAggProbeObserver observer = {watch_progress, watch_point, watch};

	return gpuagg_probe_run(&sim_ops, d, effort, &limits, &d->cancel,
							watch != NULL ? &observer : NULL, &result, &error);
}

static const GpuAggLevel *
level_of(GpuAggLevelKind kind, uint32_t n)
{
	for (uint32_t i = 0; i < result.nlevels; i++)
		if (result.levels[i].kind == kind && result.levels[i].level == n)
			return &result.levels[i];
	return NULL;
}

static bool
near(double got, double want, double share)
{
	return fabs(got / want - 1) <= share;
}

static bool
groups_right(const SimDevice *d)
{
	for (uint32_t i = 0; i < d->machine.units; i++)
		for (uint32_t j = 0; j < i; j++)
			if ((result.group[i] == result.group[j]) !=
				(sim_group(d, i) == sim_group(d, j)))
				return false;
	return true;
}

static void
test_h200(void)
{
	Watch		watch = {0};
	SimDevice	d = h200();
	const GpuAggLevel *tlb;
	const GpuAggLevel *cache;

	is_int(run(&d, 1, &watch), GPUAGG_OK, "a session on a simulated H200");
	tlb = level_of(GPUAGG_LEVEL_TLB, 1);
	if (ok(tlb != NULL && level_of(GPUAGG_LEVEL_TLB, 2) == NULL, "one TLB level"))
	{
		is_int((long long) tlb->entries, 2048, "its entries");
		is_int((long long) tlb->page_bytes, (long long) SIM_MIB(32), "its pages");
		is_int((long long) tlb->reach_bytes, (long long) SIM_GIB(64), "its reach");
		ok(near(tlb->miss_cycles, 94, 0.1) && near(tlb->miss_ns, 47, 0.1),
		   "what a miss costs");
		ok(tlb->confidence > 0 && tlb->confidence <= 0.8, "memory ends before 2X's");
		is_int((long long) tlb->searched_bytes, (long long) SIM_GIB(125),
			   "how far was looked");
	}
	for (uint32_t n = 1; n <= 2; n++)
	{
		cache = level_of(GPUAGG_LEVEL_CACHE, n);
		if (!ok(cache != NULL, "a cache level"))
			continue;
		ok(near((double) cache->reach_bytes, (double) d.sim.cache[n - 1].bytes, 0.05),
		   "its capacity");
		ok(near(cache->hit_cycles, d.sim.cache[n - 1].hit, 0.05), "its latency");
		is_int((long long) cache->page_bytes, 128, "its line");
		is_int((long long) cache->sector_bytes, 32, "its sector");
	}
	ok(level_of(GPUAGG_LEVEL_CACHE, 3) == NULL, "no third one");
	ok(level_of(GPUAGG_LEVEL_MEMORY, 1) != NULL &&
	   near(level_of(GPUAGG_LEVEL_MEMORY, 1)->hit_cycles, 700, 0.05),
	   "latency of memory");

	is_int(result.ngroups, 24, "groups of units");
	ok(groups_right(&d), "every unit in its group");
	printf("#   %u pairs\n", d.pairs);
	ok(d.pairs < 132 * 8, "without comparing all with all");

	ok(result.npoints > 30 && result.points[0].bytes == SIM_MIB(1) &&
	   result.points[result.npoints - 1].bytes == SIM_GIB(125),
	   "random access from 1 MiB to all memory");
	ok(near(result.points[0].rate[0], 160e9, 0.02) &&
	   near(result.points[20].rate[1], 20e9, 0.02), "its rates");
	ok(near(result.ceiling[GPUAGG_CEILING_MEMORY_COPY], 2e9, 0.03), "a ceiling");
	is_double(result.ceiling[GPUAGG_CEILING_ZERO_COPY_OUT], 0, "one that it has not");
	ok(!result.busy && result.spread > 0 && result.spread < 0.05, "not busy");
	is_int(result.nkernels, 3, "kernels");
	is_int(result.limits.warps, 64, "limits of a unit");
	ok(watch.points[0] > 0 && watch.points[1] > 0 && watch.points[2] > 0,
	   "points of all curves");
	ok(!watch.falls && near(watch.share, 1, 1e-9), "progress goes from 0 to 1");
	ok(d.begun == 1 && d.ended == 1, "memory is given back");
	is_int(d.outside, 0, "nothing outside the memory");
}

/* Five of five, whatever the noise of the day */
static void
test_again(void)
{
	uint32_t	right = 0;

	for (uint32_t i = 0; i < 5; i++)
	{
		SimDevice	d = h200();
		const GpuAggLevel *tlb;

		d.sim.random = 100 + i;
		d.sim.noise = 0.03;
		d.sim.outliers = 0.01;
		d.sim.burst_every = 5000;
		d.sim.burst_length = 100;
		run(&d, 1, NULL);
		tlb = level_of(GPUAGG_LEVEL_TLB, 1);
		right += tlb != NULL && tlb->page_bytes == SIM_MIB(32) &&
			near((double) tlb->entries, 2048, 0.03) && result.ngroups == 24 &&
			groups_right(&d);
	}
	is_int(right, 5, "noise, outliers and bursts: five right sessions of five");
}

/* The fullest of a cache's sets, of elements that are half of its lines by number */
static uint32_t
fullest_set(uint64_t stride, uint64_t line, uint32_t nsets, uint32_t ways)
{
	uint32_t   *set = calloc(nsets, sizeof(uint32_t));
	uint32_t	most = 0;

	for (uint64_t i = 0; set != NULL && i < (uint64_t) nsets * ways / 2; i++)
	{
		uint64_t	at = i * stride + gpuagg_chase_offset(stride, i);
		uint32_t   *n = &set[at / line % nsets];

		*n += 1;
		most = *n > most ? *n : most;
	}
	free(set);
	return most;
}

/* Or caches hold less of a chase the longer its strides, and lines seem longer. */
static void
test_offsets(void)
{
	uint32_t	inside = 0;

	is_int((long long) gpuagg_chase_offset(64, 1000), 0, "a stride of a line has no offsets");
	is_int((long long) gpuagg_chase_offset(128, 7), 64, "7 = 111 in base 2: odd");
	is_int((long long) gpuagg_chase_offset(256, 7), 0, "7 = 13 in base 4: four lines are a stride");
	is_int((long long) gpuagg_chase_offset(4096, 4100), 5 * 64, "4100 = 1 0 4 in base 64");
	for (uint64_t stride = 64; stride <= 4096; stride *= 2)
		for (uint64_t i = 0; i < 100000; i++)
			inside += gpuagg_chase_offset(stride, i) < stride;
	is_int(inside, 700000, "an element lies within its stride");
	for (uint64_t stride = 64; stride <= 1024; stride *= 2)
	{
		is_int(fullest_set(stride, 64, 64, 12), 6, "48 KiB, 12 ways: half of each set");
		is_int(fullest_set(stride, 64, 2048, 16), 8, "2 MiB, 16 ways: half of each set");
	}
}

/* As H200s are: sets of 8, and elements that begin anywhere fill some earlier */
static void
test_sets(void)
{
	static const uint32_t skews[] = {0, 4, 22, 50, 81};
	uint32_t	right = 0;
	bool		honest = true;

	for (uint32_t i = 0; i < 25; i++)
	{
		SimDevice	d = h200();
		const GpuAggLevel *tlb;

		d.sim.tlb[0].ways = 8;
		d.sim.tlb[0].skew = skews[i % 5];
		d.sim.random = 200 + i;
		d.sim.noise = i < 15 ? 0.002 : 0.01;
		d.grouping = 0;
		run(&d, 1, NULL);
		tlb = level_of(GPUAGG_LEVEL_TLB, 1);
		right += tlb != NULL && tlb->page_bytes == SIM_MIB(32) && tlb->entries == 2048 &&
			d.outside == 0;
		if (tlb == NULL || tlb->entries != 2048)
			printf("#   skew %u, noise %g: %llu x %llu, confidence %g\n", skews[i % 5],
				   d.sim.noise, tlb == NULL ? 0 : (unsigned long long) tlb->entries,
				   tlb == NULL ? 0 : (unsigned long long) tlb->page_bytes,
				   tlb == NULL ? 0 : tlb->confidence);
		honest = honest && tlb != NULL && tlb->confidence > 0 && tlb->confidence <= 0.8;
	}
	is_int(right, 25, "a rise over all sets, early in some: 2048 entries");
	ok(honest, "and no more confidence than at once");
}

/* What the close look says of where a curve departs and is half up */
static void
test_entries(void)
{
	is_int((long long) gpuagg_tlb_entries(65, 66, 0.1), 65, "a rise at once is where it is");
	is_int((long long) gpuagg_tlb_entries(2051, 2172, 0.02), 2048, "noise hid the first three");
	is_int((long long) gpuagg_tlb_entries(1969, 2150, 0.02), 2048, "sets that fill early");
	is_int((long long) gpuagg_tlb_entries(1539, 1605, 0.02), 1536, "3 x 512");
	is_int((long long) gpuagg_tlb_entries(101, 104, 0), 102, "the roundest there is");
	is_int((long long) gpuagg_tlb_entries(3, 7, 0.49), 4, "a hidden rise goes to one at most");
}

static void
test_guest(void)
{
	SimDevice	d = h200();
	double		alone;

	run(&d, 0, NULL);
	alone = level_of(GPUAGG_LEVEL_TLB, 1) != NULL ?
		level_of(GPUAGG_LEVEL_TLB, 1)->confidence : 0;
	d = h200();
	d.machine.guest = 1;
	run(&d, 0, NULL);
	ok(alone > 0 && level_of(GPUAGG_LEVEL_TLB, 1) != NULL &&
	   near(level_of(GPUAGG_LEVEL_TLB, 1)->confidence, alone / 2, 1e-9),
	   "half as sure in a virtual machine");

	d = h200();
	d.sim.noise = 0.1;
	d.sim.random = 319;
	run(&d, 1, NULL);
	ok(level_of(GPUAGG_LEVEL_TLB, 1) != NULL &&
	   level_of(GPUAGG_LEVEL_TLB, 1)->confidence < 0.65, "noise, and a level that is doubtful");
	d = h200();
	d.sim.noise = 0.1;
	d.sim.random = 319;
	d.machine.guest = 1;
	run(&d, 1, NULL);
	ok(level_of(GPUAGG_LEVEL_TLB, 1) == NULL, "which is none in a virtual machine");
}

/* A level seen on small and on huge pages is one: reaches must grow. */
static void
test_twins(void)
{
	SimDevice	d = h200();
	uint32_t	found = 0;

	d.sim.tlb[0] = (SimTlb) {512, SIM_MIB(2), 60, 0, 0};
	d.machine.bytes = SIM_GIB(16);
	d.machine.warp = 1;
	d.grouping = 0;
	d.huge_pages = true;
	run(&d, 0, NULL);
	for (uint32_t i = 0; i < result.nlevels; i++)
		found += result.levels[i].kind == GPUAGG_LEVEL_TLB;
	is_int(found, 1, "a level on both kinds of pages is one");
	ok(level_of(GPUAGG_LEVEL_TLB, 1) != NULL &&
	   level_of(GPUAGG_LEVEL_TLB, 1)->reach_bytes == SIM_GIB(1), "with its reach");
}

/* A third of the ceilings may lie apart. */
static void
test_busy(void)
{
	double		ceiling[GPUAGG_NCEILINGS] = {0};
	double		spread[GPUAGG_NCEILINGS] = {0};

	is_double(gpuagg_ceilings_spread(ceiling, spread), 0, "no ceilings");
	for (int c = 0; c < 12; c++)
	{
		ceiling[c] = 1e9;
		spread[c] = 0.01 * (c + 1);
	}
	spread[12] = 7;
	is_double(gpuagg_ceilings_spread(ceiling, spread), 0.08, "four of twelve are larger");
	spread[3] = spread[5] = spread[8] = spread[11] = 3;
	ok(gpuagg_ceilings_spread(ceiling, spread) < 0.25, "four that lie apart are no matter");
	spread[0] = 0.5;
	is_double(gpuagg_ceilings_spread(ceiling, spread), 0.5, "five are");
}

static void
test_others(void)
{
	SimDevice	d = h200();

	d.passes_l1 = false;
	d.sim.tlb[0] = (SimTlb) {512, SIM_MIB(2), 60, 0, 0};
	d.machine.bytes = SIM_GIB(16);
	d.machine.cache_bytes = 0;
	d.sim.cache[1].bytes = SIM_MIB(6);
	d.grouping = 0;
	is_int(run(&d, 0, NULL), GPUAGG_OK, "a card of another kind, low effort");
	ok(level_of(GPUAGG_LEVEL_TLB, 1) != NULL &&
	   level_of(GPUAGG_LEVEL_TLB, 1)->entries == 512 &&
	   level_of(GPUAGG_LEVEL_TLB, 1)->confidence == 1, "its TLB");
	ok(level_of(GPUAGG_LEVEL_CACHE, 2) != NULL &&
	   near((double) level_of(GPUAGG_LEVEL_CACHE, 2)->reach_bytes,
			(double) SIM_MIB(6), 0.25), "its cache, which it did not name");
	is_int(result.ngroups, 1, "all units share");

	d.grouping = UINT32_MAX;
	d.pairs = 0;
	run(&d, 0, NULL);
	is_int(result.ngroups, 132, "no units share");

	d = h200();
	d.machine.cache_bytes = SIM_GIB(1);
	run(&d, 0, NULL);
	ok(level_of(GPUAGG_LEVEL_CACHE, 2) != NULL &&
	   level_of(GPUAGG_LEVEL_MEMORY, 1) == NULL,
	   "behind a cache far smaller than the last one lies no memory");

	d = h200();
	d.busy_units = true;
	is_int(run(&d, 0, NULL), GPUAGG_OK, "other work keeps units");
	is_int(result.ngroups, 0, "sharing is not measured");
	ok(result.npoints > 0, "but the rest is");

	d = h200();
	d.machine.bytes = SIM_GIB(70);
	run(&d, 0, NULL);
	is_int(result.ngroups, 0, "memory for one region: sharing is not measured");
	is_int(d.pairs, 0, "and not tried");

	d = h200();
	d.sim.cache[1].line_bytes = 512;
	run(&d, 1, NULL);
	ok(level_of(GPUAGG_LEVEL_CACHE, 2) != NULL &&
	   level_of(GPUAGG_LEVEL_CACHE, 2)->page_bytes == 0 &&
	   level_of(GPUAGG_LEVEL_CACHE, 2)->sector_bytes == 0,
	   "512 bytes are no line, but what translations make of one");

	d = h200();
	d.machine.bytes = SIM_GIB(60);
	d.ceiling_noise = 0.5;
	run(&d, 0, NULL);
	ok(level_of(GPUAGG_LEVEL_TLB, 1) == NULL, "a reach beyond memory is not found");
	ok(result.busy, "a busy device is noticed");
	ok(result.ceiling[GPUAGG_CEILING_MEMORY_COPY] >= 2e9 &&
	   result.ceiling[GPUAGG_CEILING_LAUNCH] <= (1 + GPUAGG_CEILING_LAUNCH) * 1e9,
	   "of its ceilings the best repeats count");
}

/*
 * Five repeats of 48 sizes would take more than all that caches may; one takes
 * a third of what sizes may, so that a busy machine's sleeps can be twice as
 * long.
 */
static void
test_slow(void)
{
	SimDevice	d = h200();
	bool		lines = true;

	d.chase_ns = 8000000;
	d.seconds = 6;
	is_int(run(&d, 1, NULL), GPUAGG_OK, "chases that take all of the time");
	for (uint32_t n = 1; n <= 2; n++)
	{
		const GpuAggLevel *cache = level_of(GPUAGG_LEVEL_CACHE, n);

		lines = lines && cache != NULL && cache->page_bytes == 128 &&
			cache->sector_bytes == 32 &&
			near((double) cache->reach_bytes, (double) d.sim.cache[n - 1].bytes, 0.05);
	}
	ok(lines, "leave some for capacities, lines and sectors");
	ok(level_of(GPUAGG_LEVEL_CACHE, 1) != NULL &&
	   level_of(GPUAGG_LEVEL_CACHE, 1)->confidence < 0.9, "repeats are fewer, and it says so");
}

static void
test_ends(void)
{
	SimDevice	d = h200();

	d.fail_after = 1000;
	is_int(run(&d, 0, NULL), GPUAGG_DEVICE_FAULT, "a device that fails");
	ok(d.begun == 1 && d.ended == 1, "its memory is given back");
	d = h200();
	d.cancel_after = 500;
	is_int(run(&d, 0, NULL), GPUAGG_CANCELLED, "a session that is cancelled");
	ok(d.chases <= 501 && d.ended == 1, "at once");
	is_int(error.status, GPUAGG_CANCELLED, "and says so");
}

static void
test_plans(void)
{
	GpuAggProbeMachine machine = {.bytes = SIM_GIB(125), .warp = 32};
	GpuAggTlbPlan plan = gpuagg_tlb_plan(&machine, SIM_MIB(60));
	uint64_t	sizes[GPUAGG_MAX_RANDOM_POINTS];
	uint32_t	n;

	ok(plan.least_stride == 4096 && plan.most_stride == SIM_MIB(128),
	   "strides of a large card");
	plan = gpuagg_tlb_plan(&machine, SIM_MIB(1));
	ok(plan.most_count * 128 <= SIM_MIB(1) / 2, "a chase fits half of the cache");
	machine.bytes = SIM_MIB(256);
	machine.page_bytes = 4096;
	plan = gpuagg_tlb_plan(&machine, SIM_MIB(32));
	ok(plan.least_stride == 2048 && plan.most_stride == SIM_MIB(64),
	   "strides of a small machine with small pages");
	machine.warp = 1;
	is_int((long long) gpuagg_tlb_plan(&machine, SIM_MIB(32)).most_page, 16384,
		   "a CPU joins four pages, not more");

	n = gpuagg_random_sizes(SIM_MIB(8), sizes);
	ok(n == 7 && sizes[0] == SIM_MIB(1) && sizes[n - 1] == SIM_MIB(8),
	   "sizes in half octaves");
	is_int(gpuagg_random_sizes(SIM_GIB(4096), sizes) <= GPUAGG_MAX_RANDOM_POINTS, 1,
		   "no more sizes than there is room for");
	is_int(gpuagg_random_sizes(0, sizes), 0, "no memory, no sizes");
}

int
main(void)
{
	test_plans();
	test_h200();
	test_again();
	test_offsets();
	test_sets();
	test_entries();
	test_guest();
	test_twins();
	test_busy();
	test_others();
	test_slow();
	test_ends();
	return done_testing();
}
