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
	GpuAggNumbered **numbered;	/* By column; NULL: its values are not. */
	int			windows;		/* The keys are cut into so many windows. */
	int			window;			/* The window whose keys alone are wanted. */
	/* Bytes of a column's Datum, if that is the value as devices hold it. */
	uint8		words[GPUAGG_LOOKUP_MAX_COLUMNS];

	/* Were rows left out? */
	bool		null_keys;		/* Rows with a NULL as a key. */
	bool		strange_keys;	/* Rows whose key no row that is looked up can have. */

	/* Memory */
	uint64		room;			/* Rows that there is room for. */
	Size		bytes;			/* Bytes that all of it takes. */
	Size		limit;
	char	   *next;			/* Free space for strings. */
	Size		left;			/* Bytes of this space. */
} GpuAggInputRows;

/*
 * Reads the plan to its end, in the current memory context.  Rows with a NULL key, or one that no
 * row that is looked up can have, are left out.
 */
extern GpuAggStatus gpuagg_input_rows_read(GpuAggInputRows *rows, PlanState *plan,
										   GpuAggError *error);

#endif							/* GPUAGG_NODE_LOOKUP_ROWS_H */
