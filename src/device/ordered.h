/*
 * ordered.h
 *		Rows at given places of an order, of a finished task's groups: what ordered-set
 *		aggregates ask for.
 *
 * The groups are the query's by one more key, the value, and a transition counts the rows of each.
 * Of the query's groups those rows are wanted that stand at given fractions of all whose value is
 * not NULL, in the order of the value.  Of the task's groups that hold no such row a device may
 * merge those that follow each other in that order: the merged group has the value of one of them,
 * and all of their states.  So who puts the values of a group in order finds the same ones at the
 * places that are asked for, and few groups come back.
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

typedef struct GpuAggOrdered
{
	uint8_t		nfractions;		/* 0: groups are wanted as they are */
	uint8_t		key;			/* the value */
	uint8_t		count;			/* the transition that counts rows */
	uint8_t		pad[5];
	GpuAggOrderedFraction fractions[GPUAGG_ORDERED_FRACTIONS];
} GpuAggOrdered;

#endif							/* GPUAGG_DEVICE_ORDERED_H */
