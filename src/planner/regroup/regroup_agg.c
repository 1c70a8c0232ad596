/*
 * regroup_agg.c
 *		Aggregates of groups that the backend makes of finer ones (regroup_plan.h):
 *		which states of the device are merged, which values enter, and which of them once.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_const.h"
#include "planner/plan/agg_call.h"
#include "planner/regroup/regroup_ordered.h"
#include "planner/regroup/regroup_values.h"
#include "planner/value/args.h"
#include "planner/value/harmless.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* The sums of an interval's parts, which must stay side by side */
static bool
merge_sums(GpuAggRegroupPlan *plan, const GpuAggOutput *output, int16 filter,
		   GpuAggOutput *own)
{
	for (int i = 0; i < output->scale; i++)
	{
		int			number;

		if (!gpuagg_regroup_add_merge(plan, output->index + i, filter, &number))
			return false;
		if (i == 0)
			own->index = number;
		else if (number != own->index + i)
			return GPUAGG_REFUSE(
				"sums of intervals in this combination cannot be made of finer groups");
	}
	return true;
}

/* The twin of an output whose states are merged */
static bool
merge_output(GpuAggRegroupPlan *plan, const GpuAggOutput *output, int16 filter,
			 GpuAggOutput *own)
{
	*own = *output;
	if (output->final == GPUAGG_FINAL_SUM_INTERVAL || output->final == GPUAGG_FINAL_AVG_INTERVAL)
	{
		if (!merge_sums(plan, output, filter, own))
			return false;
	}
	else if (!gpuagg_regroup_add_merge(plan, output->index, filter, &own->index))
		return false;
	if (output->count_index >= 0 &&
		!gpuagg_regroup_add_merge(plan, output->count_index, filter, &own->count_index))
		return false;
	for (int i = 0; i < GPUAGG_SQUARE_PARTS; i++)
	{
		if (output->squares[i] == 0)
			continue;
		if (!gpuagg_regroup_add_merge(plan, output->squares[i] - 1, filter, &own->squares[i]))
			return false;
		own->squares[i]++;
	}
	return gpuagg_regroup_merge_shown(plan, output, filter, own);
}

static Expr *
filtered(const Aggref *agg, Expr *arg)
{
	return agg->aggfilter != NULL ? gpuagg_lower_filtered(arg, agg->aggfilter) : arg;
}

static Expr *
filtered_argument(const Aggref *agg)
{
	return filtered(agg, gpuagg_agg_arg(agg, 0));
}

static bool
is_plain_call(const Aggref *agg)
{
	return agg->aggorder == NIL && agg->aggkind == AGGKIND_NORMAL && agg->aggdirectargs == NIL &&
		agg->aggsplit == AGGSPLIT_SIMPLE && agg->agglevelsup == 0 && !agg->aggvariadic &&
		list_length(agg->args) == 1;
}

/*
 * The output of an aggregate of a value, and its states: each value once if distinct, or
 * as often as a transition of the device counts; in this order of strings, if any.
 */
static bool
value_output(GpuAggRegroupPlan *plan, GpuAggAggregateRow row, GpuAggRegroupState state,
			 const GpuAggOutput *key, GpuAggOutput *own)
{
	bool		count = row.op == GPUAGG_TRANS_COUNT;

	own->final = row.final;
	own->type = count ? GPUAGG_T_INT8 : state.type;
	own->scale = count ? 0 : key->scale;
	own->shown = count ? 0 : key->shown;
	own->count_index = -1;
	plan->needed = true;
	if (!gpuagg_regroup_add_state(plan, state, &own->index))
		return false;
	if (count)
		return true;
	state.op = GPUAGG_TRANS_COUNT;
	state.collation = InvalidOid;
	return gpuagg_regroup_add_state(plan, state, &own->count_index);
}

static bool
check_type(const GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggAggregateRow row, int value)
{
	if (row.op == GPUAGG_TRANS_COUNT ||
		(plan->regroup.values[value].form != GPUAGG_REGROUP_EQUAL &&
		 plan->regroup.values[value].type == row.type &&
		 gpuagg_final_traits(row.final)->of_argument))
		return true;
	return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
						 get_func_name(agg->aggfnoid));
}

