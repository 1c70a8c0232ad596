/*
 * agg_path.c
 *		Adds a GpuAgg path where PostgreSQL groups the rows of one table, or keeps
 *		the distinct ones, joined with others or not (join_path.c).
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
 * Does not handle: subqueries, partitions, foreign tables, temporary
 * tables, grouping sets, partial aggregation.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "compat.h"
#include "device/ops/sample.h"
#include "ipc/cache_shared.h"
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
#include "planner/agg_path.h"
#include "planner/group_estimate.h"
#include "planner/join_path.h"
#include "planner/lower/lower.h"
#include "planner/offer.h"
#include "planner/path_cost.h"
#include "planner/sample_clause.h"
#include "planner/table_check.h"
#include "planner/top_groups.h"
#include "settings.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/spccache.h"

static create_upper_paths_hook_type prev_create_upper_paths_hook = NULL;

/* One grouping step while it is looked at */
typedef struct GpuAggGrouping
{
	PlannerInfo *root;
	RelOptInfo *input_rel;
	RelOptInfo *fact;			/* the table that is read: the input, or of a join the
								 * largest */
	RelOptInfo *grouped_rel;
	List	   *clause;			/* SortGroupClauses of the keys */
	PathTarget *target;			/* what stands above */
	List	   *having;
	GpuAggLower *lw;

	/* columns of custom_scan_tlist: expressions, their sortgrouprefs */
	List	   *exprs;
	List	   *refs;
	List	   *dependent;		/* Vars */
	List	   *aggs;			/* Aggrefs */

	List	   *sample_exprs;
	List	   *wanted_exprs;
	double		sample_lines;
	double		cached;			/* part of the pages, 0 to 1 */
	double		postgres_groups;	/* that PostgreSQL expects */
	GpuAggWhatIf *what_if;
	GpuAggPlanInfo info;
} GpuAggGrouping;

/* --------------------------------------------------------- what is asked --- */

static bool
check_input(RelOptInfo *rel)
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
		case RTE_CTE:
			return GPUAGG_REFUSE("the input of the grouping is a subquery or a WITH query, not a plain table");
		default:
			return GPUAGG_REFUSE("the input of the grouping is not a table");
	}
}

static bool
check_query(PlannerInfo *root, RelOptInfo *input_rel, List *clause, RelOptInfo **fact)
{
	Query	   *parse = root->parse;
	RangeTblEntry *rte;

	if (!check_input(input_rel))
		return false;
	if (parse->groupingSets != NIL)
		return GPUAGG_REFUSE("grouping sets (ROLLUP, CUBE) are not supported");
	if (parse->rowMarks != NIL)
		return GPUAGG_REFUSE("FOR UPDATE and FOR SHARE are not supported");
	*fact = input_rel;
	if (input_rel->reloptkind == RELOPT_JOINREL && !gpuagg_join_check(root, input_rel, fact))
		return false;
	rte = planner_rt_fetch((*fact)->relid, root);
	if (rte->inh)
		return GPUAGG_REFUSE("table \"%s\" is partitioned or has child tables",
							 rte->eref->aliasname);
	if (!gpuagg_table_check_kind(rte))
		return false;
	if (clause != NIL && !grouping_is_hashable(clause))
		return GPUAGG_REFUSE("the group keys cannot be hashed");
	return gpuagg_sample_check(root, *fact);
}

/* ------------------------------------------------------- what is computed --- */

static bool
member_expr(List *exprs, Node *node)
{
	return list_member(exprs, node);
}

/*
 * Finds aggregates, and columns outside of aggregates and keys.  Returns
 * true for something that has no business here.
 */
static bool
collect_walker(Node *node, void *context)
{
	GpuAggGrouping *g = (GpuAggGrouping *) context;

	if (node == NULL || member_expr(g->exprs, node))
		return false;
	switch (nodeTag(node))
	{
		case T_Aggref:
			if (!member_expr(g->aggs, node))
				g->aggs = lappend(g->aggs, node);
			return false;
		case T_Var:
			if (!member_expr(g->dependent, node))
				g->dependent = lappend(g->dependent, node);
			return false;
		case T_GroupingFunc:
		case T_PlaceHolderVar:
			(void) GPUAGG_REFUSE("the target list needs something that only PostgreSQL's plan provides");
			return true;
		default:
			return expression_tree_walker(node, collect_walker, context);
	}
}

static void
add_column(GpuAggGrouping *g, Node *expr, Index ref)
{
	g->exprs = lappend(g->exprs, expr);
	g->refs = lappend_int(g->refs, ref);
}

