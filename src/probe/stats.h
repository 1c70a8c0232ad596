/*
 * stats.h
 *		Statistics that a few outliers do not move: medians, spreads, steps in
 *		a curve, the two modes of a distribution.
 */
#ifndef GPUAGG_PROBE_STATS_H
#define GPUAGG_PROBE_STATS_H

#include "device/common.h"

/* Of any function here but sort_median: values, at most */
#define GPUAGG_STAT_MAX 1024

/* A curve rises from the plateau that ends at one point to the next one's */
typedef struct GpuAggStep
{
	uint32_t	low_end;		/* last point of the lower plateau */
	uint32_t	high_start;		/* first point of the higher one */
	double		low;			/* medians of both */
	double		high;
} GpuAggStep;

/* n >= 1 */
extern double gpuagg_stat_median(const double *values, uint32_t n);

/* gpuagg_stat_median of any number of values, which it sorts */
extern double gpuagg_stat_sort_median(double *values, size_t n);

/* A standard deviation that outliers do not move */
extern double gpuagg_stat_deviation(const double *values, uint32_t n);

/* (max - min) / median; 0 for a median of 0 */
extern double gpuagg_stat_spread(const double *values, uint32_t n);

/*
 * The geometric mean of n >= 1 positive values, of which the sum of logarithms
 * and the least are known, as a multiple of the least: 1 or more.
 */
extern double gpuagg_stat_over_least(double log_sum, uint32_t n, double least);

/*
 * The rises of a curve whose truth never falls, in order; returns how many.
 * Values are positive.  A plateau has three points or more, so that an
 * outlier is none.
 */
extern uint32_t gpuagg_stat_steps(const double *y, uint32_t n,
								  GpuAggStep *steps, uint32_t max);

/*
 * Whether the curve rises at a place that something else points to: points
 * from `at` to `to` - 1 against those from `from` to `at` - 1.  Asks for less
 * than a search does.
 */
extern bool gpuagg_stat_rises(const double *y, uint32_t n, uint32_t from,
							  uint32_t at, uint32_t to, GpuAggStep *step);

/*
 * Whether positive values are of two modes, far apart for how wide each is;
 * *threshold lies between them.
 */
extern bool gpuagg_stat_two_modes(const double *values, uint32_t n,
								  double *threshold);

#endif							/* GPUAGG_PROBE_STATS_H */
