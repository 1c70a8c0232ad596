/*
 * regroup_plan.c
 *		Plans groupings whose groups the backend makes of finer ones (regroup_plan.h).
 *
 *	- DISTINCT in an aggregate: its argument is one more key of the device, and enters
 *	  once.  With FILTER that key is CASE WHEN filter THEN argument END, since all
 *	  aggregates ignore NULL.  Aggregates that a repeated value does not change, such
 *	  as max, are computed as if DISTINCT were not there.
 *	- Ordered-set aggregates: so is what they sort (regroup_ordered.c).
 *	- min and max of strings under any collation: so is the string, which PostgreSQL's
 *	  comparison orders.
 *	- GROUPING SETS: the device groups by all keys, and each set is made of that.
 *	- What a device cannot compute of keys, WHERE, FILTER and arguments: its columns are
 *	  keys of the device, and PostgreSQL computes it once for each group, whose rows
 *	  are counted where they count.
 *
 * A computed expression is one of columns, without volatile functions.  Of a column whose
 * equal values may look unlike each other (-0 and 0), or of a type that no device knows,
 * such as jsonb, what is stored is the key: values that are equal may be several, which does no harm.  A condition is computed for rows that pass what
 * the device tests, and its errors are those of such rows.  So it goes behind all
 * conditions that PostgreSQL would test after it only if it can raise no error.
 * No security level matters: the device's conditions come first, and an error that
 * one of them raises for a row which a computed one hides is PostgreSQL's to judge,
 * which answers then.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "planner/harmless.h"
#include "planner/regroup_ordered.h"
#include "planner/regroup_plan.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

GpuAggRegroupPlan *
gpuagg_regroup_begin(GpuAggLower *lw)
{
	GpuAggRegroupPlan *plan = palloc0(sizeof(GpuAggRegroupPlan));

	plan->lw = lw;
	plan->regroup.grouped = lw->grouped;
	plan->regroup.nsets = 1;
	plan->regroup.sets[0].keys = ~UINT32_C(0);
	plan->regroup.numbered = lw->root->parse->groupingSets != NIL;
	return plan;
}

/* The output's twin, of the query's groups */
static GpuAggOutput *
add_output(GpuAggRegroupPlan *plan)
{
	GpuAggOutput *output;

	if (plan->outputs == NULL)
		plan->outputs = palloc(sizeof(GpuAggOutput));
	else
		plan->outputs = repalloc(plan->outputs, (plan->noutputs + 1) * sizeof(GpuAggOutput));
	output = &plan->outputs[plan->noutputs++];
	memset(output, 0, sizeof(*output));
	return output;
}

/* --------------------------------------------------------------- values --- */

static bool
add_value(GpuAggRegroupPlan *plan, GpuAggRegroupValue value, int16 *number)
{
	GpuAggRegroup *r = &plan->regroup;

	for (int i = 0; i < r->nvalues; i++)
	{
		if (r->values[i].computed == value.computed && r->values[i].number == value.number)
		{
			*number = i;
			return true;
		}
	}
	if (r->nvalues == GPUAGG_REGROUP_VALUES)
		return GPUAGG_REFUSE("groups would have to be made of more than %d values",
							 GPUAGG_REGROUP_VALUES);
	*number = r->nvalues;
	r->values[r->nvalues++] = value;
	return true;
}

/* An expression as a key of the device; output is as gpuagg_lower_key() fills it */
static bool
add_device_key(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, GpuAggOutput *output)
{
	GpuAggRegroup *r = &plan->regroup;
	int			before = plan->lw->nkeys;

	if (!gpuagg_lower_key(plan->lw, expr, eqop, output))
		return false;
	if (plan->lw->nkeys > before)
		plan->keys = lappend(plan->keys, expr);
	if (output->final != GPUAGG_FINAL_KEY)
		r->inputs[output->index].final = output->final;
	return true;
}

static bool
key_value(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, GpuAggOutput *output, int16 *number)
{
	GpuAggRegroupValue value;

	if (!add_device_key(plan, expr, eqop, output))
		return false;
	value.type = plan->lw->keys[output->index].type;
	value.computed = false;
	value.number = output->index;
	return add_value(plan, value, number);
}

/* ----------------------------------------------------- computed expressions --- */

