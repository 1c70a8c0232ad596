/*
 * lower_agg.c
 *		Aggregates: which transitions they need and how their result is read.
 *
 * Equal transitions are kept once.  A COUNT beside a sum or minimum tells
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
 * aggregates missing from aggregates.h.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "planner/lower/lower.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"

/* The FILTER of an aggregate, lowered */
typedef struct AggFilter
{
	uint16		reg;			/* GPUAGG_NO_REG: none */
	Expr	   *expr;
	GpuAggValue value;			/* if there is one */
} AggFilter;

typedef struct AggregateRow
{
	uint8		type;			/* of the argument */
	uint8		op;
	uint8		final;
} AggregateRow;

static bool
find_aggregate(Oid aggfnoid, AggregateRow *row)
{
	switch (aggfnoid)
	{
#define X(fn, argtype, transition, count, finaliser) \
		case fn: \
			row->type = GPUAGG_T_##argtype; \
			row->op = GPUAGG_TRANS_##transition; \
			row->final = GPUAGG_FINAL_##finaliser; \
			return true;
			GPUAGG_AGGREGATE_LIST(X)
#undef X
		default:
			return false;
	}
}

/* What the aggregate call must not have. */
static bool
check_call(const Aggref *agg)
{
	if (agg->aggdistinct != NIL)
		return GPUAGG_REFUSE("%s with DISTINCT is not supported; SELECT DISTINCT in a subquery below it is",
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

/* Finds or adds a transition; arg NULL: none. */
static bool
add_transition(GpuAggLower *lw, uint16 op, const GpuAggValue *arg,
			   Expr *arg_expr, const AggFilter *filter, int *number)
{
	GpuAggTransition t;

	memset(&t, 0, sizeof(t));
	t.op = op;
	t.arg = arg != NULL ? arg->reg : GPUAGG_NO_REG;
	t.type = arg != NULL ? arg->type : 0;
	if (arg != NULL)
		t.scale = arg->scale |
			(gpuagg_lower_numeric_is_plain(arg) ? 0 : GPUAGG_SCALE_AT_MOST);
	t.filter = filter->reg;
	for (int i = 0; i < lw->ntransitions; i++)
	{
		if (memcmp(&lw->transitions[i], &t, sizeof(t)) == 0)
		{
			*number = i;
			return true;
		}
	}
	if (lw->ntransitions == GPUAGG_MAX_TRANSITIONS)
		return GPUAGG_REFUSE("the aggregates need more than %d transition states",
							 GPUAGG_MAX_TRANSITIONS);
	*number = lw->ntransitions++;
	lw->transitions[*number] = t;
	lw->arg_exprs[*number] = arg_expr;
	lw->filter_exprs[*number] = filter->expr;
	return true;
}

static bool
lower_agg_filter(GpuAggLower *lw, Expr *expr, AggFilter *filter)
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
filter_nulls(GpuAggLower *lw, Expr *arg, AggFilter *filter)
{
	NullTest   *test = makeNode(NullTest);
	GpuAggValue value;

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

static bool
lower_count(GpuAggLower *lw, Expr *arg, AggFilter *filter, int *number)
{
	GpuAggMark	mark = gpuagg_lower_mark(lw);
	Expr	   *bare = arg;
	GpuAggValue value;
	uint8		type;

	while (bare != NULL && IsA(bare, RelabelType))
		bare = ((RelabelType *) bare)->arg;
	if (bare == NULL ||
		(IsA(bare, Const) && !((Const *) bare)->constisnull && !lw->nullable) ||
		(IsA(bare, Var) && is_notnull_column(lw, (Var *) bare)))
		return add_transition(lw, GPUAGG_TRANS_COUNT, NULL, NULL, filter,
							  number);
	if (IsA(bare, Const) &&
		!(lw->nullable && gpuagg_constant_type(((Const *) bare)->consttype, &type)))
	{
		/* a NULL, of whatever type */
		return gpuagg_lower_null_bool(lw, &value) &&
			add_transition(lw, GPUAGG_TRANS_COUNT, &value,
						   (Expr *) makeBoolConst(false, true), filter, number);
	}
	if (IsA(bare, Var) &&
		!gpuagg_constant_type(((Var *) bare)->vartype, &type))
		return filter_nulls(lw, bare, filter) &&
			add_transition(lw, GPUAGG_TRANS_COUNT, NULL, NULL, filter, number);
	if (!gpuagg_lower_expr(lw, arg, &value))
		return false;
	if (value.notnull && !value.may_fail)
	{
		gpuagg_lower_reset(lw, mark);
		return add_transition(lw, GPUAGG_TRANS_COUNT, NULL, NULL, filter,
							  number);
	}
	return add_transition(lw, GPUAGG_TRANS_COUNT, &value, arg, filter, number);
}

/* The COUNT beside a transition of this argument; -1: not needed. */
static bool
add_count_beside(GpuAggLower *lw, const GpuAggValue *value, Expr *arg,
				 const AggFilter *filter, uint8 final, int *number)
{
	bool		divides = final == GPUAGG_FINAL_AVG_INT ||
		final == GPUAGG_FINAL_AVG_NUMERIC || final == GPUAGG_FINAL_AVG_FLOAT;

	*number = -1;
	if (value->notnull && filter->reg == GPUAGG_NO_REG && lw->grouped &&
		!divides)
		return true;
	return add_transition(lw, GPUAGG_TRANS_COUNT,
						  value->notnull ? NULL : value,
						  value->notnull ? NULL : arg, filter, number);
}

/*
 * How a decimal is shown.  A sum shows the most decimals of its rows, so a transition
 * may have to find them.
 */
static bool
lower_decimals(GpuAggLower *lw, uint8 op, const GpuAggValue *value, Expr *arg,
			   const AggFilter *filter, GpuAggOutput *output)
{
	GpuAggValue shown;
	int			number;

	output->scale = value->scale;
	output->shown = value->shown;
	if (gpuagg_lower_numeric_is_plain(value))
		return true;
	if (op != GPUAGG_TRANS_SUM_I128)
		return GPUAGG_REFUSE("a minimum or maximum whose number of decimals depends on the row is not supported");
	if (value->shown_reg == GPUAGG_NO_REG)
		return true;
	if (!gpuagg_lower_numeric_shown(lw, value, &shown) ||
		!add_transition(lw, GPUAGG_TRANS_MAX_I64, &shown,
						(Expr *) makeFuncExpr(F_SCALE, INT4OID, list_make1(arg), InvalidOid,
											  InvalidOid, COERCE_EXPLICIT_CALL),
						filter, &number))
		return false;
	output->shown_by = number + 1;
	return true;
}

static bool
lower_by_table(GpuAggLower *lw, const Aggref *agg, const AggFilter *filter,
			   GpuAggOutput *output)
{
	AggregateRow row;
	Expr	   *arg;
	GpuAggValue value;

	if (!find_aggregate(agg->aggfnoid, &row) || list_length(agg->args) != 1)
		return GPUAGG_REFUSE("aggregate %s is not supported",
							 format_procedure(agg->aggfnoid));
	arg = ((TargetEntry *) linitial(agg->args))->expr;
	if (!gpuagg_lower_expr(lw, arg, &value))
		return false;
	if (value.type != row.type)
		return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
							 format_procedure(agg->aggfnoid));
	if (gpuagg_constant_class(row.type) == GPUAGG_CLASS_BYTES &&
		!gpuagg_collation_is_c(agg->inputcollid))
		return GPUAGG_REFUSE("aggregate %s needs collation \"C\"",
							 format_procedure(agg->aggfnoid));
	output->final = row.final;
	output->type = row.type;
	return add_transition(lw, row.op, &value, arg, filter, &output->index) &&
		lower_decimals(lw, row.op, &value, arg, filter, output) &&
		add_count_beside(lw, &value, arg, filter, row.final,
						 &output->count_index);
}

bool
gpuagg_lower_aggregate(GpuAggLower *lw, Aggref *agg, GpuAggOutput *output)
{
	AggFilter	filter;

	if (!check_call(agg) || !lower_agg_filter(lw, agg->aggfilter, &filter))
		return false;
	if (agg->aggfnoid != F_COUNT_ && agg->aggfnoid != F_COUNT_ANY)
		return lower_by_table(lw, agg, &filter, output);
	output->final = GPUAGG_FINAL_COUNT;
	output->count_index = -1;
	output->type = GPUAGG_T_INT8;
	return lower_count(lw, agg->aggfnoid == F_COUNT_ ? NULL :
					   ((TargetEntry *) linitial(agg->args))->expr,
					   &filter, &output->index);
}