/* May this key be left to PostgreSQL, above the node? */
static bool
check_constant_key(Expr *expr)
{
	bool		foreign;

	if (contain_volatile_functions((Node *) expr) ||
		expression_returns_set((Node *) expr) ||
		gpuagg_lower_const_may_fail(expr, &foreign))
		return GPUAGG_REFUSE("a group key without columns has to be computed for each row");
	return true;
}

/* Lowers the next column of custom_scan_tlist. */
static bool
lower_column(GpuAggGrouping *g, Node *expr, Oid eqop)
{
	GpuAggOutput *output = &g->info.outputs[g->info.noutputs++];

	memset(output, 0, sizeof(*output));
	if (IsA(expr, Aggref))
		return gpuagg_lower_aggregate(g->lw, (Aggref *) expr, output);
	return gpuagg_lower_key(g->lw, (Expr *) expr, eqop, output);
}

/*
 * While somebody listens, every step goes on after a refusal, to find the
 * others.
 */
static bool
may_go_on(bool ok)
{
	return ok || gpuagg_refuse_listening;
}

static bool
lower_keys(GpuAggGrouping *g)
{
	bool		ok = true;
	ListCell   *lc;

	g->info.outputs = palloc((list_length(g->clause) + 1) *
							 sizeof(GpuAggOutput));
	foreach(lc, g->clause)
	{
		SortGroupClause *sgc = lfirst_node(SortGroupClause, lc);
		Node	   *expr = get_sortgroupclause_expr(sgc,
													g->root->processed_tlist);

		if (gpuagg_lower_is_constant((Expr *) expr))
			ok &= check_constant_key((Expr *) expr);
		else
		{
			add_column(g, expr, sgc->tleSortGroupRef);
			ok &= lower_column(g, expr, sgc->eqop);
		}
		if (!may_go_on(ok))
			return false;
	}
	return ok;
}

/* What target list and HAVING need beside the keys */
static bool
lower_targets(GpuAggGrouping *g)
{
	bool		ok;
	ListCell   *lc;

	ok = !collect_walker((Node *) g->target->exprs, g) &&
		!collect_walker((Node *) g->having, g);
	g->info.outputs = repalloc(g->info.outputs,
							   (g->info.noutputs + list_length(g->dependent) +
								list_length(g->aggs) + 1) *
							   sizeof(GpuAggOutput));
	foreach(lc, g->dependent)
	{
		add_column(g, lfirst(lc), 0);
		ok &= lower_column(g, lfirst(lc), InvalidOid);
		if (!may_go_on(ok))
			return false;
	}
	if (g->clause != NIL && g->lw->nkeys == 0)
		ok &= gpuagg_lower_unit_key(g->lw);
	foreach(lc, g->aggs)
	{
		add_column(g, lfirst(lc), 0);
		ok &= lower_column(g, lfirst(lc), InvalidOid);
		if (!may_go_on(ok))
			return false;
	}
	if (g->clause == NIL && g->aggs == NIL)
		return GPUAGG_REFUSE("there is no aggregate left to compute");
	return ok;
}

static bool
lower_grouping(GpuAggGrouping *g, Relation relation)
{
	bool		ok;

	g->lw = gpuagg_lower_create(g->root, g->fact, relation,
								g->clause != NIL);
	ok = gpuagg_lower_filter(g->lw, g->fact->baserestrictinfo);
	if (g->fact != g->input_rel && (!ok || !gpuagg_join_lower(g->lw, g->input_rel)))
		return false;
	if (!may_go_on(ok))
		return false;
	ok &= lower_keys(g);
	if (!may_go_on(ok))
		return false;
	ok &= lower_targets(g);
	if (!ok)
		return false;
	g->info.program = gpuagg_lower_finish(g->lw);
	g->info.runtime = g->lw->runtime;
	g->info.nruntime = g->lw->nruntime;
	g->info.lookups = gpuagg_join_plans(g->lw);
	g->info.nlookups = g->lw->nlookups;
	g->info.gate = g->lw->gate;
	return g->info.program != NULL && gpuagg_join_fits(g->lw);
}

/* ------------------------------------------------------------------ path --- */

/* A sample, or a condition without columns, says nothing about the next run. */
static void
estimate_groups(GpuAggGrouping *g, Relation relation)
{
	GpuAggGroupEstimate estimate = {.groups = 1,.postgres = 1};

	if (g->clause != NIL)
		gpuagg_group_estimate(g->root, g->input_rel, relation,
							  get_sortgrouplist_exprs(g->clause, g->root->processed_tlist),
							  &estimate);
	g->info.est_groups = estimate.groups;
	g->postgres_groups = estimate.postgres;
	if (g->info.gate < 0 && g->info.sample == GPUAGG_SAMPLE_NONE && g->info.nlookups == 0)
		g->info.seen = estimate.key;
}

