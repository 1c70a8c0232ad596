/*
 * cache_levels.c
 *		Cache levels: capacity, latency, line and sector (Inferring Kaveri's
 *		Shared Virtual Memory Implementation).
 *
 * Capacity and latency: a shuffled chase over every line of regions that grow.
 * Each rise ends what one level holds; the last plateau is memory.
 *
 * Line: in a region somewhat larger than a level, a chase at stride s visits
 * all lines while s is no longer than one, and misses; at twice the line it
 * visits half of them, which fit.  The longest stride that misses is the line.
 *
 * Sector: where nothing prefetches, a chase in order of address through such a
 * region pays for what a miss fetches once: below that, time falls with the
 * stride.  On a CPU, prefetching hides it, and it is the line.
 *
 * The chases use the host's huge pages if it has some, or the TLB's reach would
 * look like a cache's.
 */
#include <math.h>
#include <stdlib.h>

#include "probe/cache_levels.h"

#define LEAST_BYTES (4 * GPUAGG_KIB)

/* Where the maker does not say how large the last cache is */
#define SEARCHED_BYTES (128 * GPUAGG_MIB)

/* Sizes to each doubling: a last cache takes a chase of seconds, so no more
 * than steps need; refine() finds what lies between two. */
#define PER_OCTAVE 3
#define REFINEMENTS 3

/* Of the stage's time, what sizes may take with their repeats: however long these
 * are, capacities between two sizes and lines are yet to be looked for. */
#define SIZES_SHARE 0.7

/* A region of this many capacities does not fit, and half of it does. */
#define BEYOND 1.6

/* Share of a miss from which an access counts as one: replacement other than
 * LRU keeps some of what is beyond a cache. */
#define MISSES 0.4

/* A stride that still pays this share of the line's time fetches no less. */
#define FULL_PRICE 0.85

/* A core that shares the last cache with others may see this part of it. */
#define CACHE_SLICES 8

/* What still misses with longer strides misses translations rather than lines. */
#define LONGEST_STRIDE 1024
#define LONGEST_LINE 256
#define SHORTEST_LINE 16
#define SHORTEST_SECTOR 16

typedef struct CacheProbe
{
	GpuAggProbeSession *session;
	GpuAggStrideCurve curve;
	double		scale;
	bool		is_cycles;
	bool		huge;
	GpuAggLevel levels[GPUAGG_MAX_LEVELS];
	uint32_t	nlevels;
} CacheProbe;

uint32_t
gpuagg_cache_find(const GpuAggStrideCurve *curve, double scale, bool is_cycles,
				  GpuAggLevel *levels, uint32_t max)
{
	GpuAggStep	steps[GPUAGG_MAX_LEVELS];
	double		cycles = is_cycles ? 1 : 0;
	uint32_t	n = gpuagg_pattern_steps(curve, steps, max - 1);

	for (uint32_t i = 0; i < n; i++)
		levels[i] = (GpuAggLevel)
	{
		.kind = GPUAGG_LEVEL_CACHE, .level = i + 1,
			.reach_bytes = curve->count[steps[i].low_end] * curve->stride,
			.hit_ns = steps[i].low * scale, .hit_cycles = steps[i].low * cycles,
			.miss_ns = (steps[i].high - steps[i].low) * scale,
			.miss_cycles = (steps[i].high - steps[i].low) * cycles,
			.confidence = gpuagg_pattern_agreement(curve, &steps[i]),
			.searched_bytes = curve->count[curve->npoints - 1] * curve->stride
	};
	if (n == 0)
		return 0;
	levels[n] = (GpuAggLevel)
	{
		.kind = GPUAGG_LEVEL_MEMORY, .level = 1,
			.hit_ns = steps[n - 1].high * scale,
			.hit_cycles = steps[n - 1].high * cycles,
			.confidence = levels[n - 1].confidence,
			.searched_bytes = levels[n - 1].searched_bytes
	};
	return n + 1;
}

