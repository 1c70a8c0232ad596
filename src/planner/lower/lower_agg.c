/*
 * lower_agg.c
 *		Aggregates: which transitions they need and how their result is read.
 *
 * Equal transitions are kept once, and some that have all that others have serve for
 * these, too (lower_share.c).  A COUNT beside a sum or minimum tells
 * "no value yet"; where the argument is never NULL, there is no FILTER and
 * every group has a row, there is nothing to tell and it is left out.  A
 * COUNT of an argument that is never NULL counts rows, without an argument,
 * unless computing the argument could raise an error that counting rows
 * would lose.
 *
 * count(x) of a column whose type no device knows is count(*) with
 * FILTER (WHERE x IS NOT NULL).
 *
 * Does not handle: DISTINCT, ORDER BY, ordered-set and partial aggregates,
 * aggregates missing from the catalogue.  Variances and the like: lower_statistic.c.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_numeric.h"
#include "planner/lower/lower_string.h"
#include "planner/lower/lower_types.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"

Expr *
gpuagg_lower_filtered(Expr *arg, Expr *filter)
{
	CaseExpr   *expr = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = filter;
	when->result = arg;
	when->location = -1;
	expr->casetype = exprType((Node *) arg);
	expr->casecollid = exprCollation((Node *) arg);
	expr->args = list_make1(when);
	expr->defresult = (Expr *) makeNullConst(expr->casetype, exprTypmod((Node *) arg),
											 expr->casecollid);
	expr->location = -1;
	return (Expr *) expr;
}

bool
gpuagg_lower_find_aggregate(Oid aggfnoid, GpuAggAggregateRow *row)
{
	const GpuAggAggregate *a = gpuagg_aggregate(aggfnoid);

	if (a->made_of != GPUAGG_MADE_OF_STATE)
		return false;
	*row = (GpuAggAggregateRow) {.type = a->type,.op = a->op,.final = a->final};
	return true;
}

/* What the aggregate call must not have. */
static bool
check_call(const Aggref *agg)
{
	if (agg->aggdistinct != NIL)
		return GPUAGG_REFUSE(
			"%s with DISTINCT is not supported; SELECT DISTINCT in a subquery below it is",
			get_func_name(agg->aggfnoid));
	if (agg->aggorder != NIL || agg->aggkind != AGGKIND_NORMAL ||
		agg->aggdirectargs != NIL)
		return GPUAGG_REFUSE("%s with ORDER BY is not supported",
							 get_func_name(agg->aggfnoid));
	if (agg->aggsplit != AGGSPLIT_SIMPLE || agg->agglevelsup != 0 ||
		agg->aggvariadic)
		return GPUAGG_REFUSE("aggregate %s is not supported in this form",
							 format_procedure(agg->aggfnoid));
	return true;
}

static GpuAggTransition
make_transition(uint16 op, const GpuAggLowered *arg, const GpuAggLoweredFilter *filter)
{
	GpuAggTransition t;

	memset(&t, 0, sizeof(t));
	t.op = op;
	t.arg = arg != NULL ? arg->reg : GPUAGG_NO_REG;
	t.type = arg != NULL ? arg->type : 0;
	if (arg != NULL)
		t.scale = gpuagg_lower_numeric_scale(arg);
	t.filter = filter != NULL ? filter->reg : GPUAGG_NO_REG;
	return t;
}

bool
gpuagg_lower_transitions(GpuAggLower *lw, int n, const uint16 *ops, const GpuAggLowered *args,
						 Expr *const *arg_exprs, const GpuAggLoweredFilter *filter, int *first)
{
	GpuAggTransition t[GPUAGG_MAX_TRANSITIONS];

	for (int i = 0; i < n; i++)
		t[i] = make_transition(ops[i], args != NULL ? &args[i] : NULL, filter);
	for (*first = 0; *first + n <= lw->ntransitions; (*first)++)
	{
		if (memcmp(&lw->transitions[*first], t, n * sizeof(*t)) == 0)
			return true;
	}
	if (lw->ntransitions + n > GPUAGG_MAX_TRANSITIONS)
		return GPUAGG_REFUSE("the aggregates need more than %d running values in each group",
							 GPUAGG_MAX_TRANSITIONS);
	*first = lw->ntransitions;
	for (int i = 0; i < n; i++)
	{
		lw->transitions[lw->ntransitions] = t[i];
		lw->arg_exprs[lw->ntransitions] = arg_exprs != NULL ? arg_exprs[i] : NULL;
		lw->filter_exprs[lw->ntransitions++] = filter != NULL ? filter->expr : NULL;
	}
	return true;
}

