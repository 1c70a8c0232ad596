/*
 * numbered.h
 *		Strings of a join's input as numbers: a dictionary beside the look-up table.
 */
#ifndef GPUAGG_NODE_NUMBERED_H
#define GPUAGG_NODE_NUMBERED_H

#include "postgres.h"

typedef struct GpuAggNumbered GpuAggNumbered;

/* An empty dictionary of strings of this GpuAggType; what it keeps is in the current context. */
extern GpuAggNumbered *gpuagg_numbered_create(uint8 type);

/*
 * The number of a string as devices hold it, a new one if no equal string has one.  What
 * a new one takes is added to *bytes; negative: there are too many.
 */
extern int32 gpuagg_numbered_add(GpuAggNumbered *n, const char *data, Size len, Size *bytes);

/* The number of an equal string; -1: there is none. */
extern int32 gpuagg_numbered_find(const GpuAggNumbered *n, const char *data, Size len);

/* How many there are; numbers are 0 and up. */
extern int32 gpuagg_numbered_count(const GpuAggNumbered *n);

/* The string as a Datum, which stays as long as the dictionary */
extern Datum gpuagg_numbered_datum(const GpuAggNumbered *n, int32 number);

#endif							/* GPUAGG_NODE_NUMBERED_H */