static GpuAggStatus
chase(CacheProbe *p, uint64_t stride, uint64_t bytes, bool shuffle, double *y)
{
	GpuAggChase chase = {
		.stride = stride, .count = bytes / stride, .huge = p->huge,
		.shuffle = shuffle, .own_cache = 1
	};
	double		ns = 0;
	GpuAggStatus status = gpuagg_probe_chase(p->session, chase, y, &ns);

	if (status != GPUAGG_OK)
		return status;
	p->scale = *y > 0 ? ns / *y : 1;
	p->is_cycles = ns != *y;
	gpuagg_probe_point(p->session, GPUAGG_CURVE_SIZE, stride, bytes, ns);
	return GPUAGG_OK;
}

/* Sizes in order: when time is over in the first repeat, small ones are known. */
static GpuAggStatus
measure_sizes(CacheProbe *p)
{
	GpuAggStrideCurve *curve = &p->curve;
	double		now = gpuagg_probe_now();
	double		until = now + SIZES_SHARE * (p->session->deadline - now);

	for (uint32_t r = 0; r < p->session->repeats; r++)
	{
		for (uint32_t i = 0; i < curve->npoints; i++)
		{
			GpuAggStatus status;

			if (gpuagg_probe_now() >= until)
			{
				if (r == 0)
				{
					curve->npoints = i;
					curve->nrepeats = i > 0 ? 1 : 0;
				}
				return GPUAGG_OK;
			}
			status = chase(p, curve->stride, curve->count[i] * curve->stride,
						   true, &curve->y[r][i]);
			if (status != GPUAGG_OK)
				return status;
			gpuagg_probe_progress(p->session,
								  0.8 * (r + (double) i / curve->npoints) /
								  p->session->repeats);
		}
		curve->nrepeats = r + 1;
	}
	return GPUAGG_OK;
}

static uint64_t
beyond(const CacheProbe *p, const GpuAggLevel *level, uint64_t stride)
{
	uint64_t	bytes = (uint64_t) (BEYOND * (double) level->reach_bytes);

	if (bytes > p->session->machine.bytes)
		bytes = p->session->machine.bytes;
	return bytes - bytes % stride;
}

static double
level_y(const CacheProbe *p, double ns)
{
	return ns / p->scale;
}

/* The capacity between two sizes of the curve */
static GpuAggStatus
refine(CacheProbe *p, GpuAggLevel *level)
{
	double		least = level_y(p, level->hit_ns + MISSES * level->miss_ns);
	uint64_t	fits = level->reach_bytes;
	uint64_t	exceeds = (uint64_t) ((double) fits * exp2(1.0 / PER_OCTAVE));

	for (int i = 0; i < REFINEMENTS && !gpuagg_probe_expired(p->session); i++)
	{
		uint64_t	middle = (fits + exceeds) / 2;
		double		y = 0;
		GpuAggStatus status;

		middle -= middle % p->curve.stride;
		if (middle > p->session->machine.bytes)
			break;
		status = chase(p, p->curve.stride, middle, true, &y);
		if (status != GPUAGG_OK)
			return status;
		if (y < least)
			fits = middle;
		else
			exceeds = middle;
	}
	level->reach_bytes = fits;
	return GPUAGG_OK;
}

static GpuAggStatus
find_line(CacheProbe *p, GpuAggLevel *level)
{
	double		least = level_y(p, level->hit_ns + MISSES * level->miss_ns);

	for (uint64_t stride = LONGEST_STRIDE; stride >= SHORTEST_LINE; stride /= 2)
	{
		double		y = 0;
		GpuAggStatus status = chase(p, stride, beyond(p, level, stride), true, &y);

		if (status != GPUAGG_OK || gpuagg_probe_expired(p->session))
			return status;
		if (y >= least)
		{
			level->page_bytes = stride <= LONGEST_LINE ? stride : 0;
			return GPUAGG_OK;
		}
	}
	return GPUAGG_OK;
}

