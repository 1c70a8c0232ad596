/*
 * lower.h
 *		Turns PostgreSQL expressions into a program (device/program.h).
 *
 *	lower.c				the builder: registers, constants, the finished block
 *	lower_expr.c		expression nodes, the filter
 *	lower_key.c			group keys
 *	lower_input.c		values that a plan gives
 *	lower_select.c		the filter of a scan that returns rows
 *	lower_func.c		functions and operators, by their rows of the catalogue
 *	lower_numeric.c		decimals: their scales, arithmetic, comparisons
 *	lower_quotient.c	decimals divided by a constant
 *	lower_own_scale.c	numeric columns without a scale
 *	lower_numeric_later.c	numerics that are known when execution starts
 *	lower_datetime.c	date_trunc, extract, comparisons across time types
 *	lower_zone.c		timestamptz in the session's zone, or another
 *	lower_interval.c	intervals, and timestamps with them
 *	lower_epoch.c		seconds since 1970, and parts of a minute
 *	lower_to_char.c		to_char of timestamps as a group key
 *	lower_list.c		x = ANY (array), x <> ALL (array)
 *	lower_const.c		expressions without columns: constants
 *	lower_types.c		enums, network addresses, oids
 *	lower_agg.c			aggregates, their transitions and counts
 *	lower_statistic.c	those made of sums of squares
 *	lower_interval_agg.c	aggregates of intervals
 *	lower_join.c		joins as look-ups, columns of their inputs
 *	lower_join_key.c	what rows are looked up by
 *	lower_fold.c		inputs with several rows of a key
 *	lower_subplan.c		IN and NOT IN of subqueries as look-ups
 *	lower_string.c		what is asked of an input's strings
 *	lower_called.c		what PostgreSQL computes of a kept column's strings
 *	lower_bound.c		comparisons with numerics of an input that have no scale
 *
 * A function that returns false has refused (refuse.h) and may have left
 * registers behind that nothing uses; the program is then not finished, or
 * the caller went back to a mark.  Nothing here raises an ERROR for what a
 * query contains.  All memory belongs to the planner's context.
 */
#ifndef GPUAGG_PLANNER_LOWER_H
#define GPUAGG_PLANNER_LOWER_H

#include "postgres.h"

#include "device/ops/code_table.h"
#include "device/ops/ops.h"
#include "device/ops/ops_lookup.h"
#include "device/transition.h"
#include "nodes/pathnodes.h"
#include "planner/plan/called_notes.h"
#include "planner/plan/join_tree.h"
#include "planner/plan/plan.h"
#include "planner/plan/refuse.h"
#include "planner/value/constant.h"
#include "planner/value/zone.h"
#include "utils/rel.h"

/*
 * While a program is built, register numbers carry what they number; finish
 * replaces them by the order that program.h asks for.
 */
#define GPUAGG_VREG_COLUMN 0x0000
#define GPUAGG_VREG_CONST 0x2000
#define GPUAGG_VREG_INSTR 0x4000
#define GPUAGG_VREG_KIND 0x6000
#define GPUAGG_VREG_NUMBER 0x1FFF

/* What an expression became. */
typedef struct GpuAggLowered
{
	uint16		reg;			/* virtual register */
	uint8		type;			/* GpuAggType */
	bool		notnull;		/* never NULL */
	bool		may_fail;		/* may be an error value */

	/* NUMERIC: the register holds the value times 10^digits, or a word. */
	GpuAggScale scale;
	uint8		shown;			/* decimals that PostgreSQL shows, the most of any row; more than
								 * the scale's only of quotients, which end with zeros */
	uint16		shown_reg;		/* register that tells them in place of `shown`, or GPUAGG_NO_REG */
} GpuAggLowered;

typedef struct GpuAggColumn
{
	AttrNumber	attno;
	uint8		type;
	GpuAggScale scale;			/* NUMERIC: as GpuAggAttr's */
	uint16		missing;		/* virtual register or GPUAGG_NO_REG */
} GpuAggColumn;

/*
 * An input of the join, a subquery of IN, a helper or values of strings (plan.h): it becomes a
 * look-up table
 */
