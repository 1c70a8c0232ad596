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
#include "device/ops/answer_row.h"
#include "device/ops/regrouping_row.h"
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
#include "planner/estimate/top_groups.h"
#include "planner/join/join_path.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_called.h"
#include "planner/offer/offer.h"
#include "planner/offer/table_check.h"
#include "planner/path/agg_children.h"
#include "planner/path/agg_estimate.h"
#include "planner/path/agg_partial.h"
#include "planner/path/agg_path.h"
#include "planner/path/agg_plan.h"
#include "planner/path/agg_scan.h"
#include "planner/path/agg_tables.h"
#include "planner/path/input_paths.h"
#include "planner/path/sample_clause.h"
#include "planner/regroup/regroup_plan.h"
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
			return GPUAGG_REFUSE(
				"the input of the grouping is a subquery or a WITH query, not a plain table");
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

/*
 * A list of the list of the program's outputs of a row that PostgreSQL joins, which may have none;
 * NIL: it must not.  Of an input that is folded the device has one row for each key, PostgreSQL all
 * of them.
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
	if (list_member_ptr(exprs, NULL) ||
		(g->tables != NULL && !gpuagg_agg_tables_outputs(g, &exprs)))
		return NIL;
	return list_make1(exprs);
}

static void try_table(GpuAggGrouping *g, GpuAggOffer *offer);

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
	List	   *lookups = gpuagg_input_paths(g->lw, try_table);

	*parent = *g->grouped_rel;
	parent->relids = bms_copy(g->fact->relids);
	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = g->target;
	path->custom_paths = list_concat(
		list_make2(gpuagg_agg_fallback_path(g), gpuagg_agg_row_path(g)), lookups);
	if (g->info.regroup != NULL)
		path->custom_paths = lappend(
			path->custom_paths,
			g->info.of_plan ?
				gpuagg_agg_plan_shown_path(g, gpuagg_regroup_shown(g->regroup)) :
				gpuagg_agg_exprs_path(g, g->tables != NULL ? linitial(g->tables->rels) : g->fact,
									  gpuagg_regroup_shown(g->regroup)));
	gpuagg_grouping_costs(g, path, lookups);
	runtime = g->tables != NULL ? gpuagg_agg_tables_runtime(g) :
		list_concat_copy(g->lw->runtime_exprs, gpuagg_join_runtime(g->lw));
	runtime = list_concat(list_concat_copy(runtime, gpuagg_lower_called_exprs(g->lw)),
						  list_concat_copy(g->sample_exprs, g->wanted_exprs));
	gpuagg_agg_scan_of(path, g, runtime, joined_outputs(g));
	return path;
}

/* ------------------------------------------------------------------ hook --- */

/*
 * Of groups that the backend makes it is known which are wanted when they are made.  Those that a
 * device makes of finer ones have sums that nobody has looked at for what is not finite.
 */
static void
plan_wanted(GpuAggGrouping *g)
{
	GpuAggTopGroups q = {
		.root = g->root,
		.targets = g->target->exprs,
		.having = g->having,
		.exprs = g->exprs,
		.info = &g->info,
		.program = g->info.program
	};
	GpuAggRegrouping wish;
	GpuAggProgram *made;

	if (g->info.regroup == NULL)
	{
		g->wanted_exprs = gpuagg_top_groups_plan(&q, &g->info.wanted);
		return;
	}
	if (!gpuagg_grouping_regroups(g, &g->info, &wish) || wish.nconstants > 0)
		return;
	made = palloc(gpuagg_regrouping_program_bytes(&wish, false));
	gpuagg_regrouping_program(&wish, g->info.program, false, made);
	q.program = made;
	g->wanted_exprs = gpuagg_top_groups_plan(&q, &g->info.wanted);
	if (g->info.wanted.answer.nsums > 0 || !gpuagg_answer_check(&g->info.wanted.answer, made))
		gpuagg_grouping_wants_all(g);
	pfree(made);
}

/* Unless it was only looked at for further reasons */
static void
offer_path(GpuAggGrouping *g, GpuAggOffer *offer)
{
	if (g->refused)
		return;
	offer->path = &make_path(g)->path;
	if (gpuagg_grouping_is_partial(g))
		offer->path = gpuagg_agg_partial_finish(g, offer->path);
	offer->what_if = g->what_if;
}

static bool
plan_lookups(GpuAggGrouping *g)
{
	g->info.lookups = gpuagg_join_plans(g->lw, g->info.program);
	return gpuagg_join_fits(g->info.lookups, g->lw->nlookups);
}

/*
 * Offers a path that reads the fact, one table; the offer has which.  The parser or the plan
 * cache holds the lock on the table.
 */
static void
try_table(GpuAggGrouping *g, GpuAggOffer *offer)
{
	RelOptInfo *rel = g->fact;
	Relation	relation = table_open(offer->table, NoLock);

	if (gpuagg_table_check(relation) && gpuagg_grouping_lower(g, rel, relation) &&
		plan_lookups(g) && gpuagg_sample_check_program(g->root, rel, relation, g->info.program))
	{
		g->info.est_rows = rel->tuples;
		g->info.est_passed = gpuagg_agg_estimate_passed(g);
		g->info.sample = gpuagg_sample_method(g->root, rel);
		gpuagg_agg_estimate_pages(g, relation);
		gpuagg_agg_estimate_groups(g, relation);
		g->sample_exprs = gpuagg_sample_exprs(g->root, rel, &g->info.repeatable);
		g->sample_lines = gpuagg_sample_lines(g->root, rel, relation);
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
	g->info.est_passed = g->fact == g->input_rel ? g->tables->passed :
												   gpuagg_agg_estimate_passed(g);
	parent = OidIsValid(offer->table) ? table_open(offer->table, NoLock) : NULL;
	gpuagg_agg_estimate_groups(g, parent);
	if (parent != NULL)
		table_close(parent, NoLock);
	g->sample_exprs = gpuagg_sample_exprs(g->root, g->fact, &g->info.repeatable);
	gpuagg_agg_tables_share(g);
	if (gpuagg_grouping_is_partial(g) && !gpuagg_agg_partial_outputs(g))
		return;
	if (gpuagg_agg_tables_one_task(g) && !gpuagg_grouping_is_partial(g))
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
		try_table(&g, offer);
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
		gpuagg_agg_estimate_groups(&g, NULL);
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
		gpuagg_offer_refuse(
			"window functions are not supported; only a grouping that they are computed from is");
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
