/*
 * pattern.c
 *		The boundary pattern of Karnagel et al., Big Data causing Big (TLB)
 *		Problems (figure 2) in chase curves.
 *
 * A structure of E entries, each for X bytes, fills up when E of them are
 * visited: at stride X after E elements; at X/2 after 2E, for two elements
 * share an entry; at 2X after E again.  So a step at (stride s, E elements) is
 * one of X = s if the curve of s/2 steps near 2E and that of 2s near E.  A
 * stride below X fails the second test (2s steps at E/2), a stride above X the
 * first (s/2 steps at E).  A faint step is looked for only where another points
 * to: that of X/2 is half as high.  How high the steps are is not compared: in a
 * shuffled chase X/2 rises as high as X, in a sequential one half as high.
 *
 * Memory may end before 2X fills the structure.  Then what 2X shows still
 * excludes larger entries: were they of 2X bytes, its curve would step at E/2,
 * and it goes on past that without a step.  Such a pattern is open.
 *
 * Confidence is the share of repeats whose own points, around the boundary,
 * rise at X and X/2 (and at 2X) by half to twice of what the medians do; an
 * open pattern has OPEN_CONFIDENCE of it.
 */
#include <math.h>

#include "probe/pattern.h"

/* Boundaries as far apart as this are the same: points lie a quarter of an
 * octave apart, and noise moves a boundary by one point. */
#define SAME 1.36

/* What 2X's curve must go past E/2 by, to exclude that it steps there */
#define PAST 1.3

#define OPEN_CONFIDENCE 0.8

/* What so few repeats agree with is chance. */
#define MIN_CONFIDENCE 0.25

/* Steps of one stride nearer than this are one, of replacement that is not LRU */
#define ONE_LEVEL 2.2

#define MAX_STEPS 8
#define MAX_CURVES 32

typedef struct CurveSteps
{
	uint32_t	nsteps;
	GpuAggStep	steps[MAX_STEPS];
} CurveSteps;

void
gpuagg_pattern_medians(const GpuAggStrideCurve *curve, double *y)
{
	double		repeat[GPUAGG_CURVE_REPEATS];

	for (uint32_t i = 0; i < curve->npoints; i++)
	{
		for (uint32_t r = 0; r < curve->nrepeats; r++)
			repeat[r] = curve->y[r][i];
		y[i] = gpuagg_stat_median(repeat, curve->nrepeats);
	}
}

uint32_t
gpuagg_pattern_counts(uint64_t least, uint64_t most, uint32_t per_octave,
					  uint64_t counts[GPUAGG_CURVE_POINTS])
{
	uint32_t	n = 0;

	if (most < least)
		return 0;
	for (uint32_t i = 0; n + 1 < GPUAGG_CURVE_POINTS; i++)
	{
		uint64_t	count = (uint64_t) rint((double) least *
											exp2((double) i / per_octave));

		if (count >= most)
			break;
		if (n == 0 || count > counts[n - 1])
			counts[n++] = count;
	}
	counts[n++] = most;
	return n;
}

/*
 * Steps of one level whose replacement lets the curve rise over more than one
 * point become one step.
 */
uint32_t
gpuagg_pattern_steps(const GpuAggStrideCurve *curve, GpuAggStep *steps,
					 uint32_t max)
{
	double		y[GPUAGG_CURVE_POINTS];
	uint64_t	last = 0;
	uint32_t	nsteps;
	uint32_t	n = 0;

	gpuagg_pattern_medians(curve, y);
	nsteps = gpuagg_stat_steps(y, curve->npoints, steps, max);
	for (uint32_t i = 0; i < nsteps; i++)
	{
		uint64_t	count = curve->count[steps[i].low_end];

		if (n > 0 && (double) count <= ONE_LEVEL * (double) last)
		{
			steps[n - 1].high = steps[i].high;
			steps[n - 1].high_start = steps[i].high_start;
		}
		else
			steps[n++] = steps[i];
		last = count;
	}
	return n;
}

static double
boundary(const GpuAggStrideCurve *curve, const GpuAggStep *step)
{
	return sqrt((double) curve->count[step->low_end] *
				(double) curve->count[step->high_start]);
}

/* The step nearest to so many elements, within a factor; NULL: none */
static const GpuAggStep *
step_near(const GpuAggStrideCurve *curve, const CurveSteps *found,
		  double count, double nearest)
{
	const GpuAggStep *best = NULL;

	for (uint32_t i = 0; i < found->nsteps; i++)
	{
		double		ratio = boundary(curve, &found->steps[i]) / count;

		ratio = ratio < 1 ? 1 / ratio : ratio;
		if (ratio <= nearest)
		{
			nearest = ratio;
			best = &found->steps[i];
		}
	}
	return best;
}

/*
 * Whether the curve has a step there, or a rise too faint to be found.  One
 * that was found a little off is all the rise there is.
 */
static bool
steps_near(const GpuAggStrideCurve *curve, const CurveSteps *found,
		   double count, GpuAggStep *step)
{
	const GpuAggStep *near = step_near(curve, found, count, SAME);
	double		y[GPUAGG_CURVE_POINTS];
	uint32_t	from = 0;
	uint32_t	at;
	uint32_t	to;

	if (near != NULL)
	{
		*step = *near;
		return true;
	}
	if (step_near(curve, found, count, ONE_LEVEL) != NULL)
		return false;
	while (from < curve->npoints && (double) curve->count[from] < count / ONE_LEVEL)
		from++;
	for (at = from; at < curve->npoints && (double) curve->count[at] <= count; at++)
		;
	for (to = at; to < curve->npoints &&
		 (double) curve->count[to] <= count * ONE_LEVEL; to++)
		;
	gpuagg_pattern_medians(curve, y);
	return gpuagg_stat_rises(y, curve->npoints, from, at, to, step);
}

