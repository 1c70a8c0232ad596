/*
 * lower_fold.c
 *		Inputs of joins of which more than one row may match (lower_join.h).
 *
 * A row of the table counts as often as rows are joined with it: the product of the
 * count(*) of all folded inputs, 1 where a left join finds none.  Of an aggregate over
 *
 *	columns of one folded input		PostgreSQL computes it for each key; the device merges
 *									these, each as often as the other inputs have rows
 *	other columns					a value counts as often as all of them have rows; for
 *									min, max and the like that does not matter
 *	both							refused
 *
 * Products are exact: an overflow of 64 bits is an error value, and ends the device's
 * turn.  Sums are as wide as they are without joins; a count would wrap at 2^63 rows, which
 * PostgreSQL would have to join one by one.  Sums of floating point would be rounded in
 * other places, and are refused.
 *
 * What PostgreSQL computes for a key, it computes for rows that nothing is joined with,
 * too.  So it must be harmless.  Where a left join finds no row it is NULL, and so must
 * the query's aggregate ignore a row of NULLs: its argument is strict, or its FILTER.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_join.h"
#include "planner/plan/agg_call.h"
#include "planner/value/args.h"
#include "planner/value/harmless.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define NOT_UNIQUE "more than one row of an input may match; its key is not unique"

/* ------------------------------------------------------------ aggregates --- */

/* Does the input's grouping have all of the columns? */
static bool
has_columns(const GpuAggLookupLower *lookup, List *vars)
{
	ListCell   *lc;

	foreach(lc, vars)
	{
		if (gpuagg_lower_input_column(lookup->rel, lfirst_node(Var, lc)) == NULL)
			return GPUAGG_REFUSE("a joined subquery does not hand on a column that is needed");
	}
	return true;
}

/* Fetches what an aggregate of the query, or one in its place, is for a key. */
static bool
fetch_call(GpuAggLower *lw, GpuAggLookupLower *lookup, const Aggref *agg, Oid function,
		   uint8 type, GpuAggScale scale, GpuAggLowered *out)
{
	Expr	   *arg = agg->args == NIL ? NULL :
		gpuagg_lower_input_expr(lookup->rel, gpuagg_agg_arg(agg, 0));
	Expr	   *filter = gpuagg_lower_input_expr(lookup->rel, agg->aggfilter);

	if ((arg == NULL && agg->args != NIL) || (filter == NULL && agg->aggfilter != NULL))
		return GPUAGG_REFUSE("a joined subquery does not hand on a column that is needed");
	return gpuagg_lower_fetch(lw, lookup, (Expr *) (function == agg->aggfnoid ?
													gpuagg_agg_call_of(agg, arg, filter) :
													gpuagg_agg_call(function, arg, filter)),
							  type, scale, out);
}

/* ---------------------------------------------------------------- weight --- */

static bool
multiplies(const GpuAggLookupLower *lookup)
{
	return lookup->folded && (lookup->type == JOIN_INNER || lookup->type == JOIN_LEFT);
}

/* How many rows of the input are joined */
static Expr *
count_rows(void)
{
	return (Expr *) gpuagg_agg_call(gpuagg_aggregate_oid(GPUAGG_AGG_COUNT_), NULL, NULL);
}

static bool
count_of(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggLowered *out)
{
	GpuAggConstant one = gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(1), false);
	GpuAggLowered none;

	return gpuagg_lower_fetch(lw, lookup, count_rows(), GPUAGG_T_INT8, gpuagg_scale(0),
							  out) &&
		(lookup->type == JOIN_INNER ||
		 (gpuagg_lower_constant(lw, one, &none) &&
		  gpuagg_lower_op(lw, GPUAGG_OP_COALESCE, GPUAGG_T_INT8, out, &none, NULL, 0, out)));
}