static bool
looks_unlike_equals(const Var *var)
{
	int32		typmod = var->vartypmod;

	switch (getBaseTypeAndTypmod(var->vartype, &typmod))
	{
		case FLOAT4OID:
		case FLOAT8OID:
		case INTERVALOID:
			return true;
		case BPCHAROID:
		case NUMERICOID:
			return typmod < VARHDRSZ;
		default:
			return false;
	}
}

/* Functions of how a value is stored, which equal values do not share */
static bool
is_of_storage(Oid function, void *context)
{
	return function == F_PG_COLUMN_SIZE || function == F_PG_COLUMN_COMPRESSION;
}

/* Finds what keeps an expression from being computed of its columns. */
static bool
not_computable(Node *node, void *context)
{
	const GpuAggLower *lw = context;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			return ((Var *) node)->varno != lw->rel->relid || ((Var *) node)->varlevelsup != 0 ||
				((Var *) node)->varattno <= 0;
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_PlaceHolderVar:
		case T_CurrentOfExpr:
			return true;
		default:
			return check_functions_in_node(node, is_of_storage, NULL) ||
				expression_tree_walker(node, not_computable, context);
	}
}

/* A column that an expression reads: as its type is, or as it is stored */
static bool
add_column(GpuAggRegroupPlan *plan, Var *var, GpuAggOutput *output)
{
	GpuAggRegroupInput *input;
	int			before;

	if (!looks_unlike_equals(var) && add_device_key(plan, (Expr *) var, InvalidOid, output))
		return true;
	before = plan->lw->nkeys;
	if (!gpuagg_lower_stored_key(plan->lw, var, output))
		return false;
	if (plan->lw->nkeys > before)
		plan->keys = lappend(plan->keys, var);
	input = &plan->regroup.inputs[output->index];
	input->final = output->final;
	input->scale = output->scale;
	return true;
}

static bool
add_columns(GpuAggRegroupPlan *plan, Expr *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, 0))
	{
		Var		   *var = lfirst_node(Var, lc);
		GpuAggOutput output;
		Oid			collation = exprCollation((Node *) var);

		if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
			return false;
		if (!add_column(plan, var, &output))
			return false;
		plan->regroup.inputs[output.index].attno = var->varattno;
	}
	return true;
}

/*
 * Types whose values are keys and arguments as they are constants.  Numerics, intervals
 * and jsonb are told apart by bytes, and what they look like is kept beside.
 */
static bool
computed_type(Oid typid, GpuAggRegroupValue *value)
{
	switch (getBaseType(typid))
	{
		case NUMERICOID:
			value->type = GPUAGG_T_TEXT;
			value->form = GPUAGG_REGROUP_NUMERIC;
			return true;
		case INTERVALOID:
			value->type = GPUAGG_T_TEXT;
			value->form = GPUAGG_REGROUP_INTERVAL;
			return true;
		case JSONBOID:
			value->type = GPUAGG_T_TEXT;
			value->form = GPUAGG_REGROUP_JSONB;
			return true;
		default:
			return gpuagg_constant_type(typid, &value->type) && value->type <= GPUAGG_T_CODE;
	}
}

/* An expression that PostgreSQL computes; false leaves all as it was, or is final. */
static bool
computed_value(GpuAggRegroupPlan *plan, Expr *expr, int16 *number)
{
	GpuAggRegroupValue value = {.computed = true};
	Oid			collation = exprCollation((Node *) expr);

	if (gpuagg_lower_is_constant(expr) || contain_volatile_functions((Node *) expr) ||
		not_computable((Node *) expr, plan->lw) || expression_returns_set((Node *) expr) ||
		!computed_type(exprType((Node *) expr), &value) ||
		(OidIsValid(collation) && !get_collation_isdeterministic(collation)) ||
		!add_columns(plan, expr))
		return false;
	for (value.number = 0; value.number < list_length(plan->exprs); value.number++)
		if (equal(list_nth(plan->exprs, value.number), expr))
			break;
	if (value.number == list_length(plan->exprs))
		plan->exprs = lappend(plan->exprs, expr);
	plan->needed = true;
	return add_value(plan, value, number);
}

/* ----------------------------------------------------------------- keys --- */

static bool
add_query_key(GpuAggRegroupPlan *plan, int16 value, int scale, int *number)
{
	GpuAggRegroup *r = &plan->regroup;

	/* of grouping sets one may be in a set and its equal not */
	for (int i = 0; i < r->nkeys && !r->numbered; i++)
	{
		if (r->keys[i] == value)
		{
			*number = i;
			return true;
		}
	}
	if (r->nkeys + r->numbered == GPUAGG_MAX_KEYS)
		return GPUAGG_REFUSE("more than %d group keys", GPUAGG_MAX_KEYS);
	*number = r->nkeys++;
	r->keys[*number] = value;
	r->scales[*number] = scale;
	return true;
}

