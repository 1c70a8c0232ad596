/*
 * row_joins.c
 *		What execution needs to join single rows by PostgreSQL's own plan (row_joins.h).
 *
 * A row of the table that is read may have a value that no device reads: one that is compressed
 * or stored elsewhere, NaN, a numeric of many digits.  The joins of the fallback plan can be run
 * for such rows alone if a sequential scan, one of each partition, which gives them then, is all
 * that reads the table, and is read once: on the outer side of nested loops, not below anything
 * that groups.  Outputs of the program are evaluated over the rows that come of it
 * (node/row/joined_rows.c).
 */
#include "postgres.h"

#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "planner/path/agg_plan.h"
#include "planner/path/row_joins.h"
#include "planner/plan/plan.h"
#include "rewrite/rewriteManip.h"

/* Is it the table, or a partition or child of it? */
static bool
is_of_table(const PlannerInfo *root, Index relid, Index table)
{
	while (relid != table && root->append_rel_array != NULL &&
		   root->append_rel_array[relid] != NULL)
		relid = root->append_rel_array[relid]->parent_relid;
	return relid == table;
}

/* Is the table read here, once from start to end? */
static bool
reads_once(const PlannerInfo *root, const Plan *plan, Index table)
{
	const ListCell *lc;

	switch (nodeTag(plan))
	{
		case T_SeqScan:
			return is_of_table(root, ((const Scan *) plan)->scanrelid, table);
		case T_Append:
			foreach(lc, ((const Append *) plan)->appendplans)
				if (!IsA(lfirst(lc), SeqScan) || !reads_once(root, lfirst(lc), table))
					return false;
			return true;
		case T_HashJoin:
		case T_MergeJoin:
			return reads_once(root, plan->lefttree, table) ||
				reads_once(root, plan->righttree, table);
		case T_NestLoop:
			return reads_once(root, plan->lefttree, table) ||
				(IsA(plan->righttree, Material) && reads_once(root, plan->righttree, table));
		case T_Hash:
		case T_Material:
		case T_Sort:
		case T_IncrementalSort:
		case T_Gather:
		case T_GatherMerge:
			return reads_once(root, plan->lefttree, table);
		case T_Result:
			return plan->lefttree != NULL && reads_once(root, plan->lefttree, table);
		default:
			return false;
	}
}

typedef struct OverPlan
{
	List	   *targetlist;
	bool		failed;
} OverPlan;

/* Expressions over a plan's rows: columns of it, or made of these */
static Node *
over_plan(Node *node, void *context)
{
	OverPlan   *over = context;
	TargetEntry *tle;

	if (node == NULL)
		return NULL;
	tle = IsA(node, Const) ? NULL : tlist_member((Expr *) node, over->targetlist);
	if (tle != NULL)
		return (Node *) makeVarFromTargetEntry(OUTER_VAR, tle);
	/* what of it is NULL by an outer join is not known here */
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
		over->failed = true;
	return over->failed ? node : expression_tree_mutator(node, over_plan, context);
}

bool
gpuagg_joined_outputs(PlannerInfo *root, Plan *fallback, Index table, List *exprs, List **outputs)
{
	const Plan *plan = gpuagg_plan_joins(fallback);
	OverPlan	over = {0};

	if (plan == NULL || !reads_once(root, plan, table) || contain_subplans((Node *) exprs) ||
		gpuagg_agg_plan_locks_rows(root) || gpuagg_agg_plan_own_functions(root))
		return false;
	over.targetlist = plan->targetlist;
	*outputs = (List *) over_plan(gpuagg_before_grouping(root, (Node *) exprs), &over);
	if (over.failed)
		return false;
	fix_opfuncids((Node *) *outputs);
	return true;
}
