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
	int			most;			/* The most rows; 1: their values are not computed ahead. */
	int			n;
	struct
	{
		const char *row;
		const char *wanted;		/* The keys of its group. */
		uint64		hash;		/* The hash of these keys. */
		uint64		number;		/* The place among the set's rows. */
		uint64		loaded;		/* Bits: the values that are there. */
		char	   *group;
		bool		skip;		/* It enters nothing here. */
	}			rows[GPUAGG_ROWS_WANTED];
	GpuAggRegroupDatum *values; /* As many for each row as the plan has. */
	GpuAggRegroupEntered *entered;	/* As many, if values repeat. */
} GpuAggRegroupBatch;

typedef struct GpuAggRegroupWork
{
	const GpuAggScan *scan;
	const GpuAggPlanInfo *info;
	const GpuAggRegroup *plan;
	GpuAggError *error;
	Size		limit;			/* Bytes that tables may take. */

	/* The device's groups, and the query's, which are made of them */
	const GpuAggProgram *device;
	GpuAggLayout from;			/* Rows of the device's. */
	GpuAggProgram *program;
	GpuAggLayout into;			/* Rows of the query's. */
	GpuAggResults *groups;		/* The device's. */
	GpuAggResults *results;		/* The query's. */
	bool		longs;			/* Values lie beside the device's groups (long_values.h). */

	/* Expressions over a tuple of the device's keys */
	List	   *computed;		/* A list of ExprStates. */
	ExprState **states;			/* An array of these. */
	ExprContext *econtext;
	TupleTableSlot *slot;
	/* By value: of those that are told by equality alone. */
	GpuAggEqualValues *equals[GPUAGG_REGROUP_VALUES];
	MemoryContext equal_context;	/* Holds "equals"; NULL: there are none. */
	int			nread;
	AttrNumber *read;			/* Attributes that keys are, from 1; 0: nothing reads it. */
	Datum	   *read_values;
	bool	   *read_nulls;

	/* Arguments of ordered-set aggregates */
	GpuAggOrderedSets *ordered; /* NULL: there are none. */
	int			sorted[GPUAGG_MAX_KEYS];	/* By key: the place in read_values. */

	/* The set at work */
	int			set;
	int			parent;			/* The set of whose groups it is made; -1: the device's. */
	bool		loads;			/* Its states want values of each row. */
	int			nshown;
	/* States of the plan that the set has; those that ordered sets make are not here. */
	uint16		shown[GPUAGG_MAX_TRANSITIONS];
	bool		unique;			/* Each of the device's groups is one of the set's. */
	GpuAggRowTable *table;
	uint64		set_rows;		/* Rows among which are those that the set is made of. */
	uint64		row;			/* How many of these rows have been read. */
	uint64		made;			/* Groups that were made, of all sets. */
	bool		expected;		/* The table has been told how many groups there will be. */
	MemoryContext context;		/* The set's. */
	uint32	   *known;			/* [set_rows] In which part each row is; NULL: not remembered. */
	char	   *lone;			/* The only group, of a set without keys. */

	/* Values that have entered groups of the set */
	bool		repeats;		/* Values may enter more than once; tables tell whether. */
	GpuAggRowTable *entered[GPUAGG_REGROUP_VALUES]; /* NULL: this value enters once. */
	uint64		nentered;		/* How many have entered. */
	const char *heavy;			/* The group of most of them, if one has more than half. */
	uint64		heavy_votes;	/* By how many votes it is ahead of the others. */

	/* The group at work, one of a batch */
	GpuAggRegroupBatch batch;
	GpuAggRegroupDatum *values;
	uint64		loaded;			/* Bits: the values that are there. */
	bool		enters[GPUAGG_REGROUP_VALUES];
} GpuAggRegroupWork;

#endif							/* GPUAGG_NODE_REGROUP_WORK_H */