/* Multiplies a value with the rows that are joined of all folded inputs but one. */
static bool
times_rows(GpuAggLower *lw, const GpuAggLookupLower *but, GpuAggLowered *value)
{
	const GpuAggLowered before = *value;

	for (int i = 0; i < lw->nlookups; i++)
	{
		GpuAggLowered rows;

		if (&lw->lookups[i] == but || !multiplies(&lw->lookups[i]))
			continue;
		if (!count_of(lw, &lw->lookups[i], &rows) ||
			!gpuagg_lower_op(lw, GPUAGG_OP_INT8_MUL, before.type, value, &rows, NULL, 0, value))
			return false;
	}
	value->scale = before.scale;
	value->shown = before.shown;
	value->shown_reg = before.shown_reg;
	return true;
}

/* A sum instead of a COUNT: of the rows that are joined */
static bool
sum_rows(GpuAggLower *lw, const GpuAggLoweredFilter *filter, int *number)
{
	GpuAggConstant c = gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(1), false);
	GpuAggLowered rows;

	return gpuagg_lower_constant(lw, c, &rows) && times_rows(lw, NULL, &rows) &&
		gpuagg_lower_transition(lw, GPUAGG_TRANS_SUM_I64, &rows, NULL, filter, number);
}

/* ------------------------------------------- aggregates of other columns --- */

/* AND x IS NOT NULL */
static bool
filter_nulls(GpuAggLower *lw, Expr *arg, GpuAggLoweredFilter *filter)
{
	GpuAggLowered test;

	if (!gpuagg_lower_nulltest(lw, arg, false, &test))
		return false;
	if (filter->reg != GPUAGG_NO_REG)
	{
		if (!gpuagg_lower_and_qual(lw, &filter->value, &test))
			return false;
		test = filter->value;
	}
	filter->value = test;
	filter->reg = test.reg;
	return true;
}

static bool
lower_filter(GpuAggLower *lw, const Aggref *agg, GpuAggLoweredFilter *filter)
{
	memset(filter, 0, sizeof(*filter));
	filter->reg = GPUAGG_NO_REG;
	if (agg->aggfilter == NULL)
		return true;
	if (!gpuagg_lower_expr(lw, agg->aggfilter, &filter->value))
		return false;
	filter->reg = filter->value.reg;
	return true;
}

static bool
weighted_count(GpuAggLower *lw, const Aggref *agg, GpuAggOutput *output)
{
	GpuAggLoweredFilter filter;

	if (!lower_filter(lw, agg, &filter) ||
		(agg->args != NIL &&
		 !filter_nulls(lw, gpuagg_agg_arg(agg, 0), &filter)))
		return false;
	output->final = GPUAGG_FINAL_COUNT;
	output->type = GPUAGG_T_INT8;
	output->count_index = -1;
	return sum_rows(lw, &filter, &output->index);
}

static bool
is_average(const GpuAggAggregateRow *row)
{
	return row->final == GPUAGG_FINAL_AVG_INT || row->final == GPUAGG_FINAL_AVG_NUMERIC;
}

static bool
weighted_sum(GpuAggLower *lw, const Aggref *agg, const GpuAggAggregateRow *row,
			 GpuAggOutput *output)
{
	Expr	   *arg = gpuagg_agg_arg(agg, 0);
	GpuAggLoweredFilter filter;
	GpuAggLowered value;
	GpuAggLowered product;

	if (!lower_filter(lw, agg, &filter) || !gpuagg_lower_expr(lw, arg, &value))
		return false;
	if (value.type != row->type)
		return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
							 format_procedure(agg->aggfnoid));
	product = value;
	output->final = row->final;
	output->type = row->type;
	if (!times_rows(lw, NULL, &product) ||
		!gpuagg_lower_decimals(lw, row->op, &product, arg, &filter, output))
		return false;
	if (!is_average(row))
		return gpuagg_lower_count_beside(lw, &value, arg, &filter, row->final,
										 &output->count_index);
	return filter_nulls(lw, arg, &filter) && sum_rows(lw, &filter, &output->count_index);
}

/* ----------------------------------------- aggregates of a folded input --- */

