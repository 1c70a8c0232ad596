/*
 * input_paths.c
 *		Paths of the inputs of joins (input_paths.h).
 *
 * An input is run by the backend before the task begins, by PostgreSQL's cheapest path
 * of it, projected to keys and needed columns.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "planner/join/join_path.h"
#include "planner/offer/path_cost.h"
#include "planner/path/agg_input.h"
#include "planner/path/input_paths.h"

/* The cheapest path of the input, with these columns */
static Path *
projected(PlannerInfo *root, RelOptInfo *rel, PathTarget *target)
{
	return (Path *) create_projection_path(root, rel, rel->cheapest_total_path,
										   set_pathtarget_cost_width(root, target));
}

/* GROUP BY the keys, which the target has first, with their numbers */
static List *
key_clauses(const GpuAggLookupLower *lookup)
{
	List	   *clauses = NIL;

	for (int i = 0; i < lookup->nkeys; i++)
	{
		SortGroupClause *clause = makeNode(SortGroupClause);

		clause->tleSortGroupRef = i + 1;
		get_sort_group_operators(exprType(list_nth(lookup->columns, i)), false, true, false,
								 &clause->sortop, &clause->eqop, NULL, &clause->hashable);
		clauses = lappend(clauses, clause);
	}
	return clauses;
}

/* The column as the grouping has it; its aggregates are numbered by themselves. */
static Expr *
grouped_column(Expr *column, int *naggs)
{
	Aggref	   *call;

	if (!IsA(column, Aggref))
		return column;
	call = copyObject((Aggref *) column);
	call->aggno = call->aggtransno = (*naggs)++;
	return (Expr *) call;
}

/* The input's rows, grouped by a device or by PostgreSQL: what costs less */
static Path *
folded_path(PlannerInfo *root, const GpuAggLookupLower *lookup, GpuAggTryTable try_table)
{
	PathTarget *input = create_empty_pathtarget();
	PathTarget *target = create_empty_pathtarget();
	List	   *clauses = key_clauses(lookup);
	AggClauseCosts costs;
	Path	   *postgres;
	Path	   *device = NULL;
	int			naggs = 0;
	ListCell   *lc;

	foreach(lc, lookup->columns)
	{
		const int	n = foreach_current_index(lc);
		const Index ref = n < lookup->nkeys ? n + 1 : 0;

		if (ref > 0)
			add_column_to_pathtarget(input, lfirst(lc), ref);
		add_column_to_pathtarget(target, grouped_column(lfirst(lc), &naggs), ref);
	}
	add_new_columns_to_pathtarget(input, pull_var_clause((Node *) target->exprs,
														 PVC_RECURSE_AGGREGATES |
														 PVC_INCLUDE_PLACEHOLDERS));
	memset(&costs, 0, sizeof(costs));
	costs.transCost.per_tuple = naggs * cpu_operator_cost;
	costs.transitionSpace = naggs * 16;
	postgres = (Path *) create_agg_path(root, lookup->rel, projected(root, lookup->rel, input),
										set_pathtarget_cost_width(root, target), AGG_HASHED,
										AGGSPLIT_SIMPLE, clauses, NIL, &costs, lookup->rows);
	if (postgres->total_cost > gpuagg_cost_floor())
		device = gpuagg_agg_input_path(root, lookup->rel, input, target, clauses, try_table);
	return device != NULL && device->total_cost < postgres->total_cost ? device : postgres;
}

static Path *
input_path(PlannerInfo *root, const GpuAggLookupLower *lookup, GpuAggTryTable try_table)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *lc;

	if (lookup->folded)
		return folded_path(root, lookup, try_table);
	foreach(lc, lookup->columns)
		add_column_to_pathtarget(target, (Expr *) lfirst(lc), 0);
	return projected(root, lookup->rel, target);
}

List *
gpuagg_input_paths(const GpuAggLower *lw, GpuAggTryTable try_table)
{
	List	   *paths = NIL;

	for (int i = 0; i < lw->nlookups; i++)
	{
		if (gpuagg_join_is_child(&lw->lookups[i]))
			paths = lappend(paths, input_path(lw->root, &lw->lookups[i], try_table));
	}
	return paths;
}
