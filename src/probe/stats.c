/*
 * stats.c
 *		Statistics that a few outliers do not move.
 *
 * Steps are found by binary segmentation: a stretch of the curve is split
 * where two medians describe it with the least absolute deviation, if the
 * medians differ by more than noise explains, and then each part again.  It
 * works on logarithms, for timing noise is a share of what is timed.
 *
 * Three things look like steps and are none.  A slow drift: its medians differ
 * over the whole stretch, but not next to the split.  An outlier: it does not
 * move the median of three points.  A burst, while the machine was busy with
 * something else: what it raised falls again, which no hierarchy's curve does.
 */
#include <math.h>
#include <stdlib.h>

#include "probe/stats.h"

/* Points of a plateau, at least: two would let one outlier be half of it */
#define MIN_PLATEAU 3

/* Smallest step looked for, in logarithm: the K80's first TLB level costs
 * 9 cycles of some 230 (Karnagel et al., Big Data causing Big (TLB) Problems, table 2). */
#define MIN_RISE 0.02

/* In standard errors.  Every split of every curve is a chance to be wrong. */
#define SIGNIFICANT 4.5

/* In standard errors, of a split at one given place */
#define SIGNIFICANT_THERE 2.0

/* Share of a rise that must happen next to the split, and how near that is */
#define LOCAL_SHARE 0.4
#define LOCAL_POINTS 4

/* A part of a curve with so many points tells its own noise. */
#define NOISE_POINTS 6

/* Timers are no better than this, however still a curve looks */
#define MIN_NOISE 0.001

#define MAX_SEGMENTS 64

/* Makes a median of deviations a standard one */
#define STANDARD 1.4826

typedef struct Segment
{
	uint32_t	from;			/* points from .. to - 1 */
	uint32_t	to;
	double		level;
} Segment;

typedef struct Segmentation
{
	const double *z;
	double		noise;			/* standard deviation of a point */
	uint32_t	nsegments;
	Segment		segments[MAX_SEGMENTS];
} Segmentation;

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

