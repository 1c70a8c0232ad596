/*
 * lower_join.c
 *		Joins as look-ups: each input after the first becomes a look-up table, a
 *		constant of the program that is filled in when execution starts
 *		(node/lookup/lookups.c).
 *
 *		row = LOOKUP(keys, table)	NULL: no row matches
 *		row = row if the rest of ON is true, else NULL
 *		inner, semi		the filter asks whether there is a row
 *		anti			the filter asks whether there is none
 *		left			the filter asks nothing
 *
 * A column of the input is FETCH(row, table), NULL where there is no row; so later
 * joins, keys and aggregates need to know nothing of joins.  One row at most is joined:
 * inner and left joins, and conditions besides the keys, need an input whose keys are
 * unique, which PostgreSQL proves and node/lookup/lookups.c checks.  Another input is folded
 * (lower_fold.c): a row for each key, which the aggregates know how often to count.
 *
 * The filter consumes errors of keys and conditions in any kind of join, unless an
 * earlier condition or join has dropped the row; PostgreSQL would meet them, too.
 *
 * A table that may be larger than memory is made in windows of its keys, and rows of one window
 * pass at a time (node/run/lookup_windows.c).
 *
 * What rows are looked up by stands in lower_join_key.c.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "device/ops/ops_lookup.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_join.h"
#include "planner/lower/lower_key.h"
#include "planner/lower/lower_subplan.h"
#include "planner/plan/join_tree.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---------------------------------------------------------------- columns --- */

GpuAggLookupLower *
gpuagg_lower_find_lookup(GpuAggLower *lw, Index relid)
{
	for (int i = 0; i < lw->nlookups; i++)
	{
		if (lw->lookups[i].rel != NULL && bms_is_member(relid, lw->lookups[i].rel->relids))
			return &lw->lookups[i];
	}
	return NULL;
}

/* Columns of the input as its own paths have them; what they do not have stays NULL. */
static Node *
own_columns(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) gpuagg_lower_input_column(context, (Var *) node);
	return expression_tree_mutator(node, own_columns, context);
}

Expr *
gpuagg_lower_input_expr(RelOptInfo *rel, Expr *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, PVC_RECURSE_PLACEHOLDERS))
	{
		if (gpuagg_lower_input_column(rel, lfirst_node(Var, lc)) == NULL)
			return NULL;
	}
	/* a column itself: who has it is known by its address */
	return (Expr *) own_columns((Node *) expr, rel);
}

Var *
gpuagg_lower_input_column(const RelOptInfo *rel, const Var *var)
{
	ListCell   *lc;

	foreach(lc, rel->reltarget->exprs)
	{
		Var		   *column = (Var *) lfirst(lc);

		if (IsA(column, Var) && column->varno == var->varno &&
			column->varattno == var->varattno && column->varlevelsup == 0)
			return column;
	}
	return NULL;
}

int
gpuagg_lower_add_column(GpuAggLookupLower *lookup, Expr *column, uint8 type, GpuAggScale scale)
{
	int			n = list_length(lookup->columns);

	lookup->columns = lappend(lookup->columns, column);
	lookup->types[n] = type;
	lookup->scales[n] = scale;
	return n;
}

/*
 * The column's number, those of the keys not counted.  A string and its number are two
 * columns, and so are bounds of a numeric.
 */
static bool
payload_column(GpuAggLookupLower *lookup, Expr *column, uint8 type, GpuAggScale scale, int *number)
{
	ListCell   *lc;

	for_each_from(lc, lookup->columns, lookup->nkeys)
	{
		if (equal(lfirst(lc), column) &&
			gpuagg_scale_same(lookup->scales[foreach_current_index(lc)], scale))
		{
			*number = foreach_current_index(lc) - lookup->nkeys;
			return true;
		}
	}
	if (list_length(lookup->columns) == GPUAGG_LOOKUP_MAX_COLUMNS)
		return GPUAGG_REFUSE("more than %d columns of an input of the join",
							 GPUAGG_LOOKUP_MAX_COLUMNS);
	*number = gpuagg_lower_add_column(lookup, column, type, scale) - lookup->nkeys;
	return true;
}

bool
gpuagg_lower_fetch(GpuAggLower *lw, GpuAggLookupLower *lookup, Expr *column, uint8 type,
				   GpuAggScale scale, GpuAggLowered *out)
{
	GpuAggOp	op = GPUAGG_OP_FETCH_I64;
	int			number;

	if (!payload_column(lookup, column, type, scale, &number))
		return false;
	if (gpuagg_constant_class(type) == GPUAGG_CLASS_F64)
		op = GPUAGG_OP_FETCH_F64;
	else if (gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES)
		op = GPUAGG_OP_FETCH_BYTES;
	if (!gpuagg_lower_op(lw, op, type, &lookup->row, &lookup->table, NULL, number, out))
		return false;
	/* whoever needs the row has consumed its errors */
	out->notnull = false;
	out->scale = scale;
	out->shown = scale.digits;
	return true;
}