/* Does a row of NULLs leave the aggregate as it is?  Is it computed without errors? */
static bool
check_folded(const GpuAggLookupLower *lookup, const Aggref *agg)
{
	Node	   *arg = agg->args == NIL ? NULL :
		gpuagg_agg_arg(agg, 0);
	Node	   *strict = arg != NULL ? arg : (Node *) agg->aggfilter;

	if (contain_volatile_functions((Node *) agg) || contain_subplans((Node *) agg) ||
		!gpuagg_is_harmless(arg) || !gpuagg_is_harmless((Node *) agg->aggfilter))
		return GPUAGG_REFUSE(NOT_UNIQUE);
	if (lookup->type == JOIN_LEFT &&
		(pull_var_clause(strict, 0) == NIL || contain_nonstrict_functions(strict)))
		return GPUAGG_REFUSE(NOT_UNIQUE);
	return true;
}

static bool
folded_count(GpuAggLower *lw, GpuAggLookupLower *lookup, const Aggref *agg, int *number)
{
	GpuAggLowered count;

	return fetch_call(lw, lookup, agg, gpuagg_aggregate_oid(agg->args == NIL ? GPUAGG_AGG_COUNT_ :
															GPUAGG_AGG_COUNT_ANY),
					  GPUAGG_T_INT8, gpuagg_scale(0), &count) &&
		times_rows(lw, lookup, &count) &&
		gpuagg_lower_transition(lw, GPUAGG_TRANS_SUM_I64, &count, NULL, NULL, number);
}

/* The function whose result is what the sum of this type has for a key */
static Oid
sum_function(uint8 type)
{
	switch (type)
	{
		case GPUAGG_T_INT2:
			return gpuagg_aggregate_oid(GPUAGG_AGG_SUM_INT2);
		case GPUAGG_T_INT4:
			return gpuagg_aggregate_oid(GPUAGG_AGG_SUM_INT4);
		case GPUAGG_T_INT8:
			return gpuagg_aggregate_oid(GPUAGG_AGG_SUM_INT8);
		default:
			return gpuagg_aggregate_oid(GPUAGG_AGG_SUM_NUMERIC);
	}
}

/* Is the argument of the type that the aggregate wants, with decimals that are known? */
static bool
argument_type(const Aggref *agg, const GpuAggAggregateRow *row, GpuAggScale *scale)
{
	Node	   *arg = gpuagg_agg_arg(agg, 0);
	uint8		type;

	if (!gpuagg_constant_column(exprType(arg), exprTypmod(arg), &type, scale) ||
		type != row->type || gpuagg_scale_is_word(*scale) ||
		(type == GPUAGG_T_NUMERIC && !IsA(arg, Var)))
		return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
							 format_procedure(agg->aggfnoid));
	return true;
}

static bool
folded_sum(GpuAggLower *lw, GpuAggLookupLower *lookup, const Aggref *agg,
		   const GpuAggAggregateRow *row, GpuAggOutput *output)
{
	const GpuAggLoweredFilter none = {.reg = GPUAGG_NO_REG};
	GpuAggLowered sum;
	GpuAggScale scale;

	/* the sum of int8 is a numeric; in a register it is an integer */
	if (!argument_type(agg, row, &scale) ||
		!fetch_call(lw, lookup, agg, sum_function(row->type),
					row->op == GPUAGG_TRANS_SUM_I128 ? GPUAGG_T_NUMERIC : GPUAGG_T_INT8, scale,
					&sum) ||
		!times_rows(lw, lookup, &sum))
		return false;
	output->final = row->final;
	output->type = row->type;
	if (!gpuagg_lower_decimals(lw, row->op, &sum, NULL, &none, output))
		return false;
	return is_average(row) ? folded_count(lw, lookup, agg, &output->count_index) :
		gpuagg_lower_count_beside(lw, &sum, NULL, &none, row->final, &output->count_index);
}

