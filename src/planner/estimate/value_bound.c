/*
 * value_bound.c
 *		How many different values an expression can have (value_bound.h).
 *
 * PostgreSQL takes an expression to have as many values as its columns together:
 * extract(dow FROM t) as many as t.  Three rules find fewer:
 *
 *	- a function has no more values than its arguments have combinations;
 *	- some return few, whatever their arguments: booleans, fields of a date,
 *	  remainders, a CASE of constants;
 *	- some return few over the range of a column, which its histogram tells: date_trunc,
 *	  years, a quotient.
 *
 * The last two are what sets of values tell (device/ops/value_set.h), of any expression
 * whose arguments' sets are known.
 *
 * Of a column the statistics tell the values and the range; of strings that the cache
 * has, their number.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "ipc/cache_shared.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/estimate/column_range.h"
#include "planner/estimate/value_bound.h"
#include "planner/estimate/value_bound_function.h"
#include "planner/value/args.h"
#include "planner/value/constant.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

static const GpuAggValueBound unknown = {.values = HUGE_VAL,.set = GPUAGG_BOUND_ANYTHING};

/* --------------------------------------------------------------- columns --- */

/*
 * May the user know where values lie?  Of rows that may be hidden, if PostgreSQL's own
 * estimates tell it, which go by operators that tell nothing but their answer.
 */
static bool
shows_range(VariableStatData *data, Oid type)
{
	return statistic_proc_security_check(
		data, get_opcode(lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr));
}

static void
set_nullable(GpuAggValueBound *b, bool nullable)
{
	b->set.may = GPUAGG_MAY_VALUE | (nullable ? GPUAGG_MAY_NULL : 0);
}

static void
bound_by_statistics(const GpuAggBoundSource *source, Var *var, GpuAggValueBound *b)
{
	const uint64 as_of = gpuagg_column_range_as_of();
	VariableStatData data;
	bool		is_default;
	double		values;

	examine_variable(source->root, (Node *) var, 0, &data);
	values = get_variable_numdistinct(&data, &is_default);
	if (!is_default)
		b->values = values;
	if (HeapTupleIsValid(data.statsTuple))
	{
		GpuAggValueSet set;

		if (shows_range(&data, var->vartype) &&
			gpuagg_column_range(&data, as_of, var->vartype, &set))
			b->set = set;
		set_nullable(b, ((Form_pg_statistic) GETSTRUCT(data.statsTuple))->stanullfrac > 0);
	}
	ReleaseVariableStats(data);
}

/* The table that a column is of, if that is one of those that are read; else NULL */
static RelOptInfo *
table_of(const GpuAggBoundSource *source, const Var *var)
{
	if (var->varlevelsup != 0 || var->varattno <= 0 ||
		!bms_is_member(var->varno, source->rel->relids))
		return NULL;
	return source->rel->reloptkind == RELOPT_JOINREL ?
		find_base_rel(source->root, var->varno) : source->rel;
}

static GpuAggValueBound
bound_var(const GpuAggBoundSource *source, Var *var)
{
	GpuAggValueBound b = unknown;
	RelOptInfo *table = table_of(source, var);
	double		strings;

	if (table == NULL || table->rtekind != RTE_RELATION)
		return b;
	bound_by_statistics(source, var, &b);
	/* outer joins make NULLs */
	if (source->rel->reloptkind == RELOPT_JOINREL && source->root->join_info_list != NIL)
		set_nullable(&b, true);
	if (planner_rt_fetch(var->varno, source->root)->relid != RelationGetRelid(source->relation))
		return b;
	if (table == source->rel &&
		gpuagg_attr_notnull(RelationGetDescr(source->relation), var->varattno - 1))
		set_nullable(&b, false);
	if (source->exact_hidden || get_typlen(var->vartype) != -1)
		return b;
	strings = gpuagg_cache_strings(RelationGetRelid(source->relation),
								   GPUAGG_FILES_NUMBER(source->relation),
								   var->varattno, table->pages);
	if (strings > 0)
		gpuagg_bound_limit(&b, strings);
	return b;
}

/* ------------------------------------------------------------- functions --- */

/* No more values than combinations of its arguments, of which NULL may be one */
static GpuAggValueBound
bound_call(const GpuAggBoundSource *source, Oid funcid, Oid type, List *args)
{
	GpuAggValueBound b = {.values = 1,.set = GPUAGG_BOUND_ANYTHING};
	bool		nullable = false;
	bool		strict = OidIsValid(funcid) && func_strict(funcid);
	GpuAggValueBound *bounds = palloc((list_length(args) + 1) * sizeof(GpuAggValueBound));
	ListCell   *lc;

	foreach(lc, args)
	{
		GpuAggValueBound *arg = &bounds[foreach_current_index(lc)];

		*arg = gpuagg_value_bound(source, lfirst(lc));
		b.values *= arg->values + (gpuagg_bound_nullable(arg) && !strict);
		nullable |= gpuagg_bound_nullable(arg);
	}
	gpuagg_bound_function(funcid, args, bounds, &b);
	set_nullable(&b, nullable);
	if (type == BOOLOID)
		gpuagg_bound_limit(&b, 2);
	pfree(bounds);
	return b;
}

/* --------------------------------------------------------------- choices --- */

static GpuAggValueSet
any_set(const GpuAggValueSet *sets)
{
	GpuAggValueSet either = sets[0];

	gpuagg_set_unite(&either, &sets[1]);
	return either;
}

