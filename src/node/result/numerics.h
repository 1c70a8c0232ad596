/*
 * numerics.h
 *		Numerics of integers, of decimals and of averages, made in place.
 */
#ifndef GPUAGG_NODE_NUMERICS_H
#define GPUAGG_NODE_NUMERICS_H

#include "postgres.h"

/*
 * Digits, to base 10000: one of a carry, eleven of a decimal of 128 bits, and those
 * that its average has more
 */
#define GPUAGG_NUMERIC_DIGITS 20

/* A numeric as it is stored, of any value that these functions make */
typedef struct GpuAggNumeric
{
	int32		header;
	uint16		form;
	int16		digits[GPUAGG_NUMERIC_DIGITS];
} GpuAggNumeric;

/* int64_to_numeric(v), in *room */
extern Datum gpuagg_numeric_integer(int64 v, GpuAggNumeric *room);

/*
 * numeric_div(sum, count), digit for digit, in *room; count > 0.  Beyond what it has
 * room for, PostgreSQL's own, in the current context.
 */
extern Datum gpuagg_numeric_average(int64 sum, int64 count, GpuAggNumeric *room);

/*
 * The numeric of a 128-bit integer (two's complement) divided by 10^scale, of which
 * `shown` decimals are shown and the others are zeros; in *room.
 */
extern Datum gpuagg_numeric_decimal_datum(uint64 low, int64 high, int scale, int shown,
										  GpuAggNumeric *room);

/* numeric_div() of that and a count, digit for digit; as gpuagg_numeric_average() */
extern Datum gpuagg_numeric_decimal_average(uint64 low, int64 high, int scale, int shown,
											int64 count, GpuAggNumeric *room);

#endif							/* GPUAGG_NODE_NUMERICS_H */