bool
gpuagg_lower_transition(GpuAggLower *lw, uint16 op, const GpuAggLowered *arg, Expr *arg_expr,
						const GpuAggLoweredFilter *filter, int *number)
{
	return gpuagg_lower_transitions(lw, 1, &op, arg, &arg_expr, filter, number);
}

static bool
lower_agg_filter(GpuAggLower *lw, Expr *expr, GpuAggLoweredFilter *filter)
{
	filter->reg = GPUAGG_NO_REG;
	filter->expr = expr;
	if (expr == NULL)
		return true;
	if (!gpuagg_lower_expr(lw, expr, &filter->value))
		return false;
	filter->reg = filter->value.reg;
	return true;
}

/* AND x IS NOT NULL, for a column x of any type */
static bool
filter_nulls(GpuAggLower *lw, Expr *arg, GpuAggLoweredFilter *filter)
{
	NullTest   *test = makeNode(NullTest);
	GpuAggLowered value;

	if (!gpuagg_lower_nulltest(lw, arg, false, &value))
		return false;
	test->arg = arg;
	test->nulltesttype = IS_NOT_NULL;
	test->argisrow = false;
	test->location = -1;
	if (filter->reg == GPUAGG_NO_REG)
		filter->expr = (Expr *) test;
	else
	{
		if (!gpuagg_lower_op(lw, GPUAGG_OP_AND, GPUAGG_T_BOOL, &filter->value,
							 &value, NULL, 0, &value))
			return false;
		filter->expr = make_andclause(list_make2(filter->expr, test));
	}
	filter->value = value;
	filter->reg = value.reg;
	return true;
}

static bool
is_notnull_column(const GpuAggLower *lw, const Var *var)
{
	return !lw->nullable && var->varno == lw->rel->relid && var->varattno > 0 &&
		gpuagg_attr_notnull(RelationGetDescr(lw->relation), var->varattno - 1);
}

bool
gpuagg_lower_count_value(GpuAggLower *lw, const Aggref *agg, GpuAggMark before,
						 const GpuAggLowered *value, Expr *arg, const GpuAggLoweredFilter *filter,
						 int *number)
{
	if (!value->notnull ||
		(value->may_fail &&
		 gpuagg_lower_transition_beside(lw, agg, GPUAGG_TRANS_COUNT) == GPUAGG_NTRANSITIONS))
		return gpuagg_lower_transition(lw, GPUAGG_TRANS_COUNT, value, arg, filter, number);
	gpuagg_lower_reset(lw, before);
	return gpuagg_lower_transition(lw, GPUAGG_TRANS_COUNT, NULL, NULL, filter, number);
}

static bool
lower_count(GpuAggLower *lw, const Aggref *agg, GpuAggLoweredFilter *filter, int *number)
{
	Expr	   *arg = agg->args == NIL ? NULL : gpuagg_agg_arg(agg, 0);
	GpuAggMark	mark = gpuagg_lower_mark(lw);
	Expr	   *bare = arg;
	GpuAggLowered value;
	uint8		type;

	while (bare != NULL && IsA(bare, RelabelType))
		bare = ((RelabelType *) bare)->arg;
	if (bare == NULL ||
		(IsA(bare, Const) && !((Const *) bare)->constisnull && !lw->nullable) ||
		(IsA(bare, Var) && is_notnull_column(lw, (Var *) bare)))
		return gpuagg_lower_transition(lw, GPUAGG_TRANS_COUNT, NULL, NULL, filter,
									   number);
	/* of a type that has no form on devices only matters whether there is a value */
	if ((IsA(bare, Var) || IsA(bare, Const)) &&
		!gpuagg_constant_type(exprType((Node *) bare), &type))
		return filter_nulls(lw, bare, filter) &&
			gpuagg_lower_transition(lw, GPUAGG_TRANS_COUNT, NULL, NULL, filter, number);
	/* of a string of a join's input only matters whether there is one */
	return ((IsA(bare, Var) && gpuagg_lower_string_nullness(lw, (Var *) bare, &value)) ||
			gpuagg_lower_expr(lw, arg, &value)) &&
		gpuagg_lower_count_value(lw, agg, mark, &value, arg, filter, number);
}

