/*
 * regroup_values.c
 *		What the groups of a device give to those that are made of them
 *		(regroup_values.h).
 *
 * A computed expression is one of columns, without volatile functions.  Of a column whose
 * equal values may look unlike each other (-0 and 0), or of a type that no device knows,
 * such as jsonb, what is stored is the key: values that are equal may be several, which
 * does no harm.
 * Where tables are joined, columns of any of them may be read.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_key.h"
#include "planner/lower/lower_own_scale.h"
#include "planner/regroup/regroup_values.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"

void
gpuagg_regroup_mark(const GpuAggRegroupPlan *plan, GpuAggRegroupMark *mark)
{
	mark->lower = gpuagg_lower_mark(plan->lw);
	mark->plan = *plan;
	mark->ntransitions = plan->lw->ntransitions;
	mark->lower_keys = plan->lw->nkeys;
	mark->keys = list_length(plan->keys);
	mark->exprs = list_length(plan->exprs);
}

void
gpuagg_regroup_go_back(GpuAggRegroupPlan *plan, const GpuAggRegroupMark *mark)
{
	GpuAggOutput *outputs = plan->outputs;
	int			noutputs = plan->noutputs;

	gpuagg_lower_reset(plan->lw, mark->lower);
	plan->lw->ntransitions = mark->ntransitions;
	plan->lw->nkeys = mark->lower_keys;
	*plan = mark->plan;
	plan->outputs = outputs;
	plan->noutputs = noutputs;
	/* lists grow in place */
	plan->keys = list_truncate(plan->keys, mark->keys);
	plan->exprs = list_truncate(plan->exprs, mark->exprs);
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
	/* field by field: plans of several tables are compared by their bytes */
	*number = r->nvalues;
	r->values[r->nvalues].type = value.type;
	r->values[r->nvalues].computed = value.computed;
	r->values[r->nvalues].number = value.number;
	r->values[r->nvalues].typlen = value.typlen;
	r->values[r->nvalues].typbyval = value.typbyval;
	r->values[r->nvalues].reads = value.reads;
	r->values[r->nvalues++].form = value.form;
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
	if (output->final == GPUAGG_FINAL_KEY_NUMBER)
	{
		r->inputs[output->index].lookup = output->lookup;
		r->inputs[output->index].column = output->column;
	}
	return true;
}

/*
 * Does it read numerics that no device has a form of, as is known already?  A row with such a
 * value is evaluated by itself, but it has no place as a finer key.
 */
static bool
reads_strange(GpuAggLower *lw, Expr *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS))
		if (IsA(lfirst(lc), Var) && gpuagg_lower_is_strange(lw, lfirst(lc)))
			return true;
	return false;
}

static bool
key_value(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, GpuAggOutput *output, int16 *number)
{
	GpuAggRegroupValue value = {.computed = false};

	if (!add_device_key(plan, expr, eqop, output))
		return false;
	value.type = plan->lw->keys[output->index].type;
	value.number = output->index;
	value.reads = UINT32_C(1) << output->index;
	return add_value(plan, value, number);
}

/* ----------------------------------------------------- computed expressions --- */

/* Functions of how a value is stored, which equal values do not share */
static bool
is_of_storage(Oid function, void *context)
{
	return (gpuagg_function(function)->traits & GPUAGG_IS_OF_STORAGE) != 0;
}

/* Is it a column of the table, or of one that is joined before? */
static bool
is_column(const GpuAggLower *lw, const Var *var)
{
	return (var->varno == lw->rel->relid || lw->nlookups > 0) && var->varlevelsup == 0 &&
		var->varattno > 0;
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
			return !is_column(lw, (Var *) node);
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
	const bool	numbers = plan->lw->numbers;
	GpuAggRegroupInput *input;
	bool		ok;
	int			before;

	/* a string's number will do: what reads it has the string */
	plan->lw->numbers = plan->joined;
	ok = !gpuagg_lower_looks_unlike_equals(var) && !gpuagg_lower_is_strange(plan->lw, var) &&
		add_device_key(plan, (Expr *) var, InvalidOid, output);
	plan->lw->numbers = numbers;
	if (ok)
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

/* *reads: bits of the keys that they are */
static bool
add_columns(GpuAggRegroupPlan *plan, Expr *expr, uint32 *reads)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, 0))
	{
		Var		   *var = lfirst_node(Var, lc);
		GpuAggOutput output;

		if (!add_column(plan, var, &output))
			return false;
		plan->regroup.inputs[output.index].read = true;
		plan->columns[output.index] = var;
		*reads |= UINT32_C(1) << output.index;
	}
	return true;
}

