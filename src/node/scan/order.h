/*
 * order.h
 *		What a task is to do, settled before it begins, and how it fared.
 *
 * An order goes down the steps of a run and is changed by none: who wants something else, as
 * for another try or for one of several cards, makes another order.
 */
#ifndef GPUAGG_NODE_ORDER_H
#define GPUAGG_NODE_ORDER_H

#include "postgres.h"

#include "node/scan/scan.h"

typedef struct GpuAggOrder
{
	const GpuAggProgram *program;	/* It is bound: it has constants and look-up tables. */
	int			device;			/* The device at work that gets the task. */
	bool		host;			/* It is for the host device behind that one. */
	bool		uncached;		/* It must do without the column cache. */
	bool		whole;			/* It is all that is done in the run. */
	GpuAggAnswer answer;		/* Groups that are wanted. */

	/* Tables that are read one after the other; they have the same program */
	int			nread;
	GpuAggTaskTable **read;
	BlockNumber nblocks;		/* Blocks of these together. */
} GpuAggOrder;

typedef struct GpuAggOutcome
{
	bool		on_gpu;			/* A GPU was to do it. */
	bool		cached;			/* The column cache was asked for. */
	bool		met_long;		/* It met a value that can only be kept beside all groups. */
} GpuAggOutcome;

#endif							/* GPUAGG_NODE_ORDER_H */