/* Which transition of the device counts rows that pass this filter? */
static bool
count_rows(GpuAggRegroupPlan *plan, Expr *filter, int16 *number)
{
	Aggref	   *count = gpuagg_agg_call(gpuagg_aggregate_oid(GPUAGG_AGG_COUNT_), NULL, filter);
	GpuAggOutput output;
	int			before = plan->lw->ntransitions;

	memset(&output, 0, sizeof(output));
	if (!gpuagg_lower_aggregate(plan->lw, count, &output))
	{
		plan->lw->ntransitions = before;
		return false;
	}
	*number = output.index;
	return true;
}

/* Of PostgreSQL's own minima and maxima: which of both */
static GpuAggRegroupDatumOp
extreme_op(Oid aggfnoid)
{
	HeapTuple	tuple = aggfnoid < FirstNormalObjectId ?
		SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggfnoid)) : NULL;
	GpuAggRegroupDatumOp op = GPUAGG_REGROUP_STATE;
	Oid			opfamily;
	Oid			type;
	GpuAggOrdering ordering;

	if (!HeapTupleIsValid(tuple))
		return op;
	if (get_ordering_op_properties(((Form_pg_aggregate) GETSTRUCT(tuple))->aggsortop, &opfamily,
								   &type, &ordering))
		op = ordering == GPUAGG_ORDERING_LESS ? GPUAGG_REGROUP_LEAST : GPUAGG_REGROUP_GREATEST;
	ReleaseSysCache(tuple);
	return op;
}

/* Sum or average of this type? */
static bool
is_sum_of(Oid aggfnoid, Oid type)
{
	const GpuAggAggregate *aggregate = gpuagg_aggregate(aggfnoid);

	return aggregate->args[0] == type &&
		(aggregate->kind == GPUAGG_KIND_SUM || aggregate->kind == GPUAGG_KIND_AVG);
}

/* What PostgreSQL's functions make of Datums; none: not of these */
static GpuAggRegroupDatumOp
datum_op(Oid aggfnoid)
{
	return is_sum_of(aggfnoid, NUMERICOID) || is_sum_of(aggfnoid, INTERVALOID) ?
		GPUAGG_REGROUP_SUM : extreme_op(aggfnoid);
}

/* The comparison that orders an argument's type */
static Oid
compare_of(const Aggref *agg)
{
	Expr	   *arg = gpuagg_agg_arg(agg, 0);

	return lookup_type_cache(getBaseType(exprType((Node *) arg)), TYPECACHE_CMP_PROC)->cmp_proc;
}

static bool
has_datum(const GpuAggRegroupPlan *plan, const Aggref *agg, int16 value)
{
	const uint8 form = plan->regroup.values[value].form;

	switch (datum_op(agg->aggfnoid))
	{
		case GPUAGG_REGROUP_SUM:
			return form == GPUAGG_REGROUP_NUMERIC || form == GPUAGG_REGROUP_INTERVAL;
		case GPUAGG_REGROUP_LEAST:
		case GPUAGG_REGROUP_GREATEST:
			return form != GPUAGG_REGROUP_CONSTANT && form != GPUAGG_REGROUP_EQUAL &&
				OidIsValid(compare_of(agg));
		default:
			return false;
	}
}

/* A state that is a Datum of the value that "as" has, and as often */
static bool
add_datum_state(GpuAggRegroupPlan *plan, GpuAggRegroupDatumOp op,
				const GpuAggRegroupState *as, int *number)
{
	GpuAggRegroupState state = gpuagg_regroup_datum_state(plan, op, as->value);

	state.weight = as->weight;
	state.distinct = as->distinct;
	state.collation = as->collation;
	state.compare = as->compare;
	return gpuagg_regroup_add_state(plan, state, number);
}

