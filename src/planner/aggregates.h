/*
 * aggregates.h
 *		The aggregates gpuagg offers: one table for the planner (which SQL
 *		function becomes which transitions), the executor (how the result is
 *		made of their states) and the documentation.
 *
 *		X(aggregate's pg_proc OID, device type of the argument, transition,
 *		  count beside it, finaliser)
 *
 * "count beside it": COUNT of the same argument and filter, to tell NULL
 * from a value and to divide by.  count(*) has no argument type; it and
 * count(any) are entered in lower.c/agg_path.c by hand because their
 * argument may be of any type.
 */
#ifndef GPUAGG_PLANNER_AGGREGATES_H
#define GPUAGG_PLANNER_AGGREGATES_H

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
	X(F_BIT_XOR_INT8, INT8, XOR_I64, true, I64)

/* How a result Datum is made; all but COUNT give NULL for a zero count. */
typedef enum GpuAggFinal
{
	GPUAGG_FINAL_KEY,			/* a group key, by its device type */
	GPUAGG_FINAL_KEY_DATE_TZ,	/* a date key shown as timestamptz (date_trunc
								 * of a date: cast under the session's
								 * TimeZone, as PostgreSQL does) */
	GPUAGG_FINAL_COUNT,			/* int8 */
	GPUAGG_FINAL_SUM_INT8,		/* int8 */
	GPUAGG_FINAL_SUM_NUMERIC,	/* numeric from 128 bits */
	GPUAGG_FINAL_SUM_FLOAT4,
	GPUAGG_FINAL_SUM_FLOAT8,
	GPUAGG_FINAL_AVG_INT,		/* numeric: 64-bit sum / count */
	GPUAGG_FINAL_AVG_NUMERIC,	/* numeric: 128-bit sum / count */
	GPUAGG_FINAL_AVG_FLOAT,		/* float8 */
	GPUAGG_FINAL_I64,			/* min, max, bit and bool aggregates: the
								 * argument's type */
	GPUAGG_FINAL_F64_ORDER,		/* gpuagg_f64_unorder() */
	GPUAGG_FINAL_BYTES,			/* text, char(n) */
	GPUAGG_FINAL_WORD			/* min, max: numeric from a word (program.h) */
} GpuAggFinal;

#endif							/* GPUAGG_PLANNER_AGGREGATES_H */
