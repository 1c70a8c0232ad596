/*
 * agg_path.c
 *		Adds a GpuAgg path where PostgreSQL groups the rows of one table, or keeps
 *		the distinct ones, joined with others or not (join_path.c).  Where no device can
 *		read what is grouped, the rows of PostgreSQL's plan may be (agg_plan.c).
 *
 * Called from create_upper_paths_hook once PostgreSQL has added its own
 * paths to the grouping relation.  The tests come cheapest first, because
 * most queries are not for us.  What is left is lowered: WHERE, then the
 * group keys, then columns that the target list needs beside them (they
 * depend functionally on the keys, so they can be keys too), then the
 * aggregates of target list and HAVING.  These are the columns of
 * custom_scan_tlist; PostgreSQL computes HAVING and the target list from
 * them, so whatever stands above a grouping step (projection, set-returning
 * functions, windows, ORDER BY, LIMIT) needs no care here.
 *
 * A group key without columns ($1, now()) is one value for all rows: it is
 * no column of the tuple, PostgreSQL computes it above.  If there is no
 * other key, a key "true" keeps the meaning of GROUP BY: no rows, no group.
 *
 * Privileges and row security need no code: permissions are checked for the
 * range table as always, and policies are quals of the table (see
 * lower_expr.c about their order).
 *
 * Several tables, of which partitions, inheritance or UNION ALL make one, are
 * agg_tables.c's.  What a device cannot compute may be made of a finer grouping
 * (regroup_plan.h).
 *
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "access/transam.h"
#include "compat.h"
#include "device/ops/sample.h"
#include "ipc/shmem.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/agg_partial.h"
#include "planner/agg_path.h"
#include "planner/agg_plan.h"
#include "planner/agg_tables.h"
#include "planner/correlated.h"
#include "planner/fallback_path.h"
#include "planner/group_estimate.h"
#include "planner/join_path.h"
#include "planner/key_numbers.h"
#include "planner/lower/lower.h"
#include "planner/offer.h"
#include "planner/page_parts.h"
#include "planner/path_cost.h"
#include "planner/regroup_device.h"
#include "planner/regroup_plan.h"
#include "planner/row_joins.h"
#include "planner/sample_clause.h"
#include "planner/table_check.h"
#include "planner/top_groups.h"
#include "settings.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

/* Of so many joined tables reading is tried; a query of more is refused in little time. */
#define MOST_FACTS 3

static create_upper_paths_hook_type prev_create_upper_paths_hook = NULL;

/* --------------------------------------------------------- what is asked --- */

static bool
check_input(PlannerInfo *root, RelOptInfo *rel)
{
	if (IS_DUMMY_REL(rel))
		return GPUAGG_REFUSE("the conditions are always false; there is nothing to read");
	if (!bms_is_empty(rel->lateral_relids))
		return GPUAGG_REFUSE("the table depends on another one by LATERAL");
	if (rel->reloptkind == RELOPT_JOINREL)
		return true;
	if (rel->reloptkind != RELOPT_BASEREL)
		return GPUAGG_REFUSE("the input of the grouping is not a plain table");
	switch (rel->rtekind)
	{
		case RTE_RELATION:
			return true;
		case RTE_SUBQUERY:
			if (gpuagg_agg_tables_several(root, rel))
				break;
			if (planner_rt_fetch(rel->relid, root)->subquery->setOperations != NULL)
				return GPUAGG_REFUSE("the input of the grouping is a UNION, INTERSECT or EXCEPT; of these only UNION ALL of tables without conditions, with columns of the same types, can be grouped");
			__attribute__((fallthrough));
		case RTE_CTE:
			return GPUAGG_REFUSE("the input of the grouping is a subquery or a WITH query, not a plain table");
		default:
			return GPUAGG_REFUSE("the input of the grouping is not a table");
	}
	return true;
}

static bool
check_query(PlannerInfo *root, RelOptInfo *input_rel, List *clause)
{
	if (!check_input(root, input_rel))
		return false;
	if (gpuagg_agg_plan_locks_rows(root))
		return GPUAGG_REFUSE("FOR UPDATE and FOR SHARE are not supported");
	if (gpuagg_agg_plan_reads_sets(root))
		return GPUAGG_REFUSE("the query reads a subquery with ROLLUP, CUBE or GROUPING SETS");
	if ((root->numOrderedAggs > 0 || !grouping_is_hashable(clause)) &&
		!grouping_is_sortable(clause))
		return GPUAGG_REFUSE("the group keys cannot be sorted");
	return true;
}

