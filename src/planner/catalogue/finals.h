/*
 * finals.h
 *		The kinds of finished values: what a group's row of keys and states becomes.  One row a
 *		kind says what planner and node need to know of it, and names the functions that make it.
 *
 *		X(kind, of, argument, count, order, cost, beside, init, emit, judge)
 *
 *	of			what the output's index numbers: GpuAggFinalOf
 *	argument	ITSELF: the state is of the aggregate's argument as it is; MADE: of what is made
 *				of it
 *	count		what the COUNT beside it is for: GpuAggFinalCount
 *	order		how a device compares and orders it: GPUAGG_VALUE_... (device/answer.h); NONE: it
 *				cannot; SURE: it cannot, and the value fails for no group
 *	cost		what making it costs: GpuAggFinalCost
 *	beside		what becomes of values that devices have no form of: GpuAggFinalBeside
 *	init, emit, judge
 *				node/result/result_kinds.h: gpuagg_init_..., gpuagg_emit_..., gpuagg_judge_...
 *
 * To add a kind takes a row here and its functions there.
 */
#ifndef GPUAGG_PLANNER_FINALS_H
#define GPUAGG_PLANNER_FINALS_H

#include "device/answer.h"

#define GPUAGG_FINAL_LIST(X) \
	/* a group key, by its device type */ \
	X(KEY, KEY, ITSELF, MAY, KEY, NUMBER, NONE, plain_key, key, none) \
	/*
	 * a date key shown as timestamptz (date_trunc of a date: cast under the session's TimeZone,
	 * as PostgreSQL does), and as timestamp
	 */ \
	X(KEY_DATE_TZ, KEY, ITSELF, MAY, KEY, NUMBER, NONE, key, key_date_tz, day) \
	X(KEY_DAY, KEY, ITSELF, MAY, KEY, NUMBER, NONE, key, key_day, none) \
	/* of totals, shown as the code that "shown_by" has of the group */ \
	X(KEY_INTERVAL, KEY, ITSELF, MAY, KEY, NUMBER, NONE, key, key_interval, none) \
	/* to_char of a date or timestamp key */ \
	X(KEY_TEXT, KEY, ITSELF, MAY, NONE, NUMBER, NONE, key_text, key_text, text) \
	/* a string's number (node/lookup/numbered.h) */ \
	X(KEY_NUMBER, KEY, ITSELF, MAY, SURE, NUMBER, NONE, key, key_number, number) \
	/* "column" of the row whose primary key the key is (node/result/key_rows.h) */ \
	X(KEY_ROW, KEY, ITSELF, MAY, SURE, NUMBER, NONE, plain_key, key, none) \
	/* real, of the bits of a double; numeric, of a word (program.h) */ \
	X(KEY_FLOAT4, KEY, ITSELF, MAY, NONE, NUMBER, NONE, key, float4, none) \
	X(KEY_WORD, KEY, ITSELF, MAY, NONE, NUMBER, NONE, key, word, none) \
	/* int8 */ \
	X(COUNT, STATE, ITSELF, MAY, I64, NUMBER, COUNT, datum8, datum8, none) \
	X(SUM_INT8, STATE, ITSELF, MAY, I64, NUMBER, NONE, datum8, datum8, none) \
	/* numeric from 128 bits */ \
	X(SUM_NUMERIC, STATE, ITSELF, MAY, I128, NUMERIC, SUM, none, sum_numeric, none) \
	X(SUM_FLOAT4, STATE, ITSELF, MAY, F32, NUMBER, NONE, none, float4, float4) \
	X(SUM_FLOAT8, STATE, ITSELF, MAY, F64, NUMBER, NONE, datum8, datum8, float8) \
	/* numeric: a sum of 64 or 128 bits / count; float8 */ \
	X(AVG_INT, STATE, ITSELF, NEEDS, AVG_I64, INT_DIVISION, NONE, none, avg_int, none) \
	X(AVG_NUMERIC, STATE, ITSELF, NEEDS, AVG_I128, DIVISION, AVERAGE, none, avg_numeric, none) \
	X(AVG_FLOAT, STATE, ITSELF, NEEDS, AVG_F64, NUMBER, NONE, none, avg_float, float8) \
	/* min, max, bit and bool aggregates, of the argument's type */ \
	X(I64, STATE, ITSELF, MAY, I64, NUMBER, EXTREME, i64, i64, none) \
	/* gpuagg_f64_unorder() */ \
	X(F64_ORDER, STATE, ITSELF, MAY, F64_ORDER, NUMBER, NONE, none, f64_order, none) \
	/* text, char(n), inet */ \
	X(BYTES, STATE, ITSELF, MAY, BYTES, STRING, NONE, bytes, bytes, none) \
	/* numeric from a word (program.h) */ \
	X(WORD, STATE, MADE, MAY, WORD, NUMBER, EXTREME, none, word, none) \
	/* gpuagg_enum_value() */ \
	X(ENUM, STATE, MADE, MAY, I64, NUMBER, NONE, none, enum, none) \
	/* 128 bits of positive amounts and of negative ones (shown_by); beyond 64: PostgreSQL's */ \
	X(SUM_MONEY, STATE, MADE, MAY, NONE, NUMBER, NONE, none, money, money) \
	/* of "scale" sums from "index" on: GpuAggIntervalSum */ \
	X(SUM_INTERVAL, STATE, MADE, MAY, NONE, NUMBER, NONE, none, sum_interval, intervals) \
	X(AVG_INTERVAL, STATE, MADE, NEEDS, NONE, DIVISION, NONE, none, avg_interval, intervals) \
	/* numeric: a GpuAggStatistic of exact sums; float8, of a count int8: the same of moments */ \
	X(VARIANCE, STATE, MADE, NEEDS, SURE, VARIANCE, VARIANCE, variance, variance, none) \
	X(MOMENTS, STATE, MADE, SELF, NONE, NUMBER, NONE, none, moments, moments) \
	/*
	 * a Datum's bytes, which regrouping makes; none: NULL.  A numeric's or an interval's, divided
	 * by the count.  A GpuAggStatistic of a numeric and of the sum of squares at "squares"
	 */ \
	X(DATUM, DATUM, MADE, SELF, NONE, NUMBER, NONE, datum, datum, none) \
	X(DATUM_AVG, DATUM, MADE, SELF, NONE, NUMBER, NONE, datum, datum_avg, none) \
	X(DATUM_AVG_INTERVAL, DATUM, MADE, SELF, NONE, NUMBER, NONE, datum, datum_avg_interval, none) \
	X(DATUM_VARIANCE, DATUM, MADE, SELF, NONE, VARIANCE, NONE, \
	  datum_variance, datum_variance, none) \
	/* states instead of results, of a sum at "index" and a count beside it: int8[] of both */ \
	X(PARTIAL_PAIR, PARTIAL, MADE, NEEDS, NONE, NUMBER, NONE, none, partial_pair, none) \
	/* as int8_avg_serialize(), numeric_avg_serialize() */ \
	X(PARTIAL_INT8, PARTIAL, MADE, NEEDS, NONE, NUMBER, NONE, none, partial_int8, none) \
	X(PARTIAL_NUMERIC, PARTIAL, MADE, NEEDS, NONE, NUMBER, PARTIAL, none, partial_numeric, none) \
	/* with the squares, as numeric_serialize(), or numeric_poly_serialize() */ \
	X(PARTIAL_VARIANCE, PARTIAL, MADE, NEEDS, NONE, NUMBER, NONE, \
	  variance, partial_variance, none) \
	X(PARTIAL_SQUARES, PARTIAL, MADE, NEEDS, NONE, NUMBER, NONE, \
	  variance, partial_squares, none) \
	/* float8[]: moments, which count by themselves */ \
	X(PARTIAL_MOMENTS, PARTIAL, MADE, MAY, NONE, NUMBER, NONE, none, partial_moments, moments)

