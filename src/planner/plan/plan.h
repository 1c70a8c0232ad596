/*
 * plan.h
 *		What the planner leaves for the executor in a GpuAgg or GpuSample
 *		CustomScan.
 *
 * GpuAgg, scanrelid 0:
 *	custom_scan_tlist	group keys, then functionally dependent columns (also
 *						keys to us), then Aggrefs: one output each
 *	custom_exprs		expressions without Vars whose values become runtime
 *						constants when execution starts, those of the programs that
 *						make look-up tables last; then what PostgreSQL computes of a
 *						string (GpuAggPlanInfo.called); then, of a sample, its
 *						percentage and, if it is REPEATABLE, its seed; then what
 *						GpuAggWanted counts
 *	custom_plans[GPUAGG_PLAN_FALLBACK]	PostgreSQL's Agg over SeqScan or
 *						SampleScan with custom_scan_tlist as target list (no HAVING); answers
 *						when the device does not.  Initialised only then
 *	custom_plans[GPUAGG_PLAN_ROWS]	SeqScan with the same quals whose target
 *						list is the program's outputs; never run as a scan:
 *						its qual and projection evaluate single rows
 *						Below joins its target list is empty
 *	custom_plans[GPUAGG_PLAN_LOOKUPS + i]	what look-up table i is made of: its
 *						keys, then its other columns; of those that are inputs of joins
 *	custom_plans, the last one	only where groups are regrouped (gpuagg_plan_regroup):
 *						SeqScan whose target list is the device's keys, then the
 *						expressions that PostgreSQL computes of them; never
 *						initialised
 *	custom_relids		the one table
 *	custom_private		this struct, packed
 *
 * GpuAgg of several tables, of which partitions, inheritance or UNION ALL make one:
 *	custom_exprs		the runtime constants of each program, one after the other;
 *						the rest as above
 *	custom_plans[GPUAGG_PLAN_ROWS]	an Append of such SeqScans, one for each table;
 *						never run, but its pruning is used.  PostgreSQL puts the
 *						SeqScan in its place if there is only one
 *	custom_relids		what they are in the query's range table
 *	custom_private		as gpuagg_plan_pack_tables makes it
 *
 * GpuAgg of the rows of a plan (of_plan), where there is no table to read:
 *	custom_plans[GPUAGG_PLAN_ROWS]	that plan; its target list is the program's outputs.
 *						An ordinary child
 *	custom_plans, the last one	a Result without a child
 *	custom_relids		what the plan reads
 *
 * GpuSample, scanrelid the table:
 *	qual				what PostgreSQL evaluates, after the device's filter
 *	custom_exprs		as above; then the conditions of the device's filter
 *	custom_plans[GPUAGG_PLAN_FALLBACK]	PostgreSQL's SampleScan with all
 *						conditions and an empty target list: its scan tuple is
 *						ours
 *	custom_private		as above
 */
#ifndef GPUAGG_PLANNER_PLAN_H
#define GPUAGG_PLANNER_PLAN_H

#include "postgres.h"

#include "cost/profile.h"
#include "device/answer.h"
#include "device/made.h"
#include "device/ops/code_table.h"
#include "device/ops/ops.h"
#include "device/ops/ops_lookup.h"
#include "device/program.h"
#include "ipc/seen_groups.h"
#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "planner/catalogue/aggregates.h"
#include "planner/plan/regroup.h"

#define GPUAGG_PLAN_FALLBACK 0
#define GPUAGG_PLAN_ROWS 1

/*
 * A sum of squares of 64 bits is kept in parts: x = high * 2^32 + low, and the sums of
 * low * low, high * low and high * high.  One part alone is the sum of x * x.
 */
#define GPUAGG_SQUARE_PARTS 3
#define GPUAGG_SQUARE_HALF 32
#define GPUAGG_PLAN_LOOKUPS 2	/* and following */

#define GPUAGG_MAX_LOOKUPS 16

/* One column of custom_scan_tlist */
typedef struct GpuAggOutput
{
	int			final;			/* GpuAggFinal */
	int			index;			/* key number, or transition number */
	int			count_index;	/* transition number of the COUNT beside it,
								 * -1: none */
	int			type;			/* GpuAggType of the key or argument */
	int			scale;			/* NUMERIC: the value is times 10^scale */
	int			shown;			/* NUMERIC: decimals that are shown */
	int			shown_by;		/* 0: `shown` decimals; else as many are shown as transition
								 * shown_by - 1 says; of SUM_MONEY: of the negative amounts */
	int			statistic;		/* GpuAggStatistic, of moments, or of the sum at index and
								 * `squares` */
	int			squares[GPUAGG_SQUARE_PARTS];	/* transition numbers + 1, as
												 * lower_statistic.c has them; 0: none */
	int			lookup;			/* KEY_NUMBER: the look-up table whose column it is */
	int			column;			/* KEY_NUMBER: that column of the table, its keys counted, of type
								 * `type`; KEY_ROW: the column of the row */
} GpuAggOutput;