/* The second one, where the first is NULL */
static GpuAggValueSet
first_set(const GpuAggValueSet *sets)
{
	return gpuagg_set_operator(GPUAGG_OP_COALESCE, 0, sets);
}

/* By an operator of two values, of which NULL is none */
static GpuAggValueSet
extreme_set(GpuAggOp op, const GpuAggValueSet *sets)
{
	const GpuAggValueSet choices[2] = {gpuagg_set_operator(op, 0, sets), first_set(sets)};

	return first_set(choices);
}

/* The images of doubles are in the order of doubles. */
static GpuAggValueSet
greater_set(const GpuAggValueSet *sets)
{
	return extreme_set(GPUAGG_OP_I64_MAX, sets);
}

static GpuAggValueSet
lesser_set(const GpuAggValueSet *sets)
{
	return extreme_set(GPUAGG_OP_I64_MIN, sets);
}

/* One of these, of which equal constants count once; of_two: what two of them make */
static GpuAggValueBound
bound_one_of(const GpuAggBoundSource *source, List *choices,
			 GpuAggValueSet (*of_two) (const GpuAggValueSet *sets))
{
	GpuAggValueBound b = {.values = 0};
	GpuAggValueSet sets[2];
	List	   *constants = NIL;
	ListCell   *lc;

	foreach(lc, choices)
	{
		Node	   *choice = lfirst(lc);
		GpuAggValueBound one = gpuagg_value_bound(source, choice);

		sets[0] = b.set;
		sets[1] = one.set;
		b.set = foreach_current_index(lc) == 0 ? one.set : of_two(sets);
		if (!IsA(choice, Const))
			b.values += one.values;
		else if (!((Const *) choice)->constisnull)
			constants = list_append_unique(constants, choice);
	}
	b.values += list_length(constants);
	return b;
}

static GpuAggValueBound
bound_extreme(const GpuAggBoundSource *source, MinMaxExpr *expr)
{
	return bound_one_of(source, expr->args, expr->op == IS_GREATEST ? greater_set : lesser_set);
}

static GpuAggValueBound
bound_case(const GpuAggBoundSource *source, CaseExpr *expr)
{
	List	   *results = list_make1(expr->defresult);
	ListCell   *lc;

	foreach(lc, expr->args)
		results = lappend(results, lfirst_node(CaseWhen, lc)->result);
	return bound_one_of(source, results, any_set);
}

static GpuAggValueBound
bound_const(const Const *expr)
{
	GpuAggValueBound b = {.values = expr->constisnull ? 0 : 1};

	if (!gpuagg_bound_constant((const Node *) expr, &b.set) && !expr->constisnull)
		gpuagg_set_add_any(&b.set);
	if (expr->constisnull)
		b.set.may = GPUAGG_MAY_NULL;
	return b;
}

/* ------------------------------------------------------------------- all --- */

static GpuAggValueBound
bound_null_if(const GpuAggBoundSource *source, NullIfExpr *expr)
{
	GpuAggValueBound b = gpuagg_value_bound(source, gpuagg_arg(expr->args, 0));

	b.set.may |= GPUAGG_MAY_NULL;
	return b;
}

static GpuAggValueBound
bound_truth(const GpuAggBoundSource *source, List *args)
{
	return bound_call(source, InvalidOid, BOOLOID, args);
}

static GpuAggValueBound
bound_node(const GpuAggBoundSource *source, Node *expr)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return bound_var(source, (Var *) expr);
		case T_Const:
			return bound_const((Const *) expr);
		case T_RelabelType:
			return gpuagg_value_bound(source, (Node *) ((RelabelType *) expr)->arg);
		case T_CollateExpr:
			return gpuagg_value_bound(source, (Node *) ((CollateExpr *) expr)->arg);
		case T_FuncExpr:
			return bound_call(source, ((FuncExpr *) expr)->funcid, exprType(expr),
							  ((FuncExpr *) expr)->args);
		case T_OpExpr:
			return bound_call(source, get_opcode(((OpExpr *) expr)->opno), exprType(expr),
							  ((OpExpr *) expr)->args);
		case T_NullIfExpr:
			return bound_null_if(source, (NullIfExpr *) expr);
		case T_BoolExpr:
			return bound_truth(source, ((BoolExpr *) expr)->args);
		case T_ScalarArrayOpExpr:
			return bound_truth(source, ((ScalarArrayOpExpr *) expr)->args);
		case T_NullTest:
		case T_BooleanTest:
		case T_DistinctExpr:
			return (GpuAggValueBound) {.values = 2,.set = {GPUAGG_MAY_VALUE, INT64_MIN, INT64_MAX}};
		case T_CaseExpr:
			return bound_case(source, (CaseExpr *) expr);
		case T_CoalesceExpr:
			return bound_one_of(source, ((CoalesceExpr *) expr)->args, first_set);
		case T_MinMaxExpr:
			return bound_extreme(source, (MinMaxExpr *) expr);
		default:
			return unknown;
	}
}

GpuAggValueBound
gpuagg_value_bound(const GpuAggBoundSource *source, Node *expr)
{
	GpuAggValueBound b = bound_node(source, expr);
	Oid			type;

	if (!gpuagg_set_is_bounded(&b.set))
		return b;
	type = exprType(expr);
	gpuagg_bound_limit(&b, gpuagg_set_steps(&b.set, gpuagg_bound_class(type),
											gpuagg_bound_step(type, exprTypmod(expr))));
	return b;
}