/* Which part of the table's pages the column cache has, for these columns */
static double
estimate_cached(const GpuAggGrouping *g, Relation relation)
{
	AttrNumber	columns[GPUAGG_MAX_REGS];

	/* or there would be no such path: gpuagg_sample_check_program() */
	if (g->info.sample == GPUAGG_SAMPLE_DRAWS)
		return 1;
	if (!gpuagg_cache || g->info.sample != GPUAGG_SAMPLE_NONE)
		return 0;
	for (int i = 0; i < g->lw->ncolumns; i++)
		columns[i] = g->lw->columns[i].attno;
	return gpuagg_cache_fraction(RelationGetRelid(relation),
								 GPUAGG_FILES_NUMBER(relation), columns,
								 g->lw->ncolumns, g->fact->pages);
}

/* PostgreSQL's Agg with the columns of custom_scan_tlist */
static Path *
make_agg_path(GpuAggGrouping *g, Path *scan)
{
	PathTarget *target = create_empty_pathtarget();
	AggClauseCosts costs;
	ListCell   *expr;
	ListCell   *ref;

	forboth(expr, g->exprs, ref, g->refs)
		add_column_to_pathtarget(target, (Expr *) lfirst(expr), lfirst_int(ref));
	memset(&costs, 0, sizeof(costs));
	get_agg_clause_costs(g->root, AGGSPLIT_SIMPLE, &costs);
	return (Path *) create_agg_path(g->root, g->grouped_rel, scan,
									set_pathtarget_cost_width(g->root, target),
									g->clause != NIL ? AGG_HASHED :
									AGG_PLAIN,
									AGGSPLIT_SIMPLE, g->clause, NIL,
									&costs, g->info.est_groups);
}

/* Over SeqScan, SampleScan or the joins */
static Path *
make_fallback_path(GpuAggGrouping *g)
{
	Path	   *scan = g->fact == g->input_rel ?
		gpuagg_sample_scan_path(g->root, g->fact) : g->input_rel->cheapest_total_path;

	return make_agg_path(g, scan);
}

/*
 * SeqScan with the outputs of the program, repeated ones included.  Rows that
 * it evaluates are in the sample already.  Rows that are joined it cannot evaluate: then
 * there are no outputs, and the conditions are for EXPLAIN.
 */
static Path *
make_row_path(GpuAggGrouping *g)
{
	Path	   *scan = create_seqscan_path(g->root, g->fact, NULL, 0);
	PathTarget *target = create_empty_pathtarget();
	ListCell   *lc;

	foreach(lc, g->info.nlookups == 0 ? gpuagg_lower_row_exprs(g->lw) : NIL)
		add_column_to_pathtarget(target, (Expr *) lfirst(lc), 0);
	return (Path *) create_projection_path(g->root, g->fact, scan,
										   set_pathtarget_cost_width(g->root,
																	 target));
}

/* What PostgreSQL's grouping costs without its joins: a device's is compared with it */
static Cost
postgres_cost(GpuAggGrouping *g)
{
	Path	   *scan;

	if (g->fact == g->input_rel)
		return make_fallback_path(g)->total_cost;
	scan = create_seqscan_path(g->root, g->fact, NULL, 0);
	scan->rows = g->info.est_passed;
	return make_agg_path(g, scan)->total_cost;
}

/* Cost of the device, of HAVING and of the target list */
static void
set_costs(GpuAggGrouping *g, Path *path, Cost postgres_cost, const List *lookups)
{
	RelOptInfo *rel = g->fact;
	QualCost	having;
	GpuAggCostInput input = {.scale = gpuagg_cost_scale};
	GpuAggCost	cost;

	input.pages = rel->pages;
	input.cached = g->cached;
	if (g->info.sample == GPUAGG_SAMPLE_SYSTEM)
		get_tablespace_page_costs(rel->reltablespace, &input.page_cost, NULL);
	else
		get_tablespace_page_costs(rel->reltablespace, NULL, &input.page_cost);
	input.lines = g->sample_lines;
	input.rows = g->info.est_rows;
	input.passed = g->info.est_passed;
	input.groups = g->info.est_groups;
	input.returned = gpuagg_top_groups_estimate(&g->info.wanted, g->root, g->info.est_groups);
	input.allvisfrac = rel->allvisfrac;
	input.postgres_cost = postgres_cost;
	gpuagg_join_cost(g->lw, lookups, &input);
	cost = gpuagg_cost_agg(&input, &g->info);
	g->what_if = gpuagg_offer_what_if(&input, &g->info, g->postgres_groups);

	cost_qual_eval(&having, g->having, g->root);
	path->rows = g->info.est_groups;
	if (g->having != NIL)
		path->rows = clamp_row_est(path->rows *
								   clauselist_selectivity(g->root, g->having,
														  0, JOIN_INNER,
														  NULL));
	path->rows = Min(path->rows, cost.returned);
	path->startup_cost = cost.startup + having.startup +
		path->pathtarget->cost.startup;
	path->total_cost = cost.total + having.startup +
		having.per_tuple * cost.returned +
		path->pathtarget->cost.startup +
		path->pathtarget->cost.per_tuple * path->rows;
}