typedef struct GpuAggLookupLower
{
	RelOptInfo *rel;			/* NULL: none of a join's inputs */
	JoinType	type;
	bool		unique;			/* no two rows may have the same keys */
	bool		closed;			/* its columns are not known any more */
	bool		folded;			/* a row for each key, of rows that are grouped */
	RestrictInfo *extreme;		/* a condition decided by its extremes (lower_join.h) */
	double		rows;			/* expected in the table */
	int			nkeys;
	List	   *columns;		/* those of the keys first, which may be computed; the others
								 * are Vars, of a folded input Aggrefs, or keys again */
	uint8		types[GPUAGG_LOOKUP_MAX_COLUMNS];	/* GpuAggType of each */
	GpuAggScale scales[GPUAGG_LOOKUP_MAX_COLUMNS];	/* as GpuAggLookupPlan's */
	uint8		forms[GPUAGG_KEY_COLUMNS];	/* as GpuAggLookupPlan's */
	int			helps;			/* look-up that it helps to find, as GpuAggLookupPlan's */
	int			helped;
	int			values_of;		/* look-up whose strings' values it has, as GpuAggLookupPlan's */
	int			values_column;
	GpuAggLowered table;
	GpuAggLowered probe;			/* the first key of a row that is looked up */
	GpuAggLowered window;			/* constant, the first of GPUAGG_WINDOW_CONSTS, if it is */
	bool		windowed;		/* made in windows */
	GpuAggLowered row;			/* of the table, that is joined, or NULL */
	const GpuAggJoin *join;
	GpuAggLowered test;			/* that the filter has of it, unless it is a left join */
	bool		moves;			/* `test` may change places with those of others */
	List	   *runtime_exprs;	/* of the program that makes the table (join_build.h), the subquery
								 * for EXPLAIN, or what is computed of strings */
	bool		keepable;		/* the program is of columns that the device has, or can keep */
	bool		kept;			/* the device has all columns of the program */
	bool		known;			/* the device has made the table before, for this session */
	bool		folds;			/* it makes one of the rows that have a key */
	Expr	   *condition;		/* that is NOT IN of it, by itself */
	const RelOptInfo *scanned;	/* by the program: its rows */
	const SubPlan *subplan;		/* of IN, or NULL; what that is then */
	GpuAggLowered of_null;		/* what IN is for a NULL */
	GpuAggLowered of_missed;		/* what IN is for another value without an equal one */
} GpuAggLookupLower;

/*
 * Tables whose groups will be merged: partitions, child tables, parts of a UNION ALL.  What
 * is chosen by their values must be the same for all.
 */
typedef struct GpuAggSiblings
{
	RelOptInfo *parent;			/* of all */
	List	   *rels;
	void	   *digits;			/* lower_own_scale.c's: of columns of the parent */
} GpuAggSiblings;

/* What PostgreSQL computes of a kept column's strings (lower_called.h) */
typedef struct GpuAggCalledLower
{
	Expr	   *expr;			/* of a string that is given */
	GpuAggLowered name;			/* constant */
	double		strings;		/* of the column */
	GpuAggCalledNote note;
} GpuAggCalledLower;

