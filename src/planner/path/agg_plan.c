/*
 * agg_plan.c
 *		Groupings of the rows of a plan (agg_plan.h).
 *
 *		Custom Scan (GpuAgg)
 *		  -> any plan
 *
 * PostgreSQL runs the plan below, whatever it is: a function, VALUES, a WITH query that is
 * materialised, a join that cannot be a look-up, a subquery with LIMIT or windows, a set
 * operation, a foreign or temporary table.  It evaluates keys, arguments and filters in the
 * plan's target list.  The device is a hash aggregate, no more; which pays with many groups
 * (path_cost.c).
 *
 * An argument whose FILTER is not true must not be evaluated, so one that might raise an
 * error stands in a CASE.
 *
 * The plan may be run again: by a task on another device, and, as a copy, below the fallback
 * plan.  So nothing in the query may be volatile.
 *
 * A grouping that a foreign server does is left to it.  Tables that a device could read
 * by itself are not taken so: what refuses them there is what gpuagg.why_not() tells.
 *
 * Does not handle: sub-selects in keys and arguments, set-returning functions beside the
 * grouping, the recursive part of a WITH query, samples.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/lower/lower_agg.h"
#include "planner/path/agg_plan.h"
#include "planner/value/harmless.h"
#include "utils/lsyscache.h"

/* ------------------------------------------------------------- possible --- */

/* Is it a table that devices read, or refuse for a reason that is the table's? */
static bool
is_readable(PlannerInfo *root, RelOptInfo *rel)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

	if (rte->rtekind != RTE_RELATION)
		return false;
	return rte->inh || rte->tablesample != NULL ||
		(rte->relkind != RELKIND_FOREIGN_TABLE &&
		 get_rel_persistence(rte->relid) != RELPERSISTENCE_TEMP);
}

/* What a query reads; its subqueries are in their entries */
static bool
reads_volatile(PlannerInfo *root)
{
	ListCell   *lc;

	if (contain_volatile_functions((Node *) root->parse->jointree))
		return true;
	foreach(lc, root->parse->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->self_reference || rte->tablesample != NULL ||
			contain_volatile_functions((Node *) rte->subquery) ||
			contain_volatile_functions((Node *) rte->functions) ||
			contain_volatile_functions((Node *) rte->tablefunc) ||
			contain_volatile_functions((Node *) rte->values_lists))
			return true;
	}
	/* sub-selects, and WITH queries */
	foreach(lc, root->glob->subroots)
		if (contain_volatile_functions((Node *) lfirst_node(PlannerInfo, lc)->parse))
			return true;
	return false;
}

/* Are there other queries in it?  Most have none, and expressions need not be looked through. */
static bool
has_queries(const Query *query)
{
	ListCell   *lc;

	if (query->hasSubLinks || query->cteList != NIL)
		return true;
	foreach(lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->subquery != NULL)
			return true;
	return false;
}

static bool
locks_rows(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return ((Query *) node)->rowMarks != NIL ||
			query_tree_walker((Query *) node, locks_rows, context,
							  QTW_IGNORE_CTE_SUBQUERIES);
	return expression_tree_walker(node, locks_rows, context);
}

/*
 * FOR UPDATE and its like, also in subqueries.  A plan of these must not stand in two
 * places of ours: PostgreSQL renumbers the tables of its LockRows where they are, not in a
 * copy, so that the second place would name tables that are not there.
 */
bool
gpuagg_agg_plan_locks_rows(PlannerInfo *root)
{
	return root->parse->rowMarks != NIL ||
		(has_queries(root->parse) && locks_rows((Node *) root->parse, NULL));
}

static bool
reads_sets(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return ((Query *) node)->groupingSets != NIL ||
			query_tree_walker((Query *) node, reads_sets, context, QTW_IGNORE_CTE_SUBQUERIES);
	return expression_tree_walker(node, reads_sets, context);
}