/* And a count beside it */
static bool
add_datum_count(GpuAggRegroupPlan *plan, const GpuAggRegroupState *as, int *number)
{
	GpuAggRegroupState count = gpuagg_regroup_new_state(GPUAGG_TRANS_COUNT, GPUAGG_T_TEXT);

	count.value = as->value;
	count.weight = as->weight;
	count.distinct = as->distinct;
	return gpuagg_regroup_add_state(plan, count, number);
}

/* Sum or average of numerics or intervals, least or greatest values, that PostgreSQL computes */
static bool
datum_output(GpuAggRegroupPlan *plan, const Aggref *agg, const GpuAggRegroupState *values,
			 GpuAggOutput *own)
{
	const GpuAggAggregate *aggregate = gpuagg_aggregate(agg->aggfnoid);
	const GpuAggRegroupDatumOp op = datum_op(agg->aggfnoid);
	GpuAggRegroupState as = *values;

	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_DATUM,.count_index = -1,.type = GPUAGG_T_TEXT};
	if (op == GPUAGG_REGROUP_SUM && aggregate->kind == GPUAGG_KIND_AVG)
		own->final = aggregate->args[0] == NUMERICOID ? GPUAGG_FINAL_DATUM_AVG :
			GPUAGG_FINAL_DATUM_AVG_INTERVAL;
	if (op != GPUAGG_REGROUP_SUM)
	{
		as.compare = compare_of(agg);
		as.collation = agg->inputcollid;
	}
	plan->needed = true;
	return add_datum_state(plan, op, &as, &own->index) &&
		(op != GPUAGG_REGROUP_SUM || add_datum_count(plan, &as, &own->count_index));
}

/* An aggregate of a value that is a key */
static bool
key_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggAggregateRow row, Oid eqop,
			  bool distinct, Oid collation, GpuAggOutput *own)
{
	GpuAggRegroupState state;
	GpuAggOutput key;
	int16		value;
	bool		ok;

	/* a string's number is counted as well as the string */
	plan->lw->numbers = plan->joined && row.op == GPUAGG_TRANS_COUNT;
	ok = row.final == GPUAGG_FINAL_DATUM ?
		gpuagg_regroup_computed_value(plan, filtered_argument(agg), &value) :
		gpuagg_regroup_any_value(plan, filtered_argument(agg), eqop, true, &key, &value);
	plan->lw->numbers = false;
	if (!ok)
		return false;
	if (has_datum(plan, agg, value))
	{
		state = gpuagg_regroup_new_state(row.op, GPUAGG_T_TEXT);
		state.value = value;
		state.distinct = distinct;
		return datum_output(plan, agg, &state, own);
	}
	if (!check_type(plan, agg, row, value))
		return false;
	if (row.op != GPUAGG_TRANS_COUNT && key.shown_by != 0)
		return GPUAGG_REFUSE(
			"DISTINCT of values whose decimals depend on the row is not supported");
	state = gpuagg_regroup_new_state(row.op, plan->regroup.values[value].type);
	state.value = value;
	state.distinct = distinct;
	state.collation = collation;
	return value_output(plan, row, state, &key, own);
}

/* An argument that only PostgreSQL computes, and the rows of a device's group that it counts for */
static bool
weighted_value(GpuAggRegroupPlan *plan, const Aggref *agg, Expr *arg, GpuAggRegroupState *state)
{
	if (!count_rows(plan, agg->aggfilter, &state->weight))
	{
		arg = filtered(agg, arg);
		if (!count_rows(plan, NULL, &state->weight))
			return false;
	}
	return gpuagg_regroup_computed_value(plan, arg, &state->value);
}

/* An aggregate of such an argument */
static bool
computed_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggAggregateRow row,
				   GpuAggOutput *own)
{
	GpuAggRegroupState state = gpuagg_regroup_new_state(row.op, row.type);
	GpuAggOutput key = {.scale = 0};

	if (!weighted_value(plan, agg, gpuagg_agg_arg(agg, 0), &state))
		return false;
	if (has_datum(plan, agg, state.value))
		return datum_output(plan, agg, &state, own);
	if (!check_type(plan, agg, row, state.value))
		return false;
	state.type = plan->regroup.values[state.value].type;
	return value_output(plan, row, state, &key, own);
}

