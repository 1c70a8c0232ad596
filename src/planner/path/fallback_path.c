/*
 * fallback_path.c
 *		PostgreSQL's own aggregation, as the fallback plan of a GpuAgg path
 *		(fallback_path.h).
 *
 * It hashes, unless an aggregate has DISTINCT, for which PostgreSQL sorts.  Of grouping
 * sets each is hashed, or sorted, for itself: the plan runs when a device has failed.
 */
#include "postgres.h"

#include "compat.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "planner/path/fallback_path.h"

static Path *
sorted(PlannerInfo *root, Path *scan, List *pathkeys)
{
	return pathkeys == NIL ? scan :
		(Path *) create_sort_path(root, scan->parent, scan, pathkeys, -1);
}

/*
 * It sorts where a type of the keys (money, bit) has no hash function, or an aggregate
 * wants its input in order.  Keys that are all redundant make one group, if there are rows.
 */
static Path *
agg_path(PlannerInfo *root, RelOptInfo *rel, Path *scan, PathTarget *target, List *clause,
		 AggSplit split, AggClauseCosts *costs, bool sort, double groups)
{
	List	   *needed = gpuagg_needed_keys(root, clause);
	AggStrategy strategy = clause == NIL ? AGG_PLAIN :
		sort || needed == NIL || !grouping_is_hashable(needed) ? AGG_SORTED : AGG_HASHED;

	if (sort)
		scan = sorted(root, scan, root->group_pathkeys);
	else if (strategy == AGG_SORTED)
		scan = sorted(root, scan, gpuagg_group_pathkeys(root, needed));
	return (Path *) create_agg_path(root, rel, scan, target, strategy, split, needed,
									NIL, costs, groups);
}

/* ------------------------------------------------------- grouping sets --- */

/* A set, as places among the rollup's clauses */
static void
add_set(RollupData *rollup, List *set, double groups)
{
	GroupingSetData *data = makeNode(GroupingSetData);
	List	   *places = NIL;

	for (int i = 0; i < list_length(set); i++)
		places = lappend_int(places, i);
	data->set = set;
	data->numGroups = groups;
	rollup->gsets = lappend(rollup->gsets, places);
	rollup->gsets_data = lappend(rollup->gsets_data, data);
	rollup->numGroups += groups;
}

static RollupData *
set_rollup(PlannerInfo *root, List *set, bool sort, double groups)
{
	RollupData *rollup = makeNode(RollupData);
	ListCell   *lc;

	foreach(lc, set)
		rollup->groupClause = lappend(rollup->groupClause,
									  get_sortgroupref_clause(lfirst_int(lc),
															  root->parse->groupClause));
	add_set(rollup, set, groups);
	rollup->hashable = true;
	rollup->is_hashed = !sort;
	return rollup;
}

/*
 * The rollup that so many empty sets join: one that is sorted, or else one of their own,
 * the last.
 */
static List *
add_empty_sets(List *rollups, int n, bool sort)
{
	RollupData *rollup;

	if (n == 0)
		return rollups;
	if (!sort || rollups == NIL)
		rollups = lappend(rollups, makeNode(RollupData));
	rollup = llast(rollups);
	for (int i = 0; i < n; i++)
		add_set(rollup, NIL, 1);
	return rollups;
}

static Path *
sets_path(PlannerInfo *root, RelOptInfo *rel, Path *scan, PathTarget *target,
		  AggClauseCosts *costs, bool sort, double groups)
{
	RelOptInfo *parent = palloc(sizeof(RelOptInfo));
	List	   *rollups = NIL;
	int			empty = 0;
	double		each = groups / list_length(root->parse->groupingSets);
	AggStrategy strategy = AGG_SORTED;
	ListCell   *lc;

	foreach(lc, root->parse->groupingSets)
	{
		if (lfirst(lc) == NIL)
			empty++;
		else
			rollups = lappend(rollups, set_rollup(root, lfirst(lc), sort, each));
	}
	if (rollups != NIL && sort)
		scan = sorted(root, scan,
					  gpuagg_group_pathkeys(root, linitial_node(RollupData, rollups)->groupClause));
	else if (rollups != NIL)
		strategy = empty == 0 ? AGG_HASHED : AGG_MIXED;
	*parent = *rel;
	parent->reltarget = target;
	return (Path *) gpuagg_groupingsets_path(root, parent, scan, strategy,
											 add_empty_sets(rollups, empty, sort), costs,
											 groups);
}

/* ------------------------------------------------------------------ both --- */

Path *
gpuagg_fallback_path(PlannerInfo *root, RelOptInfo *rel, Path *scan, PathTarget *target,
					 List *clause, AggSplit split, double groups)
{
	bool		sort = root->numOrderedAggs > 0;
	bool		sort_sets = sort || !grouping_is_hashable(root->parse->groupClause);
	AggClauseCosts costs;

	memset(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, split, &costs);
	if (root->parse->groupingSets != NIL)
		return sets_path(root, rel, scan, target, &costs, sort_sets, groups);
	return agg_path(root, rel, scan, target, clause, split, &costs, sort, groups);
}
