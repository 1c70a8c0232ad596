/*
 * bound_set.h
 *		What is known of an expression's values, as a set of device/ops/value_set.h: integers as
 *		they are, dates in days, timestamps in microseconds; numerics are doubles here, as floats.
 */
#ifndef GPUAGG_PLANNER_BOUND_SET_H
#define GPUAGG_PLANNER_BOUND_SET_H

#include "postgres.h"

#include "device/ops/value_set.h"

typedef struct GpuAggValueBound
{
	double		values;			/* at most, without NULL; HUGE_VAL: not known */
	GpuAggValueSet set;			/* between which they lie, and whether NULL is among them; rows that
								 * raise errors are in no group, so of these it does not tell */
} GpuAggValueBound;

/* Any number, and NULL */
#define GPUAGG_BOUND_ANYTHING {GPUAGG_MAY_VALUE | GPUAGG_MAY_NULL, INT64_MIN, INT64_MAX}

/* I64, F64, or BYTES of types of whose values sets know nothing */
extern GpuAggClass gpuagg_bound_class(Oid type);

/* Adds a value; false: it is of other types, or not finite */
extern bool gpuagg_bound_add(GpuAggValueSet *set, Oid type, Datum value);

/* The set of a constant but NULL; false: as above, or it is none */
extern bool gpuagg_bound_constant(const Node *expr, GpuAggValueSet *set);

/* A constant as a double, as far as that goes; false: as above */
extern bool gpuagg_bound_number(const Node *expr, double *number);

/* How far apart a type's values are at least; 0: that is not known */
extern double gpuagg_bound_step(Oid type, int32 typmod);

static inline bool
gpuagg_bound_nullable(const GpuAggValueBound *b)
{
	return (b->set.may & GPUAGG_MAY_NULL) != 0;
}

/* There are no more values than this. */
static inline void
gpuagg_bound_limit(GpuAggValueBound *b, double values)
{
	b->values = Min(b->values, values);
}

#endif							/* GPUAGG_PLANNER_BOUND_SET_H */
