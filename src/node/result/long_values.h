/*
 * long_values.h
 *		Numerics that devices have no form of (more digits than 64 bits hold, NaN,
 *		infinities): kept beside the groups of a task, and added when a group is shown.
 */
#ifndef GPUAGG_NODE_LONG_VALUES_H
#define GPUAGG_NODE_LONG_VALUES_H

#include "postgres.h"

#include "access/htup.h"
#include "device/program.h"
#include "lib/stringinfo.h"
#include "planner/plan/plan.h"

typedef struct GpuAggLongValues GpuAggLongValues;

/* Those of one group and transition */
typedef struct GpuAggLongSum
{
	int64		count;

	/* Numerics */
	Datum		sum;
	Datum		least;
	Datum		greatest;
	Datum		squares;		/* The sum of squares, of a variance's argument. */
} GpuAggLongSum;

/* For groups that are shown by these outputs; lives in a context of its own below parent. */
extern GpuAggLongValues *gpuagg_long_values_create(const GpuAggOutput *outputs, int noutputs,
												   MemoryContext parent);

/*
 * For finer groups, of whose transitions states of such groups are merged: from[i] is the one of
 * the i-th state, or negative.
 */
extern GpuAggLongValues *gpuagg_long_values_create_merged(const GpuAggOutput *outputs, int noutputs,
														  const int16 *from, int nstates,
														  MemoryContext parent);

/* From now on it goes with this context. */
extern void gpuagg_long_values_move(GpuAggLongValues *values, MemoryContext parent);

/*
 * May values of this transition's argument be kept here?  The device then gets a NULL
 * instead, as the argument of whatever transition.
 */
extern bool gpuagg_long_values_take(const GpuAggLongValues *values, int transition);

/*
 * Transitions of one variance have the same number, others -1: where one of them gets a
 * NULL, all do.  May this value be the argument, with its square?
 */
extern int	gpuagg_long_values_variance(const GpuAggLongValues *values, int transition);
extern bool gpuagg_long_values_fits(const GpuAggLongValues *values, int transition, Datum value);

/* A group's key: of each key column, in order, one of these, by its type as a device has it */
extern void gpuagg_long_key_null(StringInfo key);
extern void gpuagg_long_key_number(StringInfo key, uint8 type, uint64 bits);
extern void gpuagg_long_key_bytes(StringInfo key, uint8 type, GpuAggBytes bytes);

/* How many bytes the key column at this place of a key takes */
extern int	gpuagg_long_key_bytes_at(const char *key, uint8 type);

/* Keeps a numeric of the group with this key; false: there are too many. */
extern bool gpuagg_long_values_add(GpuAggLongValues *values, const StringInfoData *key,
								   int transition, Datum value);

/* Adds those of a group that is part of this one; false: there are too many. */
extern bool gpuagg_long_values_add_sum(GpuAggLongValues *values, const char *key, int bytes,
									   int transition, const GpuAggLongSum *sum);

/*
 * Keeps a row whose key is such a numeric, a copy; false: there are too many.  Their groups
 * are none of the device's.  The table that it is from is told by its number in the range table.
 */
extern bool gpuagg_long_values_add_row(GpuAggLongValues *values, HeapTuple row, int table);

/* The i-th of them, NULL: there is none.  Once asked, no more are added and none cut off. */
extern HeapTuple gpuagg_long_values_row(GpuAggLongValues *values, int i, int *table);

/* How many there are of both; and back to so many */
extern int	gpuagg_long_values_count(const GpuAggLongValues *values);
extern void gpuagg_long_values_cut(GpuAggLongValues *values, int count);

/*
 * The i-th of all groups and transitions, in no order that matters; NULL: there is none.  Once
 * asked, no more are added and none cut off.
 */
extern const GpuAggLongSum *gpuagg_long_values_sum(GpuAggLongValues *values, int i,
												   const char **key, int *bytes, int *transition);

/*
 * Of the group with this key; NULL: none.  Once asked, no more are added and none cut
 * off.
 */
extern const GpuAggLongSum *gpuagg_long_values_of(GpuAggLongValues *values,
												  const StringInfoData *key, int transition);

#endif							/* GPUAGG_NODE_LONG_VALUES_H */
