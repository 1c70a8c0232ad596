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

/* The device type behind an SQL type or a domain over it; false: none. */
extern bool gpuagg_constant_type(Oid typid, uint8 *type);

extern GpuAggClass gpuagg_constant_class(uint8 type);

/*
 * A Datum of an SQL type behind that device type.  Detoasts into the current
 * memory context; bytes may point into the Datum.  uuid and text keep their
 * length without header.
 */
extern GpuAggConstant gpuagg_constant_make(uint8 type, Datum value,
										   bool isnull);

#endif							/* GPUAGG_PLANNER_CONSTANT_H */