/* A runtime constant: the n-th of custom_exprs fills this constant */
typedef struct GpuAggRuntimeConst
{
	int			const_no;		/* constant number in the program */
	bool		may_fail;		/* computing it may raise an error which
								 * PostgreSQL might never meet (an empty
								 * table, a CASE around it).  Built of
								 * PostgreSQL's own functions only: catch
								 * it and run the fallback, which decides */
	int			zone;			/* GpuAggZoneName: the value names a time zone or an
								 * enum, whose table the constant is */
} GpuAggRuntimeConst;

/* What is expected of a look-up table (join_order.h) */
typedef struct GpuAggLookupExpected
{
	double		share;			/* of the rows that are looked up, those that are left */
	double		probe_ns;		/* of looking one row up */
	double		probes;			/* rows that are looked up, at most */
	double		found;			/* of the rows that are looked up, the share that has a row in the
								 * table */
	double		make_ns;		/* of making the table */
	Cost		make_cost;		/* of a plan that makes the table; 0: it is made of columns that are
								 * kept */
	bool		small;			/* the backend reads it in much less time than a device has made a
								 * table */
	GpuAggSeenKey seen;			/* under which the share that was found is remembered */
	uint16		test;			/* register of the filter's condition, which may change
								 * places with those of others; GPUAGG_NO_REG: it may not */
	uint16		needs;			/* a bit for each look-up whose row it is looked up by */
} GpuAggLookupExpected;

/*
 * A table that may be larger than memory is made in windows of its first key, an integer: of
 * so many windows number w has the keys whose remainder is w, or w less that many.  The
 * constants are the number of windows and both remainders.
 */
#define GPUAGG_WINDOW_CONSTS 3
#define GPUAGG_MAX_LOOKUP_WINDOWS 64


/*
 * A look-up table: an input of a join below the grouping, of IN's subquery, a helper's, or one of
 * values of strings
 */
typedef struct GpuAggLookupPlan
{
	int			const_no;		/* constant number in the program */
	int			join;			/* JoinType; the table's rows are on the left */
	bool		unique;			/* no two rows may have the same keys */
	bool		folded;			/* rows of the table that the device reads may have the same keys,
								 * and become one */
	int			nkeys;
	int			ncolumns;		/* with the keys, which come first */
	int			window_const;	/* constants of the program by which rows of a window of keys pass:
								 * the first of GPUAGG_WINDOW_CONSTS; -1: none */
	bool		whole;			/* a device may make it, which has memory for all of it */
	int			windows;		/* if the backend makes it: that are expected to be needed, one
								 * after the other; 0: no number of them is enough */
	uint8	   *types;			/* GpuAggType of each */
	GpuAggScale *scales;		/* NUMERIC: EXACT, or as FLOOR or BELOW a bound of it
								 * (lower/lower_bound.c); NUMBERED: a string's number
								 * (node/lookup/numbered.h) */
	uint8		forms[GPUAGG_KEY_COLUMNS];	/* of keys: GPUAGG_KEY_... (device/made.h) */
	int			helps;			/* the table whose key column it numbers, + 1; 0: it is no helper */
	int			helped;			/* that column */
	int			values_of;		/* the table of whose strings, by their numbers, it has what is
								 * computed of them, + 1; 0: it has rows */
	int			values_column;	/* which column of that one they are */
	GpuAggLookupExpected expected;

	/* of a plain scan of a table: what makes it of columns that are kept */
	GpuAggProgram *program;		/* NULL: there is none */
	GpuAggRuntimeConst *runtime;
	int			nruntime;
	Oid			relid;			/* the table */

	/* of IN or NOT IN */
	int			subquery;		/* number of the statement's subplan that is the input; 0: a
								 * child of the node is */
	int			null_const;		/* boolean constant of the program: IN of a NULL */
	int			missed_const;	/* boolean constant of the program: IN of another value without an
								 * equal one */
} GpuAggLookupPlan;

/*
 * Which groups the device returns.  The last of custom_exprs are LIMIT, OFFSET, and
 * the constants of HAVING's terms, as far as they are there.
 */