bool
gpuagg_lower_count_beside(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
						  const GpuAggLoweredFilter *filter, uint8 final, int *number)
{
	const bool	divides = gpuagg_final_traits(final)->count == GPUAGG_COUNT_NEEDS;

	*number = -1;
	if (value->notnull && filter->reg == GPUAGG_NO_REG && lw->grouped &&
		!divides)
		return true;
	return gpuagg_lower_transition(lw, GPUAGG_TRANS_COUNT,
								   value->notnull ? NULL : value,
								   value->notnull ? NULL : arg, filter, number);
}

/*
 * Where the decimals shown depend on the row: the most that any row shows, by a
 * transition of its own
 */
static bool
add_most_shown(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
			   const GpuAggLoweredFilter *filter, GpuAggOutput *output)
{
	GpuAggLowered shown;
	int			number;

	if (value->shown_reg == GPUAGG_NO_REG)
		return true;
	if (!gpuagg_lower_numeric_shown(lw, value, &shown) ||
		!gpuagg_lower_transition(lw, GPUAGG_TRANS_MAX_I64, &shown,
								 gpuagg_call(GPUAGG_F_SCALE, list_make1(arg)), filter, &number))
		return false;
	output->shown_by = number + 1;
	return true;
}

bool
gpuagg_lower_most_shown(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
						GpuAggOutput *output)
{
	return add_most_shown(lw, value, arg, NULL, output);
}

bool
gpuagg_lower_decimals(GpuAggLower *lw, uint8 op, const GpuAggLowered *value, Expr *arg,
					  const GpuAggLoweredFilter *filter, GpuAggOutput *output)
{
	GpuAggLowered word;

	output->scale = value->scale.digits;
	output->shown = value->shown;
	if (op == GPUAGG_TRANS_SUM_I128 || value->shown_reg == GPUAGG_NO_REG)
		return gpuagg_lower_transition(lw, op, value, arg, filter, &output->index) &&
			add_most_shown(lw, value, arg, filter, output);
	output->final = GPUAGG_FINAL_WORD;
	return gpuagg_lower_numeric_word(lw, value, &word) &&
		gpuagg_lower_transition(lw, op, &word, arg, filter, &output->index);
}

/* The positive or negative amounts, and zeros for the others */
static bool
add_amounts(GpuAggLower *lw, bool positive, const GpuAggLowered *value, Expr *arg,
			const GpuAggLoweredFilter *filter, int *number)
{
	Const	   *zero = makeConst(MONEYOID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false,
								 true);
	MinMaxExpr *expr = makeNode(MinMaxExpr);
	GpuAggLowered amounts;

	expr->minmaxtype = MONEYOID;
	expr->op = positive ? IS_GREATEST : IS_LEAST;
	/* in the row plan a NULL becomes zero, which adds nothing */
	expr->args = list_make2(arg, zero);
	return gpuagg_lower_const(lw, zero, &amounts) &&
		gpuagg_lower_op(lw, positive ? GPUAGG_OP_I64_MAX : GPUAGG_OP_I64_MIN, GPUAGG_T_INT8,
						value, &amounts, NULL, 0, &amounts) &&
		gpuagg_lower_transition(lw, GPUAGG_TRANS_SUM_I128, &amounts, (Expr *) expr, filter, number);
}

/*
 * PostgreSQL adds amounts of money one after the other, in 64 bits.  If neither the
 * positive nor the negative ones overflow by themselves, no order of them does.
 */
static bool
lower_money_sum(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
				const GpuAggLoweredFilter *filter, GpuAggOutput *output)
{
	int			negative;

	if (!add_amounts(lw, true, value, arg, filter, &output->index) ||
		!add_amounts(lw, false, value, arg, filter, &negative))
		return false;
	output->shown_by = negative + 1;
	return gpuagg_lower_count_beside(lw, value, arg, filter, output->final, &output->count_index);
}

/*
 * any_value: the least in the order of registers, whatever the type's own is, for any value
 * will do
 */
