/*
 * made.h
 *		Look-up tables that a device makes of columns that it keeps, and has in its
 *		memory until they are freed.
 *
 * A task whose config wishes so makes one of the rows that pass its filter.  Its program
 * has no transitions; its keys are columns that it loads: the table's keys, then the
 * table's other columns.  Rows with a NULL among the table's keys are left out.  Strings
 * are codes; but a key that is one, which has no other beside it, is its bytes.  Its input
 * are stripes; pages are kept where they name a stripe, and their rows are not in the table.  When task_finish has answered, take() hands the
 * table over; the task returns no groups.
 *
 * A program that looks rows up in such a table has its header and columns as the constant,
 * and the config says which table takes their place.
 */
#ifndef GPUAGG_DEVICE_MADE_H
#define GPUAGG_DEVICE_MADE_H

#include "stripe.h"

typedef struct GpuAggTask GpuAggTask;
typedef struct GpuAggMade GpuAggMade;

/* Tables of one program, at most */
#define GPUAGG_MADE_TABLES 16

typedef struct GpuAggMakeWish
{
	uint32_t	nkeys;			/* of the program's keys, the table's; 0: no table is made */
	uint32_t	unique;			/* 1: rows with equal keys fail the task */
	uint64_t	seed;			/* as GpuAggLookup's */
	uint64_t	filters;		/* as GpuAggLookupShape's (ops/lookup_make.h) */
	GpuAggDictionary *const *dictionaries;	/* of the columns that are strings, by register;
											 * NULL: none is */
} GpuAggMakeWish;

/* Tables that take the places of constants */
typedef struct GpuAggMadeTables
{
	uint32_t	n;
	uint16_t	constants[GPUAGG_MADE_TABLES];	/* by number */
	GpuAggMade *tables[GPUAGG_MADE_TABLES];
} GpuAggMadeTables;

typedef struct GpuAggMadeOps
{
	/* Of a task that has finished, once.  The table outlives the task. */
	GpuAggStatus (*take) (GpuAggTask *task, GpuAggMade **made, GpuAggError *error);

	/* Its header and columns (ops/ops_lookup.h), as long as it lives */
	const struct GpuAggLookup *(*head) (const GpuAggMade *made);

	/* No task uses it. */
	void		(*free) (GpuAggMade *made);
} GpuAggMadeOps;

#endif							/* GPUAGG_DEVICE_MADE_H */