/* As a key of the device, or else computed; reasons are those against the former. */
static bool
any_value(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, GpuAggOutput *output, int16 *number)
{
	GpuAggMark	mark = gpuagg_lower_mark(plan->lw);
	bool		listening = gpuagg_refuse_pause();
	bool		ok = key_value(plan, expr, eqop, output, number);

	if (!ok)
	{
		gpuagg_lower_reset(plan->lw, mark);
		ok = computed_value(plan, expr, number);
		if (ok)
			*output = (GpuAggOutput) {
				.final = GPUAGG_FINAL_KEY,
				.count_index = -1,
				.type = plan->regroup.values[*number].type
			};
	}
	gpuagg_refuse_resume(listening);
	if (!ok && listening)
		(void) gpuagg_lower_key(plan->lw, expr, eqop, output);
	return ok;
}

/* ----------------------------------------------------------- aggregates --- */

static bool
add_state(GpuAggRegroupPlan *plan, GpuAggRegroupState state, int *number)
{
	GpuAggRegroup *r = &plan->regroup;

	for (int i = 0; i < r->nstates; i++)
	{
		if (memcmp(&r->states[i], &state, sizeof(state)) == 0)
		{
			*number = i;
			return true;
		}
	}
	if (r->nstates == GPUAGG_MAX_TRANSITIONS)
		return GPUAGG_REFUSE("the aggregates need more than %d transition states",
							 GPUAGG_MAX_TRANSITIONS);
	*number = r->nstates++;
	r->states[*number] = state;
	return true;
}

static GpuAggRegroupState
new_state(uint8 op, uint8 type)
{
	GpuAggRegroupState state;

	memset(&state, 0, sizeof(state));
	state.op = op;
	state.type = type;
	state.merge = state.value = state.weight = state.filter = GPUAGG_REGROUP_NONE;
	state.output = state.sort = GPUAGG_REGROUP_NONE;
	return state;
}

/* A transition of the device, merged where the filter is true */
static bool
add_merge(GpuAggRegroupPlan *plan, int transition, int16 filter, int *number)
{
	const GpuAggTransition *t = &plan->lw->transitions[transition];
	GpuAggRegroupState state = new_state(t->op, t->type);

	state.merge = transition;
	state.filter = filter;
	return add_state(plan, state, number);
}

/* What decides on how an output is shown, if that is a transition */
static bool
merge_shown(GpuAggRegroupPlan *plan, const GpuAggOutput *output, int16 filter,
			GpuAggOutput *own)
{
	if (output->shown_by == 0)
		return true;
	if (!add_merge(plan, output->shown_by - 1, filter, &own->shown_by))
		return false;
	own->shown_by++;
	return true;
}

/* The sums of an interval's parts, which must stay side by side */
static bool
merge_sums(GpuAggRegroupPlan *plan, const GpuAggOutput *output, int16 filter,
		   GpuAggOutput *own)
{
	for (int i = 0; i < output->scale; i++)
	{
		int			number;

		if (!add_merge(plan, output->index + i, filter, &number))
			return false;
		if (i == 0)
			own->index = number;
		else if (number != own->index + i)
			return GPUAGG_REFUSE("sums of intervals in this combination cannot be made of finer groups");
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
	else if (!add_merge(plan, output->index, filter, &own->index))
		return false;
	if (output->count_index >= 0 &&
		!add_merge(plan, output->count_index, filter, &own->count_index))
		return false;
	for (int i = 0; i < GPUAGG_SQUARE_PARTS; i++)
	{
		if (output->squares[i] == 0)
			continue;
		if (!add_merge(plan, output->squares[i] - 1, filter, &own->squares[i]))
			return false;
		own->squares[i]++;
	}
	return merge_shown(plan, output, filter, own);
}

/* A state that is a Datum of this value */
static GpuAggRegroupState
datum_state(const GpuAggRegroupPlan *plan, GpuAggRegroupDatumOp op, int16 value)
{
	GpuAggRegroupState state = new_state(GPUAGG_TRANS_MIN_BYTES, GPUAGG_T_TEXT);

	state.datum = op;
	state.value = value;
	return state;
}

/* A key that the bytes it is told by do not show */
static bool
datum_key(GpuAggRegroupPlan *plan, Oid type, Oid eqop, int16 value, GpuAggOutput *own)
{
	int			number;

	if (plan->regroup.numbered)
		return GPUAGG_REFUSE("a key of grouping sets of type %s that no device computes",
							 format_type_be(type));
	if (OidIsValid(eqop) && eqop != lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr)
		return GPUAGG_REFUSE("a group key is compared by an operator that is not its type's");
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_DATUM,.count_index = -1,.type = GPUAGG_T_TEXT};
	return add_query_key(plan, value, 0, &number) &&
		add_state(plan, datum_state(plan, GPUAGG_REGROUP_FIRST, value), &own->index);
}

