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

#include "device/ops/ops.h"
#include "device/ops/ops_lookup.h"
#include "device/transition.h"
#include "nodes/pathnodes.h"
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
typedef struct GpuAggValue
{
	uint16		reg;			/* virtual register */
	uint8		type;			/* GpuAggType */
	bool		notnull;		/* never NULL */
	bool		may_fail;		/* may be an error value */

	/* NUMERIC: the register holds the value times 10^scale. */
	uint8		scale;
	uint8		shown;			/* decimals that PostgreSQL shows, at most scale */
	uint16		shown_reg;		/* register that tells them in place of `shown`, or GPUAGG_NO_REG */
} GpuAggValue;

typedef struct GpuAggColumn
{
	AttrNumber	attno;
	uint8		type;
	uint8		scale;			/* NUMERIC */
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
	uint8		scales[GPUAGG_LOOKUP_MAX_COLUMNS];	/* as GpuAggLookupPlan's */
	uint8		forms[GPUAGG_KEY_COLUMNS];	/* as GpuAggLookupPlan's */
	int			helps;			/* look-up that it helps to find, as GpuAggLookupPlan's */
	int			helped;
	int			values_of;		/* look-up whose strings' values it has, as GpuAggLookupPlan's */
	int			values_column;
	GpuAggValue table;
	GpuAggValue probe;			/* the first key of a row that is looked up */
	GpuAggValue window;			/* constant, the first of GPUAGG_WINDOW_CONSTS, if it is */
	bool		windowed;		/* made in windows */
	GpuAggValue row;			/* of the table, that is joined, or NULL */
	const GpuAggJoin *join;
	GpuAggValue test;			/* that the filter has of it, unless it is a left join */
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
	GpuAggValue of_null;		/* what IN is for a NULL */
	GpuAggValue of_missed;		/* what IN is for another value without an equal one */
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
	bool		utf8;
	bool		chars_known;	/* UTF-8 or one byte a character */
	const GpuAggValue *case_value;	/* of the CASE around, or NULL */

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
} GpuAggLower;

/* A point to go back to. */
typedef struct GpuAggMark
{
	int			ncolumns;
	int			nconsts;
	int			ninstrs;
	int			nruntime;
	int			nlookups;
} GpuAggMark;

/* lower.c */
extern GpuAggLower *gpuagg_lower_create(PlannerInfo *root, RelOptInfo *rel,
										Relation relation, bool grouped);
extern GpuAggMark gpuagg_lower_mark(const GpuAggLower *lw);
extern void gpuagg_lower_reset(GpuAggLower *lw, GpuAggMark mark);

/* Is there room for one more register?  Else a reason. */
extern bool gpuagg_lower_room(const GpuAggLower *lw);
extern bool gpuagg_lower_column(GpuAggLower *lw, AttrNumber attno, uint8 type,
								uint8 scale, GpuAggValue *out);
extern bool gpuagg_lower_emit(GpuAggLower *lw, GpuAggInstr instr, uint8 type,
							  GpuAggValue *out);
extern bool gpuagg_lower_constant(GpuAggLower *lw, GpuAggConstant c,
								  GpuAggValue *out);
extern bool gpuagg_lower_list_constant(GpuAggLower *lw, GpuAggConstant c);
extern bool gpuagg_lower_runtime(GpuAggLower *lw, Expr *expr, uint8 type,
								 bool may_fail, GpuAggValue *out);

/* What kind of constant is made of an array without columns (planner/value/list_table.h) */
extern bool gpuagg_lower_list(GpuAggLower *lw, Expr *array, GpuAggZoneName kind, GpuAggValue *out);

/* The table of the zone that a text without columns names (planner/value/zone.h) */
extern bool gpuagg_lower_zone(GpuAggLower *lw, Expr *name, GpuAggZoneName kind,
							  GpuAggValue *out);

/* The table of an enum (planner/value/enum_order.h) */
extern bool gpuagg_lower_enum_table(GpuAggLower *lw, Oid type, GpuAggValue *out);
extern GpuAggProgram *gpuagg_lower_finish(GpuAggLower *lw);

/*
 * Outputs of the row plan (gpuagg_program_noutputs), a List of Expr.  For
 * after finish.
 */
extern List *gpuagg_lower_row_exprs(const GpuAggLower *lw);

/* lower_expr.c */
extern bool gpuagg_lower_expr(GpuAggLower *lw, Expr *expr, GpuAggValue *out);

/* A plain column of our table?  Else a reason why it cannot be used. */
extern bool gpuagg_lower_check_var(const GpuAggLower *lw, const Var *var);

/* A column of any type, of which only matters whether it is NULL, or what is stored */
extern bool gpuagg_lower_nullness_column(GpuAggLower *lw, Var *var, GpuAggValue *out);

