/*
 * regroup_layout.h
 *		Rows of groups that regrouping makes: which keys and states they have, and
 *		values in and out of their slots.
 */
#ifndef GPUAGG_NODE_REGROUP_LAYOUT_H
#define GPUAGG_NODE_REGROUP_LAYOUT_H

#include "postgres.h"

#include "node/result/results.h"
#include "planner/plan/regroup.h"

/* A value, by its type's class */
typedef struct GpuAggRegroupDatum
{
	bool		isnull;
	union
	{
		int64		i;
		double		f;
		GpuAggBytes b;
	}			v;
	Datum		datum;			/* The value, if no device has a form of it. */
} GpuAggRegroupDatum;

/* A program of nothing but keys and transitions: the query's groups */
extern GpuAggProgram *gpuagg_regroup_program(const GpuAggRegroup *plan, uint64 seed);

/* A program of values that have entered groups, whose keys are the group and the value */
extern GpuAggProgram *gpuagg_regroup_entered_program(uint8 type, uint64 seed);

/* Is a key of a row NULL? */
static inline bool
gpuagg_regroup_is_null(const char *row, int key)
{
	uint32		head;

	memcpy(&head, row, sizeof(head));
	return (head >> key & 1) != 0;
}

/* The value of a slot of the results' current row; no NULL */
extern void gpuagg_regroup_datum(const GpuAggResults *results, uint32 type, const char *row,
								 uint16 off, GpuAggRegroupDatum *d);

/* Puts a value into a slot, which is empty. */
extern void gpuagg_regroup_slot(uint32 type, const GpuAggRegroupDatum *d, char *slot);

#endif							/* GPUAGG_NODE_REGROUP_LAYOUT_H */
