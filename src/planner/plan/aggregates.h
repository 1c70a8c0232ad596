/*
 * aggregates.h
 *		The aggregates gpuagg offers: one table for the planner (which SQL
 *		function becomes which transitions), the executor (how the result is
 *		made of their states) and the documentation.
 *
 *		X(aggregate's pg_proc OID, device type of the argument, transition,
 *		  count beside it, kind of finished value (finals.h))
 *
 * "count beside it": COUNT of the same argument and filter, to tell NULL
 * from a value and to divide by.  count(*) has no argument type; it and
 * count(any) are entered in lower.c/agg_path.c by hand because their
 * argument may be of any type.
 */
#ifndef GPUAGG_PLANNER_AGGREGATES_H
#define GPUAGG_PLANNER_AGGREGATES_H

#include "planner/plan/finals.h"
#include "utils/fmgroids.h"

#define GPUAGG_AGGREGATE_LIST(X) \
	X(F_SUM_INT2, INT2, SUM_I64, true, SUM_INT8) \
	X(F_SUM_INT4, INT4, SUM_I64, true, SUM_INT8) \
	X(F_SUM_INT8, INT8, SUM_I128, true, SUM_NUMERIC) \
	X(F_SUM_NUMERIC, NUMERIC, SUM_I128, true, SUM_NUMERIC) \
	X(F_SUM_FLOAT4, FLOAT4, SUM_F64, true, SUM_FLOAT4) \
	X(F_SUM_FLOAT8, FLOAT8, SUM_F64, true, SUM_FLOAT8) \
	X(F_AVG_INT2, INT2, SUM_I64, true, AVG_INT) \
	X(F_AVG_INT4, INT4, SUM_I64, true, AVG_INT) \
	X(F_AVG_INT8, INT8, SUM_I128, true, AVG_NUMERIC) \
	X(F_AVG_NUMERIC, NUMERIC, SUM_I128, true, AVG_NUMERIC) \
	X(F_AVG_FLOAT4, FLOAT4, SUM_F64_AVG, true, AVG_FLOAT) \
	X(F_AVG_FLOAT8, FLOAT8, SUM_F64_AVG, true, AVG_FLOAT) \
	X(F_MIN_INT2, INT2, MIN_I64, true, I64) \
	X(F_MIN_INT4, INT4, MIN_I64, true, I64) \
	X(F_MIN_INT8, INT8, MIN_I64, true, I64) \
	X(F_MIN_NUMERIC, NUMERIC, MIN_I64, true, I64) \
	X(F_MIN_DATE, DATE, MIN_I64, true, I64) \
	X(F_MIN_TIMESTAMP, TIMESTAMP, MIN_I64, true, I64) \
	X(F_MIN_TIMESTAMPTZ, TIMESTAMPTZ, MIN_I64, true, I64) \
	X(F_MIN_TIME, TIME, MIN_I64, true, I64) \
	X(F_MIN_FLOAT4, FLOAT4, MIN_F64, true, F64_ORDER) \
	X(F_MIN_FLOAT8, FLOAT8, MIN_F64, true, F64_ORDER) \
	X(F_MIN_TEXT, TEXT, MIN_BYTES, true, BYTES) \
	X(F_MIN_BPCHAR, BPCHAR, MIN_BPCHAR, true, BYTES) \
	X(F_MAX_INT2, INT2, MAX_I64, true, I64) \
	X(F_MAX_INT4, INT4, MAX_I64, true, I64) \
	X(F_MAX_INT8, INT8, MAX_I64, true, I64) \
	X(F_MAX_NUMERIC, NUMERIC, MAX_I64, true, I64) \
	X(F_MAX_DATE, DATE, MAX_I64, true, I64) \
	X(F_MAX_TIMESTAMP, TIMESTAMP, MAX_I64, true, I64) \
	X(F_MAX_TIMESTAMPTZ, TIMESTAMPTZ, MAX_I64, true, I64) \
	X(F_MAX_TIME, TIME, MAX_I64, true, I64) \
	X(F_MAX_FLOAT4, FLOAT4, MAX_F64, true, F64_ORDER) \
	X(F_MAX_FLOAT8, FLOAT8, MAX_F64, true, F64_ORDER) \
	X(F_MAX_TEXT, TEXT, MAX_BYTES, true, BYTES) \
	X(F_MAX_BPCHAR, BPCHAR, MAX_BPCHAR, true, BYTES) \
	X(F_BOOL_AND, BOOL, AND_I64, true, I64) \
	X(F_EVERY, BOOL, AND_I64, true, I64) \
	X(F_BOOL_OR, BOOL, OR_I64, true, I64) \
	X(F_BIT_AND_INT2, INT2, AND_I64, true, I64) \
	X(F_BIT_AND_INT4, INT4, AND_I64, true, I64) \
	X(F_BIT_AND_INT8, INT8, AND_I64, true, I64) \
	X(F_BIT_OR_INT2, INT2, OR_I64, true, I64) \
	X(F_BIT_OR_INT4, INT4, OR_I64, true, I64) \
	X(F_BIT_OR_INT8, INT8, OR_I64, true, I64) \
	X(F_BIT_XOR_INT2, INT2, XOR_I64, true, I64) \
	X(F_BIT_XOR_INT4, INT4, XOR_I64, true, I64) \
	X(F_BIT_XOR_INT8, INT8, XOR_I64, true, I64) \
	X(F_SUM_MONEY, INT8, SUM_I128, true, SUM_MONEY) \
	X(F_MIN_MONEY, INT8, MIN_I64, true, I64) \
	X(F_MAX_MONEY, INT8, MAX_I64, true, I64) \
	X(F_MIN_ANYENUM, INT8, MIN_I64, true, ENUM) \
	X(F_MAX_ANYENUM, INT8, MAX_I64, true, ENUM) \
	X(F_MIN_OID, OID, MIN_I64, true, I64) \
	X(F_MAX_OID, OID, MAX_I64, true, I64) \
	X(F_MIN_PG_LSN, LSN, MIN_I64, true, I64) \
	X(F_MAX_PG_LSN, LSN, MAX_I64, true, I64) \
	X(F_MIN_XID8, LSN, MIN_I64, true, I64) \
	X(F_MAX_XID8, LSN, MAX_I64, true, I64) \
	X(F_MIN_TIMETZ, TIMETZ, MIN_I64, true, I64) \
	X(F_MAX_TIMETZ, TIMETZ, MAX_I64, true, I64) \
	X(F_MIN_INET, INET, MIN_INET, true, BYTES) \
	X(F_MAX_INET, INET, MAX_INET, true, BYTES)