/* lower_input.c: what a plan gives for this expression (of_plan) */
extern bool gpuagg_lower_input(GpuAggLower *lw, Expr *expr, GpuAggValue *out);
extern bool gpuagg_lower_input_nulltest(GpuAggLower *lw, Expr *arg, bool is_null,
										GpuAggValue *out);

/* lower_expr.c */
/* In the order in which PostgreSQL would evaluate them. */
extern List *gpuagg_order_quals(PlannerInfo *root, List *clauses);

/* acc AND next, for WHERE */
extern bool gpuagg_lower_and_qual(GpuAggLower *lw, GpuAggValue *acc,
								  const GpuAggValue *next);

/* WHERE: a List of RestrictInfo.  To be called before keys and aggregates. */
extern bool gpuagg_lower_filter(GpuAggLower *lw, List *clauses);

/*
 * The conditions among a List of RestrictInfo that a device may evaluate
 * before PostgreSQL evaluates the others; they become the filter of a program
 * that selects rows, and are returned.
 */
extern List *gpuagg_lower_selection(GpuAggLower *lw, List *clauses);

/* x IS [NOT] NULL; x may be a column of any type. */
extern bool gpuagg_lower_nulltest(GpuAggLower *lw, Expr *arg, bool is_null,
								  GpuAggValue *out);

/* lower_key.c */
/* A group key; fills the output that shows it. */
extern bool gpuagg_lower_key(GpuAggLower *lw, Expr *expr, Oid eqop,
							 GpuAggOutput *output);

/* May equal values of the column look unlike each other? */
extern bool gpuagg_lower_looks_unlike_equals(const Var *var);

/*
 * What is stored of a column as a key, where equal values may look unlike each other or
 * the type is none that devices know
 */
extern bool gpuagg_lower_stored_key(GpuAggLower *lw, Var *var, GpuAggOutput *output);

/* A key of which no output exists: true for every row. */
extern bool gpuagg_lower_unit_key(GpuAggLower *lw);

/* lower_expr.c: building blocks.  Arguments that an operation does not have are NULL. */
extern bool gpuagg_lower_op(GpuAggLower *lw, GpuAggOp op, uint8 type,
							const GpuAggValue *a, const GpuAggValue *b,
							const GpuAggValue *c, int32 imm,
							GpuAggValue *out);
extern bool gpuagg_lower_bool(GpuAggLower *lw, bool value, GpuAggValue *out);
extern bool gpuagg_lower_null_bool(GpuAggLower *lw, GpuAggValue *out);

/* lower_func.c */
/* opno: the operator that calls the function, for reasons; InvalidOid: none */
extern bool gpuagg_lower_function(GpuAggLower *lw, Oid funcid, Oid opno,
								  List *args, Oid collation,
								  GpuAggValue *out);

/*
 * The operator behind a function that compares two values of one class for
 * equality as IN lists do; false: it is not such a function.  *negated: it
 * is <>.
 */
extern bool gpuagg_lower_is_equality(Oid funcid, bool *negated);

/* Does the function compare without trailing blanks, as char(n) does? */
extern bool gpuagg_lower_ignores_blanks(Oid funcid);

/* The field that this constant names, if it may be used so: GPUAGG_FIELD_... */
extern bool gpuagg_lower_field(Expr *unit, int use, GpuAggField *field);

#define GPUAGG_USE_TRUNC 0x01	/* date_trunc knows it */
#define GPUAGG_USE_DATE 0x02	/* extract from date, as an integer */
#define GPUAGG_USE_TIMESTAMP 0x04	/* extract from timestamp, as an integer */
#define GPUAGG_USE_DAYS 0x08	/* date_trunc to it gives whole days */

/* Is it date_trunc(whole days, a timestamptz)? */
extern bool gpuagg_lower_truncates_days(Expr *expr);

/* Leaves the value to PostgreSQL where a day is missing in the session's zone. */
extern bool gpuagg_lower_guard_days(GpuAggLower *lw, GpuAggValue *value);

/* lower_zone.c */

/* The local day of date_trunc(unit of days, timestamptz) */
extern bool gpuagg_lower_zoned_day(GpuAggLower *lw, Expr *unit, Expr *moment,
								   GpuAggValue *out);

/* The day to which a timestamp is cut by a unit of days; is it sure to be in the type's range? */
extern bool gpuagg_lower_cut_day(GpuAggLower *lw, const GpuAggValue *local, bool sure, GpuAggField field,
								 GpuAggValue *out);

/* lower_datetime.c; expr is one of theirs if handled is set. */
extern bool gpuagg_lower_date_tz_key(GpuAggLower *lw, Expr *expr,
									 bool *handled, Expr **row_expr,
									 GpuAggValue *out);
