/*
 * regroup.h
 *		What the backend makes of the groups that a device returns, where the device
 *		groups by a finer key than the query: node/regroup/regroup_run.c does it,
 *		planner/regroup/regroup_plan.c plans it.
 *
 * A returned group gives values: its keys, and expressions over them that PostgreSQL
 * evaluates.  Of values are made the keys of the query's groups; states of the
 * device are merged into the states of these, or values enter them.
 *
 * Groups that regrouping has made are rows of the same layout as a device's
 * (device/layout.h), of the keys and transitions named here.
 */
#ifndef GPUAGG_PLANNER_REGROUP_H
#define GPUAGG_PLANNER_REGROUP_H

#include "postgres.h"

#include "cost/predict.h"
#include "device/transition.h"
#include "ipc/seen_groups.h"

#define GPUAGG_REGROUP_VALUES 64
#define GPUAGG_REGROUP_FILTERS 16
#define GPUAGG_REGROUP_SETS 64
#define GPUAGG_REGROUP_GROUPINGS 8
#define GPUAGG_REGROUP_SORTS 16
#define GPUAGG_REGROUP_PARTS 8

/* None of a transition, a value */
#define GPUAGG_REGROUP_NONE (-1)

/* How the value of an expression is told from others */
typedef enum GpuAggRegroupForm
{
	GPUAGG_REGROUP_CONSTANT,	/* as constants of programs are made */
	GPUAGG_REGROUP_NUMERIC,		/* by bytes that equal numerics share */
	GPUAGG_REGROUP_INTERVAL,	/* by bytes that equal intervals share */
	GPUAGG_REGROUP_JSONB,		/* by bytes that equal jsonb share */
	GPUAGG_REGROUP_ROW,			/* by bytes that equal rows share */
	GPUAGG_REGROUP_ARRAY,		/* by bytes that equal arrays share */
	GPUAGG_REGROUP_RANGE,		/* by bytes that equal ranges share */
	GPUAGG_REGROUP_RANGES,		/* by bytes that equal sets of ranges share */
	GPUAGG_REGROUP_IMAGE,		/* by what is stored, which equal values share */
	GPUAGG_REGROUP_EQUAL		/* by the type's equality alone (node/regroup/equal_values.h) */
} GpuAggRegroupForm;

/* States that are bytes of a Datum, of which no device knows */
typedef enum GpuAggRegroupDatumOp
{
	GPUAGG_REGROUP_STATE,		/* no such state */
	GPUAGG_REGROUP_FIRST,		/* the first value, of equal ones that may look different */
	GPUAGG_REGROUP_SUM,			/* the sum of numerics or intervals */
	GPUAGG_REGROUP_SQUARES,		/* the sum of squares of numerics */
	GPUAGG_REGROUP_LEAST,		/* the first of the least values by the type's order */
	GPUAGG_REGROUP_GREATEST		/* the first of the greatest values by the type's order */
} GpuAggRegroupDatumOp;

typedef struct GpuAggRegroupValue
{
	uint8		type;			/* GpuAggType */
	uint8		computed;		/* number is that of a computed expression (plan.h),
								 * else of a key of the device */
	uint16		number;
	uint8		form;			/* GpuAggRegroupForm, of a computed one */
	bool		typbyval;		/* of a computed one, its SQL type's */
	int16		typlen;
	uint32		reads;			/* bits: the keys of the device that it is made of */
} GpuAggRegroupValue;

/* A state of the query's groups */
typedef struct GpuAggRegroupState
{
	uint16		op;				/* GpuAggTransOp */
	uint8		type;			/* GpuAggType of the argument */
	uint8		distinct;		/* each value enters once */
	uint8		datum;			/* GpuAggRegroupDatumOp */
	int16		merge;			/* the device's transition that is merged, or GPUAGG_REGROUP_NONE */
	int16		value;			/* the value that enters, or GPUAGG_REGROUP_NONE */
	int16		second;			/* the value that enters in pairs with that one, x of (y, x) */
	int16		weight;			/* as often as this transition of the device counts;
								 * GPUAGG_REGROUP_NONE: once */
	int16		filter;			/* only where this value is true */
	Oid			collation;		/* of strings: their order; InvalidOid: by bytes */
	Oid			compare;		/* of LEAST and GREATEST: the type's comparison */
	int16		output;			/* output of the ordered-set aggregate that makes it, or
								 * GPUAGG_REGROUP_NONE */
	int16		sort;			/* the sort that puts in order the values which enter */
	int16		key;			/* shows this key, in sets that have it */
	uint8		part;			/* of parts: the one that makes it */
	bool		absent;			/* another part makes it */
} GpuAggRegroupState;

