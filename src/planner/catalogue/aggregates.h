/*
 * aggregates.h
 *		What aggregates are made of, for planner and node: statistics and orders; how a result
 *		is made of states is in finals.h, which aggregate is made of which in aggregates.def.
 */
#ifndef GPUAGG_PLANNER_AGGREGATES_H
#define GPUAGG_PLANNER_AGGREGATES_H

#include "planner/catalogue/finals.h"

typedef enum GpuAggOrderedKind
{
	GPUAGG_ORDERED_DISC,
	GPUAGG_ORDERED_CONT_FLOAT8,
	GPUAGG_ORDERED_CONT_INTERVAL,
	GPUAGG_ORDERED_MODE
} GpuAggOrderedKind;

/* What is made of sums, and of sums of squares */
typedef enum GpuAggStatistic
{
	GPUAGG_STATISTIC_VAR_POP,
	GPUAGG_STATISTIC_VAR_SAMP,
	GPUAGG_STATISTIC_STDDEV_POP,
	GPUAGG_STATISTIC_STDDEV_SAMP,
	GPUAGG_STATISTIC_COVAR_POP,
	GPUAGG_STATISTIC_COVAR_SAMP,
	GPUAGG_STATISTIC_CORR,
	GPUAGG_STATISTIC_REGR_COUNT,
	GPUAGG_STATISTIC_REGR_SXX,
	GPUAGG_STATISTIC_REGR_SYY,
	GPUAGG_STATISTIC_REGR_SXY,
	GPUAGG_STATISTIC_REGR_AVGX,
	GPUAGG_STATISTIC_REGR_AVGY,
	GPUAGG_STATISTIC_REGR_R2,
	GPUAGG_STATISTIC_REGR_SLOPE,
	GPUAGG_STATISTIC_REGR_INTERCEPT
} GpuAggStatistic;

/* The sums of intervals: a time has the first, spans have all but the last. */
typedef enum GpuAggIntervalSum
{
	GPUAGG_INTERVAL_SUM_TIME,	/* 128 bits, microseconds */
	GPUAGG_INTERVAL_SUM_TIME_GUARD, /* 128 bits, absolute values */
	GPUAGG_INTERVAL_SUM_DAYS,
	GPUAGG_INTERVAL_SUM_DAYS_GUARD, /* absolute values of days and of months */
	GPUAGG_INTERVAL_SUM_MONTHS,
	GPUAGG_INTERVAL_SUMS
} GpuAggIntervalSum;

#endif							/* GPUAGG_PLANNER_AGGREGATES_H */