extern bool gpuagg_lower_day_key(GpuAggLower *lw, Expr *expr, bool *handled, Expr **row_expr,
								 GpuAggValue *out);

/* A timestamptz as a local timestamp of the session's zone, and the inverse */
extern bool gpuagg_lower_session_local(GpuAggLower *lw, const GpuAggValue *utc, GpuAggValue *out);
extern bool gpuagg_lower_session_utc(GpuAggLower *lw, const GpuAggValue *local, GpuAggValue *out);

/* lower_interval.c */
typedef enum GpuAggIntervalPart
{
	GPUAGG_PART_MONTHS,
	GPUAGG_PART_DAYS,
	GPUAGG_PART_TIME,			/* microseconds */
	GPUAGG_INTERVAL_PARTS
} GpuAggIntervalPart;

/* As PostgreSQL computes a part of an interval, and as a device does: all parts */
extern Expr *gpuagg_interval_part_expr(Expr *interval, GpuAggIntervalPart part);
extern bool gpuagg_lower_interval_parts(GpuAggLower *lw, Expr *expr, GpuAggValue *parts);

/*
 * An interval of any form as the total that equal ones have, and the transition whose
 * result shows one of a group.
 */
extern bool gpuagg_lower_interval_key(GpuAggLower *lw, Expr *expr, GpuAggValue *value,
									  int *code_index);

/* A span and a constant that can be one: both as spans */
extern bool gpuagg_lower_spans(GpuAggLower *lw, GpuAggValue *a, GpuAggValue *b);

/*
 * lower_to_char.c.  A key to_char(moment, pattern): the moment truncated to what the text
 * tells, of which PostgreSQL makes the text of each group.
 */
extern bool gpuagg_lower_to_char_key(GpuAggLower *lw, Expr *expr, bool *handled,
									 Expr **row_expr, GpuAggValue *out);

/* lower_list.c */
extern bool gpuagg_lower_array_op(GpuAggLower *lw, ScalarArrayOpExpr *saop,
								  GpuAggValue *out);

/* lower_subplan.c */
extern bool gpuagg_lower_subplan(GpuAggLower *lw, const SubPlan *subplan, GpuAggValue *out);

/* A condition of the filter: an expression, of which NOT IN may change places with others */
extern bool gpuagg_lower_condition(GpuAggLower *lw, Expr *clause, GpuAggValue *out);

/* lower_const.c */
extern bool gpuagg_lower_const(GpuAggLower *lw, Const *con, GpuAggValue *out);

/* No column, aggregate or CASE value of the surroundings in it? */
extern bool gpuagg_lower_is_constant(Expr *expr);

/*
 * Could computing it raise an error?  false only for what surely cannot.
 * *foreign: it calls something that is not PostgreSQL's own.
 */
extern bool gpuagg_lower_const_may_fail(Expr *expr, bool *foreign);

/* An expression without columns, as a runtime constant. */
extern bool gpuagg_lower_const_expr(GpuAggLower *lw, Expr *expr,
									GpuAggValue *out);

/* lower_numeric.c */
extern bool gpuagg_lower_numeric_const(GpuAggLower *lw, const Const *con,
									   GpuAggValue *out);

/* a and b to one scale; values of other types are left as they are. */
extern bool gpuagg_lower_numeric_align(GpuAggLower *lw, GpuAggValue *a, GpuAggValue *b);

/*
 * when IS TRUE ? a : b, and a if it is not NULL, else b.  Values of one type; decimals
 * of any scale.
 */
extern bool gpuagg_lower_select(GpuAggLower *lw, const GpuAggValue *when,
								const GpuAggValue *a, const GpuAggValue *b,
								GpuAggValue *out);
extern bool gpuagg_lower_coalesce(GpuAggLower *lw, const GpuAggValue *a,
								  const GpuAggValue *b, GpuAggValue *out);

/* Its scale as rows of PostgreSQL's have it: GpuAggTransition's */
extern uint8 gpuagg_lower_numeric_scale(const GpuAggValue *value);

/* The value and the decimals that are shown, as a word (program.h) */
extern bool gpuagg_lower_numeric_word(GpuAggLower *lw, const GpuAggValue *value,
									  GpuAggValue *out);

/* The decimals that are shown, as a register, NULL where the value is */
extern bool gpuagg_lower_numeric_shown(GpuAggLower *lw, const GpuAggValue *value,
									   GpuAggValue *out);

/*
 * An integer as this numeric constant times 10^scale; *floor is it rounded down,
 * *integral tells whether nothing was lost.  false: not a number within int8.
 */