/*
 * Variances of the types of numbers.
 *		X(aggregate's pg_proc OID, device type of the argument, GpuAggStatistic)
 */
#define GPUAGG_VARIANCE_OF(X, name, statistic) \
	X(F_##name##_INT2, INT2, statistic) \
	X(F_##name##_INT4, INT4, statistic) \
	X(F_##name##_INT8, INT8, statistic) \
	X(F_##name##_NUMERIC, NUMERIC, statistic)

#define GPUAGG_VARIANCE_LIST(X) \
	GPUAGG_VARIANCE_OF(X, VAR_POP, VAR_POP) \
	GPUAGG_VARIANCE_OF(X, VAR_SAMP, VAR_SAMP) \
	GPUAGG_VARIANCE_OF(X, VARIANCE, VAR_SAMP) \
	GPUAGG_VARIANCE_OF(X, STDDEV_POP, STDDEV_POP) \
	GPUAGG_VARIANCE_OF(X, STDDEV_SAMP, STDDEV_SAMP) \
	GPUAGG_VARIANCE_OF(X, STDDEV, STDDEV_SAMP)

/* The same of floating point, of moments */
#define GPUAGG_MOMENTS_OF(X, name, statistic) \
	X(F_##name##_FLOAT4, FLOAT4, statistic) \
	X(F_##name##_FLOAT8, FLOAT8, statistic)

#define GPUAGG_MOMENTS_LIST(X) \
	GPUAGG_MOMENTS_OF(X, VAR_POP, VAR_POP) \
	GPUAGG_MOMENTS_OF(X, VAR_SAMP, VAR_SAMP) \
	GPUAGG_MOMENTS_OF(X, VARIANCE, VAR_SAMP) \
	GPUAGG_MOMENTS_OF(X, STDDEV_POP, STDDEV_POP) \
	GPUAGG_MOMENTS_OF(X, STDDEV_SAMP, STDDEV_SAMP) \
	GPUAGG_MOMENTS_OF(X, STDDEV, STDDEV_SAMP)

/* And of two arguments, y and x, of moments of both */
#define GPUAGG_COMOMENTS_LIST(X) \
	X(F_COVAR_POP, FLOAT8, COVAR_POP) \
	X(F_COVAR_SAMP, FLOAT8, COVAR_SAMP) \
	X(F_CORR, FLOAT8, CORR) \
	X(F_REGR_COUNT, FLOAT8, REGR_COUNT) \
	X(F_REGR_SXX, FLOAT8, REGR_SXX) \
	X(F_REGR_SYY, FLOAT8, REGR_SYY) \
	X(F_REGR_SXY, FLOAT8, REGR_SXY) \
	X(F_REGR_AVGX, FLOAT8, REGR_AVGX) \
	X(F_REGR_AVGY, FLOAT8, REGR_AVGY) \
	X(F_REGR_R2, FLOAT8, REGR_R2) \
	X(F_REGR_SLOPE, FLOAT8, REGR_SLOPE) \
	X(F_REGR_INTERCEPT, FLOAT8, REGR_INTERCEPT)

/*
 * Ordered-set aggregates, made by regrouping.
 *		X(aggregate's pg_proc OID, GpuAggOrderedKind, array of fractions)
 */
#define GPUAGG_ORDERED_LIST(X) \
	X(F_PERCENTILE_DISC_FLOAT8_ANYELEMENT, DISC, false) \
	X(F_PERCENTILE_DISC__FLOAT8_ANYELEMENT, DISC, true) \
	X(F_PERCENTILE_CONT_FLOAT8_FLOAT8, CONT_FLOAT8, false) \
	X(F_PERCENTILE_CONT__FLOAT8_FLOAT8, CONT_FLOAT8, true) \
	X(F_PERCENTILE_CONT_FLOAT8_INTERVAL, CONT_INTERVAL, false) \
	X(F_PERCENTILE_CONT__FLOAT8_INTERVAL, CONT_INTERVAL, true) \
	X(F_MODE, MODE, false)

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
