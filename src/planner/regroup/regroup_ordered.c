/*
 * regroup_ordered.c
 *		Plans ordered-set aggregates (regroup_ordered.h).
 *
 * The argument is one more key of the device.  The backend sorts its values and knows
 * how many rows each stands for (node/regroup/ordered_sets.c), which is all that percentiles
 * and the mode are made of.  Fractions are computed when the answer is made: they are
 * without columns, and without what only the query's own plan could set.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/plan/refuse.h"
#include "planner/regroup/regroup_ordered.h"
#include "planner/value/args.h"
#include "utils/lsyscache.h"

bool
gpuagg_ordered_is(const Aggref *agg)
{
	return gpuagg_aggregate(agg->aggfnoid)->made_of == GPUAGG_MADE_OF_ORDER;
}

static bool
has_exec_param(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_EXTERN;
	return expression_tree_walker(node, has_exec_param, context);
}

bool
gpuagg_ordered_check(const Aggref *agg)
{
	Node	   *direct = (Node *) agg->aggdirectargs;

	if (agg->aggsplit != AGGSPLIT_SIMPLE || agg->agglevelsup != 0 ||
		list_length(agg->args) != 1 || list_length(agg->aggorder) != 1)
		return GPUAGG_REFUSE("aggregate %s is not supported in this form",
							 get_func_name(agg->aggfnoid));
	if (contain_var_clause(direct) || has_exec_param(direct, NULL) ||
		contain_volatile_functions(direct))
		return GPUAGG_REFUSE("the fraction of %s is neither a constant nor a parameter",
							 get_func_name(agg->aggfnoid));
	return true;
}

GpuAggRegroupSort
gpuagg_ordered_sort(const Aggref *agg)
{
	const SortGroupClause *order = linitial_node(SortGroupClause, agg->aggorder);
	GpuAggRegroupSort sort;

	memset(&sort, 0, sizeof(sort));
	sort.type = exprType(gpuagg_agg_arg(agg, 0));
	sort.sortop = order->sortop;
	sort.eqop = order->eqop;
	sort.collation = agg->inputcollid;
	sort.filter = GPUAGG_REGROUP_NONE;
	sort.nulls_first = order->nulls_first;
	return sort;
}

bool
gpuagg_ordered_add_sort(GpuAggRegroup *r, GpuAggRegroupSort sort, const GpuAggOutput *key,
						int16 *number)
{
	const GpuAggRegroupValue *value = &r->values[sort.value];

	if (key->final == GPUAGG_FINAL_KEY_TEXT)
		return GPUAGG_REFUSE("ordered-set aggregates of texts of time are not supported");
	if (!value->computed)
	{
		GpuAggRegroupInput *input = &r->inputs[value->number];

		input->sorted = true;
		input->scale = key->scale;
		input->shown = key->shown;
		input->shown_by = key->shown_by;
	}
	for (int i = 0; i < r->nsorts; i++)
	{
		if (memcmp(&r->sorts[i], &sort, sizeof(sort)) == 0)
		{
			*number = i;
			return true;
		}
	}
	if (r->nsorts == GPUAGG_REGROUP_SORTS)
		return GPUAGG_REFUSE("ordered-set aggregates in more than %d orders",
							 GPUAGG_REGROUP_SORTS);
	*number = r->nsorts;
	r->sorts[r->nsorts++] = sort;
	return true;
}