extern bool gpuagg_lower_numeric_floor(Datum value, int scale, int64 *floor,
									   bool *integral);

/* lower_types.c */

/* A value of this enum becomes its place in the order. */
extern bool gpuagg_lower_enum_order(GpuAggLower *lw, Oid type, GpuAggValue *value);

/* Is a beyond b (greater, or less)?  Of types that are not held in their order */
extern bool gpuagg_lower_beyond_of_type(GpuAggLower *lw, bool greater, Oid type,
										const GpuAggValue *a, const GpuAggValue *b,
										bool *handled, GpuAggValue *out);

/* The value as one of another type with the same bytes; false: not known how */
extern bool gpuagg_lower_same_bytes(GpuAggLower *lw, uint8 type, GpuAggValue *value);

/* lower_numeric_later.c: of an expression without columns that is no Const */
extern bool gpuagg_lower_numeric_later(GpuAggLower *lw, Expr *expr, GpuAggValue *out);

/*
 * lower_own_scale.c: a numeric column without a scale.  fits: as far as is known, do
 * its values fit 64 bits?
 */
extern bool gpuagg_lower_own_scale(GpuAggLower *lw, AttrNumber attno, GpuAggValue *out);
extern bool gpuagg_lower_own_scale_fits(GpuAggLower *lw, AttrNumber attno);

/*
 * Is it a numeric column of which statistics know NaN, infinities or more digits than a device has?
 */
extern bool gpuagg_lower_is_strange(GpuAggLower *lw, const Var *var);

/*
 * lower_join.c; behind gpuagg_lower_filter(), in the order of the joins.  windowed: the table
 * is to be made in windows, if its keys allow that
 */
extern bool gpuagg_lower_join(GpuAggLower *lw, const GpuAggJoin *join, bool windowed);

/* A column of an input that is looked up */
extern bool gpuagg_lower_joined_column(GpuAggLower *lw, Var *var, GpuAggValue *out);

/* A string of such an input as the key that its number is; false: it is none */
extern bool gpuagg_lower_numbered_key(GpuAggLower *lw, Expr *expr, GpuAggValue *out,
									  GpuAggOutput *output);

/* lower_string.c */

/*
 * What is computed of one string of such an input, and of nothing else: PostgreSQL computes it of
 * each of the column's strings.  False: it is no such expression.
 */
extern bool gpuagg_lower_string_value(GpuAggLower *lw, Expr *expr, GpuAggValue *out);

/* Are more strings expected in the column than are worth a table by their numbers? */
extern bool gpuagg_lower_has_many_strings(PlannerInfo *root, const Var *var);

/*
 * Such a string, that CASE tests?  Then the condition of a branch, with the string in the place of
 * what is tested: so it is asked of the string.
 */
extern bool gpuagg_lower_is_input_string(GpuAggLower *lw, Expr *expr);
extern Expr *gpuagg_lower_case_condition(Expr *condition, Expr *tested);

/* Something that is NULL where a string of such an input is; false: it is none */
extern bool gpuagg_lower_string_nullness(GpuAggLower *lw, Var *var, GpuAggValue *out);

/* lower_bound.c */

/* Is it a numeric of such an input, without a scale, of which the input's table may have bounds? */
extern bool gpuagg_lower_is_bounded(GpuAggLower *lw, Expr *expr);

/* COALESCE of values some of which are such numerics: these values; NIL: it is none */
extern List *gpuagg_lower_bounded_choice(GpuAggLower *lw, Expr *expr);

/* A value compared with such a numeric; op: a comparison of integers */
extern bool gpuagg_lower_compare_bounded(GpuAggLower *lw, GpuAggOp op, Expr *value, Expr *bounded,
										 GpuAggValue *out);

/* Something that is NULL where such a numeric is */
extern bool gpuagg_lower_bounded_nullness(GpuAggLower *lw, Expr *bounded, GpuAggValue *out);

/* lower_agg.c */
/* How a key is shown where equal numerics show different decimals */
extern bool gpuagg_lower_most_shown(GpuAggLower *lw, const GpuAggValue *value, Expr *arg,
									GpuAggOutput *output);
extern bool gpuagg_lower_aggregate(GpuAggLower *lw, Aggref *agg,
								   GpuAggOutput *output);

/* What the catalogue has of an aggregate with one transition */
typedef struct GpuAggAggregateRow
{
	uint8		type;			/* GpuAggType of the argument */
	uint8		op;				/* GpuAggTransOp */
	uint8		final;			/* GpuAggFinal */
} GpuAggAggregateRow;

extern bool gpuagg_lower_find_aggregate(Oid aggfnoid, GpuAggAggregateRow *row);

#endif							/* GPUAGG_PLANNER_LOWER_H */