/* Is that what a device could read?  NULL: there was nothing. */
static bool
check_fact(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *fact)
{
	RangeTblEntry *rte;

	if (input_rel->reloptkind == RELOPT_JOINREL && !gpuagg_join_check(root, fact))
		return false;
	if (gpuagg_agg_tables_several(root, fact))
		return true;
	rte = planner_rt_fetch(fact->relid, root);
	return gpuagg_table_check_kind(rte) && gpuagg_sample_check(root, fact);
}

/* ------------------------------------------------------------------ path --- */

/* Rows that pass what the device tests of WHERE, and its joins */
static double
estimate_passed(const GpuAggGrouping *g)
{
	double		rows = g->input_rel->rows / gpuagg_join_repeats(g->lw);
	double		more = g->tables == NULL ? gpuagg_regroup_passing(g->regroup, g->fact) :
		g->tables->passed / Max(g->tables->kept, 1);

	return clamp_row_est(rows * more);
}

static double
estimate_set(const GpuAggGrouping *g, Relation relation, List *keys, bool finer,
			 GpuAggGroupEstimate *estimate)
{
	*estimate = (GpuAggGroupEstimate) {.groups = 1,.postgres = 1,.bounded = 1};
	if (keys != NIL)
		gpuagg_group_estimate(g->root, g->input_rel, relation,
							  g->tables != NULL ? g->tables->pages : g->fact->pages,
							  keys, finer, estimate);
	return estimate->groups;
}

/* Of the query, where the device's are finer; *bounded: without what earlier runs had */
static double
estimate_made_groups(const GpuAggGrouping *g, Relation relation, double *bounded)
{
	const Query *parse = g->root->parse;
	GpuAggGroupEstimate estimate;
	double		groups = 0;
	ListCell   *lc;

	if (parse->groupingSets == NIL)
	{
		groups = estimate_set(g, relation,
							  get_sortgrouplist_exprs(g->clause, g->root->processed_tlist), false, &estimate);
		*bounded = estimate.bounded;
		return groups;
	}
	*bounded = 0;
	foreach(lc, parse->groupingSets)
	{
		List	   *keys = NIL;
		ListCell   *ref;

		foreach(ref, (List *) lfirst(lc))
			keys = lappend(keys, get_sortgroupref_tle(lfirst_int(ref),
													  g->root->processed_tlist)->expr);
		groups += estimate_set(g, relation, keys, false, &estimate);
		*bounded += estimate.bounded;
	}
	return groups;
}

/*
 * A sample, or a condition without columns, says nothing about the next run; nor do look-ups of
 * subqueries in the conditions of a table.
 */
static void
estimate_groups(GpuAggGrouping *g, Relation relation)
{
	GpuAggGroupEstimate estimate;
	List	   *keys = g->info.regroup == NULL ?
		get_sortgrouplist_exprs(g->clause, g->root->processed_tlist) :
		g->tables != NULL ? gpuagg_agg_tables_keys(g) : g->regroup->keys;

	(void) estimate_set(g, relation, keys, g->info.regroup != NULL || g->folded, &estimate);
	g->info.est_groups = estimate.groups;
	g->bounded_groups = estimate.bounded;
	g->made_groups = g->info.regroup != NULL ? estimate_made_groups(g, relation, &g->bounded_groups) : estimate.groups;
	g->postgres_groups = estimate.postgres;
	if (g->info.gate < 0 && g->info.sample == GPUAGG_SAMPLE_NONE &&
		(g->info.nlookups == 0 || g->input_rel->reloptkind == RELOPT_JOINREL))
		g->info.seen = estimate.key;
}

/* Which part of the table's pages need not be fed, and are all-visible */
static void
estimate_pages(GpuAggGrouping *g, Relation relation)
{
	GpuAggPageParts parts;

	gpuagg_page_parts(relation, g->lw, g->fact->pages, &parts);
	g->visible = parts.visible;
	/* of draws: or there would be no such path, gpuagg_sample_check_program() */
	g->cached = g->info.sample == GPUAGG_SAMPLE_DRAWS ? 1 :
		g->info.sample == GPUAGG_SAMPLE_NONE ? parts.cached : 0;
}