/* Values in the order of an ordered-set aggregate, each as often as rows have it */
typedef struct GpuAggRegroupSort
{
	int16		value;
	int16		weight;			/* the device's transition that counts rows */
	int16		filter;			/* only where this value is true */
	int16		count;			/* the state that counts values that are not NULL */
	Oid			type;
	Oid			sortop;
	Oid			eqop;
	Oid			collation;
	bool		nulls_first;
	bool		absent;			/* of a part: another one has it */
} GpuAggRegroupSort;

/* What a value takes that is sorted as an integer, in an array of no more than work_mem */
#define GPUAGG_REGROUP_WORD_BYTES 24

/*
 * Are values of the type sorted as integers of their order?  inverted: -1 if that is descending,
 * else 0.
 */
extern bool gpuagg_regroup_has_words(const GpuAggRegroupSort *sort, int64 *inverted);

/* One of GROUPING SETS; without them there is one, of all keys. */
typedef struct GpuAggRegroupSet
{
	uint32		keys;			/* bits */
	int32		groupings[GPUAGG_REGROUP_GROUPINGS];	/* what GROUPING() gives */
} GpuAggRegroupSet;

/* A key of the device */
typedef struct GpuAggRegroupInput
{
	uint8		final;			/* GpuAggFinal */
	bool		read;			/* by an expression, as a column */
	bool		sorted;			/* a sort takes it */
	/* How it is shown to the sort, as GpuAggOutput's */
	uint8		scale;
	uint8		shown;
	int16		shown_by;
	uint8		lookup;			/* of a string's number, as GpuAggOutput's, too */
	uint16		column;
} GpuAggRegroupInput;

/*
 * What different aggregates need may be grouped apart, each by the keys of the device that
 * they need: then the query's groups are made for each part, with states of the others as
 * they begin, and merged (regroup_parts.h).
 */
typedef struct GpuAggRegroupPart
{
	uint32		inputs;			/* bits of the device's keys */
	double		groups;			/* of the device, as expected */
	GpuAggSeenKey seen;			/* under which the groups found are remembered */
	GpuAggPrediction predicted;	/* the part's share of the time */
} GpuAggRegroupPart;

/*
 * The program's keys are nkeys values; then, if there are several sets or GROUPING(),
 * the number of the set and GROUPING()'s values.
 */
typedef struct GpuAggRegroup
{
	int			ninputs;
	GpuAggRegroupInput inputs[GPUAGG_MAX_KEYS];
	uint8		targets[GPUAGG_MAX_KEYS];	/* places of the device's keys in the plan's target
											 * list */
	uint8		ntargets;		/* keys of the plan's target list, which come before its
								 * expressions */
	bool		parted;			/* grouped in parts, which there are in any case */
	int			nparts;
	GpuAggRegroupPart parts[GPUAGG_REGROUP_PARTS];
	int			nvalues;
	GpuAggRegroupValue values[GPUAGG_REGROUP_VALUES];
	int			nfilters;		/* of WHERE: values that must be true, in order */
	int16		filters[GPUAGG_REGROUP_FILTERS];
	int			nkeys;
	int16		keys[GPUAGG_MAX_KEYS];	/* values */
	uint8		scales[GPUAGG_MAX_KEYS];
	int			nstates;
	GpuAggRegroupState states[GPUAGG_MAX_TRANSITIONS];
	int			nsorts;
	GpuAggRegroupSort sorts[GPUAGG_REGROUP_SORTS];
	double		largest;		/* groups of the set that has most, as expected */
	bool		safe;			/* parallel workers may compute the expressions */
	bool		grouped;		/* GROUP BY: no rows, no group */
	bool		numbered;		/* sets have their number as a key */
	int			ngroupings;
	int			nsets;
	GpuAggRegroupSet sets[GPUAGG_REGROUP_SETS];
} GpuAggRegroup;

#endif							/* GPUAGG_PLANNER_REGROUP_H */