static bool
check_column(const GpuAggLookupLower *lookup, const Var *var, uint8 *type, GpuAggScale *scale)
{
	if (lookup == NULL || var->varlevelsup != 0)
		return GPUAGG_REFUSE("a column of a table that is not one of those that are joined here");
	if (lookup->closed)
		return GPUAGG_REFUSE("a column of EXISTS or IN is needed later");
	if (var->varattno <= 0)
		return GPUAGG_REFUSE("whole rows and system columns are not supported");
	if (gpuagg_constant_column(var->vartype, var->vartypmod, type, scale) &&
		*type != GPUAGG_T_INTERVAL && !gpuagg_scale_is_word(*scale))
		return true;
	return GPUAGG_REFUSE("a column of the join has type %s, which is not supported",
						 format_type_with_typemod(var->vartype, var->vartypmod));
}

/*
 * Of a folded input all rows of a key have no other column in common, by the equality of its type.
 */
static bool
is_one_value(const GpuAggLookupLower *lookup, const Var *column)
{
	return !lookup->folded ||
		list_member_ptr(list_copy_head(lookup->columns, lookup->nkeys), column);
}

bool
gpuagg_lower_is_common(const GpuAggLookupLower *lookup, const Var *column)
{
	return is_one_value(lookup, column) &&
		(!lookup->folded || !gpuagg_lower_looks_unlike_equals(column));
}

bool
gpuagg_lower_joined_column(GpuAggLower *lw, Var *var, GpuAggLowered *out)
{
	GpuAggLookupLower *lookup = gpuagg_lower_find_lookup(lw, var->varno);
	Var		   *column;
	uint8		type;
	GpuAggScale scale;

	if (!check_column(lookup, var, &type, &scale))
		return false;
	column = gpuagg_lower_input_column(lookup->rel, var);
	if (column == NULL)
		return GPUAGG_REFUSE("a joined subquery does not hand on a column that is needed");
	if (!gpuagg_lower_is_common(lookup, column))
		return GPUAGG_REFUSE("more than one row of an input may match; its key is not unique");
	return gpuagg_lower_fetch(lw, lookup, (Expr *) column, type, scale, out);
}

bool
gpuagg_lower_is_plain_scan(PlannerInfo *root, const RelOptInfo *rel)
{
	const RangeTblEntry *rte;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION)
		return false;
	rte = planner_rt_fetch(rel->relid, root);
	return !rte->inh && rte->tablesample == NULL &&
		(rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW);
}

bool
gpuagg_lower_fetch_number(GpuAggLower *lw, GpuAggLookupLower *lookup, Var *var, uint8 type,
						  int *column, GpuAggLowered *out)
{
	Var		   *own = gpuagg_lower_input_column(lookup->rel, var);
	int			number;

	if (lookup->closed || own == NULL || !is_one_value(lookup, own) ||
		list_length(lookup->columns) == GPUAGG_LOOKUP_MAX_COLUMNS ||
		!payload_column(lookup, (Expr *) own, type,
						gpuagg_scale_as(GPUAGG_SCALE_NUMBERED, 0), &number) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_FETCH_I64, GPUAGG_T_INT4, &lookup->row, &lookup->table,
						 NULL, number, out))
		return false;
	out->notnull = false;
	out->scale = gpuagg_scale(0);
	out->shown = 0;
	*column = lookup->nkeys + number;
	return true;
}

/*
 * A string of a join's input that is a group key: its number is, and the backend writes
 * the string.  False: it is none such.
 */