double
gpuagg_stat_sort_median(double *values, size_t n)
{
	qsort(values, n, sizeof(double), compare_doubles);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double
gpuagg_stat_median(const double *values, uint32_t n)
{
	double		sorted[GPUAGG_STAT_MAX];

	if (n > GPUAGG_STAT_MAX)
		n = GPUAGG_STAT_MAX;
	memcpy(sorted, values, n * sizeof(double));
	return gpuagg_stat_sort_median(sorted, n);
}

double
gpuagg_stat_spread(const double *values, uint32_t n)
{
	double		median = gpuagg_stat_median(values, n);
	double		low = values[0];
	double		high = values[0];

	for (uint32_t i = 1; i < n; i++)
	{
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	return median != 0 ? (high - low) / median : 0;
}

double
gpuagg_stat_over_least(double log_sum, uint32_t n, double least)
{
	return fmax(1, exp(log_sum / n - log(least)));
}

static double
deviation(const double *z, uint32_t n)
{
	double		median = gpuagg_stat_median(z, n);
	double		sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += fabs(z[i] - median);
	return sum;
}

double
gpuagg_stat_deviation(const double *values, uint32_t n)
{
	double		away[GPUAGG_STAT_MAX];
	double		median = gpuagg_stat_median(values, n);

	for (uint32_t i = 0; i < n && i < GPUAGG_STAT_MAX; i++)
		away[i] = fabs(values[i] - median);
	return STANDARD * gpuagg_stat_median(away, n);
}

/*
 * Standard deviation of a point, from the differences between neighbours: few
 * of them are steps.
 */
static double
point_noise(const double *z, uint32_t n)
{
	double		difference[GPUAGG_STAT_MAX];

	for (uint32_t i = 0; i + 1 < n; i++)
		difference[i] = fabs(z[i + 1] - z[i]);
	return fmax(MIN_NOISE,
				STANDARD / sqrt(2) * gpuagg_stat_median(difference, n - 1));
}

/* 1.25: a median's standard error against a mean's */
static double
standard_error(uint32_t nleft, uint32_t nright, double noise)
{
	return 1.25 * noise * sqrt(1.0 / nleft + 1.0 / nright);
}

static bool
is_significant(double rise, uint32_t nleft, uint32_t nright, double noise)
{
	double		error = standard_error(nleft, nright, noise);

	return fabs(rise) >= fmax(MIN_RISE, SIGNIFICANT * error);
}

/* Noise grows with what is timed, so one part may have more than all. */
static double
noise_around(const Segmentation *s, uint32_t from, uint32_t at, uint32_t to)
{
	double		noise = s->noise;

	if (at - from >= NOISE_POINTS)
		noise = fmax(noise, point_noise(s->z + from, at - from));
	if (to - at >= NOISE_POINTS)
		noise = fmax(noise, point_noise(s->z + at, to - at));
	return noise;
}

/* Is the curve between from and to stepped at `at`, as far as one can tell? */
static bool
can_split(const Segmentation *s, uint32_t from, uint32_t at, uint32_t to)
{
	double		rise = gpuagg_stat_median(s->z + at, to - at) -
		gpuagg_stat_median(s->z + from, at - from);
	uint32_t	nleft = at - from < LOCAL_POINTS ? at - from : LOCAL_POINTS;
	uint32_t	nright = to - at < LOCAL_POINTS ? to - at : LOCAL_POINTS;
	double		local = gpuagg_stat_median(s->z + at, nright) -
		gpuagg_stat_median(s->z + at - nleft, nleft);

	return is_significant(rise, at - from, to - at,
						  noise_around(s, from, at, to)) &&
		local / rise >= LOCAL_SHARE;
}

static void
segment(Segmentation *s, uint32_t from, uint32_t to)
{
	uint32_t	best = 0;
	double		least = INFINITY;

	for (uint32_t at = from + MIN_PLATEAU; at + MIN_PLATEAU <= to; at++)
	{
		double		cost = deviation(s->z + from, at - from) +
			deviation(s->z + at, to - at);

		if (cost < least && can_split(s, from, at, to))
		{
			least = cost;
			best = at;
		}
	}
	if (best != 0 && s->nsegments + 2 < MAX_SEGMENTS)
	{
		segment(s, from, best);
		segment(s, best, to);
		return;
	}
	s->segments[s->nsegments++] = (Segment)
	{
		from, to, gpuagg_stat_median(s->z + from, to - from)
	};
}

static void
remove_segment(Segmentation *s, uint32_t k)
{
	memmove(s->segments + k, s->segments + k + 1,
			(--s->nsegments - k) * sizeof(Segment));
}

/* Where the curve falls, the shorter side is what was disturbed. */
static void
remove_bursts(Segmentation *s)
{
	uint32_t	k = 0;

	while (k + 1 < s->nsegments)
	{
		const Segment *high = s->segments + k;
		const Segment *low = high + 1;

		if (low->level >= high->level)
		{
			k++;
			continue;
		}
		remove_segment(s, high->to - high->from <= low->to - low->from ? k : k + 1);
		if (k > 0)
			k--;
	}
}

uint32_t
gpuagg_stat_steps(const double *y, uint32_t n, GpuAggStep *steps, uint32_t max)
{
	double		z[GPUAGG_STAT_MAX];
	Segmentation s = {.z = z};
	uint32_t	nsteps = 0;

	if (n < 2 * MIN_PLATEAU || n > GPUAGG_STAT_MAX)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		z[i] = log(y[i]);
	s.noise = point_noise(z, n);
	segment(&s, 0, n);
	remove_bursts(&s);

	for (uint32_t k = 0; k + 1 < s.nsegments && nsteps < max; k++)
	{
		const Segment *low = s.segments + k;
		const Segment *high = low + 1;

		/* what a burst parted may be one plateau */
		if (is_significant(high->level - low->level, low->to - low->from,
						   high->to - high->from, s.noise))
			steps[nsteps++] = (GpuAggStep)
		{
			low->to - 1, high->from, exp(low->level), exp(high->level)
		};
	}
	return nsteps;
}

bool
gpuagg_stat_rises(const double *y, uint32_t n, uint32_t from, uint32_t at,
				  uint32_t to, GpuAggStep *step)
{
	double		z[GPUAGG_STAT_MAX];
	double		low;
	double		high;

	if (n > GPUAGG_STAT_MAX || at < from + 2 || to < at + 2 || to > n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		z[i] = log(y[i]);
	low = gpuagg_stat_median(z + from, at - from);
	high = gpuagg_stat_median(z + at, to - at);
	*step = (GpuAggStep)
	{
		at - 1, at, exp(low), exp(high)
	};
	return high - low >= fmax(MIN_RISE / 2, SIGNIFICANT_THERE *
							  standard_error(at - from, to - at,
											 point_noise(z, n)));
}

bool
gpuagg_stat_two_modes(const double *values, uint32_t n, double *threshold)
{
	double		z[GPUAGG_STAT_MAX];
	uint32_t	cut = 0;
	double		gap = 0;
	double		spread;

	if (n < 2 || n > GPUAGG_STAT_MAX)
		return false;
	for (uint32_t i = 0; i < n; i++)
		z[i] = log(values[i]);
	qsort(z, n, sizeof(double), compare_doubles);
	for (uint32_t i = 0; i + 1 < n; i++)
	{
		if (z[i + 1] - z[i] > gap)
		{
			gap = z[i + 1] - z[i];
			cut = i + 1;
		}
	}
	*threshold = cut > 0 ? exp((z[cut - 1] + z[cut]) / 2) : 0;

	/*
	 * The gap against how far the modes' middle halves reach; and a fifth at
	 * least, or rounding would be a mode.
	 */
	spread = cut > 0 ? fmax(z[cut - 1 - (cut - 1) / 4] - z[(cut - 1) / 4],
							z[n - 1 - (n - cut - 1) / 4] -
							z[cut + (n - cut - 1) / 4]) : 0;
	return gap > log(1.2) && gap > spread;
}