/* min, max and the like: of the rows of a key, then of keys */
static bool
folded_least(GpuAggLower *lw, GpuAggLookupLower *lookup, const Aggref *agg,
			 const GpuAggAggregateRow *row, GpuAggOutput *output)
{
	const GpuAggLoweredFilter none = {.reg = GPUAGG_NO_REG};
	GpuAggLowered value;
	GpuAggScale scale;

	if (!argument_type(agg, row, &scale))
		return false;
	if (gpuagg_constant_class(row->type) == GPUAGG_CLASS_BYTES &&
		!gpuagg_collation_orders_bytes(agg->inputcollid, exprType((Node *) gpuagg_agg_arg(agg, 0))))
		return GPUAGG_REFUSE("aggregate %s needs collation \"C\"",
							 format_procedure(agg->aggfnoid));
	output->final = row->final;
	output->type = row->type;
	return fetch_call(lw, lookup, agg, agg->aggfnoid, row->type, scale, &value) &&
		gpuagg_lower_decimals(lw, row->op, &value, NULL, &none, output) &&
		gpuagg_lower_count_beside(lw, &value, NULL, &none, row->final, &output->count_index);
}

/* ----------------------------------------------------- which are which --- */

/*
 * The folded input whose columns besides the keys are read; false: there are others, too.
 * NULL: none.
 */
static bool
find_folded(GpuAggLower *lw, List *vars, GpuAggLookupLower **folded)
{
	ListCell   *lc;

	*folded = NULL;
	foreach(lc, vars)
	{
		const Var  *var = lfirst_node(Var, lc);

		for (int i = 0; i < lw->nlookups; i++)
			if (multiplies(&lw->lookups[i]) &&
				bms_is_member(var->varno, lw->lookups[i].rel->relids) &&
				!gpuagg_lower_is_common(&lw->lookups[i],
										gpuagg_lower_input_column(lw->lookups[i].rel, var)))
				*folded = &lw->lookups[i];
	}
	if (*folded == NULL)
		return true;
	foreach(lc, vars)
	{
		if (!bms_is_member(lfirst_node(Var, lc)->varno, (*folded)->rel->relids))
			return GPUAGG_REFUSE(NOT_UNIQUE);
	}
	return has_columns(*folded, vars);
}

typedef enum Repeats
{
	REPEATS_COUNT,
	REPEATS_ADD,
	REPEATS_IGNORED,
	REPEATS_UNKNOWN
} Repeats;

/* What becomes of a value that is there several times */
static Repeats
repeats_of(const Aggref *agg, GpuAggAggregateRow *row)
{
	if (gpuagg_is_count(agg->aggfnoid))
		return REPEATS_COUNT;
	if (!gpuagg_lower_find_aggregate(agg->aggfnoid, row) || list_length(agg->args) != 1 ||
		!gpuagg_final_traits(row->final)->of_argument)
		return REPEATS_UNKNOWN;
	switch (row->op)
	{
		case GPUAGG_TRANS_SUM_I64:
		case GPUAGG_TRANS_SUM_I128:
			return REPEATS_ADD;
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_SUM_F64_AVG:
		case GPUAGG_TRANS_XOR_I64:
			return REPEATS_UNKNOWN;
		default:
			return REPEATS_IGNORED;
	}
}

static bool
folded_aggregate(GpuAggLower *lw, GpuAggLookupLower *lookup, const Aggref *agg, Repeats repeats,
				 const GpuAggAggregateRow *row, GpuAggOutput *output)
{
	if (!check_folded(lookup, agg))
		return false;
	if (repeats == REPEATS_ADD)
		return folded_sum(lw, lookup, agg, row, output);
	if (repeats == REPEATS_IGNORED)
		return folded_least(lw, lookup, agg, row, output);
	output->final = GPUAGG_FINAL_COUNT;
	output->type = GPUAGG_T_INT8;
	output->count_index = -1;
	return folded_count(lw, lookup, agg, &output->index);
}

static bool
some_multiply(const GpuAggLower *lw)
{
	for (int i = 0; i < lw->nlookups; i++)
		if (multiplies(&lw->lookups[i]))
			return true;
	return false;
}