/* The argument of a variance as a numeric: of integers PostgreSQL's result is the same */
static Expr *
as_numeric(uint8 type, Expr *arg)
{
	GpuAggFunctionId cast = type == GPUAGG_T_INT2 ? GPUAGG_F_NUMERIC_INT2 :
		type == GPUAGG_T_INT4 ? GPUAGG_F_NUMERIC_INT4 : GPUAGG_F_NUMERIC_INT8;

	return type == GPUAGG_T_NUMERIC ? arg :
		(Expr *) makeFuncExpr(gpuagg_function_oid(cast), NUMERICOID, list_make1(arg), InvalidOid,
							  InvalidOid, COERCE_EXPLICIT_CAST);
}

/*
 * Variances and standard deviations of an argument that only PostgreSQL computes, or of DISTINCT
 * ones
 */
static bool
computed_statistic(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggOutput *own)
{
	GpuAggRegroupState state = gpuagg_regroup_new_state(GPUAGG_TRANS_MOMENTS_F64, GPUAGG_T_FLOAT8);
	GpuAggStatisticRow row;
	Expr	   *arg;
	bool		variance;

	if (!is_plain_call(agg) || !gpuagg_lower_find_statistic(agg->aggfnoid, &row))
		return false;
	variance = row.final == GPUAGG_FINAL_VARIANCE;
	arg = gpuagg_agg_arg(agg, 0);
	if (variance)
		arg = as_numeric(row.type, arg);
	state.distinct = agg->aggdistinct != NIL;
	if (state.distinct ? !gpuagg_regroup_computed_value(plan, filtered(agg, arg), &state.value) :
		!weighted_value(plan, agg, arg, &state))
		return false;
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_MOMENTS,.count_index = -1,
		.type = row.type,.statistic = row.statistic};
	plan->needed = true;
	if (!variance)
		return plan->regroup.values[state.value].type == row.type &&
			gpuagg_regroup_add_state(plan, state, &own->index);
	own->final = GPUAGG_FINAL_DATUM_VARIANCE;
	own->type = GPUAGG_T_TEXT;
	if (!add_datum_state(plan, GPUAGG_REGROUP_SUM, &state, &own->index) ||
		!add_datum_state(plan, GPUAGG_REGROUP_SQUARES, &state, &own->squares[0]) ||
		!add_datum_count(plan, &state, &own->count_index))
		return false;
	own->squares[0]++;
	return true;
}

/* A constant argument of a pair, of rows that have the other one: a value that is computed */
static Expr *
beside(Expr *constant, Expr *other)
{
	NullTest   *test = makeNode(NullTest);
	Aggref		where = {.aggfilter = (Expr *) test};

	test->arg = other;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return filtered(&where, constant);
}

/* Correlations and the like of arguments of which only PostgreSQL computes one, or both */
static bool
computed_pair(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggOutput *own)
{
	GpuAggRegroupState state = gpuagg_regroup_new_state(GPUAGG_TRANS_COMOMENTS_F64,
														GPUAGG_T_FLOAT8);
	GpuAggStatisticRow row;
	Expr	   *y;
	Expr	   *x;

	if (!gpuagg_lower_find_statistic(agg->aggfnoid, &row) || list_length(agg->args) != 2 ||
		agg->aggdistinct != NIL || agg->aggorder != NIL || agg->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	y = gpuagg_agg_arg(agg, 0);
	x = gpuagg_agg_arg(agg, 1);
	if (gpuagg_lower_is_constant(x))
		x = beside(x, y);
	else if (gpuagg_lower_is_constant(y))
		y = beside(y, x);
	if (!weighted_value(plan, agg, y, &state) ||
		!gpuagg_regroup_computed_value(plan, x, &state.second) ||
		plan->regroup.values[state.value].type != row.type ||
		plan->regroup.values[state.second].type != row.type)
		return false;
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_MOMENTS,.count_index = -1,
		.type = row.type,.statistic = row.statistic};
	plan->needed = true;
	return gpuagg_regroup_add_state(plan, state, &own->index);
}