/* PostgreSQL's aggregation with the columns of custom_scan_tlist */
Path *
gpuagg_grouping_agg_path(GpuAggGrouping *g, Path *scan)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *expr;
	ListCell   *ref;

	forboth(expr, g->exprs, ref, g->refs)
		add_column_to_pathtarget(target, (Expr *) lfirst(expr), lfirst_int(ref));
	return gpuagg_fallback_path(g->root, g->grouped_rel, scan,
								set_pathtarget_cost_width(g->root, target), g->clause,
								gpuagg_agg_partial(g) ? AGGSPLIT_INITIAL_SERIAL : AGGSPLIT_SIMPLE,
								g->made_groups);
}

/* SeqScan, SampleScan, or an Append of them; or any plan */
Path *
gpuagg_grouping_scan_path(const GpuAggGrouping *g)
{
	if (g->info.of_plan)
		return gpuagg_agg_plan_scan_path(g);
	return g->tables != NULL ? gpuagg_agg_tables_scan_path(g) :
		gpuagg_sample_scan_path(g->root, g->fact);
}

/* Over that, or the joins */
static Path *
make_fallback_path(GpuAggGrouping *g)
{
	return gpuagg_grouping_agg_path(g, g->fact == g->input_rel ? gpuagg_grouping_scan_path(g) :
						 g->input_rel->cheapest_total_path);
}

/* SeqScan with these expressions */
static Path *
make_scan_path(GpuAggGrouping *g, RelOptInfo *rel, List *exprs)
{
	return (Path *) create_projection_path(g->root, rel, create_seqscan_path(g->root, rel, NULL, 0),
										   gpuagg_grouping_target(g->root, exprs));
}

/*
 * With the outputs of the program, repeated ones included.  Rows that it evaluates are in
 * the sample already.  Rows that are joined it cannot evaluate: then there are no outputs,
 * and the conditions are for EXPLAIN.
 */
static Path *
make_row_path(GpuAggGrouping *g)
{
	if (g->info.of_plan)
		return gpuagg_agg_plan_row_path(g);
	if (g->tables != NULL)
		return gpuagg_agg_tables_row_path(g);
	return make_scan_path(g, g->fact, g->info.nlookups > 0 ? NIL :
						  gpuagg_lower_row_exprs(g->lw));
}

static Plan *plan_custom_path(PlannerInfo *root, RelOptInfo *rel,
							  CustomPath *best_path, List *tlist,
							  List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = GPUAGG_NODE_NAME,
	.PlanCustomPath = plan_custom_path
};

/*
 * A list of the list of the program's outputs of a row that PostgreSQL joins, which may have none; NIL: it
 * must not.  Of an input that is folded the device has one row for each key, PostgreSQL all of them.
 */
static List *
joined_outputs(const GpuAggGrouping *g)
{
	List	   *exprs;

	if (g->info.nlookups == 0)
		return NIL;
	for (int i = 0; i < g->lw->nlookups; i++)
		if (g->lw->lookups[i].folded)
			return NIL;
	exprs = gpuagg_lower_row_exprs(g->lw);
	if (list_member_ptr(exprs, NULL) || (g->tables != NULL && !gpuagg_agg_tables_outputs(g, &exprs)))
		return NIL;
	return list_make1(exprs);
}

/*
 * The parent is the grouping relation but for its relids: create_plan()
 * takes custom_relids from there, and an upper relation has none, while the
 * executor and EXPLAIN want to know the table.
 */
static CustomPath *
make_path(GpuAggGrouping *g)
{
	CustomPath *path = makeNode(CustomPath);
	RelOptInfo *parent = palloc(sizeof(RelOptInfo));
	List	   *runtime;
	List	   *lookups = gpuagg_join_paths(g->lw);

	*parent = *g->grouped_rel;
	parent->relids = bms_copy(g->fact->relids);
	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = g->target;
	path->methods = &path_methods;
	path->custom_paths = list_concat(list_make2(make_fallback_path(g), make_row_path(g)),
									 lookups);
	if (g->info.regroup != NULL)
		path->custom_paths = lappend(path->custom_paths, g->info.of_plan ?
									 gpuagg_agg_plan_shown_path(g, gpuagg_regroup_shown(g->regroup)) :
									 make_scan_path(g, g->tables != NULL ?
													linitial(g->tables->rels) : g->fact,
													gpuagg_regroup_shown(g->regroup)));
	gpuagg_grouping_costs(g, path, lookups);
	runtime = g->tables != NULL ? gpuagg_agg_tables_runtime(g) :
		list_concat_copy(g->lw->runtime_exprs, gpuagg_join_runtime(g->lw));
	path->custom_private = list_make5(g->tables != NULL ? gpuagg_agg_tables_pack(g) :
									  gpuagg_plan_pack(&g->info), g->exprs,
									  list_concat(list_concat_copy(runtime, g->sample_exprs),
												  g->wanted_exprs),
									  g->having,
									  joined_outputs(g));
	return path;
}