bool
gpuagg_lower_numbered_key(GpuAggLower *lw, Expr *expr, GpuAggLowered *out, GpuAggOutput *output)
{
	Var		   *var = (Var *) expr;
	GpuAggLookupLower *lookup;
	uint8		type;
	GpuAggScale scale;

	/* a cast may mean another equality */
	if (!lw->numbers || !IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	lookup = gpuagg_lower_find_lookup(lw, var->varno);
	if (lookup == NULL || !gpuagg_constant_column(var->vartype, var->vartypmod, &type, &scale) ||
		gpuagg_constant_class(type) != GPUAGG_CLASS_BYTES || type == GPUAGG_T_INTERVAL ||
		!gpuagg_lower_fetch_number(lw, lookup, var, type, &output->column, out))
		return false;
	output->final = GPUAGG_FINAL_KEY_NUMBER;
	output->type = type;
	output->lookup = lookup - lw->lookups;
	return true;
}

/* ------------------------------------------------------------- conditions --- */

/* The program's filter AND next */
static bool
filter_and(GpuAggLower *lw, const GpuAggLowered *next)
{
	GpuAggLowered acc = *next;

	if (lw->filter_reg != GPUAGG_NO_REG)
	{
		memset(&acc, 0, sizeof(acc));
		acc.reg = lw->filter_reg;
		acc.type = GPUAGG_T_BOOL;
		acc.may_fail = true;
		acc.shown_reg = GPUAGG_NO_REG;
		if (!gpuagg_lower_and_qual(lw, &acc, next))
			return false;
	}
	lw->filter_reg = acc.reg;
	return true;
}

/* Adds clauses to the filter, in PostgreSQL's order. */
static bool
filter_clauses(GpuAggLower *lw, List *clauses)
{
	ListCell   *lc;

	foreach(lc, gpuagg_order_quals(lw->root, clauses))
	{
		GpuAggLowered next;

		if (!gpuagg_lower_condition(lw, lfirst_node(RestrictInfo, lc)->clause, &next) ||
			!filter_and(lw, &next))
			return false;
	}
	return true;
}

static bool
row_test(GpuAggLower *lw, const GpuAggLookupLower *lookup, GpuAggOp op, GpuAggLowered *out)
{
	return gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, &lookup->row, NULL, NULL, 0, out);
}

/* The row only if the clauses are true; errors where there is a row are the row's */
static bool
restrict_row(GpuAggLower *lw, GpuAggLookupLower *lookup, List *clauses)
{
	GpuAggConstant none = gpuagg_constant_make(GPUAGG_T_INT8, (Datum) 0, true);
	GpuAggLowered acc;
	GpuAggLowered null;
	ListCell   *lc;

	if (clauses == NIL)
		return true;
	if (!row_test(lw, lookup, GPUAGG_OP_IS_NOT_NULL, &acc))
		return false;
	foreach(lc, gpuagg_order_quals(lw->root, clauses))
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		GpuAggLowered next;

		if (!(clause == lookup->extreme ? gpuagg_fold_lower_extreme(lw, lookup, &next) :
			  gpuagg_lower_expr(lw, clause->clause, &next)))
			return false;
		/* acc may be NULL, and then hides what comes after */
		if (!gpuagg_lower_and_qual(lw, &acc, &next))
			return false;
	}
	return gpuagg_lower_constant(lw, none, &null) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_INT8, &acc, &lookup->row, &null, 0,
						&lookup->row);
}

/* Always true, but for the errors of the value */
static bool
consume_errors(GpuAggLower *lw, const GpuAggLowered *value)
{
	GpuAggLowered test;
	GpuAggLowered yes;

	return !value->may_fail ||
		(gpuagg_lower_op(lw, GPUAGG_OP_IS_NULL, GPUAGG_T_BOOL, value, NULL, NULL, 0, &test) &&
		 gpuagg_lower_bool(lw, true, &yes) &&
		 gpuagg_lower_op(lw, GPUAGG_OP_OR, GPUAGG_T_BOOL, &test, &yes, NULL, 0, &test) &&
		 filter_and(lw, &test));
}

/*
 * PostgreSQL may hash or sort by equalities that are no keys here, and then computes the chain's
 * side for rows that nothing is joined with, too.
 */
static bool
consume_equalities(GpuAggLower *lw, const GpuAggLookupLower *lookup, List *rest)
{
	ListCell   *lc;

	foreach(lc, rest)
	{
		const RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		const OpExpr *op = (const OpExpr *) clause->clause;
		GpuAggLowered value;

		if (!clause->can_join || clause->mergeopfamilies == NIL)
			continue;
		if (!gpuagg_lower_expr(lw,
							   bms_is_subset(clause->right_relids, lookup->rel->relids) ?
								   gpuagg_arg(op->args, 0) :
								   gpuagg_arg(op->args, 1),
							   &value) ||
			!consume_errors(lw, &value))
			return false;
	}
	return true;
}

/* Rows that have a match, or none, are asked for. */
static bool
filter_row(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggOp op)
{
	if (!row_test(lw, lookup, op, &lookup->test) || !filter_and(lw, &lookup->test))
		return false;
	lookup->moves = !lookup->test.may_fail && lookup->test.notnull;
	return true;
}