static bool
find_row(const Aggref *agg, GpuAggAggregateRow *row)
{
	const GpuAggAggregate *a = gpuagg_aggregate(agg->aggfnoid);

	if (a->made_of == GPUAGG_MADE_OF_NOTHING &&
		(a->kind == GPUAGG_KIND_MIN || a->kind == GPUAGG_KIND_MAX))
		*row = (GpuAggAggregateRow) {GPUAGG_T_INTERVAL, GPUAGG_TRANS_MIN_I64, GPUAGG_FINAL_DATUM};
	else if (is_sum_of(agg->aggfnoid, INTERVALOID))
		*row = (GpuAggAggregateRow) {GPUAGG_T_INTERVAL, GPUAGG_TRANS_SUM_I64, GPUAGG_FINAL_DATUM};
	else if (a->kind == GPUAGG_KIND_COUNT)
		*row = (GpuAggAggregateRow) {GPUAGG_T_INT8, GPUAGG_TRANS_COUNT, GPUAGG_FINAL_COUNT};
	else
		return gpuagg_lower_find_aggregate(agg->aggfnoid, row);
	return true;
}

static bool
repeats_matter(const GpuAggAggregateRow *row)
{
	switch (row->op)
	{
		case GPUAGG_TRANS_COUNT:
		case GPUAGG_TRANS_SUM_I64:
		case GPUAGG_TRANS_SUM_I128:
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_SUM_F64_AVG:
		case GPUAGG_TRANS_XOR_I64:
			return true;
		default:
			return false;
	}
}

/* An aggregate that the device computes */
static bool
device_aggregate(GpuAggRegroupPlan *plan, Aggref *agg, GpuAggOutput *output,
				 GpuAggOutput *own)
{
	return gpuagg_lower_aggregate(plan->lw, agg, output) &&
		merge_output(plan, output, GPUAGG_REGROUP_NONE, own);
}

/* All that are asked for, as devices meet those with this filter: without it */
static List *
without_filter(List *aggs, const Expr *filter)
{
	List	   *bare = NIL;
	ListCell   *lc;

	foreach(lc, aggs)
	{
		Aggref	   *agg = lfirst_node(Aggref, lc);

		if (equal(agg->aggfilter, filter))
		{
			agg = copyObject(agg);
			agg->aggfilter = NULL;
		}
		bare = lappend(bare, agg);
	}
	return bare;
}

/*
 * One whose filter only PostgreSQL computes: states of groups that pass it are merged.
 * Not each group need have one, which a count tells.
 */
static bool
filtered_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggOutput *own)
{
	GpuAggLower *lw = plan->lw;
	Aggref	   *bare = copyObject((Aggref *) agg);
	List	   *aggs = lw->aggs;
	bool		grouped = lw->grouped;
	GpuAggOutput output;
	int16		filter;
	bool		ok;

	if (agg->aggfilter == NULL)
		return false;
	memset(&output, 0, sizeof(output));
	bare->aggfilter = NULL;
	lw->grouped = false;
	lw->aggs = without_filter(aggs, agg->aggfilter);
	ok = gpuagg_lower_aggregate(lw, bare, &output);
	lw->aggs = aggs;
	lw->grouped = grouped;
	return ok && gpuagg_regroup_computed_value(plan, agg->aggfilter, &filter) &&
		merge_output(plan, &output, filter, own);
}

