/*
 * answer.h
 *		Which groups of a task are wanted: those that pass HAVING, and of these
 *		the first ones in an order.
 *
 * What is returned is a superset: PostgreSQL sorts, filters and limits above.
 * A device may return more, up to all groups, and never fewer.  Of groups that are made of
 * others (regrouping.h) those that are made are meant; if it makes none, it returns all of
 * the others.
 *
 * Sums of floating point must be finite, in groups that nobody wants as well:
 * PostgreSQL may report an overflow (node/result/results.c).  device/ops/answer_row.h has the
 * functions.
 */
#ifndef GPUAGG_DEVICE_ANSWER_H
#define GPUAGG_DEVICE_ANSWER_H

#include "device/common.h"

#define GPUAGG_ANSWER_COLUMNS 6
#define GPUAGG_ANSWER_TERMS 8
#define GPUAGG_ANSWER_SUMS 16

typedef enum GpuAggValueForm
{
	GPUAGG_VALUE_KEY,			/* by its type */
	GPUAGG_VALUE_I64,			/* a state as it is */
	GPUAGG_VALUE_I128,
	GPUAGG_VALUE_F64,
	GPUAGG_VALUE_F32,			/* a sum, shown as float4 */
	GPUAGG_VALUE_F64_ORDER,
	GPUAGG_VALUE_BYTES,
	GPUAGG_VALUE_AVG_F64,		/* sum / count, as a double */
	GPUAGG_VALUE_AVG_I64,		/* sum / count, as numeric */
	GPUAGG_VALUE_AVG_I128,
	GPUAGG_VALUE_WORD,			/* of a decimal and what it shows (program.h), the decimal */
	GPUAGG_NVALUEFORMS
} GpuAggValueForm;

/* One value of a group */
typedef struct GpuAggValueRef
{
	uint8_t		form;			/* GpuAggValueForm */
	uint8_t		index;			/* of the key or transition */
	uint8_t		count;			/* 1 + the COUNT, or sum of counts, that divides it, and without
								 * which it is NULL; 0: none */
	uint8_t		pad;
} GpuAggValueRef;

typedef struct GpuAggOrderColumn
{
	GpuAggValueRef value;
	uint8_t		descending;
	uint8_t		nulls_first;
	uint8_t		type;			/* GpuAggType of a key, as it was before strings became
								 * codes (encode.h) */
	uint8_t		pad;
} GpuAggOrderColumn;

/* Comparisons in the order of GPUAGG_OP_I64_EQ and so on */
typedef enum GpuAggComparison
{
	GPUAGG_COMPARE_EQ,
	GPUAGG_COMPARE_NE,
	GPUAGG_COMPARE_LT,
	GPUAGG_COMPARE_LE,
	GPUAGG_COMPARE_GT,
	GPUAGG_COMPARE_GE,
	GPUAGG_NCOMPARISONS
} GpuAggComparison;

/* A condition of HAVING: a value, which must not be NULL, against a constant */
typedef struct GpuAggHavingTerm
{
	GpuAggValueRef value;
	uint8_t		comparison;		/* GpuAggComparison */
	uint8_t		never;			/* 1: the constant is NULL */
	uint8_t		scale;			/* the value is a decimal, times 10^scale */
	uint8_t		pad;
	uint64_t	low;			/* the constant, as gpuagg_answer_number() makes it */
	int64_t		high;
} GpuAggHavingTerm;

typedef struct GpuAggAnswer
{
	uint64_t	first;			/* so many groups, in this order; 0: all */
	uint8_t		ncolumns;		/* 0: in any order */
	uint8_t		nterms;			/* all must hold */
	uint8_t		nsums;			/* that must be finite, unless they are NULL */
	uint8_t		ties;			/* 1: and all that are equal to the last one */
	uint8_t		pad[4];
	GpuAggOrderColumn columns[GPUAGG_ANSWER_COLUMNS];
	GpuAggHavingTerm terms[GPUAGG_ANSWER_TERMS];
	GpuAggValueRef sums[GPUAGG_ANSWER_SUMS];	/* F64, F32 */
} GpuAggAnswer;

/* Does every group count that there is? */
GPUAGG_FN bool
gpuagg_answer_wants_all(const GpuAggAnswer *a)
{
	return a->first == 0 && a->nterms == 0;
}

#endif							/* GPUAGG_DEVICE_ANSWER_H */
