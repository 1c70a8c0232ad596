/*
 * type_datums.h
 *		Datums of the types that registers hold as numbers of their own making
 *		(device/ops/load_types.h).
 */
#ifndef GPUAGG_NODE_TYPE_DATUMS_H
#define GPUAGG_NODE_TYPE_DATUMS_H

#include "postgres.h"

/* Bytes of a Datum that is a pointer, at most */
#define GPUAGG_TYPE_ROOM 16

/* v is of GpuAggType type; the Datum may point to room. */
extern Datum gpuagg_type_datum(uint8 type, int64 v, char *room);

#endif							/* GPUAGG_NODE_TYPE_DATUMS_H */