/* ------------------------------------------------------------------ plan --- */

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
	List	   *packed = (List *) linitial(best_path->custom_private);
	List	   *exprs = (List *) lsecond(best_path->custom_private);
	List	   *having = (List *) lfourth(best_path->custom_private);
	List	   *outputs = (List *) list_nth(best_path->custom_private, 4);
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
	if (outputs != NIL && gpuagg_joined_outputs(root, list_nth(custom_plans, GPUAGG_PLAN_FALLBACK),
												bms_singleton_member(best_path->path.parent->relids),
												linitial(outputs), &joined))
		packed = gpuagg_plan_pack_joined(packed, joined);
	plan->scan.scanrelid = 0;
	plan->scan.plan.targetlist = tlist;
	plan->scan.plan.qual = gpuagg_order_quals(root, having);
	plan->flags = best_path->flags;
	plan->custom_plans = custom_plans;
	plan->custom_exprs = (List *) lthird(best_path->custom_private);
	plan->custom_private = packed;
	foreach(lc, exprs)
		plan->custom_scan_tlist =
			lappend(plan->custom_scan_tlist,
					makeTargetEntry((Expr *) copyObject(lfirst(lc)),
									foreach_current_index(lc) + 1, NULL,
									false));
	plan->methods = GetCustomScanMethods(GPUAGG_NODE_NAME, false);
	return &plan->scan.plan;
}

/* ------------------------------------------------------------------ hook --- */

static void
plan_wanted(GpuAggGrouping *g)
{
	const GpuAggTopGroups q = {
		.root = g->root,
		.targets = g->target->exprs,
		.having = g->having,
		.exprs = g->exprs,
		.info = &g->info
	};

	/* which of the query's groups are wanted is known when they are made */
	if (g->info.regroup == NULL)
		g->wanted_exprs = gpuagg_top_groups_plan(&q, &g->info.wanted);
}

/* Unless it was only looked at for further reasons */
static void
offer_path(GpuAggGrouping *g, GpuAggOffer *offer)
{
	if (g->refused)
		return;
	offer->path = &make_path(g)->path;
	if (gpuagg_agg_partial(g))
		offer->path = gpuagg_agg_partial_finish(g, offer->path);
	offer->what_if = g->what_if;
}

static bool
plan_lookups(GpuAggGrouping *g)
{
	g->info.lookups = gpuagg_join_plans(g->lw, g->info.program);
	return gpuagg_join_fits(g->info.lookups, g->lw->nlookups);
}

/* The parser or the plan cache holds the lock on the table. */
void
gpuagg_grouping_try_table(GpuAggGrouping *g, GpuAggOffer *offer)
{
	RelOptInfo *rel = g->fact;
	Relation	relation = table_open(offer->table, NoLock);

	if (gpuagg_table_check(relation) && gpuagg_grouping_lower(g, rel, relation) &&
		plan_lookups(g) && gpuagg_sample_check_program(g->root, rel, relation, g->info.program))
	{
		g->info.est_rows = rel->tuples;
		g->info.est_passed = estimate_passed(g);
		g->info.sample = gpuagg_sample_method(g->root, rel);
		estimate_groups(g, relation);
		g->sample_exprs = gpuagg_sample_exprs(g->root, rel, &g->info.repeatable);
		g->sample_lines = gpuagg_sample_lines(g->root, rel, relation);
		estimate_pages(g, relation);
		plan_wanted(g);
		offer_path(g, offer);
	}
	table_close(relation, NoLock);
}

/* The one above them, if there is one, is locked, too. */
static void
try_tables(GpuAggGrouping *g, GpuAggOffer *offer)
{
	Relation	parent;

	if (!gpuagg_agg_tables_find(g) || !gpuagg_agg_tables_lower(g))
		return;
	if (gpuagg_agg_tables_scan_path(g) == NULL)
	{
		(void) GPUAGG_REFUSE("PostgreSQL has no plan of these tables for one process");
		return;
	}
	g->info.est_rows = g->tables->rows;
	g->info.est_passed = g->fact == g->input_rel ? g->tables->passed : estimate_passed(g);
	parent = OidIsValid(offer->table) ? table_open(offer->table, NoLock) : NULL;
	estimate_groups(g, parent);
	if (parent != NULL)
		table_close(parent, NoLock);
	g->sample_exprs = gpuagg_sample_exprs(g->root, g->fact, &g->info.repeatable);
	gpuagg_agg_tables_share(g);
	if (gpuagg_agg_partial(g) && !gpuagg_agg_partial_outputs(g))
		return;
	if (gpuagg_agg_tables_one_task(g) && !gpuagg_agg_partial(g))
		plan_wanted(g);
	offer_path(g, offer);
}

