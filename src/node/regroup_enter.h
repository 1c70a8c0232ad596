/*
 * regroup_enter.h
 *		Groups that regroup_run.c makes of a device's: what goes on for each of these.
 */
#ifndef GPUAGG_NODE_REGROUP_ENTER_H
#define GPUAGG_NODE_REGROUP_ENTER_H

#include "postgres.h"

#include "node/device_scan.h"
#include "node/equal_values.h"
#include "node/ordered_sets.h"
#include "node/regroup_layout.h"
#include "node/row_table.h"

typedef struct GpuAggRegroupWork
{
	GpuAggScan *scan;
	const GpuAggRegroup *plan;
	GpuAggError *error;
	Size		limit;			/* of the tables */

	const GpuAggProgram *device;
	GpuAggLayout from;			/* the device's groups */
	GpuAggProgram *program;
	GpuAggLayout into;			/* the query's */
	GpuAggResults *groups;
	GpuAggResults *results;
	bool		longs;			/* values lie beside the device's groups (long_values.h) */

	/* expressions over a tuple of the device's keys */
	List	   *computed;		/* ExprStates */
	ExprContext *econtext;
	TupleTableSlot *slot;
	GpuAggEqualValues *equals[GPUAGG_REGROUP_VALUES];	/* of those that are told by equality alone, */
	MemoryContext equal_context;	/* and where they are; NULL: there are none */
	int			nread;
	AttrNumber *read;			/* keys that they are, from 1; 0: none reads it */
	Datum	   *read_values;
	bool	   *read_nulls;

	/* arguments of ordered-set aggregates */
	GpuAggOrderedSets *ordered; /* NULL: there are none */
	int			sorted[GPUAGG_MAX_KEYS];	/* of a key: its place in read_values */

	/* the set at work */
	int			set;
	int			parent;			/* the set of whose groups it is made; -1: the device's */
	bool		unique;			/* each of the device's groups is one of the set's */
	GpuAggRowTable *table;
	uint64		set_rows;		/* that the set is made of; 0: not counted yet */
	uint64		row;			/* of these, the current one */
	MemoryContext context;		/* of the set */
	uint32	   *known;			/* [set_rows] of each row, in which part it is; NULL: not remembered */
	char	   *lone;			/* the only group, of a set without keys */
	bool		repeats;		/* values may enter more than once, and these tell: */
	GpuAggRowTable *entered[GPUAGG_REGROUP_VALUES]; /* NULL: all enter once */
	uint64		nentered;		/* how many have, and by a vote of majority */
	const char *heavy;			/* the group that most of them are of, if one has more */
	uint64		heavy_votes;	/* than half, and how many more than the others */

	/* the group at work */
	GpuAggRegroupDatum values[GPUAGG_REGROUP_VALUES];
	uint64		loaded;			/* bits: which of them are there */
	bool		enters[GPUAGG_REGROUP_VALUES];
} GpuAggRegroupWork;

/*
 * Begins with one of the device's groups: does it pass what is left of WHERE?  Nothing else
 * is computed before.
 */
extern bool gpuagg_regroup_passes(GpuAggRegroupWork *r, const char *row);

/* The keys, in r->table's wanted row, of the group of the set that a row belongs to, made or the device's */
extern const char *gpuagg_regroup_want_group(GpuAggRegroupWork *r, const char *row);

/* Finds out which values enter this group for the first time. */
extern void gpuagg_regroup_note_entered(GpuAggRegroupWork *r, const char *row, char *group);

/* Has the set at work this state, and does one of the device's groups pass its filter? */
extern bool gpuagg_regroup_has_state(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const char *row);

/* Lets a row enter the states and the sorts of its group. */
extern GpuAggStatus gpuagg_regroup_enter_row(GpuAggRegroupWork *r, const char *row, char *group);

#endif							/* GPUAGG_NODE_REGROUP_ENTER_H */
