/*
 * tlb.c
 *		The TLB levels of a device (Karnagel et al., Big Data causing Big (TLB)
 *		Problems, section 3.2).
 *
 * Chases over strides that double, each with counts of elements that grow by
 * quarter octaves, give a curve to each stride; pattern.c finds the levels in
 * them, and then the boundary of each is looked at closely, at the stride of
 * its page.
 * All strides are measured once before any is measured again, so that a burst
 * of other work hits one repeat of a point and medians forget it.
 *
 * Caches must not show.  All that a chase visits fits half of the last-level
 * cache, and from each time that of a dense chase of as many lines is taken,
 * which takes as much of every cache and a small part of the pages.  What is
 * left is faint where a cache is slow (a CPU's first TLB level costs 5 cycles, its
 * last cache 50 and more, with noise of its own), so levels are looked for in
 * windows: among few elements first, which fast caches hold, then among more.
 */
#include <math.h>
#include <stdlib.h>

#include "probe/stats.h"
#include "probe/tlb.h"

#define MAX_STRIDES 20

/* Bytes of cache that an element takes, at most: a GPU's line, or two of a
 * CPU's, which fetches them in pairs */
#define ELEMENT_BYTES 128

/* A dense chase visits every line, of a CPU or of a GPU. */
#define CPU_LINE 64
#define GPU_LINE 128

/* The largest TLB known has some 3000 entries; at half a page twice as many
 * are visited, and four times to see it end. */
#define MOST_COUNT 16384

/* Fewest elements: the least TLB that can be told from its neighbours */
#define LEAST_COUNT 4

/* A device that names no cache is taken to have this much. */
#define LEAST_CACHE (8 * GPUAGG_MIB)

/* Each window goes to where a cache is so many times slower. */
#define WINDOW_FACTOR 4.0

/*
 * Levels that reach this much alike are one, seen at two strides or in two
 * windows: the nearest ones known are 16 times apart.
 */
#define SAME_REACH 3.0

/*
 * An entry of a CPU covers a page, or up to four that it joins.  What looks
 * like larger ones is the page table itself, which takes lines of the caches
 * and has caches of its own.
 */
#define CPU_JOINED_PAGES 4

/*
 * The boundary.  A TLB of sets and ways misses only in the sets that are too
 * full: of the H200's 256 sets of 8 ways, each entry beyond 2048 costs one, and
 * the last plateau is reached at 2304.  So the curve is searched for two places:
 * where it departs from the plateau by more than noise explains, and where it
 * has risen by half.  The boundary is not after the second, and before the
 * first only by what noise may hide.
 *
 * Entries may be hashed to sets by more of their address than what numbers sets
 * in order; then entries that begin anywhere fill some sets before others, by
 * a part of the first and last block of pages.  Blocks that begin at a multiple
 * of what all sets cover fill them alike: so this chase is aligned.
 */
#define PLATEAU_POINTS 8

/*
 * Plateau: from here to where the curve was last seen low.  And the search goes
 * as far beyond where it was seen high, for the curve was not aligned.
 */
#define PLATEAU_SHARE 0.875

/* What departs, in standard deviations, and shares of the rise at least and at
 * most; and a timer's own noise as a share of the time */
#define DEPARTS 4.0
#define LEAST_DEPARTURE 0.005
#define MOST_DEPARTURE 0.35
#define TIMER_NOISE 0.0005
#define HALF_RISEN 0.5

/* At what seems to be beyond */
#define LOOKS 2

/*
 * In a virtual machine a level may be the hypervisor's pages, or what other
 * guests leave of a TLB: half as sure, and not found rather than guessed when
 * not even two thirds of the repeats agree.  (On an AMD EPYC's, levels above
 * that came back in the next session; of those below, none did.)
 */
#define GUEST_CONFIDENCE 0.5
#define GUEST_LEAST (GUEST_CONFIDENCE * 2 / 3)