static void
grouping_begin(GpuAggGrouping *g, const GpuAggOffer *offer, List *clause, PathTarget *target,
			   List *having)
{
	memset(g, 0, sizeof(*g));
	g->root = offer->root;
	g->input_rel = offer->input_rel;
	g->grouped_rel = offer->rel;
	g->clause = clause;
	g->target = target;
	g->having = having;
}

/* Reading that one of the tables; false: what is asked is refused, whichever it is. */
static bool
try_fact(GpuAggOffer *offer, RelOptInfo *fact, List *clause, PathTarget *target, List *having)
{
	GpuAggGrouping g;

	grouping_begin(&g, offer, clause, target, having);
	g.fact = fact;
	if (!check_fact(offer->root, offer->input_rel, fact))
		return true;
	offer->table = planner_rt_fetch(fact->relid, g.root)->relid;
	g.refused = !gpuagg_grouping_collect(&g);
	if (g.refused && !gpuagg_refuse_listening)
		return false;
	if (gpuagg_agg_tables_several(g.root, fact))
		try_tables(&g, offer);
	else
		gpuagg_grouping_try_table(&g, offer);
	return !g.refused;
}

/*
 * Another than the largest of joined tables, which was refused.  If all are, what speaks
 * against the largest is told.
 */
static void
try_other_facts(GpuAggOffer *offer, Relids left, List *clause, PathTarget *target, List *having)
{
	const Oid	largest = offer->table;
	bool		listening = gpuagg_refuse_pause();
	RelOptInfo *fact;

	for (int tries = 1; tries < MOST_FACTS && offer->path == NULL; tries++)
	{
		fact = gpuagg_join_fact(offer->root, offer->input_rel, &left);
		if (fact == NULL)
			break;
		(void) try_fact(offer, fact, clause, target, having);
	}
	gpuagg_refuse_resume(listening);
	if (offer->path == NULL)
		offer->table = largest;
}

/* Of tables that a device reads; *largest: of joined ones it is the largest, as is best */
static void
try_reading(GpuAggOffer *offer, List *clause, PathTarget *target, List *having, bool *largest)
{
	const bool	joined = offer->input_rel->reloptkind == RELOPT_JOINREL;
	Relids		left = bms_copy(offer->input_rel->relids);
	RelOptInfo *fact = offer->input_rel;
	bool		others;

	*largest = true;
	if (!check_query(offer->root, offer->input_rel, clause))
		return;
	if (joined)
		fact = gpuagg_join_fact(offer->root, offer->input_rel, &left);
	others = try_fact(offer, fact, clause, target, having) && joined && fact != NULL;
	*largest = offer->path != NULL;
	if (others && offer->path == NULL)
		try_other_facts(offer, left, clause, target, having);
}

/*
 * Of the rows of PostgreSQL's plan; what speaks against it need not be told.  Without keys
 * there is nothing to gain, and a task would hold memory that those below may need.
 */
static void
try_plan(GpuAggOffer *offer, List *clause, PathTarget *target, List *having)
{
	bool		listening = gpuagg_refuse_pause();
	GpuAggGrouping g;

	grouping_begin(&g, offer, clause, target, having);
	g.fact = g.input_rel;
	g.info.of_plan = true;
	g.nullable = true;
	if (gpuagg_grouping_collect(&g) && gpuagg_grouping_lower(&g, g.input_rel, NULL) &&
		g.lw->nkeys > 0 && !contain_subplans((Node *) g.exprs))
	{
		offer->table = InvalidOid;
		offer->of_plan = true;
		g.info.est_rows = g.info.est_passed = g.input_rel->rows;
		g.info.own_functions = gpuagg_agg_plan_own_functions(g.root);
		estimate_groups(&g, NULL);
		plan_wanted(&g);
		offer_path(&g, offer);
	}
	gpuagg_refuse_resume(listening);
}

/*
 * Fills in what has become of the offer.  Where another table than the largest is read, the
 * largest is an input of its joins, and to group the rows that PostgreSQL joins may be cheaper.
 */