bool
gpuagg_regroup_key(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, GpuAggOutput *output)
{
	GpuAggOutput *own = add_output(plan);
	int16		value;

	if (!any_value(plan, expr, eqop, output, &value))
		return false;
	if (plan->regroup.values[value].form != GPUAGG_REGROUP_CONSTANT)
		return datum_key(plan, getBaseType(exprType((Node *) expr)), eqop, value, own);
	*own = *output;
	return merge_shown(plan, output, GPUAGG_REGROUP_NONE, own) &&
		add_query_key(plan, value, output->scale, &own->index);
}

/* The argument where the filter is true, else NULL, which aggregates ignore */
static Expr *
filtered_argument(const Aggref *agg)
{
	Expr	   *arg = linitial_node(TargetEntry, agg->args)->expr;
	CaseExpr   *expr;
	CaseWhen   *when;

	if (agg->aggfilter == NULL)
		return arg;
	when = makeNode(CaseWhen);
	when->expr = agg->aggfilter;
	when->result = arg;
	when->location = -1;
	expr = makeNode(CaseExpr);
	expr->casetype = exprType((Node *) arg);
	expr->casecollid = exprCollation((Node *) arg);
	expr->args = list_make1(when);
	expr->defresult = (Expr *) makeNullConst(expr->casetype, exprTypmod((Node *) arg),
											 expr->casecollid);
	expr->location = -1;
	return (Expr *) expr;
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
	if (!add_state(plan, state, &own->index))
		return false;
	if (count)
		return true;
	state.op = GPUAGG_TRANS_COUNT;
	state.collation = InvalidOid;
	return add_state(plan, state, &own->count_index);
}

static bool
check_type(const GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggAggregateRow row, int value)
{
	if (row.op == GPUAGG_TRANS_COUNT ||
		(plan->regroup.values[value].type == row.type && row.final <= GPUAGG_FINAL_BYTES))
		return true;
	return GPUAGG_REFUSE("aggregate %s of this argument is not supported",
						 get_func_name(agg->aggfnoid));
}

/* An aggregate of a value that is a key */
static bool
key_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggAggregateRow row, Oid eqop,
			  bool distinct, Oid collation, GpuAggOutput *own)
{
	GpuAggRegroupState state;
	GpuAggOutput key;
	int16		value;

	if (!any_value(plan, filtered_argument(agg), eqop, &key, &value) ||
		!check_type(plan, agg, row, value))
		return false;
	if (row.op != GPUAGG_TRANS_COUNT && key.shown_by != 0)
		return GPUAGG_REFUSE("DISTINCT of values whose decimals depend on the row is not supported");
	state = new_state(row.op, plan->regroup.values[value].type);
	state.value = value;
	state.distinct = distinct;
	state.collation = collation;
	return value_output(plan, row, state, &key, own);
}

/* Which transition of the device counts rows that pass this filter? */
static bool
count_rows(GpuAggRegroupPlan *plan, const Aggref *agg, Expr *filter, int16 *number)
{
	Aggref	   *count = copyObject((Aggref *) agg);
	GpuAggOutput output;
	int			before = plan->lw->ntransitions;

	memset(&output, 0, sizeof(output));
	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->args = NIL;
	count->aggargtypes = NIL;
	count->aggorder = NIL;
	count->aggkind = AGGKIND_NORMAL;
	count->aggdirectargs = NIL;
	count->aggstar = true;
	count->aggfilter = filter;
	if (!gpuagg_lower_aggregate(plan->lw, count, &output))
	{
		plan->lw->ntransitions = before;
		return false;
	}
	*number = output.index;
	return true;
}