typedef struct GpuAggLower
{
	PlannerInfo *root;
	RelOptInfo *rel;
	GpuAggSiblings *siblings;	/* this table among others, or NULL */
	Relation	relation;		/* open while lowering; NULL: of_plan */
	bool		grouped;		/* GROUP BY: a group always has a row */
	bool		select;			/* rows are selected, not grouped */
	bool		partial;		/* groups will be combined with others': states are whole */
	bool		of_plan;		/* of the rows of a plan, which PostgreSQL evaluates: a column
								 * is what an expression gives (lower_input.c) */
	bool		nullable;		/* any value may be NULL: what this table knows
								 * better does not count */
	bool		numbers;		/* strings of a join's inputs that are keys are numbered: whoever
								 * reads them asks for their strings */
	bool		subqueries;		/* IN of a subquery may become a look-up: one table is read, or
								 * one with its joins */
	bool		calls;			/* PostgreSQL may compute of a kept column's strings */
	bool		called_any;		/* there was such an expression, if only in a failed attempt */
	bool		utf8;
	bool		chars_known;	/* UTF-8 or one byte a character */
	const GpuAggLowered *case_value;	/* of the CASE around, or NULL */

	int			ncolumns;
	int			nconsts;
	int			ninstrs;
	int			gate;			/* as GpuAggPlanInfo's */
	int			filter_instrs;
	uint16		filter_reg;
	int			nkeys;
	GpuAggKey	keys[GPUAGG_MAX_KEYS];
	Expr	   *key_exprs[GPUAGG_MAX_KEYS];	/* as the row plan computes them */
	int			ntransitions;
	GpuAggTransition transitions[GPUAGG_MAX_TRANSITIONS];
	Expr	   *arg_exprs[GPUAGG_MAX_TRANSITIONS];
	Expr	   *filter_exprs[GPUAGG_MAX_TRANSITIONS];
	List	   *aggs;			/* all that are asked for: some share states */

	List	   *runtime_exprs;	/* custom_exprs */
	int			nruntime;
	int			nlookups;
	int			ncalled;
	List	   *inputs;			/* of_plan: expressions, attribute n - 1 each */

	/*
	 * 43 kB, of which little is used, so they are not cleared: an entry is set whole as it
	 * is added.
	 */
	GpuAggColumn columns[GPUAGG_MAX_REGS];
	GpuAggConstant consts[GPUAGG_MAX_REGS];
	bool		in_list[GPUAGG_MAX_REGS];	/* constant not to be shared */
	GpuAggInstr instrs[GPUAGG_MAX_REGS];
	uint8		instr_type[GPUAGG_MAX_REGS];
	GpuAggRuntimeConst runtime[GPUAGG_MAX_REGS];
	GpuAggLookupLower lookups[GPUAGG_MAX_LOOKUPS];
	GpuAggCalledLower called[GPUAGG_CODE_TABLES];
} GpuAggLower;

/* A point to go back to. */
typedef struct GpuAggMark
{
	int			ncolumns;
	int			nconsts;
	int			ninstrs;
	int			nruntime;
	int			nlookups;
	int			ncalled;
} GpuAggMark;

/* lower.c */
extern GpuAggLower *gpuagg_lower_create(PlannerInfo *root, RelOptInfo *rel,
										Relation relation, bool grouped);
extern GpuAggMark gpuagg_lower_mark(const GpuAggLower *lw);
extern void gpuagg_lower_reset(GpuAggLower *lw, GpuAggMark mark);

/* Is there room for one more register?  Else a reason. */
extern bool gpuagg_lower_room(const GpuAggLower *lw);
extern bool gpuagg_lower_column(GpuAggLower *lw, AttrNumber attno, uint8 type,
								GpuAggScale scale, GpuAggLowered *out);
extern bool gpuagg_lower_emit(GpuAggLower *lw, GpuAggInstr instr, uint8 type,
							  GpuAggLowered *out);
extern bool gpuagg_lower_constant(GpuAggLower *lw, GpuAggConstant c,
								  GpuAggLowered *out);
extern bool gpuagg_lower_list_constant(GpuAggLower *lw, GpuAggConstant c);
extern bool gpuagg_lower_runtime(GpuAggLower *lw, Expr *expr, uint8 type,
								 bool may_fail, GpuAggLowered *out);

/* What kind of constant is made of an array without columns (planner/value/list_table.h) */
extern bool gpuagg_lower_list(GpuAggLower *lw, Expr *array, GpuAggZoneName kind,
							  GpuAggLowered *out);

/* The table of the zone that a text without columns names (planner/value/zone.h) */
extern bool gpuagg_lower_zone(GpuAggLower *lw, Expr *name, GpuAggZoneName kind,
							  GpuAggLowered *out);

/* The table of an enum (planner/value/enum_order.h) */
extern bool gpuagg_lower_enum_table(GpuAggLower *lw, Oid type, GpuAggLowered *out);
extern GpuAggProgram *gpuagg_lower_finish(GpuAggLower *lw);

/*
 * Outputs of the row plan (gpuagg_program_noutputs), a List of Expr.  For
 * after finish.
 */
extern List *gpuagg_lower_row_exprs(const GpuAggLower *lw);

#endif							/* GPUAGG_PLANNER_LOWER_H */