/*
 * Grouping sets of a subquery.  A plan of these must not stand in two places either: the
 * columns that GROUPING() looks at are noted once for the subquery (grouping_map), and the two
 * plans may number them differently.
 */
bool
gpuagg_agg_plan_reads_sets(PlannerInfo *root)
{
	return has_queries(root->parse) &&
		query_tree_walker(root->parse, reads_sets, NULL, QTW_IGNORE_CTE_SUBQUERIES);
}

/* Then no row need come here. */
static bool
is_grouped_elsewhere(const RelOptInfo *grouped_rel)
{
	ListCell   *lc;

	foreach(lc, grouped_rel->pathlist)
		if (IsA(lfirst(lc), ForeignPath))
			return true;
	return false;
}

bool
gpuagg_agg_plan_possible(PlannerInfo *root, RelOptInfo *rel, RelOptInfo *grouped_rel)
{
	if (IS_DUMMY_REL(rel) || rel->cheapest_total_path == NULL ||
		rel->cheapest_total_path->param_info != NULL || !bms_is_empty(rel->lateral_relids) ||
		bms_is_empty(rel->relids) || root->parse->hasTargetSRFs ||
		gpuagg_agg_plan_locks_rows(root) || gpuagg_agg_plan_reads_sets(root))
		return false;
	if (rel->reloptkind != RELOPT_JOINREL &&
		(rel->reloptkind != RELOPT_BASEREL || is_readable(root, rel)))
		return false;
	return !is_grouped_elsewhere(grouped_rel) && !reads_volatile(root);
}

static bool
is_own(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

static bool
own_functions(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, own_functions, context, 0);
	return check_functions_in_node(node, is_own, context) ||
		expression_tree_walker(node, own_functions, context);
}

/* Also in subqueries, and in the queries of WITH */
bool
gpuagg_agg_plan_own_functions(PlannerInfo *root)
{
	return own_functions((Node *) root->parse, NULL);
}

/* ---------------------------------------------------------------- paths --- */

Path *
gpuagg_agg_plan_scan_path(const GpuAggGrouping *g)
{
	return g->input_rel->cheapest_total_path;
}

/* The outputs of the program, in their order */
static List *
output_exprs(const GpuAggLower *lw)
{
	List	   *exprs = NIL;

	for (int i = 0; i < lw->nkeys; i++)
		exprs = lappend(exprs, lw->key_exprs[i]);
	for (int i = 0; i < lw->ntransitions; i++)
	{
		const bool	filtered = lw->transitions[i].filter != GPUAGG_NO_REG;

		if (lw->transitions[i].arg != GPUAGG_NO_REG)
			exprs = lappend(exprs, filtered && !gpuagg_is_harmless((Node *) lw->arg_exprs[i]) ?
							gpuagg_lower_filtered(lw->arg_exprs[i], lw->filter_exprs[i]) :
							lw->arg_exprs[i]);
		if (filtered)
			exprs = lappend(exprs, lw->filter_exprs[i]);
	}
	return exprs;
}

Path *
gpuagg_agg_plan_row_path(const GpuAggGrouping *g)
{
	return (Path *) create_projection_path(g->root, g->input_rel, gpuagg_agg_plan_scan_path(g),
										   gpuagg_grouping_target(g->root, output_exprs(g->lw)));
}

Path *
gpuagg_agg_plan_shown_path(const GpuAggGrouping *g, List *exprs)
{
	return (Path *) create_group_result_path(g->root, g->input_rel,
											 gpuagg_grouping_target(g->root, exprs), NIL);
}

/* ----------------------------------------------------------------- cost --- */

void
gpuagg_agg_plan_cost_input(const GpuAggGrouping *g, const Path *rows, GpuAggCostInput *input)
{
	input->rows = g->info.est_rows;
	input->tasks = 1;
	input->plan_cost = rows->total_cost;
	input->plan_values = list_length(rows->pathtarget->exprs);
}