typedef enum GpuAggFinal
{
#define X(kind, ...) GPUAGG_FINAL_##kind,
	GPUAGG_FINAL_LIST(X)
#undef X
	GPUAGG_NFINALS
} GpuAggFinal;

typedef enum GpuAggFinalOf
{
	GPUAGG_OF_KEY,				/* a key */
	GPUAGG_OF_STATE,			/* a transition */
	GPUAGG_OF_DATUM,			/* a state of groups that are made again: a Datum's bytes */
	GPUAGG_OF_PARTIAL			/* a transition, made into a state for PostgreSQL to combine */
} GpuAggFinalOf;

typedef enum GpuAggFinalCount
{
	GPUAGG_COUNT_MAY,			/* tells NULL from a value, where NULL may be */
	GPUAGG_COUNT_NEEDS,			/* divides, or is part of the state */
	GPUAGG_COUNT_SELF			/* the value itself tells whether it is NULL */
} GpuAggFinalCount;

typedef enum GpuAggFinalCost
{
	GPUAGG_COST_NUMBER,			/* nothing, but for numerics */
	GPUAGG_COST_STRING,
	GPUAGG_COST_NUMERIC,
	GPUAGG_COST_INT_DIVISION,	/* of an integer */
	GPUAGG_COST_DIVISION,		/* of a numeric, which is made first */
	GPUAGG_COST_VARIANCE
} GpuAggFinalCost;

/* Numerics that devices have no form of, kept beside the groups (node/result/long_values.h) */
typedef enum GpuAggFinalBeside
{
	GPUAGG_BESIDE_NONE,			/* there are none */
	GPUAGG_BESIDE_COUNT,		/* they are counted where another output keeps them */
	GPUAGG_BESIDE_SUM,
	GPUAGG_BESIDE_AVERAGE,
	GPUAGG_BESIDE_EXTREME,
	GPUAGG_BESIDE_VARIANCE,
	GPUAGG_BESIDE_PARTIAL
} GpuAggFinalBeside;

/* Of what a device cannot compare */
#define GPUAGG_VALUE_NONE 0x40
#define GPUAGG_VALUE_SURE 0x41

typedef struct GpuAggFinalTraits
{
	uint8		of;
	bool		of_argument;
	uint8		count;
	uint8		order;			/* GpuAggValueForm, or one of the above */
	uint8		cost;
	uint8		beside;
} GpuAggFinalTraits;

static inline const GpuAggFinalTraits *
gpuagg_final_traits(int final)
{
	enum
	{
		MADE, ITSELF
	};
	static const GpuAggFinalTraits traits[] = {
#define X(kind, of, argument, count, order, cost, beside, ...) \
		{GPUAGG_OF_##of, argument, GPUAGG_COUNT_##count, GPUAGG_VALUE_##order, GPUAGG_COST_##cost, \
		GPUAGG_BESIDE_##beside},
		GPUAGG_FINAL_LIST(X)
#undef X
	};

	return &traits[final];
}

static inline bool
gpuagg_final_is_key(int final)
{
	return gpuagg_final_traits(final)->of == GPUAGG_OF_KEY;
}

#endif							/* GPUAGG_PLANNER_FINALS_H */