bool
gpuagg_lower_folded_aggregate(GpuAggLower *lw, const Aggref *agg, bool *handled,
							  GpuAggOutput *output)
{
	List	   *vars = pull_var_clause((Node *) list_make2(agg->args, agg->aggfilter),
									   PVC_RECURSE_PLACEHOLDERS);
	GpuAggAggregateRow row = {0};
	GpuAggLookupLower *folded;
	Repeats		repeats = repeats_of(agg, &row);

	*handled = some_multiply(lw);
	if (!*handled)
		return true;
	if (!find_folded(lw, vars, &folded))
		return false;
	if (repeats == REPEATS_UNKNOWN)
		return GPUAGG_REFUSE("aggregate %s cannot be made of rows that count several times",
							 format_procedure(agg->aggfnoid));
	if (folded != NULL)
		return folded_aggregate(lw, folded, agg, repeats, &row, output);
	*handled = repeats != REPEATS_IGNORED;
	return !*handled || (repeats == REPEATS_COUNT ? weighted_count(lw, agg, output) :
						 weighted_sum(lw, agg, &row, output));
}

/* --------------------------------------------------------------- extremes --- */

/* What a comparison of a column of the input asks of the rows of a key */
typedef struct Extreme
{
	Var		   *column;
	bool		right;			/* the column stands there */
	bool		least;			/* it asks for the least value */
	bool		greatest;		/* it asks for the greatest value */
	Oid			functions[2];	/* min, max */
	uint8		type;
	GpuAggScale scale;
} Extreme;

/* min or max of the type, if it goes by this order */
static Oid
extreme_function(const char *name, Oid type, Oid order)
{
	Oid			function = LookupFuncName(list_make2(makeString("pg_catalog"),
													 makeString(pstrdup(name))), 1, &type, true);
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(function));
	bool		found = HeapTupleIsValid(tuple) &&
		((Form_pg_aggregate) GETSTRUCT(tuple))->aggsortop == order;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return found && get_func_rettype(function) == type ? function : InvalidOid;
}

/* Which of the extremes the comparison asks for, by the order of the type */
static bool
extreme_strategy(Extreme *x, Oid operator, Oid family)
{
	ListCell   *lc;

	foreach(lc, gpuagg_op_meanings(operator))
	{
		GpuAggOpMeaning *meaning = lfirst(lc);
		int			strategy = GPUAGG_MEANING_STRATEGY(meaning);

		if (meaning->opfamily_id != family || strategy == BTEqualStrategyNumber)
			continue;
		x->least = strategy < BTEqualStrategyNumber;
		x->greatest = !x->least;
		if (strategy > BTGreaterStrategyNumber)
			x->least = x->greatest = true;
		else if (x->right)
		{
			x->least = !x->least;
			x->greatest = !x->greatest;
		}
		return true;
	}
	return false;
}

static bool
find_extreme(const GpuAggLookupLower *lookup, const RestrictInfo *clause, Extreme *x)
{
	const OpExpr *op = (OpExpr *) clause->clause;
	TypeCacheEntry *type;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2)
		return false;
	x->right = !bms_overlap(clause->left_relids, lookup->rel->relids);
	if (!x->right && bms_overlap(clause->right_relids, lookup->rel->relids))
		return false;
	x->column = x->right ? gpuagg_arg(op->args, 1) : gpuagg_arg(op->args, 0);
	if (!IsA(x->column, Var) || x->column->varattno <= 0 ||
		!gpuagg_constant_column(x->column->vartype, x->column->vartypmod, &x->type, &x->scale) ||
		gpuagg_scale_is_word(x->scale) || x->type >= GPUAGG_T_CODE ||
		gpuagg_constant_class(x->type) != GPUAGG_CLASS_I64 ||
		(x->column = gpuagg_lower_input_column(lookup->rel, x->column)) == NULL)
		return false;
	type = lookup_type_cache(x->column->vartype, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_LT_OPR |
							 TYPECACHE_GT_OPR);
	x->functions[0] = extreme_function("min", x->column->vartype, type->lt_opr);
	x->functions[1] = extreme_function("max", x->column->vartype, type->gt_opr);
	return OidIsValid(x->functions[0]) && OidIsValid(x->functions[1]) &&
		extreme_strategy(x, op->opno, type->btree_opf);
}

