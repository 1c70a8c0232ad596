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
 *	  years, a quotient (value_bound_function.c).
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
#include "utils/timestamp.h"
#include "utils/typcache.h"

static const GpuAggValueBound unknown = {.values = HUGE_VAL,.nullable = true};

/* --------------------------------------------------------------- columns --- */

/* How far apart values of a type are at least; 0: nothing is known */
static double
type_step(Oid type, int32 typmod)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return 1;
		case DATEOID:
			return (double) USECS_PER_DAY;
		case NUMERICOID:
			/* numeric(precision, scale) */
			return typmod < (int32) VARHDRSZ ? 0 :
				pow(10, -gpuagg_numeric_typmod_scale(typmod));
		default:
			return 0;
	}
}

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
		b->nullable = ((Form_pg_statistic) GETSTRUCT(data.statsTuple))->stanullfrac > 0;
		if (shows_range(&data, var->vartype))
			b->ranged = gpuagg_column_range(&data, as_of, var->vartype, &b->low, &b->high);
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
	b.values = Min(b.values, gpuagg_bound_steps(&b, type_step(var->vartype, var->vartypmod)));
	/* outer joins make NULLs */
	if (source->rel->reloptkind == RELOPT_JOINREL && source->root->join_info_list != NIL)
		b.nullable = true;
	if (planner_rt_fetch(var->varno, source->root)->relid != RelationGetRelid(source->relation))
		return b;
	if (table == source->rel &&
		gpuagg_attr_notnull(RelationGetDescr(source->relation), var->varattno - 1))
		b.nullable = false;
	if (source->exact_hidden || get_typlen(var->vartype) != -1)
		return b;
	strings = gpuagg_cache_strings(RelationGetRelid(source->relation),
								   GPUAGG_FILES_NUMBER(source->relation),
								   var->varattno, table->pages);
	if (strings > 0)
		b.values = Min(b.values, strings);
	return b;
}

/* ------------------------------------------------------------- functions --- */

/* No more values than combinations of its arguments, of which NULL may be one */
static GpuAggValueBound
bound_call(const GpuAggBoundSource *source, Oid funcid, Oid type, List *args)
{
	GpuAggValueBound b = {.values = 1};
	bool		strict = OidIsValid(funcid) && func_strict(funcid);
	GpuAggValueBound *bounds = palloc((list_length(args) + 1) * sizeof(GpuAggValueBound));
	ListCell   *lc;

	foreach(lc, args)
	{
		GpuAggValueBound *arg = &bounds[foreach_current_index(lc)];

		*arg = gpuagg_value_bound(source, lfirst(lc));
		b.values *= arg->values + (arg->nullable && !strict);
		b.nullable |= arg->nullable;
	}
	gpuagg_bound_function(funcid, args, bounds, &b);
	if (type == BOOLOID)
		b.values = Min(b.values, 2);
	pfree(bounds);
	return b;
}

/* --------------------------------------------------------------- choices --- */

/*
 * One of these: equal constants count once, and it lies between the ends of all ranges.
 * NULL may come of each, or only where all are NULL.
 */
static GpuAggValueBound
bound_one_of(const GpuAggBoundSource *source, List *choices, bool any_null)
{
	GpuAggValueBound b = {.nullable = !any_null,.ranged = true,.low = HUGE_VAL,.high = -HUGE_VAL};
	List	   *constants = NIL;
	ListCell   *lc;

	foreach(lc, choices)
	{
		Node	   *choice = lfirst(lc);
		GpuAggValueBound one = gpuagg_value_bound(source, choice);

		b.ranged = b.ranged && one.ranged;
		b.low = Min(b.low, one.low);
		b.high = Max(b.high, one.high);
		b.nullable = any_null ? b.nullable || one.nullable : b.nullable && one.nullable;
		if (!IsA(choice, Const))
			b.values += one.values;
		else if (!((Const *) choice)->constisnull)
			constants = list_append_unique(constants, choice);
	}
	b.values += list_length(constants);
	return b;
}

static GpuAggValueBound
bound_case(const GpuAggBoundSource *source, CaseExpr *expr)
{
	List	   *results = list_make1(expr->defresult);
	ListCell   *lc;

	foreach(lc, expr->args)
		results = lappend(results, lfirst_node(CaseWhen, lc)->result);
	return bound_one_of(source, results, true);
}

static GpuAggValueBound
bound_const(Const *expr)
{
	GpuAggValueBound b = {.values = expr->constisnull ? 0 : 1,.nullable = expr->constisnull};

	b.ranged = !expr->constisnull && gpuagg_bound_scalar(expr->consttype, expr->constvalue, &b.low);
	b.high = b.low;
	return b;
}

/* ------------------------------------------------------------------- all --- */

static GpuAggValueBound
bound_null_if(const GpuAggBoundSource *source, NullIfExpr *expr)
{
	GpuAggValueBound b = gpuagg_value_bound(source, gpuagg_arg(expr->args, 0));

	b.nullable = true;
	return b;
}

static GpuAggValueBound
bound_truth(const GpuAggBoundSource *source, List *args)
{
	return bound_call(source, InvalidOid, BOOLOID, args);
}

GpuAggValueBound
gpuagg_value_bound(const GpuAggBoundSource *source, Node *expr)
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
			return (GpuAggValueBound) {.values = 2};
		case T_CaseExpr:
			return bound_case(source, (CaseExpr *) expr);
		case T_CoalesceExpr:
			return bound_one_of(source, ((CoalesceExpr *) expr)->args, false);
		case T_MinMaxExpr:
			return bound_one_of(source, ((MinMaxExpr *) expr)->args, false);
		default:
			return unknown;
	}
}