/* Sum or average of numerics that PostgreSQL computes, and adds */
static bool
numeric_output(GpuAggRegroupPlan *plan, bool average, int16 value, int16 weight,
			   GpuAggOutput *own)
{
	GpuAggRegroupState sum = datum_state(plan, GPUAGG_REGROUP_SUM, value);
	GpuAggRegroupState count = new_state(GPUAGG_TRANS_COUNT, GPUAGG_T_TEXT);

	sum.weight = count.weight = weight;
	count.value = value;
	own->final = average ? GPUAGG_FINAL_DATUM_AVG : GPUAGG_FINAL_DATUM;
	own->type = GPUAGG_T_TEXT;
	plan->needed = true;
	return add_state(plan, sum, &own->index) && add_state(plan, count, &own->count_index);
}

/* The least or greatest of the numerics or intervals that PostgreSQL computes */
static bool
extreme_output(GpuAggRegroupPlan *plan, GpuAggRegroupDatumOp op, int16 value, int16 weight,
			   GpuAggOutput *own)
{
	GpuAggRegroupState state = datum_state(plan, op, value);

	state.weight = weight;
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_DATUM,.count_index = -1,.type = GPUAGG_T_TEXT};
	plan->needed = true;
	return add_state(plan, state, &own->index);
}

static GpuAggRegroupDatumOp
extreme_op(Oid aggfnoid)
{
	switch (aggfnoid)
	{
		case F_MIN_NUMERIC:
		case F_MIN_INTERVAL:
			return GPUAGG_REGROUP_LEAST;
		case F_MAX_NUMERIC:
		case F_MAX_INTERVAL:
			return GPUAGG_REGROUP_GREATEST;
		default:
			return GPUAGG_REGROUP_STATE;
	}
}

/*
 * An aggregate whose argument only PostgreSQL computes: once for the rows that a group of
 * the device has.  Sums of floats would be other ones.
 */
static bool
computed_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggAggregateRow row,
				   GpuAggOutput *own)
{
	GpuAggRegroupState state = new_state(row.op, row.type);
	GpuAggOutput key = {.scale = 0};
	Expr	   *arg = linitial_node(TargetEntry, agg->args)->expr;
	int16		value;

	if (row.op == GPUAGG_TRANS_SUM_F64 || row.op == GPUAGG_TRANS_SUM_F64_AVG ||
		row.op == GPUAGG_TRANS_XOR_I64)
		return false;
	if (!count_rows(plan, agg, agg->aggfilter, &state.weight))
	{
		arg = filtered_argument(agg);
		if (!count_rows(plan, agg, NULL, &state.weight))
			return false;
	}
	if (!computed_value(plan, arg, &value))
		return false;
	if (plan->regroup.values[value].form == GPUAGG_REGROUP_NUMERIC &&
		(agg->aggfnoid == F_SUM_NUMERIC || agg->aggfnoid == F_AVG_NUMERIC))
		return numeric_output(plan, agg->aggfnoid == F_AVG_NUMERIC, value, state.weight, own);
	if (extreme_op(agg->aggfnoid) != GPUAGG_REGROUP_STATE &&
		plan->regroup.values[value].form != GPUAGG_REGROUP_CONSTANT)
		return extreme_output(plan, extreme_op(agg->aggfnoid), value, state.weight, own);
	if (!check_type(plan, agg, row, value))
		return false;
	state.value = value;
	state.type = plan->regroup.values[value].type;
	return value_output(plan, row, state, &key, own);
}

static bool
find_row(const Aggref *agg, GpuAggAggregateRow *row)
{
	if (agg->aggfnoid == F_MIN_INTERVAL || agg->aggfnoid == F_MAX_INTERVAL)
		*row = (GpuAggAggregateRow) {GPUAGG_T_INTERVAL, GPUAGG_TRANS_MIN_I64, GPUAGG_FINAL_DATUM};
	else if (agg->aggfnoid == F_COUNT_ANY)
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

/*
 * One whose filter only PostgreSQL computes: states of groups that pass it are merged.
 * Not each group need have one, which a count tells.
 */
static bool
filtered_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggOutput *own)
{
	GpuAggLower *lw = plan->lw;
	Aggref	   *bare = copyObject((Aggref *) agg);
	bool		grouped = lw->grouped;
	GpuAggOutput output;
	int16		filter;
	bool		ok;

	if (agg->aggfilter == NULL)
		return false;
	memset(&output, 0, sizeof(output));
	bare->aggfilter = NULL;
	lw->grouped = false;
	ok = gpuagg_lower_aggregate(lw, bare, &output);
	lw->grouped = grouped;
	return ok && computed_value(plan, agg->aggfilter, &filter) &&
		merge_output(plan, &output, filter, own);
}