static void
try_grouping(GpuAggOffer *offer, List *clause, PathTarget *target, List *having)
{
	GpuAggOffer of_plan = *offer;
	bool		largest;

	try_reading(offer, clause, target, having, &largest);
	if (offer->path != NULL && largest)
		return;
	/* tests that forbid the device mean what it could read */
	if (gpuagg_debug_require != GPUAGG_FORBID &&
		gpuagg_agg_plan_possible(offer->root, offer->input_rel, offer->rel))
		try_plan(&of_plan, clause, target, having);
	if (of_plan.path != NULL &&
		(offer->path == NULL || of_plan.path->total_cost < offer->path->total_cost))
		*offer = of_plan;
	else if (offer->path != NULL)
		gpuagg_refuse_forget();
}

/*
 * Does the query read nothing but catalogs, functions, values?  Such queries
 * of tools (psql's \d) go on under debug_require.
 */
static bool
reads_no_user_table(List *rtable)
{
	ListCell   *lc;

	foreach(lc, rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && rte->relkind != RELKIND_VIEW &&
			rte->relid >= FirstNormalObjectId)
			return false;
		/* no subquery any more: its tables are in our range table */
		if (rte->rtekind == RTE_SUBQUERY && rte->subquery != NULL &&
			!reads_no_user_table(rte->subquery->rtable))
			return false;
		if (rte->rtekind == RTE_CTE)
			return false;
	}
	return true;
}

/* GROUP BY, and aggregates without it */
static void
consider_grouping(PlannerInfo *root, RelOptInfo *input_rel,
				  RelOptInfo *grouped_rel, GroupPathExtraData *extra)
{
	GpuAggOffer offer = {
		.kind = GPUAGG_STEP_GROUPING,
		.root = root,
		.input_rel = input_rel,
		.rel = grouped_rel
	};

	if (!gpuagg_offer_begin(&offer))
		return;
	try_grouping(&offer, root->parse->groupClause, grouped_rel->reltarget,
				 (List *) extra->havingQual);
	if (offer.path == NULL)
		offer.excused = IS_DUMMY_REL(input_rel) ||
			reads_no_user_table(root->parse->rtable);
	gpuagg_offer_end(&offer);
}

static bool
level_groups(const Query *parse)
{
	return parse->groupClause != NIL || parse->groupingSets != NIL || parse->hasAggs ||
		parse->havingQual != NULL;
}

/*
 * DISTINCT of rows that no grouping has made: its columns are keys.  Refused,
 * it is no step that debug_require asks for.
 */
static void
consider_distinct(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *distinct_rel)
{
	const Query *parse = root->parse;
	GpuAggOffer offer = {
		.kind = GPUAGG_STEP_GROUPING,
		.root = root,
		.input_rel = input_rel,
		.rel = distinct_rel,
		.excused = true
	};

	if (level_groups(parse) || parse->hasWindowFuncs || parse->hasTargetSRFs)
		return;
	if (parse->hasDistinctOn)
	{
		gpuagg_offer_refuse("DISTINCT ON is not supported");
		return;
	}
	if (!gpuagg_offer_begin(&offer))
		return;
	try_grouping(&offer, parse->distinctClause, root->upper_targets[UPPERREL_DISTINCT], NIL);
	gpuagg_offer_end(&offer);
}

/* They are PostgreSQL's, above a grouping; without one there is nothing to take. */
static void
consider_window(PlannerInfo *root)
{
	if (!level_groups(root->parse))
		gpuagg_offer_refuse("window functions are not supported; only a grouping that they are computed from is");
}

static void
create_upper_paths(PlannerInfo *root, UpperRelationKind stage,
				   RelOptInfo *input_rel, RelOptInfo *output_rel, void *extra)
{
	if (prev_create_upper_paths_hook)
		prev_create_upper_paths_hook(root, stage, input_rel, output_rel, extra);
	if (stage != UPPERREL_GROUP_AGG && stage != UPPERREL_DISTINCT && stage != UPPERREL_WINDOW)
		return;
	/* one partition's share of a partitionwise aggregation */
	if (IS_OTHER_REL(input_rel) || !gpuagg_offer_wanted())
		return;
	if (stage == UPPERREL_GROUP_AGG)
		consider_grouping(root, input_rel, output_rel,
						  (GroupPathExtraData *) extra);
	else if (stage == UPPERREL_DISTINCT)
		consider_distinct(root, input_rel, output_rel);
	else
		consider_window(root);
}

void
gpuagg_agg_path_init(void)
{
	prev_create_upper_paths_hook = create_upper_paths_hook;
	create_upper_paths_hook = create_upper_paths;
}