static bool
lower_any_value(GpuAggLower *lw, const Aggref *agg, const GpuAggLoweredFilter *filter,
				GpuAggOutput *output)
{
	Expr	   *arg = gpuagg_agg_arg(agg, 0);
	GpuAggLowered value;
	uint8		op = GPUAGG_TRANS_MIN_I64;

	if (!gpuagg_lower_expr(lw, arg, &value))
		return false;
	output->final = GPUAGG_FINAL_I64;
	output->type = value.type;
	if (gpuagg_constant_class(value.type) == GPUAGG_CLASS_F64)
	{
		op = GPUAGG_TRANS_MIN_F64;
		output->final = GPUAGG_FINAL_F64_ORDER;
	}
	else if (value.type == GPUAGG_T_TEXT || value.type == GPUAGG_T_BPCHAR)
	{
		op = value.type == GPUAGG_T_TEXT ? GPUAGG_TRANS_MIN_BYTES : GPUAGG_TRANS_MIN_BPCHAR;
		output->final = GPUAGG_FINAL_BYTES;
	}
	else if (gpuagg_constant_class(value.type) != GPUAGG_CLASS_I64)
		return GPUAGG_REFUSE("any_value of type %s is not supported",
							 format_type_be(exprType((Node *) arg)));
	return gpuagg_lower_decimals(lw, op, &value, arg, filter, output) &&
		gpuagg_lower_count_beside(lw, &value, arg, filter, output->final, &output->count_index);
}

static bool
lower_by_table(GpuAggLower *lw, const Aggref *agg, const GpuAggLoweredFilter *filter,
			   GpuAggOutput *output)
{
	GpuAggAggregateRow row;
	Expr	   *arg;
	GpuAggLowered value;

	if (!gpuagg_lower_find_aggregate(agg->aggfnoid, &row) || list_length(agg->args) != 1)
		return GPUAGG_REFUSE("aggregate %s is not supported",
							 format_procedure(agg->aggfnoid));
	arg = gpuagg_agg_arg(agg, 0);
	if (!gpuagg_lower_expr(lw, arg, &value))
		return false;
	if (value.type == GPUAGG_T_ENUM &&
		!gpuagg_lower_enum_order(lw, exprType((Node *) arg), &value))
		return false;
	if (value.type != row.type)
		return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
							 format_procedure(agg->aggfnoid));
	if (gpuagg_constant_class(row.type) == GPUAGG_CLASS_BYTES &&
		!gpuagg_collation_orders_bytes(agg->inputcollid, exprType((Node *) gpuagg_agg_arg(agg, 0))))
		return GPUAGG_REFUSE("aggregate %s needs collation \"C\"",
							 format_procedure(agg->aggfnoid));
	output->final = row.final;
	output->type = row.type;
	if (row.final == GPUAGG_FINAL_SUM_MONEY)
		return lower_money_sum(lw, &value, arg, filter, output);
	return gpuagg_lower_decimals(lw, gpuagg_lower_shared_transition(lw, agg, row.op), &value, arg,
								 filter, output) &&
		gpuagg_lower_count_beside(lw, &value, arg, filter, row.final,
								  &output->count_index);
}

bool
gpuagg_lower_aggregate(GpuAggLower *lw, Aggref *agg, GpuAggOutput *output)
{
	GpuAggLoweredFilter filter;
	bool		handled;
	bool		ok;

	if (!check_call(agg))
		return false;
	ok = gpuagg_lower_folded_aggregate(lw, agg, &handled, output);
	if (handled || !ok)
		return ok;
	if (!lower_agg_filter(lw, agg->aggfilter, &filter))
		return false;
	if (gpuagg_lower_statistic(lw, agg, &filter, &handled, output))
		return true;
	if (handled)
		return false;
	ok = gpuagg_lower_interval_aggregate(lw, agg, &filter, &handled, output);
	if (handled)
		return ok;
	if (gpuagg_aggregate(agg->aggfnoid)->kind == GPUAGG_KIND_ANY_VALUE)
		return lower_any_value(lw, agg, &filter, output);
	if (!gpuagg_is_count(agg->aggfnoid))
		return lower_by_table(lw, agg, &filter, output);
	output->final = GPUAGG_FINAL_COUNT;
	output->count_index = -1;
	output->type = GPUAGG_T_INT8;
	return lower_count(lw, agg, &filter, &output->index);
}
