/*
 * numerics.h
 *		Numerics of integers and of their averages, made in place.
 */
#ifndef GPUAGG_NODE_NUMERICS_H
#define GPUAGG_NODE_NUMERICS_H

#include "postgres.h"

/* Digits, to base 10000: five of an integer, nine of a fraction, one of a carry */
#define GPUAGG_NUMERIC_DIGITS 15

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

#endif							/* GPUAGG_NODE_NUMERICS_H */
