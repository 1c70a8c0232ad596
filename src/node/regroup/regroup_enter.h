/*
 * regroup_enter.h
 *		Groups that regroup_run.c makes of a device's: what goes on for each of these.
 */
#ifndef GPUAGG_NODE_REGROUP_ENTER_H
#define GPUAGG_NODE_REGROUP_ENTER_H

#include "postgres.h"

#include "node/regroup/equal_values.h"
#include "node/regroup/ordered_sets.h"
#include "node/regroup/regroup_layout.h"
#include "node/regroup/row_table.h"
#include "node/scan/scan.h"

/* A value of a group that may have entered it before: its row of r->entered */
typedef struct GpuAggRegroupEntered
{
	const char *wanted;
	uint64		hash;
} GpuAggRegroupEntered;

/*
 * Rows that are worked on together (regroup_batch.h): the keys and values of all of them are
 * computed first, while the processor fetches where their groups are found.
 */
typedef struct GpuAggRegroupBatch
{
	int			most;			/* rows; 1: their values are not computed ahead */
	int			n;
	struct
	{
		const char *row;
		const char *wanted;		/* the keys of its group */
		uint64		hash;		/* and their hash */
		uint64		number;		/* of the set's rows */
		uint64		loaded;		/* bits: the values that are there */
		char	   *group;
		bool		skip;		/* it enters nothing here */
	}			rows[GPUAGG_ROWS_WANTED];
	GpuAggRegroupDatum *values; /* as many for each row as the plan has */
	GpuAggRegroupEntered *entered;	/* likewise, if values repeat */
} GpuAggRegroupBatch;

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
	ExprState **states;			/* the same */
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
	bool		loads;			/* its states want values of each row */
	int			nshown;			/* of the plan's states those that the set has, */
	uint16		shown[GPUAGG_MAX_TRANSITIONS];	/* but for those that ordered sets make */
	bool		unique;			/* each of the device's groups is one of the set's */
	GpuAggRowTable *table;
	uint64		set_rows;		/* among which are those that the set is made of */
	uint64		row;			/* how many of these have been read */
	uint64		made;			/* groups, of all sets */
	bool		expected;		/* the table has been told how many groups there will be */
	MemoryContext context;		/* of the set */
	uint32	   *known;			/* [set_rows] of each row, in which part it is; NULL: not remembered */
	char	   *lone;			/* the only group, of a set without keys */
	bool		repeats;		/* values may enter more than once, and these tell: */
	GpuAggRowTable *entered[GPUAGG_REGROUP_VALUES]; /* NULL: all enter once */
	uint64		nentered;		/* how many have, and by a vote of majority */
	const char *heavy;			/* the group that most of them are of, if one has more */
	uint64		heavy_votes;	/* than half, and how many more than the others */

	/* the group at work, one of a batch */
	GpuAggRegroupBatch batch;
	GpuAggRegroupDatum *values;
	uint64		loaded;			/* bits: which of them are there */
	bool		enters[GPUAGG_REGROUP_VALUES];
} GpuAggRegroupWork;

/*
 * Begins with one of the device's groups: does it pass what is left of WHERE?  Nothing else
 * is computed before.
 */
extern bool gpuagg_regroup_passes(GpuAggRegroupWork *r, const char *row);

/* Computes all values that the states of the set want of this group. */
extern void gpuagg_regroup_load(GpuAggRegroupWork *r, const char *row);

/*
 * The keys, in r->table's wanted row of that number, of the group of the set that a row belongs
 * to, made or the device's
 */
extern const char *gpuagg_regroup_want_group(GpuAggRegroupWork *r, const char *row, int number);

/*
 * Which values enter this group for the first time?  Two steps: to[] and the tables' wanted rows
 * of that number get what is looked for; and it is looked for.
 */
extern void gpuagg_regroup_want_entered(GpuAggRegroupWork *r, const char *row, int number,
										const char *group, GpuAggRegroupEntered *to);
extern void gpuagg_regroup_note_entered(GpuAggRegroupWork *r, const char *group,
										const GpuAggRegroupEntered *of);

/* Has the set at work this state, and does one of the device's groups pass its filter? */
extern bool gpuagg_regroup_has_state(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const char *row);

/* Lets a row enter the states and the sorts of its group. */
extern GpuAggStatus gpuagg_regroup_enter_row(GpuAggRegroupWork *r, const char *row, char *group);

#endif							/* GPUAGG_NODE_REGROUP_ENTER_H */
