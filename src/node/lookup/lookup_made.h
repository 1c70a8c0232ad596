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

/* Strings of a column as it came: number i is code i */
typedef struct GpuAggMadeInput
{
	int			device;			/* that is to make it */
	const GpuAggLookupPlan *plan;
	const GpuAggProgram *program;	/* with its runtime constants */
	Snapshot	snapshot;
	Oid			fact;			/* whose rows are looked up in it, */
	double		fact_pages;		/* of so many pages */
	uint64		helpers[GPUAGG_KEY_COLUMNS];	/* tables that the device has made to number its keys */
	MemoryContext strings;		/* of these */
	GpuAggNumbered **numbered;	/* out: by column */
	uint64		device_ns;		/* out */
	bool		before;			/* out: was it made for an earlier statement? */
} GpuAggMadeInput;

/*
 * The header of the table, with its columns, as a program names it; in the current memory
 * context.  NULL: the device cannot make it, or not all that the table has now is kept; the
 * input has to be read.
 */
extern const GpuAggLookup *gpuagg_lookup_made(GpuAggMadeInput *input);

#endif							/* GPUAGG_NODE_LOOKUP_MADE_H */
