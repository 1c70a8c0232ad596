/*
 * pattern.h
 *		The boundary pattern of Karnagel et al., Big Data causing Big (TLB) Problems (figure
 *		2) in chase curves.
 *
 * Pure: curves in, levels out.  The same pattern tells a TLB's page from its
 * reach and a cache's line from its capacity.
 */
#ifndef GPUAGG_PROBE_PATTERN_H
#define GPUAGG_PROBE_PATTERN_H

#include "device/common.h"
#include "probe/stats.h"

#define GPUAGG_CURVE_POINTS 128
#define GPUAGG_CURVE_REPEATS 9

/* Time of an access against how many elements are visited, at one stride */
typedef struct GpuAggStrideCurve
{
	uint64_t	stride;			/* bytes */
	uint32_t	npoints;
	uint32_t	nrepeats;
	uint64_t	count[GPUAGG_CURVE_POINTS]; /* rising */
	double		y[GPUAGG_CURVE_REPEATS][GPUAGG_CURVE_POINTS];
} GpuAggStrideCurve;

/* An X of the pattern */
typedef struct GpuAggPattern
{
	uint64_t	stride;			/* X: bytes of an entry */
	uint64_t	fits;			/* number of elements at stride X that fit */
	uint64_t	exceeds;		/* number of elements at stride X that do not */
	double		low;			/* time of an access before and after */
	double		high;
	double		confidence;		/* see pattern.c */
	bool		closed;			/* the boundary of 2X was seen, too */
} GpuAggPattern;

/*
 * Curves have strides that double from one to the next.  Returns how many
 * patterns were found, by what they reach.
 */
extern uint32_t gpuagg_pattern_find(const GpuAggStrideCurve *curves,
									uint32_t ncurves,
									GpuAggPattern *patterns, uint32_t max);

/* A curve's steps, one for each level, from where it first departs */
extern uint32_t gpuagg_pattern_steps(const GpuAggStrideCurve *curve,
									 GpuAggStep *steps, uint32_t max);

/* Share of the repeats that rise at a step about as much as their medians do */
extern double gpuagg_pattern_agreement(const GpuAggStrideCurve *curve,
									   const GpuAggStep *step);

/* The median of each point's repeats, into y[npoints] */
extern void gpuagg_pattern_medians(const GpuAggStrideCurve *curve, double *y);

/*
 * How many elements to visit: from `least` to `most`, per_octave (at most 4)
 * to each doubling, `most` among them.  Returns how many counts.
 */
extern uint32_t gpuagg_pattern_counts(uint64_t least, uint64_t most,
									  uint32_t per_octave,
									  uint64_t counts[GPUAGG_CURVE_POINTS]);

#endif							/* GPUAGG_PROBE_PATTERN_H */
