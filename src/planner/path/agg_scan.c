/*
 * agg_scan.c
 *		The CustomScan that a GpuAgg path becomes, if it is chosen (agg_scan.h).
 */
#include "postgres.h"

#include "compat.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/lower/lower_expr.h"
#include "planner/path/agg_path.h"
#include "planner/path/agg_scan.h"
#include "planner/path/agg_tables.h"
#include "planner/path/row_joins.h"
#include "planner/plan/plan.h"
#include "planner/rewrite/correlated.h"

/* What a path keeps for its plan */
enum
{
	SCAN_PACKED,				/* custom_private (plan.h) */
	SCAN_COLUMNS,				/* of custom_scan_tlist */
	SCAN_RUNTIME,				/* custom_exprs */
	SCAN_HAVING,
	SCAN_OUTPUTS				/* a List of the outputs of joined rows, or NIL */
};

static List *
member(const CustomPath *path, int which)
{
	return list_nth(path->custom_private, which);
}

static void
set_member(CustomPath *path, int which, List *list)
{
	lfirst(list_nth_cell(path->custom_private, which)) = list;
}

/*
 * The row plan of a table is to be a bare SeqScan.  Where quals without columns have
 * put a Result on it, they become quals of the scan, before the others.
 */
static Plan *
bare_row_scan(Plan *plan)
{
	Plan	   *scan = plan;

	if (IsA(plan, Result))
	{
		scan = plan->lefttree;
		scan->targetlist = plan->targetlist;
		scan->qual = list_concat(copyObject((List *) ((Result *) plan)->resconstantqual),
								 scan->qual);
	}
	if (!IsA(scan, SeqScan))
		elog(ERROR, "gpuagg: row plan is not a sequential scan");
	return scan;
}

static Plan *
bare_row_plan(Plan *plan)
{
	ListCell   *lc;

	if (!IsA(plan, Append))
		return bare_row_scan(plan);
	foreach(lc, ((Append *) plan)->appendplans)
		lfirst(lc) = bare_row_scan(lfirst(lc));
	return plan;
}

static bool
is_regrouped(List *packed)
{
	List	   *programs;
	List	   *program_of;
	int			pruned;
	bool		shared;

	if (!gpuagg_plan_has_tables(packed))
		return gpuagg_plan_unpack(packed)->regroup != NULL;
	gpuagg_plan_unpack_tables(packed, &programs, &program_of, &pruned, &shared);
	return gpuagg_plan_unpack(linitial(programs))->regroup != NULL;
}

/*
 * A subquery may stand in several of our plans.  PostgreSQL renumbers the tables of its
 * partitions and the like where they are, once for each place, and EXPLAIN would follow
 * numbers of tables that are not there.  Without them it names partitions by themselves.
 */
static void
forget_append_rels(PlannerInfo *root)
{
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		RelOptInfo *rel = root->simple_rel_array[i];

		if (rel == NULL || rel->subroot == NULL)
			continue;
		rel->subroot->append_rel_list = NIL;
		forget_append_rels(rel->subroot);
	}
}

static Plan *
plan_custom_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	List	   *packed = member(best_path, SCAN_PACKED);
	List	   *outputs = member(best_path, SCAN_OUTPUTS);
	List	   *joined;
	CustomScan *plan = makeNode(CustomScan);
	ListCell   *lc;

	forget_append_rels(root);
	gpuagg_correlated_planned(root);
	if (!gpuagg_plan_is_of_plan(packed))
		lfirst(list_nth_cell(custom_plans, GPUAGG_PLAN_ROWS)) =
			bare_row_plan(list_nth(custom_plans, GPUAGG_PLAN_ROWS));
	if (is_regrouped(packed) && !gpuagg_plan_is_of_plan(packed))
		lfirst(list_last_cell(custom_plans)) = bare_row_plan(llast(custom_plans));
	if (outputs != NIL &&
		gpuagg_joined_outputs(root, list_nth(custom_plans, GPUAGG_PLAN_FALLBACK),
							  bms_singleton_member(best_path->path.parent->relids),
							  linitial(outputs), &joined))
		packed = gpuagg_plan_pack_joined(packed, joined);
	plan->scan.scanrelid = 0;
	plan->scan.plan.targetlist = tlist;
	plan->scan.plan.qual = gpuagg_order_quals(root, member(best_path, SCAN_HAVING));
	plan->flags = best_path->flags;
	plan->custom_plans = custom_plans;
	plan->custom_exprs = member(best_path, SCAN_RUNTIME);
	plan->custom_private = packed;
	foreach(lc, member(best_path, SCAN_COLUMNS))
		plan->custom_scan_tlist =
			lappend(plan->custom_scan_tlist,
					makeTargetEntry((Expr *) copyObject(lfirst(lc)),
									foreach_current_index(lc) + 1, NULL,
									false));
	plan->methods = GetCustomScanMethods(GPUAGG_NODE_NAME, false);
	return &plan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = GPUAGG_NODE_NAME,
	.PlanCustomPath = plan_custom_path
};

void
gpuagg_agg_scan_of(CustomPath *path, const GpuAggGrouping *g, List *runtime, List *outputs)
{
	path->methods = &path_methods;
	path->custom_private = list_make5(NIL, NIL, NIL, NIL, NIL);
	set_member(path, SCAN_PACKED,
			   g->tables != NULL ? gpuagg_agg_tables_pack(g) : gpuagg_plan_pack(&g->info));
	set_member(path, SCAN_COLUMNS, g->exprs);
	set_member(path, SCAN_RUNTIME, runtime);
	set_member(path, SCAN_HAVING, g->having);
	set_member(path, SCAN_OUTPUTS, outputs);
}
