/*
 * regroup_work.h
 *		What regroup_run.c and those below it have at hand while they make groups of a device's.
 */
#ifndef GPUAGG_NODE_REGROUP_WORK_H
#define GPUAGG_NODE_REGROUP_WORK_H

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

#endif							/* GPUAGG_NODE_REGROUP_WORK_H */