/* By how much y rises within an octave around a boundary; NAN: no points */
static double
rise_at(const GpuAggStrideCurve *curve, const double *y, const GpuAggStep *step)
{
	double		low[GPUAGG_CURVE_POINTS];
	double		high[GPUAGG_CURVE_POINTS];
	uint32_t	nlow = 0;
	uint32_t	nhigh = 0;

	for (uint32_t i = 0; i < curve->npoints; i++)
	{
		if (i <= step->low_end &&
			curve->count[i] * 2 >= curve->count[step->low_end])
			low[nlow++] = y[i];
		if (i >= step->high_start &&
			curve->count[i] <= curve->count[step->high_start] * 2)
			high[nhigh++] = y[i];
	}
	if (nlow == 0 || nhigh == 0)
		return NAN;
	return gpuagg_stat_median(high, nhigh) - gpuagg_stat_median(low, nlow);
}

static bool
repeat_agrees(const GpuAggStrideCurve *curve, const double *medians,
			  const GpuAggStep *step, uint32_t repeat)
{
	double		rise = rise_at(curve, medians, step);
	double		own = rise_at(curve, curve->y[repeat], step);

	return own >= rise / 2 && own <= rise * 2;
}

double
gpuagg_pattern_agreement(const GpuAggStrideCurve *curve, const GpuAggStep *step)
{
	double		medians[GPUAGG_CURVE_POINTS];
	uint32_t	agree = 0;

	gpuagg_pattern_medians(curve, medians);
	for (uint32_t r = 0; r < curve->nrepeats; r++)
		agree += repeat_agrees(curve, medians, step, r);
	return (double) agree / curve->nrepeats;
}

/* Steps of X/2, X and, unless the pattern is open, 2X; curve[1] is X. */
static double
confidence(const GpuAggStrideCurve *curve, const GpuAggStep step[3], bool closed)
{
	double		medians[3][GPUAGG_CURVE_POINTS];
	int			ncurves = closed ? 3 : 2;
	uint32_t	nrepeats = curve[1].nrepeats;
	uint32_t	agree = 0;

	for (int c = 0; c < ncurves; c++)
	{
		gpuagg_pattern_medians(&curve[c], medians[c]);
		if (curve[c].nrepeats < nrepeats)
			nrepeats = curve[c].nrepeats;
	}
	for (uint32_t r = 0; r < nrepeats; r++)
	{
		bool		all = true;

		for (int c = 0; c < ncurves; c++)
			all = all && repeat_agrees(&curve[c], medians[c], &step[c], r);
		agree += all;
	}
	return (double) agree / nrepeats * (closed ? 1 : OPEN_CONFIDENCE);
}

/* Is a step of curve[1] one of X?  curve[0] is of X/2, curve[2] of 2X. */
static bool
match(const GpuAggStrideCurve *curve, const CurveSteps *found,
	  const GpuAggStep *step, GpuAggPattern *pattern)
{
	double		entries = boundary(&curve[1], step);
	double		last = curve[2].npoints > 0 ?
		(double) curve[2].count[curve[2].npoints - 1] : 0;
	GpuAggStep	steps[3];
	bool		closed;

	steps[1] = *step;
	if (!steps_near(&curve[0], &found[0], 2 * entries, &steps[0]))
		return false;
	closed = steps_near(&curve[2], &found[2], entries, &steps[2]);
	if (!closed &&
		(last >= entries * SAME ||	/* it should have stepped */
		 last < entries / 2 * PAST ||	/* it says nothing */
		 steps_near(&curve[2], &found[2], entries / 2, &steps[2])))
		return false;
	*pattern = (GpuAggPattern)
	{
		curve[1].stride, curve[1].count[step->low_end],
			curve[1].count[step->high_start], step->low, step->high,
			confidence(curve, steps, closed), closed
	};
	return pattern->confidence >= MIN_CONFIDENCE;
}

static void
insert(GpuAggPattern *patterns, uint32_t n, GpuAggPattern pattern)
{
	uint32_t	at = n;

	for (; at > 0 && patterns[at - 1].stride * patterns[at - 1].fits >
		 pattern.stride * pattern.fits; at--)
		patterns[at] = patterns[at - 1];
	patterns[at] = pattern;
}

uint32_t
gpuagg_pattern_find(const GpuAggStrideCurve *curves, uint32_t ncurves,
					GpuAggPattern *patterns, uint32_t max)
{
	CurveSteps	found[MAX_CURVES];
	uint32_t	n = 0;

	if (ncurves > MAX_CURVES)
		ncurves = MAX_CURVES;
	for (uint32_t c = 0; c < ncurves; c++)
		found[c].nsteps = gpuagg_pattern_steps(&curves[c], found[c].steps,
											   MAX_STEPS);
	for (uint32_t c = 1; c + 1 < ncurves; c++)
	{
		for (uint32_t i = 0; i < found[c].nsteps && n < max; i++)
		{
			GpuAggPattern pattern;

			if (match(curves + c - 1, found + c - 1, &found[c].steps[i],
					  &pattern))
				patterns[n++] = pattern;
		}
	}
	for (uint32_t i = 1; i < n; i++)
		insert(patterns, i, patterns[i]);
	return n;
}