/* The comparison with an extreme in the place of the column */
static bool
compare_extreme(GpuAggLower *lw, GpuAggLookupLower *lookup, const Extreme *x, bool greatest,
				GpuAggLowered *out)
{
	OpExpr	   *op = copyObject((OpExpr *) lookup->extreme->clause);
	CaseTestExpr *place = makeNode(CaseTestExpr);
	const GpuAggLowered *outer = lw->case_value;
	GpuAggLowered value;
	bool		ok;

	place->typeId = x->column->vartype;
	place->typeMod = x->column->vartypmod;
	place->collation = x->column->varcollid;
	lfirst(list_nth_cell(op->args, x->right ? 1 : 0)) = place;
	if (!gpuagg_lower_fetch(
			lw, lookup, (Expr *) gpuagg_agg_call(x->functions[greatest], (Expr *) x->column, NULL),
			x->type, x->scale, &value))
		return false;
	lw->case_value = &value;
	ok = gpuagg_lower_expr(lw, (Expr *) op, out);
	lw->case_value = outer;
	return ok;
}

bool
gpuagg_fold_lower_extreme(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggLowered *out)
{
	Extreme		x;
	GpuAggLowered other;

	if (!find_extreme(lookup, lookup->extreme, &x))
		return GPUAGG_REFUSE(NOT_UNIQUE);
	if (!x.least || !x.greatest)
		return compare_extreme(lw, lookup, &x, x.greatest, out);
	return compare_extreme(lw, lookup, &x, false, out) &&
		compare_extreme(lw, lookup, &x, true, &other) &&
		gpuagg_lower_op(lw, GPUAGG_OP_OR, GPUAGG_T_BOOL, out, &other, NULL, 0, out);
}

/* ------------------------------------------------------------------ begin --- */

static bool
may_group(List *keys)
{
	ListCell   *lc;

	foreach(lc, keys)
	{
		Oid			type = exprType(lfirst(lc));
		TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_HASH_PROC);

		if (!OidIsValid(entry->eq_opr) || !OidIsValid(entry->hash_proc))
			return false;
	}
	return true;
}

/* Conditions besides the keys: one at most is of the input, and extremes decide on it. */
static bool
choose_extreme(GpuAggLookupLower *lookup, List *rest)
{
	ListCell   *lc;

	foreach(lc, rest)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		Extreme		x;

		if (!bms_overlap(clause->clause_relids, lookup->rel->relids))
			continue;
		if (lookup->extreme != NULL || !find_extreme(lookup, clause, &x))
			return false;
		lookup->extreme = clause;
	}
	return true;
}

/*
 * How many different keys.  Of a UNION ALL PostgreSQL has no statistics and takes 200, but it has
 * some of what it is made of.
 */
static double
estimate_keys(PlannerInfo *root, RelOptInfo *rel, List *keys)
{
	double		sum = 0;
	ListCell   *lc;

	if (rel->rtekind != RTE_SUBQUERY || !planner_rt_fetch(rel->relid, root)->inh)
		return estimate_num_groups(root, keys, rel->rows, NULL, NULL);
	check_stack_depth();
	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *member = lfirst_node(AppendRelInfo, lc);
		RelOptInfo *child = root->simple_rel_array[member->child_relid];

		if (member->parent_relid == rel->relid && child != NULL && !IS_DUMMY_REL(child))
			sum += estimate_keys(
				root, child,
				(List *) gpuagg_adjust_appendrel_attrs(root, (Node *) keys, child, rel));
	}
	return clamp_row_est(Min(sum, rel->rows));
}

bool
gpuagg_fold_begin(GpuAggLower *lw, GpuAggLookupLower *lookup, List *keys, List *rest)
{
	const bool	closes = lookup->type != JOIN_INNER && lookup->type != JOIN_LEFT;

	if (!may_group(keys) || (closes && !choose_extreme(lookup, rest)))
		return GPUAGG_REFUSE(NOT_UNIQUE);
	lookup->folded = true;
	lookup->rows = estimate_keys(lw->root, lookup->rel, keys);
	return true;
}