/* The device's, if it can; else PostgreSQL computes a part.  Reasons are the device's. */
static bool
plain_aggregate(GpuAggRegroupPlan *plan, Aggref *agg, const GpuAggAggregateRow *row,
				GpuAggOutput *output, GpuAggOutput *own)
{
	GpuAggRegroupMark mark;
	bool		listening = gpuagg_refuse_pause();
	bool		ok;

	gpuagg_regroup_mark(plan, &mark);
	ok = device_aggregate(plan, agg, output, own);
	if (!ok)
	{
		gpuagg_regroup_go_back(plan, &mark);
		ok = filtered_aggregate(plan, agg, own);
	}
	if (!ok)
	{
		gpuagg_regroup_go_back(plan, &mark);
		ok = row != NULL ? computed_aggregate(plan, agg, *row, own) :
			computed_statistic(plan, agg, own) || computed_pair(plan, agg, own);
	}
	gpuagg_refuse_resume(listening);
	if (!ok && listening)
		(void) gpuagg_lower_aggregate(plan->lw, agg, output);
	return ok;
}

/* min and max of strings in an order that no device has */
static bool
is_collated(const Aggref *agg, const GpuAggAggregateRow *row)
{
	return is_plain_call(agg) && gpuagg_constant_class(row->type) == GPUAGG_CLASS_BYTES &&
		row->op != GPUAGG_TRANS_COUNT && OidIsValid(agg->inputcollid) &&
		!gpuagg_collation_is_c(agg->inputcollid);
}

/*
 * An ordered-set aggregate: the backend puts the values of its argument in order, each as
 * often as the device counts rows.
 */
static bool
ordered_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggOutput *own)
{
	GpuAggRegroupSort sort = gpuagg_ordered_sort(agg);
	Expr	   *arg = gpuagg_agg_arg(agg, 0);
	GpuAggRegroupState count;
	GpuAggRegroupState state = gpuagg_regroup_new_state(GPUAGG_TRANS_MIN_BYTES, GPUAGG_T_TEXT);
	GpuAggOutput key;
	int			number;

	if (!gpuagg_ordered_check(agg))
		return false;
	if (!count_rows(plan, agg->aggfilter, &sort.weight) &&
		(!count_rows(plan, NULL, &sort.weight) ||
		 !gpuagg_regroup_computed_value(plan, agg->aggfilter, &sort.filter)))
		return false;
	/* a plan below computes it of all its rows, of those that FILTER leaves out, too */
	if (plan->lw->of_plan && !gpuagg_is_harmless((Node *) arg))
		arg = filtered(agg, arg);
	if (!gpuagg_regroup_any_value(plan, arg, sort.eqop, true, &key, &sort.value))
		return false;
	count = gpuagg_regroup_new_state(GPUAGG_TRANS_COUNT, plan->regroup.values[sort.value].type);
	count.value = sort.value;
	count.weight = sort.weight;
	count.filter = sort.filter;
	if (!gpuagg_regroup_add_state(plan, count, &number))
		return false;
	sort.count = number;
	if (!gpuagg_ordered_add_sort(&plan->regroup, sort, &key, &state.sort))
		return false;
	state.output = plan->noutputs - 1;
	plan->needed = true;
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_DATUM,.count_index = -1,.type = GPUAGG_T_TEXT};
	return gpuagg_regroup_add_state(plan, state, &own->index);
}

bool
gpuagg_regroup_aggregate(GpuAggRegroupPlan *plan, Aggref *agg, GpuAggOutput *output)
{
	GpuAggOutput *own = gpuagg_regroup_add_output(plan);
	GpuAggAggregateRow row;
	Aggref	   *call = agg;

	if (gpuagg_ordered_is(agg))
		return ordered_aggregate(plan, agg, own);
	if (!find_row(agg, &row) || !is_plain_call(agg))
		return plain_aggregate(plan, agg, NULL, output, own);
	if (is_collated(agg, &row))
		return key_aggregate(plan, agg, row, InvalidOid, false, agg->inputcollid, own);
	if (agg->aggdistinct != NIL && repeats_matter(&row))
		return key_aggregate(plan, agg, row,
							 linitial_node(SortGroupClause, agg->aggdistinct)->eqop, true,
							 InvalidOid, own);
	if (agg->aggdistinct != NIL)
	{
		call = copyObject(agg);
		call->aggdistinct = NIL;
	}
	return plain_aggregate(plan, call, &row, output, own);
}