typedef struct TlbCurves
{
	GpuAggTlbPlan plan;
	bool		huge;
	uint32_t	ncurves;
	GpuAggStrideCurve curves[MAX_STRIDES];
	GpuAggStrideCurve dense;	/* the longest's counts */
	GpuAggStrideCurve window[MAX_STRIDES];	/* fewer elements, without caches */
	uint32_t	nrepeats;		/* that were completed */
	double		ns_per_y;
} TlbCurves;

typedef struct TlbLevel
{
	GpuAggPattern pattern;
	double		base;			/* y of the slowest cache of its window */
	uint64_t	align;			/* of the chases that look closely */
} TlbLevel;

GpuAggTlbPlan
gpuagg_tlb_plan(const GpuAggProbeMachine *machine, uint64_t cache_bytes)
{
	GpuAggTlbPlan plan = {
		.least_stride = 4 * GPUAGG_KIB, .most_stride = 128 * GPUAGG_MIB,
		.bytes = machine->bytes, .per_octave = 4
	};

	if (cache_bytes == 0)
		cache_bytes = LEAST_CACHE;
	plan.most_count = cache_bytes / 2 / ELEMENT_BYTES;
	if (plan.most_count > MOST_COUNT)
		plan.most_count = MOST_COUNT;

	/* X/2 must be there for the smallest page. */
	if (machine->page_bytes != 0 && machine->page_bytes <= plan.least_stride)
		plan.least_stride = machine->page_bytes / 2;
	plan.most_page = machine->warp > 1 || machine->page_bytes == 0 ?
		plan.most_stride : CPU_JOINED_PAGES * machine->page_bytes;
	while (plan.most_stride > plan.least_stride &&
		   plan.most_stride > machine->bytes / LEAST_COUNT)
		plan.most_stride /= 2;
	return plan;
}

static void
lay_out(TlbCurves *t, const GpuAggProbeSession *session)
{
	const GpuAggTlbPlan *plan = &t->plan;

	for (uint64_t stride = plan->least_stride;
		 stride <= plan->most_stride && t->ncurves < MAX_STRIDES; stride *= 2)
	{
		GpuAggStrideCurve *curve = &t->curves[t->ncurves++];
		uint64_t	count = plan->bytes / stride;

		curve->stride = stride;
		curve->nrepeats = session->repeats;
		if (count > plan->most_count)
			count = plan->most_count;
		curve->npoints = gpuagg_pattern_counts(LEAST_COUNT, count,
											   plan->per_octave, curve->count);
	}
	t->dense = t->curves[0];
	t->dense.stride = session->shuffle ? CPU_LINE : GPU_LINE;
}

static GpuAggStatus
chase(const GpuAggProbeSession *session, const TlbCurves *t, uint64_t stride,
	  uint64_t count, uint64_t align, double *y, double *ns)
{
	GpuAggChase chase = {
		.stride = stride, .count = count, .align = align, .huge = t->huge,
		.shuffle = session->shuffle
	};

	return gpuagg_probe_chase(session, chase, y, ns);
}

static GpuAggStatus
measure_curve(const GpuAggProbeSession *session, TlbCurves *t,
			  GpuAggStrideCurve *curve, uint32_t repeat)
{
	for (uint32_t i = 0; i < curve->npoints; i++)
	{
		double		y = 0;
		double		ns = 0;
		GpuAggStatus status = chase(session, t, curve->stride, curve->count[i],
									0, &y, &ns);

		if (status != GPUAGG_OK)
			return status;
		curve->y[repeat][i] = y;
		t->ns_per_y = y > 0 ? ns / y : 1;
		if (curve != &t->dense)
			gpuagg_probe_point(session, GPUAGG_CURVE_CHASE, curve->stride,
							   curve->stride * curve->count[i], y);
		if (gpuagg_probe_expired(session))
			break;
	}
	return GPUAGG_OK;
}