/* The device's, if it can; else PostgreSQL computes a part.  Reasons are the device's. */
static bool
plain_aggregate(GpuAggRegroupPlan *plan, Aggref *agg, const GpuAggAggregateRow *row,
				GpuAggOutput *output, GpuAggOutput *own)
{
	GpuAggMark	mark = gpuagg_lower_mark(plan->lw);
	int			before = plan->lw->ntransitions;
	bool		listening = gpuagg_refuse_pause();
	bool		ok = device_aggregate(plan, agg, output, own);

	if (!ok)
	{
		plan->lw->ntransitions = before;
		gpuagg_lower_reset(plan->lw, mark);
		ok = filtered_aggregate(plan, agg, own);
	}
	if (!ok && row != NULL)
	{
		plan->lw->ntransitions = before;
		gpuagg_lower_reset(plan->lw, mark);
		ok = computed_aggregate(plan, agg, *row, own);
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
		!gpuagg_collation_is_c(agg->inputcollid) &&
		get_collation_isdeterministic(agg->inputcollid);
}

/*
 * An ordered-set aggregate: the backend puts the values of its argument in order, each as
 * often as the device counts rows.
 */
static bool
ordered_aggregate(GpuAggRegroupPlan *plan, const Aggref *agg, GpuAggOutput *own)
{
	GpuAggRegroupSort sort = gpuagg_ordered_sort(agg);
	Expr	   *arg = linitial_node(TargetEntry, agg->args)->expr;
	GpuAggRegroupState count;
	GpuAggRegroupState state = new_state(GPUAGG_TRANS_MIN_BYTES, GPUAGG_T_TEXT);
	GpuAggOutput key;
	int			number;

	if (!gpuagg_ordered_check(agg))
		return false;
	if (!count_rows(plan, agg, agg->aggfilter, &sort.weight) &&
		(!count_rows(plan, agg, NULL, &sort.weight) ||
		 !computed_value(plan, agg->aggfilter, &sort.filter)))
		return false;
	if (!any_value(plan, arg, sort.eqop, &key, &sort.value))
		return false;
	count = new_state(GPUAGG_TRANS_COUNT, plan->regroup.values[sort.value].type);
	count.value = sort.value;
	count.weight = sort.weight;
	count.filter = sort.filter;
	if (!add_state(plan, count, &number))
		return false;
	sort.count = number;
	if (!gpuagg_ordered_add_sort(&plan->regroup, sort, &key, &state.sort))
		return false;
	state.output = plan->noutputs - 1;
	plan->needed = true;
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_DATUM,.count_index = -1,.type = GPUAGG_T_TEXT};
	return add_state(plan, state, &own->index);
}

bool
gpuagg_regroup_aggregate(GpuAggRegroupPlan *plan, Aggref *agg, GpuAggOutput *output)
{
	GpuAggOutput *own = add_output(plan);
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

/* ---------------------------------------------------------------- WHERE --- */

/*
 * Parts the conditions, in PostgreSQL's order, into those of the device and those that
 * PostgreSQL computes.  False: one that might raise an error would pass by others.
 */
static bool
part_clauses(GpuAggRegroupPlan *plan, List *clauses, List **device, List **computed)
{
	bool		harmless = true;
	ListCell   *lc;

	foreach(lc, gpuagg_order_quals(plan->lw->root, clauses))
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		GpuAggMark	mark = gpuagg_lower_mark(plan->lw);
		GpuAggValue value;

		if (rinfo->pseudoconstant || gpuagg_lower_expr(plan->lw, rinfo->clause, &value))
		{
			if (!harmless && !rinfo->pseudoconstant)
				return false;
			*device = lappend(*device, rinfo);
		}
		else
		{
			harmless &= gpuagg_is_harmless((Node *) rinfo->clause);
			*computed = lappend(*computed, rinfo->clause);
		}
		gpuagg_lower_reset(plan->lw, mark);
	}
	return true;
}