static bool
lower_kind(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggJoin *join, List *rest)
{
	if (!consume_equalities(lw, lookup, rest))
		return false;
	switch (join->type)
	{
		case JOIN_INNER:
			return filter_row(lw, lookup, GPUAGG_OP_IS_NOT_NULL) && filter_clauses(lw, rest);
		case JOIN_LEFT:
			return restrict_row(lw, lookup, rest) && consume_errors(lw, &lookup->row);
		default:
			return restrict_row(lw, lookup, rest) &&
				filter_row(lw, lookup, join->type == JOIN_SEMI ? GPUAGG_OP_IS_NOT_NULL :
						   GPUAGG_OP_IS_NULL);
	}
}

/* ------------------------------------------------------------------ joins --- */

GpuAggLookupLower *
gpuagg_lower_add_lookup(GpuAggLower *lw)
{
	GpuAggLookupLower *lookup = &lw->lookups[lw->nlookups];
	GpuAggConstant table;

	if (lw->nlookups == GPUAGG_MAX_LOOKUPS)
	{
		(void) GPUAGG_REFUSE("more than %d inputs of a join", GPUAGG_MAX_LOOKUPS);
		return NULL;
	}
	memset(lookup, 0, sizeof(*lookup));
	memset(&table, 0, sizeof(table));
	table.value.type = GPUAGG_T_TEXT;
	table.value.state = GPUAGG_ST_NULL;
	table.value.runtime = 1;
	if (!gpuagg_lower_constant(lw, table, &lookup->table))
		return NULL;
	lw->nlookups++;
	return lookup;
}

static GpuAggLookupLower *
add_input(GpuAggLower *lw, const GpuAggJoin *join)
{
	GpuAggLookupLower *lookup = gpuagg_lower_add_lookup(lw);

	if (lookup == NULL)
		return NULL;
	lookup->rel = join->rel;
	lookup->type = join->type;
	lookup->rows = join->rel->rows;
	lookup->join = join;
	return lookup;
}

/*
 * Only rows of the window at work pass, those with a NULL key in the first one.  That is
 * asked before anything of the joined row is, so it has no errors of rows of other windows.
 */
static bool
lower_window(GpuAggLower *lw, GpuAggLookupLower *lookup)
{
	GpuAggConstant filled = gpuagg_constant_make(GPUAGG_T_INT8, (Datum) 0, true);
	GpuAggConstant zero = gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(0), false);
	GpuAggLowered consts[GPUAGG_WINDOW_CONSTS];
	GpuAggLowered none;
	GpuAggLowered remainder;
	GpuAggLowered test;
	GpuAggLowered other;

	/* a number may be of any window; of halves the first is the probe */
	if (gpuagg_constant_class(lookup->probe.type) != GPUAGG_CLASS_I64 ||
		gpuagg_lower_numbered_keys(lookup) > 0)
		return true;
	filled.value.runtime = 1;
	for (int i = 0; i < GPUAGG_WINDOW_CONSTS; i++)
	{
		if (!gpuagg_lower_constant(lw, filled, &consts[i]))
			return false;
	}
	lookup->windowed = true;
	lookup->window = consts[0];
	return gpuagg_lower_constant(lw, zero, &none) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT_MOD, GPUAGG_T_INT8, &lookup->probe, &consts[0], NULL, 0,
						&remainder) &&
		gpuagg_lower_op(lw, GPUAGG_OP_COALESCE, GPUAGG_T_INT8, &remainder, &none, NULL, 0,
						&remainder) &&
		gpuagg_lower_op(lw, GPUAGG_OP_I64_EQ, GPUAGG_T_BOOL, &remainder, &consts[1], NULL, 0,
						&test) &&
		gpuagg_lower_op(lw, GPUAGG_OP_I64_EQ, GPUAGG_T_BOOL, &remainder, &consts[2], NULL, 0,
						&other) &&
		gpuagg_lower_op(lw, GPUAGG_OP_OR, GPUAGG_T_BOOL, &test, &other, NULL, 0, &test) &&
		filter_and(lw, &test);
}

bool
gpuagg_lower_join(GpuAggLower *lw, const GpuAggJoin *join, bool windowed)
{
	GpuAggLookupLower *lookup = add_input(lw, join);
	List	   *rest;

	if (lookup == NULL || !gpuagg_lower_join_keys(lw, lookup, join, &rest) ||
		(windowed && !lower_window(lw, lookup)) ||
		!lower_kind(lw, lookup, join, rest) || !filter_clauses(lw, join->filter))
		return false;
	lookup->closed = join->type == JOIN_SEMI;
	lw->filter_instrs = lw->ninstrs;
	return true;
}