/* An expression that PostgreSQL computes; false leaves all as it was, or is final. */
bool
gpuagg_regroup_computed_value(GpuAggRegroupPlan *plan, Expr *expr, int16 *number)
{
	GpuAggRegroupValue value = {.computed = true};

	if (gpuagg_lower_is_constant(expr) || contain_volatile_functions((Node *) expr) ||
		not_computable((Node *) expr, plan->lw) || expression_returns_set((Node *) expr) ||
		!gpuagg_regroup_form(expr, &value) || !add_columns(plan, expr, &value.reads))
		return false;
	for (value.number = 0; value.number < list_length(plan->exprs); value.number++)
		if (equal(list_nth(plan->exprs, value.number), expr))
			break;
	if (value.number == list_length(plan->exprs))
		plan->exprs = lappend(plan->exprs, expr);
	plan->needed = true;
	return add_value(plan, value, number);
}

/* As a key of the device, or else computed; reasons are those against the former. */
bool
gpuagg_regroup_any_value(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, bool finer,
						 GpuAggOutput *output, int16 *number)
{
	const bool	listening = gpuagg_refuse_pause();
	const bool	strange = finer && reads_strange(plan->lw, expr);
	GpuAggRegroupMark mark;
	bool		ok;

	gpuagg_regroup_mark(plan, &mark);
	ok = !strange && key_value(plan, expr, eqop, output, number);
	if (!ok)
	{
		gpuagg_regroup_go_back(plan, &mark);
		ok = gpuagg_regroup_computed_value(plan, expr, number);
		if (ok)
			*output = (GpuAggOutput) {
				.final = GPUAGG_FINAL_KEY,
				.count_index = -1,
				.type = plan->regroup.values[*number].type
			};
	}
	if (!ok && strange)
	{
		gpuagg_regroup_go_back(plan, &mark);
		ok = key_value(plan, expr, eqop, output, number);
	}
	gpuagg_refuse_resume(listening);
	if (!ok && listening)
		(void) gpuagg_lower_key(plan->lw, expr, eqop, output);
	return ok;
}

/* --------------------------------------------------------------- states --- */

bool
gpuagg_regroup_add_state(GpuAggRegroupPlan *plan, GpuAggRegroupState state, int *number)
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
		return GPUAGG_REFUSE("the aggregates need more than %d running values in each group",
							 GPUAGG_MAX_TRANSITIONS);
	*number = r->nstates++;
	r->states[*number] = state;
	return true;
}

GpuAggRegroupState
gpuagg_regroup_new_state(uint8 op, uint8 type)
{
	GpuAggRegroupState state;

	memset(&state, 0, sizeof(state));
	state.op = op;
	state.type = type;
	state.merge = state.value = state.second = GPUAGG_REGROUP_NONE;
	state.weight = state.filter = GPUAGG_REGROUP_NONE;
	state.output = state.sort = state.key = GPUAGG_REGROUP_NONE;
	return state;
}

/* A transition of the device, merged where the filter is true */
bool
gpuagg_regroup_add_merge(GpuAggRegroupPlan *plan, int transition, int16 filter, int *number)
{
	const GpuAggTransition *t = &plan->lw->transitions[transition];
	GpuAggRegroupState state = gpuagg_regroup_new_state(t->op, t->type);

	state.merge = transition;
	state.filter = filter;
	return gpuagg_regroup_add_state(plan, state, number);
}

/* What decides on how an output is shown, if that is a transition */
bool
gpuagg_regroup_merge_shown(GpuAggRegroupPlan *plan, const GpuAggOutput *output, int16 filter,
			GpuAggOutput *own)
{
	if (output->shown_by == 0)
		return true;
	if (!gpuagg_regroup_add_merge(plan, output->shown_by - 1, filter, &own->shown_by))
		return false;
	own->shown_by++;
	return true;
}

/* A state that is a Datum of this value */
GpuAggRegroupState
gpuagg_regroup_datum_state(const GpuAggRegroupPlan *plan, GpuAggRegroupDatumOp op, int16 value)
{
	GpuAggRegroupState state = gpuagg_regroup_new_state(GPUAGG_TRANS_MIN_BYTES, GPUAGG_T_TEXT);

	state.datum = op;
	state.value = value;
	return state;
}