static bool
compute_filter(GpuAggRegroupPlan *plan, List *clauses)
{
	GpuAggRegroup *r = &plan->regroup;
	List	   *device = NIL;
	List	   *computed = NIL;
	ListCell   *lc;

	if (!part_clauses(plan, clauses, &device, &computed) ||
		list_length(computed) > GPUAGG_REGROUP_FILTERS ||
		!gpuagg_lower_filter(plan->lw, device))
		return false;
	plan->device_clauses = device;
	foreach(lc, computed)
	{
		if (!computed_value(plan, lfirst(lc), &r->filters[r->nfilters]))
			return false;
		r->nfilters++;
	}
	return true;
}

bool
gpuagg_regroup_filter(GpuAggRegroupPlan *plan, List *clauses)
{
	GpuAggMark	mark = gpuagg_lower_mark(plan->lw);
	bool		listening = gpuagg_refuse_pause();
	bool		ok = gpuagg_lower_filter(plan->lw, clauses);

	if (!ok)
	{
		gpuagg_lower_reset(plan->lw, mark);
		plan->lw->gate = -1;
		ok = compute_filter(plan, clauses);
	}
	gpuagg_refuse_resume(listening);
	if (!ok && listening)
		(void) gpuagg_lower_filter(plan->lw, clauses);
	return ok;
}

/* -------------------------------------------------------- GROUPING SETS --- */

bool
gpuagg_regroup_sets(GpuAggRegroupPlan *plan, List *sets, List *refs)
{
	GpuAggRegroup *r = &plan->regroup;
	ListCell   *lc;
	ListCell   *ref;

	if (list_length(sets) > GPUAGG_REGROUP_SETS)
		return GPUAGG_REFUSE("more than %d grouping sets", GPUAGG_REGROUP_SETS);
	plan->needed = true;
	r->nsets = 0;
	foreach(lc, sets)
	{
		GpuAggRegroupSet *set = &r->sets[r->nsets++];

		set->keys = 0;
		foreach(ref, refs)
		{
			int			n = foreach_current_index(ref);

			if (lfirst_int(ref) == 0 || list_member_int((List *) lfirst(lc), lfirst_int(ref)))
				set->keys |= UINT32_C(1) << plan->outputs[n].index;
		}
	}
	return true;
}

bool
gpuagg_regroup_grouping(GpuAggRegroupPlan *plan, const List *sets, const GroupingFunc *call,
						GpuAggOutput *output)
{
	GpuAggRegroup *r = &plan->regroup;
	GpuAggOutput *own = add_output(plan);
	const ListCell *lc;
	ListCell   *ref;

	if (r->ngroupings == GPUAGG_REGROUP_GROUPINGS ||
		r->nkeys + 2 + r->ngroupings > GPUAGG_MAX_KEYS)
		return GPUAGG_REFUSE("more than %d different calls of GROUPING()",
							 GPUAGG_REGROUP_GROUPINGS);
	foreach(lc, sets)
	{
		int32	   *bits = &r->sets[foreach_current_index(lc)].groupings[r->ngroupings];

		*bits = 0;
		foreach(ref, call->refs)
			*bits = *bits << 1 | !list_member_int((List *) lfirst(lc), lfirst_int(ref));
	}
	output->final = own->final = GPUAGG_FINAL_KEY;
	output->type = own->type = GPUAGG_T_INT4;
	output->count_index = own->count_index = -1;
	own->index = r->nkeys + 1 + r->ngroupings++;
	return true;
}

/* --------------------------------------------------------------- finish --- */

GpuAggRegroup *
gpuagg_regroup_finish(GpuAggRegroupPlan *plan, GpuAggOutput *outputs)
{
	GpuAggRegroup *r = &plan->regroup;

	if (!plan->needed)
		return NULL;
	r->ninputs = plan->lw->nkeys;
	for (int i = 0; i < r->nsets; i++)
		r->sets[i].keys &= (uint32) ((UINT64CONST(1) << r->nkeys) - 1);
	memcpy(outputs, plan->outputs, plan->noutputs * sizeof(GpuAggOutput));
	return r;
}

/* Unless the first set's keys and a value of DISTINCT are all keys of the device */
bool
gpuagg_regroup_repeats(const GpuAggRegroupPlan *plan)
{
	const GpuAggRegroup *r = &plan->regroup;

	for (int i = 0; i < r->nstates; i++)
		if (r->states[i].distinct && (r->nsets > 1 || r->nkeys + 1 < r->ninputs))
			return true;
	return false;
}