/* All curves, as often as there is time for */
static GpuAggStatus
measure(const GpuAggProbeSession *session, TlbCurves *t)
{
	for (uint32_t r = 0; r < session->repeats; r++)
	{
		for (uint32_t c = 0; c <= t->ncurves; c++)
		{
			GpuAggStatus status =
				measure_curve(session, t, c == 0 ? &t->dense : &t->curves[c - 1], r);

			if (status != GPUAGG_OK)
				return status;
			if (gpuagg_probe_expired(session))
				return GPUAGG_OK;
			gpuagg_probe_progress(session, 0.9 * (r + (double) c / t->ncurves) /
								  session->repeats);
		}
		t->nrepeats = r + 1;
	}
	return GPUAGG_OK;
}

/*
 * y of an access as if all caches but the slowest were missed: as far above that
 * one's y as it is above the dense chase's.  (Not as far above the fastest
 * one's: the noise of a slow access would be large in it.)
 */
static double
without_caches(double base, double y, double dense)
{
	double		excess = y - dense;

	return excess > -base / 2 ? base + excess : base / 2;
}

/* The curves' first npoints.  Counts of all are the same but for the last. */
static double
make_window(TlbCurves *t, const double *dense, uint32_t npoints)
{
	double		base = 0;

	for (uint32_t i = 0; i < npoints; i++)
		base = dense[i] > base ? dense[i] : base;
	for (uint32_t c = 0; c < t->ncurves; c++)
	{
		GpuAggStrideCurve *curve = &t->window[c];

		*curve = t->curves[c];
		curve->nrepeats = t->nrepeats;
		if (curve->npoints > npoints)
			curve->npoints = npoints;
		for (uint32_t r = 0; r < t->nrepeats; r++)
			for (uint32_t i = 0; i < curve->npoints; i++)
				curve->y[r][i] = without_caches(base, curve->y[r][i], dense[i]);
	}
	return base;
}

static double
reach(const GpuAggPattern *pattern)
{
	return (double) pattern->fits * (double) pattern->stride;
}

static bool
is_surer(const GpuAggPattern *a, const GpuAggPattern *b)
{
	return a->confidence > b->confidence ||
		(a->confidence == b->confidence && a->high - a->low > b->high - b->low);
}

/* Of a level that was found twice, the surer one stays. */
static uint32_t
add_level(TlbLevel *levels, uint32_t n, const TlbLevel *level)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double		ratio = reach(&levels[i].pattern) / reach(&level->pattern);

		if (ratio > SAME_REACH || ratio < 1 / SAME_REACH)
			continue;
		if (is_surer(&level->pattern, &levels[i].pattern))
			levels[i] = *level;
		return n;
	}
	if (n < GPUAGG_MAX_LEVELS)
		levels[n++] = *level;
	return n;
}

static uint32_t
find_levels(TlbCurves *t, TlbLevel levels[GPUAGG_MAX_LEVELS])
{
	double		dense[GPUAGG_CURVE_POINTS];
	uint32_t	npoints = 0;
	uint32_t	n = 0;
	double		limit;

	t->dense.nrepeats = t->nrepeats;
	gpuagg_pattern_medians(&t->dense, dense);
	for (limit = WINDOW_FACTOR * dense[0]; npoints < t->dense.npoints;
		 limit *= WINDOW_FACTOR)
	{
		GpuAggPattern patterns[GPUAGG_MAX_LEVELS];
		uint32_t	before = npoints;
		uint32_t	found;
		double		base;

		while (npoints < t->dense.npoints && dense[npoints] <= limit)
			npoints++;
		if (npoints == before)
			continue;
		base = make_window(t, dense, npoints);
		found = gpuagg_pattern_find(t->window, t->ncurves, patterns,
									GPUAGG_MAX_LEVELS);
		for (uint32_t i = 0; i < found; i++)
			if (patterns[i].stride <= t->plan.most_page)
				n = add_level(levels, n, &(TlbLevel) {patterns[i], base, 0});
	}
	return n;
}

static uint64_t
search_end(const TlbCurves *t, const GpuAggPattern *pattern)
{
	uint64_t	end = (uint64_t) ((double) pattern->exceeds / PLATEAU_SHARE);

	if (end > t->plan.most_count)
		end = t->plan.most_count;
	if (end > t->plan.bytes / pattern->stride)
		end = t->plan.bytes / pattern->stride;
	return end > pattern->exceeds ? end : pattern->exceeds;
}

