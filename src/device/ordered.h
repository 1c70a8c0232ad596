/*
 * ordered.h
 *		Rows at given places of an order, or the commonest value, of a finished task's groups:
 *		what ordered-set aggregates ask for.
 *
 * The groups are the query's by one more key, the value, and a transition counts the rows of each.
 * Of the query's groups those rows are wanted that stand at given fractions of all whose value is
 * not NULL, in the order of the value.  Of the task's groups that hold no such row a device may
 * merge those that follow each other in that order: the merged group has the value of one of them,
 * and all of their states.  So who puts the values of a group in order finds the same ones at the
 * places that are asked for, and few groups come back.
 *
 * Or the value is wanted that most rows have, of equally common ones the first or the last. All
 * others of the query's group may be merged into one whose value is NULL, which stands at no place.
 *
 * device/ops/ordered_row.h has the functions.  A device need not do it.
 */
#ifndef GPUAGG_DEVICE_ORDERED_H
#define GPUAGG_DEVICE_ORDERED_H

#include "device/program.h"

#define GPUAGG_ORDERED_FRACTIONS 16

/* Rows that fractions ask for, at most */
#define GPUAGG_ORDERED_ROWS (2 * GPUAGG_ORDERED_FRACTIONS)

typedef struct GpuAggOrderedFraction
{
	double		fraction;		/* 0 to 1 */
	uint32_t	discrete;		/* 1: the first row that has reached it; 0: those on both sides */
	uint32_t	descending;		/* 1: of the reversed order */
} GpuAggOrderedFraction;

typedef enum GpuAggOrderedMode
{
	GPUAGG_MODE_NONE,
	GPUAGG_MODE_FIRST,			/* the least of the commonest values */
	GPUAGG_MODE_LAST			/* the greatest of them */
} GpuAggOrderedMode;

typedef struct GpuAggOrdered
{
	uint8_t		nfractions;		/* 0: no places are asked for */
	uint8_t		key;			/* the value */
	uint8_t		count;			/* the transition that counts rows */
	uint8_t		mode;			/* GpuAggOrderedMode; else than NONE: there are no fractions */
	uint8_t		pad[4];
	GpuAggOrderedFraction fractions[GPUAGG_ORDERED_FRACTIONS];
} GpuAggOrdered;

/* Is anything asked?  Else groups are wanted as they are. */
GPUAGG_FN bool
gpuagg_ordered_asked(const GpuAggOrdered *o)
{
	return o->nfractions > 0 || o->mode != GPUAGG_MODE_NONE;
}

#endif							/* GPUAGG_DEVICE_ORDERED_H */
