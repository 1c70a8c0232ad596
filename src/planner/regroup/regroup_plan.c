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
 * A condition is computed for rows that pass what the device tests, and its errors are
 * those of such rows.  So it goes behind all conditions that PostgreSQL would test after
 * it, and behind joins, only if it can raise no error.
 * No security level matters: the device's conditions come first, and an error that
 * one of them raises for a row which a computed one hides is PostgreSQL's to judge,
 * which answers then.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_own_scale.h"
#include "planner/plan/regroup_device.h"
#include "planner/plan/regroup_parts.h"
#include "planner/regroup/regroup_plan.h"
#include "planner/regroup/regroup_values.h"
#include "planner/value/harmless.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* Strange columns of these expressions are read as they are stored. */
static void
store_columns(GpuAggLower *lw, List *exprs)
{
	GpuAggLowered value;
	ListCell   *lc;

	foreach (lc,
			 pull_var_clause((Node *) exprs,
							 PVC_RECURSE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS |
								 PVC_RECURSE_WINDOWFUNCS))
	{
		const Var  *var = lfirst_node(Var, lc);

		if (gpuagg_lower_is_strange(lw, var))
			(void) gpuagg_lower_column(lw, var->varattno, GPUAGG_T_TEXT, gpuagg_scale(0),
									   &value);
	}
}

static bool
told_apart(Node *node, void *context)
{
	const Aggref *agg = (const Aggref *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && (agg->aggdistinct != NIL || agg->aggkind == AGGKIND_ORDERED_SET))
		store_columns(context, agg->args);
	return expression_tree_walker(node, told_apart, context);
}

/*
 * A column is read in one form.  What is told apart needs the stored one where numerics are
 * strange, so that is settled before anything else reads the column.
 */
static void
find_told_apart(GpuAggLower *lw)
{
	const Query *parse = lw->root->parse;

	if (lw->of_plan)
		return;
	(void) told_apart((Node *) lw->root->processed_tlist, lw);
	(void) told_apart(parse->havingQual, lw);
	if (parse->groupingSets != NIL)
		store_columns(lw, get_sortgrouplist_exprs(parse->groupClause, lw->root->processed_tlist));
}

GpuAggRegroupPlan *
gpuagg_regroup_begin(GpuAggLower *lw, bool joined)
{
	GpuAggRegroupPlan *plan = palloc0(sizeof(GpuAggRegroupPlan));

	plan->lw = lw;
	plan->joined = joined;
	plan->regroup.grouped = lw->grouped;
	plan->regroup.nsets = 1;
	plan->regroup.sets[0].keys = ~UINT32_C(0);
	plan->regroup.numbered = lw->root->parse->groupingSets != NIL;
	find_told_apart(lw);
	return plan;
}

void
gpuagg_regroup_free(GpuAggRegroupPlan *plan)
{
	if (plan->outputs != NULL)
		pfree(plan->outputs);
	pfree(plan);
}

/* The output's twin, of the query's groups */
GpuAggOutput *
gpuagg_regroup_add_output(GpuAggRegroupPlan *plan)
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

/* A key that the bytes it is told by do not show */
static bool
datum_key(GpuAggRegroupPlan *plan, Oid type, Oid eqop, int16 value, GpuAggOutput *own)
{
	GpuAggRegroupState state = gpuagg_regroup_datum_state(plan, GPUAGG_REGROUP_FIRST, value);
	int			number;

	if (OidIsValid(eqop) && eqop != lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr)
		return GPUAGG_REFUSE("a group key is compared by an operator that is not its type's");
	if (!add_query_key(plan, value, 0, &number))
		return false;
	state.key = number;
	*own = (GpuAggOutput) {.final = GPUAGG_FINAL_DATUM,.count_index = -1,.type = GPUAGG_T_TEXT};
	return gpuagg_regroup_add_state(plan, state, &own->index);
}