static GpuAggStatus
find_sector(CacheProbe *p, GpuAggLevel *level)
{
	uint64_t	sector = level->page_bytes;
	double		full = 0;
	GpuAggStatus status;

	if (p->session->shuffle || sector == 0)
	{
		level->sector_bytes = sector;
		return GPUAGG_OK;
	}
	status = chase(p, sector, beyond(p, level, sector), false, &full);
	while (status == GPUAGG_OK && sector > SHORTEST_SECTOR)
	{
		double		y = 0;

		if (gpuagg_probe_expired(p->session))
			return GPUAGG_OK;
		status = chase(p, sector / 2, beyond(p, level, sector / 2), false, &y);
		if (status == GPUAGG_OK && y < FULL_PRICE * full)
			break;
		sector /= 2;
	}
	if (status == GPUAGG_OK)
		level->sector_bytes = sector;
	return status;
}

/*
 * Is what lies behind the last level found memory?  Not if its maker says that
 * the last cache is far larger: time ran out before, or its end was not seen.
 */
static bool
reaches_memory(const CacheProbe *p)
{
	return p->nlevels > 1 &&
		p->levels[p->nlevels - 2].reach_bytes >=
		p->session->machine.cache_bytes / CACHE_SLICES;
}

static GpuAggStatus
probe_levels(CacheProbe *p)
{
	GpuAggStatus status = measure_sizes(p);

	if (status != GPUAGG_OK || p->curve.nrepeats == 0)
		return status;
	p->nlevels = gpuagg_cache_find(&p->curve, p->scale, p->is_cycles, p->levels,
								   GPUAGG_MAX_LEVELS / 2);
	if (p->nlevels > 0 && !reaches_memory(p))
		p->nlevels--;
	for (uint32_t i = 0; i < p->nlevels; i++)
	{
		GpuAggLevel *level = &p->levels[i];

		/* repeats that there was no time for do not agree */
		level->confidence *= (double) p->curve.nrepeats / p->session->repeats;
		if (level->kind == GPUAGG_LEVEL_CACHE)
			status = refine(p, level);
		if (status == GPUAGG_OK && level->kind == GPUAGG_LEVEL_CACHE &&
			!gpuagg_probe_expired(p->session))
			status = find_line(p, level);
		if (status == GPUAGG_OK && level->kind == GPUAGG_LEVEL_CACHE &&
			!gpuagg_probe_expired(p->session))
			status = find_sector(p, level);
		if (status != GPUAGG_OK)
			return status;
		gpuagg_probe_level(p->session->result, level);
	}
	return GPUAGG_OK;
}

/* Memory is far behind the last cache, or its plateau would not be seen. */
static void
lay_out(CacheProbe *p)
{
	const GpuAggProbeSession *session = p->session;
	uint64_t	bytes = 3 * session->machine.cache_bytes;

	if (session->machine.cache_bytes == 0)
		bytes = SEARCHED_BYTES;
	if (bytes > session->machine.bytes)
		bytes = session->machine.bytes;
	/* a line of a CPU, or of a GPU */
	p->curve.stride = session->shuffle ? 64 : 128;
	p->curve.npoints = gpuagg_pattern_counts(LEAST_BYTES / p->curve.stride,
											 bytes / p->curve.stride,
											 PER_OCTAVE,
											 p->curve.count);
}

static bool
has_huge_pages(CacheProbe *p)
{
	GpuAggChaseTime time;
	GpuAggChase chase = {
		.stride = 64, .count = 64, .rounds = 1, .huge = 1
	};
	GpuAggError ignored;

	return p->session->ops->chase(p->session->probe, &chase, &time,
								  &ignored) == GPUAGG_OK;
}

GpuAggStatus
gpuagg_cache_probe(GpuAggProbeSession *session, uint64_t *last_bytes)
{
	CacheProbe *p = calloc(1, sizeof(CacheProbe));
	GpuAggStatus status;

	*last_bytes = 0;
	if (p == NULL)
		return GPUAGG_OK;		/* nothing found */
	p->session = session;
	p->huge = session->shuffle && has_huge_pages(p);
	lay_out(p);
	status = probe_levels(p);
	for (uint32_t i = 0; i < p->nlevels; i++)
		if (p->levels[i].kind == GPUAGG_LEVEL_CACHE)
			*last_bytes = p->levels[i].reach_bytes;
	free(p);
	return status;
}
