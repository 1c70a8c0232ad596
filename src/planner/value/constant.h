/*
 * constant.h
 *		Which PostgreSQL types a device knows, and their Datums as program
 *		constants.  Shared by lowering (plain constants) and by binding
 *		(runtime constants).
 */
#ifndef GPUAGG_PLANNER_CONSTANT_H
#define GPUAGG_PLANNER_CONSTANT_H

#include "postgres.h"

#include "device/program.h"

/* A constant before it has its place in a program. */
typedef struct GpuAggConstant
{
	GpuAggConst value;			/* v.off is unset */
	const char *bytes;			/* BYTES: value.len bytes, not owned */
} GpuAggConstant;

/*
 * The device type behind an SQL type or a domain over it; false: none.  numeric is
 * none: what it is depends on a scale.
 */
extern bool gpuagg_constant_type(Oid typid, uint8 *type);

/*
 * The device type of a column.  numeric is a type unless it has too many decimals; *scale: as
 * GpuAggAttr's, else of no digits
 */
extern bool gpuagg_constant_column(Oid typid, int32 typmod, uint8 *type, GpuAggScale *scale);

/* Of the typmod of a numeric that has one; a negative scale rounds digits before the point */
extern int	gpuagg_numeric_typmod_scale(int32 typmod);
extern int	gpuagg_numeric_typmod_precision(int32 typmod);

/*
 * A numeric times 10^scale.  False: that is no integer of 64 bits, or, unless any scale
 * will do, its scale is another.  Detoasts into the current context.
 */
extern bool gpuagg_numeric_scaled(Datum value, bool any, int scale, int64 *result);

/*
 * The largest integer that is not greater than a numeric times 10^scale, or, if below, that is
 * less; of NaN and what is beyond 64 bits the largest one.  False: there is none that small.
 */
extern bool gpuagg_numeric_bound(Datum value, bool below, int scale, int64 *bound);

/* A numeric of a column of that scale (GpuAggAttr), as devices load it; false: they do not. */
extern bool gpuagg_numeric_stored(Datum value, GpuAggScale scale, int64 *result);

/* The word (program.h) of a numeric times 10^scale; false: there is none. */
extern bool gpuagg_numeric_word(Datum value, int scale, int64 *result);

extern GpuAggClass gpuagg_constant_class(uint8 type);

/*
 * Are strings equal under it only if their bytes are, as devices compare them?  Not without a
 * collation
 */
extern bool gpuagg_collation_is_bytewise(Oid collation);

/* Is the order of a type's values that of their bytes?  Of two collations a value has neither. */
extern bool gpuagg_collation_orders_bytes(Oid collation, Oid type);

/*
 * A Datum of an SQL type behind that device type.  Detoasts into the current
 * memory context; bytes may point into the Datum.  uuid and text keep their
 * length without header.  Of NUMERIC the Datum is an int8, scaled already.
 */
extern GpuAggConstant gpuagg_constant_make(uint8 type, Datum value,
										   bool isnull);

/* Can it be made of this Datum?  Of most types of every one */
extern bool gpuagg_constant_fits(uint8 type, Datum value);

#endif							/* GPUAGG_PLANNER_CONSTANT_H */
