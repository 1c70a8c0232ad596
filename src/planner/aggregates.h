/*
 * aggregates.h
 *		What aggregates are made of, for planner and node: statistics, orders, and how a
 *		result is made of states.  Which aggregate is made of which is in catalogue/.
 */
#ifndef GPUAGG_PLANNER_AGGREGATES_H
#define GPUAGG_PLANNER_AGGREGATES_H

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

/* How a result Datum is made; all but COUNT give NULL for a zero count. */
typedef enum GpuAggFinal
{
	GPUAGG_FINAL_KEY,			/* a group key, by its device type */
	GPUAGG_FINAL_KEY_DATE_TZ,	/* a date key shown as timestamptz (date_trunc
								 * of a date: cast under the session's
								 * TimeZone, as PostgreSQL does) */
	GPUAGG_FINAL_KEY_DAY,		/* a date key shown as timestamp */
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
	GPUAGG_FINAL_BYTES,			/* text, char(n), inet */
	GPUAGG_FINAL_ENUM,			/* gpuagg_enum_value() */
	GPUAGG_FINAL_SUM_MONEY,		/* 128 bits of positive amounts, and of negative ones
								 * (shown_by); beyond 64 bits: PostgreSQL's */
	GPUAGG_FINAL_VARIANCE,		/* numeric: a GpuAggStatistic of exact sums */
	GPUAGG_FINAL_MOMENTS,		/* float8, of a count int8: the same of moments */
	GPUAGG_FINAL_KEY_INTERVAL,	/* a key of totals, shown as the code that "shown_by"
								 * has of the group */
	GPUAGG_FINAL_KEY_TEXT,		/* to_char of a date or timestamp key */
	GPUAGG_FINAL_KEY_NUMBER,	/* a key that is a string's number (node/numbered.h) */
	GPUAGG_FINAL_KEY_ROW,		/* "column" of the row whose primary key the key is (node/key_rows.h) */
	GPUAGG_FINAL_KEY_FLOAT4,	/* real, of a key that is the bits of a double */
	GPUAGG_FINAL_KEY_WORD,		/* numeric, of a key that is a word (program.h) */
	GPUAGG_FINAL_SUM_INTERVAL,	/* of "scale" sums from "index" on, as below */
	GPUAGG_FINAL_AVG_INTERVAL,
	GPUAGG_FINAL_WORD,			/* min, max: numeric from a word (program.h) */
	GPUAGG_FINAL_DATUM,			/* a Datum's bytes, which regrouping makes; none: NULL */
	GPUAGG_FINAL_DATUM_AVG,		/* a numeric's, divided by the count */
	GPUAGG_FINAL_DATUM_AVG_INTERVAL,	/* an interval's, likewise */
	GPUAGG_FINAL_DATUM_VARIANCE,	/* a GpuAggStatistic of a numeric and of the sum of
								 * squares at "squares" */

	/* states instead of results: of a sum at "index" and a count beside it */
	GPUAGG_FINAL_PARTIAL_PAIR,	/* int8[]: count and sum */
	GPUAGG_FINAL_PARTIAL_INT8,	/* as int8_avg_serialize() */
	GPUAGG_FINAL_PARTIAL_NUMERIC,	/* as numeric_avg_serialize() */
	GPUAGG_FINAL_PARTIAL_VARIANCE,	/* with the squares, as numeric_serialize(), */
	GPUAGG_FINAL_PARTIAL_SQUARES,	/* or numeric_poly_serialize() */
	GPUAGG_FINAL_PARTIAL_MOMENTS	/* float8[]: moments, which count by themselves */
} GpuAggFinal;

static inline bool
gpuagg_final_is_key(int final)
{
	return final == GPUAGG_FINAL_KEY || final == GPUAGG_FINAL_KEY_DATE_TZ || final == GPUAGG_FINAL_KEY_DAY ||
		final == GPUAGG_FINAL_KEY_INTERVAL || final == GPUAGG_FINAL_KEY_TEXT ||
		final == GPUAGG_FINAL_KEY_NUMBER || final == GPUAGG_FINAL_KEY_ROW ||
		final == GPUAGG_FINAL_KEY_FLOAT4 || final == GPUAGG_FINAL_KEY_WORD;
}

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