typedef struct GpuAggWanted
{
	GpuAggAnswer answer;		/* but for the values of these */
	uint8		outputs[GPUAGG_ANSWER_COLUMNS]; /* that its columns are */
	bool		limited;
	bool		offset;
} GpuAggWanted;

typedef struct GpuAggPlanInfo
{
	GpuAggProgram *program;		/* palloc'd; constant slots of runtime
								 * constants are empty */
	GpuAggOutput *outputs;
	int			noutputs;
	GpuAggRuntimeConst *runtime;
	int			nruntime;
	GpuAggLookupPlan *lookups;
	int			nlookups;
	int			ncalled;		/* what PostgreSQL computes of a kept column's strings */
	uint16		called[GPUAGG_CODE_TABLES]; /* constants of the program that name it */
	bool		called_safe;	/* parallel workers may compute it */
	bool		called_hidden;	/* of how many strings tells of rows that are hidden */
	int			gate;			/* boolean runtime constant (its number in the
								 * program) that is tested once: unless it is
								 * true no row passes, and none need be read.
								 * -1: none.  The filter tests it, too */
	int			sample;			/* GpuAggSampleMethod */
	bool		repeatable;		/* the sample has a seed of its own */
	bool		of_plan;		/* rows of the plan GPUAGG_PLAN_ROWS are grouped */
	bool		own_functions;	/* functions in that plan may run queries, with tasks of theirs */
	GpuAggWanted wanted;
	double		est_rows;		/* of the table, or its sample */
	double		est_passed;		/* of these, that pass the filter */
	double		est_groups;
	double		est_numbers;	/* product of the keys' ranges, as statistics tell; 0: not
								 * known */
	double		left_out;		/* share of the groups that the device need not return, of rows of
								 * an order (device/ordered.h) */
	GpuAggRegroup *regroup;		/* what is made of the device's groups, whose outputs
								 * these are then; NULL: they are the query's */
	bool		joins_rows;		/* single rows can be joined by the fallback plan's joins */
	List	   *joined;			/* outputs of the rows that these joins make
								 * (planner/path/row_joins.h) */
	GpuAggSeenKey seen;			/* under which the groups found are remembered */
	GpuAggPrediction predicted;
	int			profile;		/* that it comes from: of gpuagg.profile, or 0 */
	int			profile_origin; /* GpuAggProfileOrigin */
	int			profile_elsewhere;	/* as GpuAggProfile.elsewhere */
} GpuAggPlanInfo;

/*
 * A List of copyable, printable nodes, and back (palloc'd); all but what is of joined rows, which
 * is known later.
 */
extern List *gpuagg_plan_pack(const GpuAggPlanInfo *info);
extern List *gpuagg_plan_pack_joined(List *packed, List *joined);
extern GpuAggPlanInfo *gpuagg_plan_unpack(List *custom_private);

/* Of the rows of a plan? */
extern bool gpuagg_plan_is_of_plan(List *custom_private);

/* The joins below the aggregation of a fallback plan; NULL: there is no aggregation */
extern Plan *gpuagg_plan_joins(Plan *fallback);

/* Where groups are regrouped: the plan that has the keys and what is computed of them */
extern Plan *gpuagg_plan_regroup(const Plan *custom, const GpuAggPlanInfo *info);

/*
 * gpuagg_plan_pack of several tables: a List of such Lists, one for each program, which differ in
 * program and runtime constants only; for each table the number of its program; how many more
 * partitions there are that need not be read; and whether tables of a program share a task.
 */
extern List *gpuagg_plan_pack_tables(List *programs, List *program_of, int pruned,
									 bool shared);
extern bool gpuagg_plan_has_tables(List *custom_private);
extern void gpuagg_plan_unpack_tables(List *custom_private, List **programs,
									  List **program_of, int *pruned, bool *shared);

/* How many expressions it takes from the end of custom_exprs */
extern int	gpuagg_plan_wanted_exprs(const GpuAggWanted *wanted);

/* Of GpuSample's custom_exprs: the conditions that the device evaluates */
extern List *gpuagg_plan_device_quals(const GpuAggPlanInfo *info,
									  List *custom_exprs);

/*
 * A copy of the program with the values of the runtime constants filled in:
 * values[i], isnull[i] are Datums of custom_exprs[i], of the constant's
 * type, and blocks[i] is look-up table i, NULL: none is needed.  hash_seed is set, too.
 * palloc'd.
 */
extern GpuAggProgram *gpuagg_plan_bind(const GpuAggPlanInfo *info,
									   const Datum *values,
									   const bool *isnull,
									   const GpuAggLookup *const *blocks);

#endif							/* GPUAGG_PLANNER_PLAN_H */