/* The largest power of two that is a good part of the level, and that there is
 * memory for */
static uint64_t
alignment(const TlbCurves *t, const GpuAggPattern *pattern, uint64_t most)
{
	uint64_t	align = pattern->stride;

	while (align * 4 <= pattern->fits * pattern->stride)
		align *= 2;
	while (align > 1 && align + most * pattern->stride > t->plan.bytes)
		align /= 2;
	return align;
}

/* y of so many entries of the level, without caches; median of repeats */
static GpuAggStatus
look(const GpuAggProbeSession *session, const TlbCurves *t,
	 const TlbLevel *level, uint64_t count, double *result)
{
	double		y[GPUAGG_CURVE_REPEATS];
	double		dense[GPUAGG_CURVE_REPEATS];
	double		ns;

	for (uint32_t r = 0; r < session->repeats; r++)
	{
		GpuAggStatus status = chase(session, t, level->pattern.stride, count,
									level->align, &y[r], &ns);

		if (status == GPUAGG_OK)
			status = chase(session, t, t->dense.stride, count, 0, &dense[r], &ns);
		if (status != GPUAGG_OK)
			return status;
	}
	*result = without_caches(level->base,
							 gpuagg_stat_median(y, session->repeats),
							 gpuagg_stat_median(dense, session->repeats));
	return GPUAGG_OK;
}

/* The plateau before the boundary, and from where on y is not of it */
static GpuAggStatus
find_plateau(const GpuAggProbeSession *session, const TlbCurves *t,
			 const TlbLevel *level, double *plateau, double *departs)
{
	const GpuAggPattern *pattern = &level->pattern;
	double		rise = pattern->high - pattern->low;
	double		y[PLATEAU_POINTS];
	double		noise;

	for (uint32_t i = 0; i < PLATEAU_POINTS; i++)
	{
		double		share = PLATEAU_SHARE +
			(1 - PLATEAU_SHARE) * i / (PLATEAU_POINTS - 1);
		uint64_t	count = (uint64_t) rint(share * (double) pattern->fits);
		GpuAggStatus status = look(session, t, level, count < 2 ? 2 : count, &y[i]);

		if (status != GPUAGG_OK)
			return status;
	}
	*plateau = gpuagg_stat_median(y, PLATEAU_POINTS);
	noise = fmax(gpuagg_stat_deviation(y, PLATEAU_POINTS), TIMER_NOISE * *plateau);
	*departs = *plateau + fmin(fmax(DEPARTS * noise, LEAST_DEPARTURE * rise),
							   MOST_DEPARTURE * rise);
	return GPUAGG_OK;
}

/*
 * Bisects for the last count whose y is below, while there is time.  What is
 * above is looked at again, for other work only slows down.
 */
static GpuAggStatus
bisect(const GpuAggProbeSession *session, const TlbCurves *t,
	   const TlbLevel *level, double below, uint64_t *fits, uint64_t *exceeds)
{
	while (*exceeds - *fits > 1 && !gpuagg_probe_expired(session))
	{
		uint64_t	middle = (*fits + *exceeds) / 2;
		double		y = INFINITY;

		for (int looks = 0; looks < LOOKS && y >= below; looks++)
		{
			double		now = 0;
			GpuAggStatus status = look(session, t, level, middle, &now);

			if (status != GPUAGG_OK)
				return status;
			y = fmin(y, now);
		}
		if (y < below)
			*fits = middle;
		else
			*exceeds = middle;
	}
	return GPUAGG_OK;
}

uint64_t
gpuagg_tlb_entries(uint64_t departs, uint64_t half, double hidden)
{
	/* so many entries may the curve have risen over before it was seen to, and
	 * noise may be as much again */
	uint64_t	early = (uint64_t) (2 * hidden / (HALF_RISEN - hidden) *
									(double) (half - departs));
	uint64_t	least = early < departs ? departs - early : 1;
	uint64_t	most = half - 1;
	uint64_t	round = 1;

	if (most <= departs)
		return departs;
	while (most / (round * 2) * (round * 2) >= least)
		round *= 2;
	return most / round * round;
}

