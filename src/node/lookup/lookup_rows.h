/*
 * lookup_rows.h
 *		Rows of a join's input while the backend reads them.
 */
#ifndef GPUAGG_NODE_LOOKUP_ROWS_H
#define GPUAGG_NODE_LOOKUP_ROWS_H

#include "postgres.h"

#include "node/lookup/lookup_table.h"
#include "nodes/execnodes.h"

/* Room for so many is there from the first one on. */
#define GPUAGG_INPUT_ROWS 1024

/* The rows of an input while they are read */
typedef struct GpuAggInputRows
{
	GpuAggLookupColumns columns;
	GpuAggNumbered **numbered;	/* by column; NULL: its values are not */
	int			windows;		/* only keys of a window are wanted, */
	int			window;			/* this one */
	bool		null_keys;		/* rows that were left out, */
	bool		strange_keys;	/* and others whose keys no row that is looked up can have */
	uint8		words[GPUAGG_LOOKUP_MAX_COLUMNS];	/* bytes of a column's Datum, if it is the value as devices hold it */
	uint64		room;
	Size		bytes;			/* that all of it takes */
	Size		limit;
	char	   *next;			/* free space for strings, and how much */
	Size		left;
} GpuAggInputRows;

/*
 * Reads the plan to its end, in the current memory context.  Rows with a NULL key, or one that no
 * row that is looked up can have, are left out.
 */
extern GpuAggStatus gpuagg_input_rows_read(GpuAggInputRows *rows, PlanState *plan, GpuAggError *error);

#endif							/* GPUAGG_NODE_LOOKUP_ROWS_H */
