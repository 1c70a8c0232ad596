/*
 * lookup_made.h
 *		Look-up tables of joins' inputs, made by the device of columns that it keeps.
 */
#ifndef GPUAGG_NODE_LOOKUP_MADE_H
#define GPUAGG_NODE_LOOKUP_MADE_H

#include "postgres.h"

#include "ipc/errors.h"
#include "node/lookup/numbered.h"
#include "planner/plan/plan.h"
#include "utils/snapshot.h"

/* What a device makes a look-up table of, and what comes of it */
typedef struct GpuAggMadeInput
{
	int			device;			/* The device that is to make it. */
	const GpuAggLookupPlan *plan;
	const GpuAggProgram *program;	/* It has its runtime constants. */
	Snapshot	snapshot;
	Oid			fact;			/* The table whose rows are looked up in it. */
	double		fact_pages;		/* Pages of that table. */
	uint64		helpers[GPUAGG_KEY_COLUMNS];	/* The device's tables that number its keys. */
	MemoryContext strings;		/* Where the strings of "numbered" go. */

	/* Results */
	GpuAggNumbered **numbered;	/* By column. */
	uint64		device_ns;
	bool		before;			/* It was made for an earlier statement. */
} GpuAggMadeInput;

/*
 * The header of the table, with its columns, as a program names it; in the current memory
 * context.  NULL: the device cannot make it, or not all that the table has now is kept; the
 * input has to be read.
 */
extern const GpuAggLookup *gpuagg_lookup_made(GpuAggMadeInput *input);

#endif							/* GPUAGG_NODE_LOOKUP_MADE_H */