/* Looks closely; without time for it, what the curves said stays. */
static GpuAggStatus
find_boundary(const GpuAggProbeSession *session, const TlbCurves *t,
			  TlbLevel *level)
{
	GpuAggPattern *pattern = &level->pattern;
	double		rise = pattern->high - pattern->low;
	uint64_t	fits = (uint64_t) (PLATEAU_SHARE * (double) pattern->fits);
	uint64_t	below = fits;
	uint64_t	half = search_end(t, pattern);
	uint64_t	departed;
	uint64_t	entries;
	double		plateau = 0;
	double		departs = 0;
	GpuAggStatus status;

	level->align = alignment(t, pattern, half);
	status = find_plateau(session, t, level, &plateau, &departs);
	if (status == GPUAGG_OK)
		status = bisect(session, t, level, plateau + HALF_RISEN * rise, &below, &half);
	departed = half;
	if (status == GPUAGG_OK)
		status = bisect(session, t, level, departs, &fits, &departed);
	if (status != GPUAGG_OK || half - below > 1 || departed - fits > 1)
		return status;
	entries = gpuagg_tlb_entries(fits, half, (departs - plateau) / rise);
	pattern->confidence *= 1 - fabs((double) entries - (double) fits) /
		(double) (entries > fits ? entries : fits);
	pattern->fits = entries;
	return GPUAGG_OK;
}

static void
report(const GpuAggProbeSession *session, const TlbCurves *t,
	   const GpuAggPattern *pattern)
{
	/* y is cycles unless it is ns itself */
	double		cycles = t->ns_per_y != 1 ? 1 : 0;
	GpuAggLevel level = {
		.kind = GPUAGG_LEVEL_TLB, .entries = pattern->fits,
		.page_bytes = pattern->stride,
		.reach_bytes = pattern->fits * pattern->stride,
		.hit_ns = pattern->low * t->ns_per_y,
		.miss_ns = (pattern->high - pattern->low) * t->ns_per_y,
		.hit_cycles = pattern->low * cycles,
		.miss_cycles = (pattern->high - pattern->low) * cycles,
		.confidence = pattern->confidence * t->nrepeats / session->repeats *
		(session->machine.guest ? GUEST_CONFIDENCE : 1),
		.searched_bytes = t->plan.bytes
	};

	if (session->machine.guest && level.confidence < GUEST_LEAST)
		return;
	gpuagg_probe_level(session->result, &level);
}

static GpuAggStatus
probe_curves(const GpuAggProbeSession *session, TlbCurves *t)
{
	TlbLevel	levels[GPUAGG_MAX_LEVELS];
	uint32_t	n;
	GpuAggStatus status;

	lay_out(t, session);
	status = measure(session, t);
	if (status != GPUAGG_OK || t->nrepeats == 0)
		return status == GPUAGG_UNSUPPORTED && t->huge ? GPUAGG_OK : status;
	n = find_levels(t, levels);
	for (uint32_t i = 0; i < n; i++)
	{
		status = find_boundary(session, t, &levels[i]);
		if (status != GPUAGG_OK)
			return status;
		report(session, t, &levels[i].pattern);
	}
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_tlb_probe(GpuAggProbeSession *session, uint64_t cache_bytes, bool huge)
{
	GpuAggProbeMachine machine = session->machine;
	TlbCurves  *t = calloc(1, sizeof(TlbCurves));
	GpuAggStatus status;

	if (t == NULL)
		return GPUAGG_OK;		/* nothing found */
	if (huge)
		machine.page_bytes = 2 * GPUAGG_MIB;
	t->plan = gpuagg_tlb_plan(&machine, cache_bytes);
	t->huge = huge;
	status = probe_curves(session, t);
	free(t);
	return status;
}
