/*
 * lower_types.h
 *		Types that are numbers or bytes to a device.
 */
#ifndef GPUAGG_PLANNER_LOWER_TYPES_H
#define GPUAGG_PLANNER_LOWER_TYPES_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* A value of this enum becomes its place in the order. */
extern bool gpuagg_lower_enum_order(GpuAggLower *lw, Oid type, GpuAggLowered *value);

/* Is a beyond b (greater, or less)?  Of types that are not held in their order */
extern bool gpuagg_lower_beyond_of_type(GpuAggLower *lw, bool greater, Oid type,
										const GpuAggLowered *a, const GpuAggLowered *b,
										bool *handled, GpuAggLowered *out);

/* The value as one of another type with the same bytes; false: not known how */
extern bool gpuagg_lower_same_bytes(GpuAggLower *lw, uint8 type, GpuAggLowered *value);

#endif							/* GPUAGG_PLANNER_LOWER_TYPES_H */