static Plan *plan_custom_path(PlannerInfo *root, RelOptInfo *rel,
							  CustomPath *best_path, List *tlist,
							  List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = GPUAGG_NODE_NAME,
	.PlanCustomPath = plan_custom_path
};

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
	List	   *lookups = gpuagg_join_paths(g->lw);

	*parent = *g->grouped_rel;
	parent->relids = bms_copy(g->fact->relids);
	path->path.pathtype = T_CustomScan;
	path->path.parent = parent;
	path->path.pathtarget = g->target;
	path->methods = &path_methods;
	path->custom_paths = list_concat(list_make2(make_fallback_path(g), make_row_path(g)),
									 lookups);
	set_costs(g, &path->path, postgres_cost(g), lookups);
	path->custom_private = list_make4(gpuagg_plan_pack(&g->info), g->exprs,
									  list_concat(list_concat_copy(g->lw->runtime_exprs,
																   g->sample_exprs),
												  g->wanted_exprs),
									  g->having);
	return path;
}

/* ------------------------------------------------------------------ plan --- */

/*
 * The row plan is to be a bare SeqScan.  Where quals without columns have
 * put a Result on it, they become quals of the scan, before the others.
 */
static Plan *
bare_row_plan(Plan *plan)
{
	Plan	   *scan;

	if (!IsA(plan, Result))
		return plan;
	scan = plan->lefttree;
	scan->targetlist = plan->targetlist;
	scan->qual = list_concat(copyObject((List *) ((Result *) plan)->resconstantqual),
							 scan->qual);
	return scan;
}

static Plan *
plan_custom_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	List	   *exprs = (List *) lsecond(best_path->custom_private);
	List	   *having = (List *) lfourth(best_path->custom_private);
	CustomScan *plan = makeNode(CustomScan);
	Plan	   *row_plan = bare_row_plan(list_nth(custom_plans,
												  GPUAGG_PLAN_ROWS));
	ListCell   *lc;

	if (!IsA(row_plan, SeqScan))
		elog(ERROR, "gpuagg: row plan is not a sequential scan");
	lfirst(list_nth_cell(custom_plans, GPUAGG_PLAN_ROWS)) = row_plan;
	plan->scan.scanrelid = 0;
	plan->scan.plan.targetlist = tlist;
	plan->scan.plan.qual = gpuagg_order_quals(root, having);
	plan->flags = best_path->flags;
	plan->custom_plans = custom_plans;
	plan->custom_exprs = (List *) lthird(best_path->custom_private);
	plan->custom_private = (List *) linitial(best_path->custom_private);
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

	g->wanted_exprs = gpuagg_top_groups_plan(&q, &g->info.wanted);
}

/* Fills in what has become of the offer. */
static void
try_grouping(GpuAggOffer *offer, List *clause, PathTarget *target, List *having)
{
	PlannerInfo *root = offer->root;
	RelOptInfo *input_rel = offer->input_rel;
	GpuAggGrouping g;
	Relation	relation;

	memset(&g, 0, sizeof(g));
	if (!check_query(root, input_rel, clause, &g.fact))
		return;
	g.root = root;
	g.input_rel = input_rel;
	g.grouped_rel = offer->rel;
	g.clause = clause;
	g.target = target;
	g.having = having;

	/* the parser or the plan cache holds the lock */
	offer->table = planner_rt_fetch(g.fact->relid, root)->relid;
	relation = table_open(offer->table, NoLock);
	if (gpuagg_table_check(relation) && lower_grouping(&g, relation) &&
		gpuagg_sample_check_program(root, g.fact, relation, g.info.program))
	{
		g.info.est_rows = g.fact->tuples;
		g.info.est_passed = input_rel->rows;
		g.info.sample = gpuagg_sample_method(root, g.fact);
		estimate_groups(&g, relation);
		g.sample_exprs = gpuagg_sample_exprs(root, g.fact,
											 &g.info.repeatable);
		g.sample_lines = gpuagg_sample_lines(root, g.fact, relation);
		g.cached = estimate_cached(&g, relation);
		plan_wanted(&g);
		offer->path = make_path(&g);
		offer->what_if = g.what_if;
	}
	table_close(relation, NoLock);
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
