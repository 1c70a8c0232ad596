/*
 * equal_values.h
 *		Numbers for values that are told apart by nothing but their type's own equality:
 *		equal ones have the same.
 */
#ifndef GPUAGG_NODE_EQUAL_VALUES_H
#define GPUAGG_NODE_EQUAL_VALUES_H

#include "postgres.h"

#include "device/program.h"

typedef struct GpuAggEqualValues GpuAggEqualValues;

/* Of this type, which has a hash function, under this collation; lives in the context. */
extern GpuAggEqualValues *gpuagg_equal_values_create(Oid type, Oid collation,
													 MemoryContext context);

/* The number of a value, in CurrentMemoryContext */
extern GpuAggBytes gpuagg_equal_values_number(GpuAggEqualValues *values, Datum value);

#endif							/* GPUAGG_NODE_EQUAL_VALUES_H */