bool
gpuagg_regroup_key(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, GpuAggOutput *output)
{
	GpuAggOutput *own = gpuagg_regroup_add_output(plan);
	int16		value;
	bool		ok;

	plan->lw->numbers = plan->joined;
	ok = gpuagg_regroup_any_value(plan, expr, eqop, plan->lw->root->parse->groupingSets != NIL,
								  output, &value);
	plan->lw->numbers = false;
	if (!ok)
		return false;
	if (plan->regroup.values[value].form != GPUAGG_REGROUP_CONSTANT)
		return datum_key(plan, getBaseType(exprType((Node *) expr)), eqop, value, own);
	*own = *output;
	return gpuagg_regroup_merge_shown(plan, output, GPUAGG_REGROUP_NONE, own) &&
		add_query_key(plan, value, output->scale, &own->index);
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
		GpuAggLowered value;

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
	return harmless || !plan->joined;
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
		if (!gpuagg_regroup_computed_value(plan, lfirst(lc), &r->filters[r->nfilters]))
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

/* The key that an output is */
static int
key_of(const GpuAggRegroupPlan *plan, const GpuAggOutput *output)
{
	return output->final == GPUAGG_FINAL_DATUM ? plan->regroup.states[output->index].key :
		output->index;
}

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
				set->keys |= UINT32_C(1) << key_of(plan, &plan->outputs[n]);
		}
	}
	return true;
}

bool
gpuagg_regroup_grouping(GpuAggRegroupPlan *plan, const List *sets, const GroupingFunc *call,
						GpuAggOutput *output)
{
	GpuAggRegroup *r = &plan->regroup;
	GpuAggOutput *own = gpuagg_regroup_add_output(plan);
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
	r->ninputs = r->ntargets = plan->lw->nkeys;
	for (int i = 0; i < r->ninputs; i++)
		r->targets[i] = i;
	for (int i = 0; i < r->nsets; i++)
		r->sets[i].keys &= (uint32) ((UINT64CONST(1) << r->nkeys) - 1);
	gpuagg_regroup_find_parts(r);
	/* there are none where a query has constant keys alone */
	if (plan->noutputs > 0)
		memcpy(outputs, plan->outputs, plan->noutputs * sizeof(GpuAggOutput));
	return r;
}

/*
 * Expressions as they read a tuple of the device's keys: the n-th column is the n-th key.
 */
static Node *
of_keys(Node *node, void *context)
{
	const GpuAggRegroupPlan *plan = context;

	if (node == NULL)
		return NULL;
	for (int i = 0; IsA(node, Var) && i < plan->regroup.ninputs; i++)
	{
		const Var  *var = (Var *) node;
		const Var  *column = plan->columns[i];

		if (column != NULL && column->varno == var->varno && column->varattno == var->varattno)
			return (Node *) makeVar(1, i + 1, var->vartype, var->vartypmod, var->varcollid, 0);
	}
	return expression_tree_mutator(node, of_keys, context);
}

List *
gpuagg_regroup_of_keys(GpuAggRegroupPlan *plan)
{
	return (List *) of_keys((Node *) plan->exprs, plan);
}

List *
gpuagg_regroup_shown(const GpuAggRegroupPlan *plan)
{
	List	   *shown = NIL;

	for (int i = 0; i < plan->regroup.ninputs; i++)
		shown = lappend(shown, plan->columns[i] != NULL ? (Expr *) plan->columns[i] :
						plan->lw->key_exprs[i]);
	return list_concat(shown, plan->exprs);
}

double
gpuagg_regroup_passing(const GpuAggRegroupPlan *plan, const RelOptInfo *rel)
{
	double		passed;

	if (plan->regroup.nfilters == 0)
		return 1;
	passed = rel->tuples * clauselist_selectivity(plan->lw->root, plan->device_clauses, 0,
												  JOIN_INNER, NULL);
	return Max(passed / Max(rel->rows, 1), 1);
}

Bitmapset *
gpuagg_regroup_repeated(const GpuAggRegroup *r)
{
	Bitmapset  *values = NULL;

	for (int i = 0; i < r->nstates; i++)
		if (r->states[i].distinct && !r->states[i].absent &&
			!gpuagg_regroup_enters_once(r, r->states[i].value))
			values = bms_add_member(values, r->states[i].value);
	return values;
}
