/*
 * agg_tables.c
 *		Groupings of several tables (agg_tables.h).
 *
 * PostgreSQL has expanded the table, or the UNION ALL, into an append relation
 * whose members are tables with conditions of their own; those that pruning or
 * constraints leave out are gone or dummies.  Conditions and expressions are
 * lowered over each member, as PostgreSQL translates them to its columns.  What
 * comes of it is most often the same program for all: it knows columns by number
 * and layout.  Members with other column orders, dropped columns, defaults of
 * added columns or expressions of a UNION ALL have programs of their own.
 *
 * The groups of all programs are to be merged, so they must have the same keys
 * and states.  What one table knows of its NULLs may leave out a state; if
 * programs differ, all are made again without such knowledge.
 *
 * The row plan is an Append of one SeqScan for each table, which is never run:
 * its SeqScans evaluate rows of their tables, and what it knows of pruning says
 * which tables an execution reads.
 *
 * Tables that no device reads (foreign, temporary, of other access methods) are left to
 * PostgreSQL, where groups can be partial (agg_partial.c).
 *
 * Does not handle: samples and subqueries as parts of a UNION ALL.
 */
#include "postgres.h"

#include "access/table.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/estimate/page_parts.h"
#include "planner/join/join_path.h"
#include "planner/offer/table_check.h"
#include "planner/path/agg_tables.h"
#include "planner/path/sample_clause.h"
#include "rewrite/rewriteManip.h"
#include "settings.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

/* ------------------------------------------------------------------ find --- */

bool
gpuagg_agg_tables_several(PlannerInfo *root, RelOptInfo *rel)
{
	return rel->reloptkind == RELOPT_BASEREL && planner_rt_fetch(rel->relid, root)->inh;
}

static bool
check_relation(const RangeTblEntry *rte)
{
	/* the planner's expansion holds the lock */
	Relation	relation = table_open(rte->relid, NoLock);
	bool		ok = gpuagg_table_check(relation);

	table_close(relation, NoLock);
	return ok;
}

static bool
check_leaf(const RangeTblEntry *rte)
{
	if (rte->relkind == RELKIND_FOREIGN_TABLE)
		return GPUAGG_REFUSE("table \"%s\" is a foreign table", get_rel_name(rte->relid));
	return gpuagg_table_check_kind(rte) && check_relation(rte);
}

static bool
find_leaf(GpuAggGroupingTables *t, RelOptInfo *rel, const RangeTblEntry *rte)
{
	bool		listening;
	bool		readable;

	if (rte->rtekind != RTE_RELATION)
		return GPUAGG_REFUSE("a part of the UNION ALL is not a plain table");
	if (rte->tablesample != NULL && !t->sampled)
		return GPUAGG_REFUSE("a part of the UNION ALL is a sample");
	if (!bms_is_empty(rel->lateral_relids))
		return GPUAGG_REFUSE("a table depends on another one by LATERAL");
	listening = gpuagg_refuse_pause();
	readable = check_leaf(rte);
	gpuagg_refuse_resume(listening);
	if (readable)
		t->rels = lappend(t->rels, rel);
	else
		t->others = lappend(t->others, rel);
	return true;
}

static bool find_tables(PlannerInfo *root, GpuAggGroupingTables *t, RelOptInfo *rel);

/* Partitions that pruning left have a RelOptInfo. */
static bool
find_partitions(PlannerInfo *root, GpuAggGroupingTables *t, RelOptInfo *rel)
{
	int			i = -1;
	bool		ok = true;

	t->pruned += rel->nparts - bms_num_members(rel->live_parts);
	while (ok && (i = bms_next_member(rel->live_parts, i)) >= 0)
		ok = find_tables(root, t, rel->part_rels[i]);
	return ok;
}

static bool
find_children(PlannerInfo *root, GpuAggGroupingTables *t, RelOptInfo *rel)
{
	bool		ok = true;
	ListCell   *lc;

	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *child = lfirst_node(AppendRelInfo, lc);

		if (ok && child->parent_relid == rel->relid)
			ok = find_tables(root, t, root->simple_rel_array[child->child_relid]);
	}
	return ok;
}

static bool
find_tables(PlannerInfo *root, GpuAggGroupingTables *t, RelOptInfo *rel)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);

	check_stack_depth();
	if (IS_DUMMY_REL(rel))
	{
		t->pruned++;
		return true;
	}
	if (!rte->inh)
		return find_leaf(t, rel, rte);
	return rte->rtekind == RTE_RELATION && rte->relkind == RELKIND_PARTITIONED_TABLE ?
		find_partitions(root, t, rel) : find_children(root, t, rel);
}

/* May the query's groups be made of states?  (agg_partial.h) */
static bool
partial_possible(const GpuAggGrouping *g)
{
	int			keys = 0;
	ListCell   *lc;

	foreach(lc, g->refs)
		keys += lfirst_int(lc) > 0;
	return g->fact == g->input_rel && g->root->parse->groupingSets == NIL &&
		!g->root->hasNonPartialAggs && !g->root->hasNonSerialAggs &&
		keys == list_length(g->clause) && (g->clause == NIL || grouping_is_hashable(g->clause));
}

bool
gpuagg_agg_tables_find(GpuAggGrouping *g)
{
	g->tables = palloc0(sizeof(GpuAggGroupingTables));
	g->info.sample = gpuagg_sample_method(g->root, g->fact);
	g->tables->sampled = g->info.sample != GPUAGG_SAMPLE_NONE;
	if (!gpuagg_sample_check(g->root, g->fact))
		return false;
	if (g->info.sample == GPUAGG_SAMPLE_DRAWS)
		return GPUAGG_REFUSE(
			"random draws of a table with partitions or child tables are not supported");
	if (!find_tables(g->root, g->tables, g->fact))
		return false;
	if (g->tables->rels == NIL && g->tables->others == NIL)
		return GPUAGG_REFUSE("no partition or child table is left to be read");
	if (g->tables->others == NIL ||
		(g->tables->rels != NIL && !g->tables->sampled && partial_possible(g)))
		return true;
	return check_leaf(planner_rt_fetch(((RelOptInfo *) linitial(g->tables->others))->relid,
									   g->root));
}

/* ----------------------------------------------------------------- lower --- */

static bool
same_runtime(const GpuAggLower *a, const GpuAggLower *b)
{
	if (a->nruntime != b->nruntime || a->gate != b->gate ||
		!equal(a->runtime_exprs, b->runtime_exprs))
		return false;
	for (int i = 0; i < a->nruntime; i++)
	{
		const GpuAggRuntimeConst *x = &a->runtime[i];
		const GpuAggRuntimeConst *y = &b->runtime[i];

		if (x->const_no != y->const_no || x->may_fail != y->may_fail || x->zone != y->zone)
			return false;
	}
	return true;
}

/*
 * Notes the program of the table looked at, which may be one of those before.  False: there is no
 * room for what it looks rows up in.
 */
static bool
note_program(GpuAggGrouping *g)
{
	GpuAggGroupingTables *t = g->tables;
	GpuAggProgram *program = g->info.program;
	int			i;

	for (i = 0; i < t->nprograms; i++)
		if (t->programs[i]->bytes == program->bytes &&
			memcmp(t->programs[i], program, program->bytes) == 0 &&
			same_runtime(t->lowers[i], g->lw))
			break;
	t->program_of = lappend_int(t->program_of, i);
	/* rows that are joined no row plan evaluates */
	t->row_exprs = lappend(t->row_exprs, g->lw->nlookups > 0 ? NIL : gpuagg_lower_row_exprs(g->lw));
	if (i < t->nprograms)
	{
		pfree(program);
		pfree(g->lw);
		if (g->regroup != t->regroup)
			gpuagg_regroup_free(g->regroup);
		return true;
	}
	t->lowers[i] = g->lw;
	t->programs[i] = program;
	t->lookups[i] = gpuagg_join_plans(g->lw, program);
	t->nprograms++;
	return gpuagg_join_fits(t->lookups[i], g->lw->nlookups);
}

/* Are groups of this program like those of the first? */
static bool
same_groups(const GpuAggProgram *a, const GpuAggProgram *b)
{
	const GpuAggKey *ka = gpuagg_program_keys(a);
	const GpuAggKey *kb = gpuagg_program_keys(b);
	const GpuAggTransition *ta = gpuagg_program_transitions(a);
	const GpuAggTransition *tb = gpuagg_program_transitions(b);

	if (a->nkeys != b->nkeys || a->ntransitions != b->ntransitions)
		return false;
	for (int i = 0; i < a->nkeys; i++)
		if (ka[i].type != kb[i].type || !gpuagg_scale_same(ka[i].scale, kb[i].scale))
			return false;
	for (int i = 0; i < a->ntransitions; i++)
		if (ta[i].op != tb[i].op ||
			(ta[i].op != GPUAGG_TRANS_COUNT &&
			 (ta[i].type != tb[i].type || !gpuagg_scale_same(ta[i].scale, tb[i].scale))))
			return false;
	return true;
}

static bool
same_outputs(const GpuAggPlanInfo *a, const GpuAggPlanInfo *b)
{
	return a->noutputs == b->noutputs &&
		memcmp(a->outputs, b->outputs, a->noutputs * sizeof(GpuAggOutput)) == 0;
}

static void
add_sums(GpuAggGrouping *g, RelOptInfo *rel, Relation relation)
{
	GpuAggGroupingTables *t = g->tables;
	GpuAggPageParts parts;
	double		sequential;
	double		random;
	double		page_cost;

	get_tablespace_page_costs(rel->reltablespace, &random, &sequential);
	page_cost = g->info.sample == GPUAGG_SAMPLE_SYSTEM ? random : sequential;
	gpuagg_page_parts(relation, g->lw, gpuagg_sample_pages(g->info.sample, rel, relation), &parts);
	t->drawn_pages += gpuagg_sample_drawn_pages(g->info.sample, relation);
	t->pages += rel->pages;
	t->cached_pages += rel->pages * parts.cached;
	t->gaps += rel->pages * parts.gaps;
	t->checked_pages += rel->pages * parts.checked;
	t->compared_pages += rel->pages * parts.compared;
	t->recent_pages += rel->pages * parts.recent;
	t->page_cost += rel->pages * page_cost;
	t->rows += rel->tuples;
	t->kept += rel->rows;
	t->passed += rel->rows * gpuagg_regroup_passing(g->regroup, rel);
	t->lines += gpuagg_sample_lines(g->root, rel, relation);
	t->filled += rel->pages > 0;
}

/*
 * Are the query's groups made of this table's as of the first's?  Expressions may read
 * other columns, if these are the same keys.
 */
static bool
same_regrouping(const GpuAggGrouping *g, const GpuAggPlanInfo *first)
{
	if (first->regroup == NULL || g->info.regroup == NULL)
		return first->regroup == g->info.regroup;
	return memcmp(first->regroup, g->info.regroup, sizeof(GpuAggRegroup)) == 0 &&
		equal(g->tables->computed, gpuagg_regroup_of_keys(g->regroup));
}

static void
note_first(GpuAggGrouping *g, GpuAggPlanInfo *first)
{
	*first = g->info;
	g->tables->regroup = g->regroup;
	g->tables->computed = gpuagg_regroup_of_keys(g->regroup);
}

/* One table; *differs: its groups are not like those of the first. */
static bool
lower_table(GpuAggGrouping *g, RelOptInfo *rel, GpuAggPlanInfo *first, bool *differs)
{
	GpuAggGroupingTables *t = g->tables;
	/* the planner's expansion holds the lock */
	Relation	relation = table_open(planner_rt_fetch(rel->relid, g->root)->relid, NoLock);
	bool		ok = gpuagg_grouping_lower(g, rel, relation);

	if (ok)
	{
		add_sums(g, rel, relation);
		if (first->program == NULL)
			note_first(g, first);
		*differs = !same_outputs(first, &g->info) ||
			!same_groups(first->program, g->info.program) || !same_regrouping(g, first);
		ok = *differs || t->nprograms == 0 || gpuagg_join_same_tables(t->lowers[0], g->lw);
	}
	ok = ok && note_program(g);
	table_close(relation, NoLock);
	return ok;
}

static bool
lower_tables(GpuAggGrouping *g, bool *differs)
{
	GpuAggGroupingTables *t = g->tables;
	GpuAggGroupingTables all = {
		.rels = t->rels,
		.others = t->others,
		.pruned = t->pruned,
		.sampled = t->sampled
	};

	all.siblings = (GpuAggSiblings) {.parent = g->fact,.rels = t->rels};
	GpuAggPlanInfo first = {0};
	ListCell   *lc;

	*t = all;
	t->lowers = palloc(list_length(t->rels) * sizeof(GpuAggLower *));
	t->programs = palloc(list_length(t->rels) * sizeof(GpuAggProgram *));
	t->lookups = palloc(list_length(t->rels) * sizeof(GpuAggLookupPlan *));
	foreach(lc, t->rels)
	{
		CHECK_FOR_INTERRUPTS();
		if (!lower_table(g, lfirst(lc), &first, differs))
			return false;
		if (*differs)
			return true;
	}
	g->info = first;
	g->info.lookups = t->lookups[0];
	g->lw = t->lowers[0];
	g->regroup = t->regroup;
	return true;
}

bool
gpuagg_agg_tables_lower(GpuAggGrouping *g)
{
	bool		differs = false;

	if (!lower_tables(g, &differs))
		return false;
	g->nullable = differs;
	if (differs && !lower_tables(g, &differs))
		return false;
	if (differs)
		return GPUAGG_REFUSE("groups of these tables are kept in different forms");
	return true;
}

/* -------------------------------------------------------------- estimates --- */

/* What became a member's of a column of its parent, as that column */
static Node *
as_parent(Node *node, void *context)
{
	const AppendRelInfo *member = context;
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	foreach(lc, member->translated_vars)
	{
		if (lfirst(lc) != NULL && equal(lfirst(lc), node))
			return (Node *) makeVar(member->parent_relid, foreach_current_index(lc) + 1,
									exprType(node), exprTypmod(node), exprCollation(node), 0);
	}
	return expression_tree_mutator(node, as_parent, context);
}

/* Expressions over the first of the tables, as ones over what they make together */
static List *
of_parent(const GpuAggGrouping *g, List *exprs)
{
	Index		relid = ((RelOptInfo *) linitial(g->tables->rels))->relid;

	while (relid != g->fact->relid)
	{
		AppendRelInfo *member = g->root->append_rel_array[relid];

		exprs = (List *) as_parent((Node *) exprs, member);
		relid = member->parent_relid;
	}
	return exprs;
}

List *
gpuagg_agg_tables_keys(const GpuAggGrouping *g)
{
	return of_parent(g, g->regroup->keys);
}

/* Of a UNION ALL a constant might be a column of another table's. */
bool
gpuagg_agg_tables_outputs(const GpuAggGrouping *g, List **exprs)
{
	if (g->tables->others != NIL ||
		planner_rt_fetch(g->fact->relid, g->root)->rtekind != RTE_RELATION)
		return false;
	*exprs = of_parent(g, *exprs);
	return true;
}

/* ------------------------------------------------------------ path, plan --- */

/* Fewer groups are merged in no time that matters. */
#define MANY_GROUPS 10000

/* Tables with fewer rows are read in about the time that a task takes to begin. */
#define FEW_ROWS 50000

static bool
has_strings(const GpuAggProgram *program)
{
	const uint8_t *classes = gpuagg_program_classes(program);

	for (uint32 i = 0; i < program->ncolumns; i++)
		if (classes[i] == GPUAGG_CLASS_BYTES)
			return true;
	return false;
}

/*
 * Strings are codes of a dictionary that each table has for itself, and codes are
 * grouped several times as fast as strings.  A shared task has strings.  A sample that is
 * not REPEATABLE is one of each table, by dice of its own, as PostgreSQL's is.
 */
void
gpuagg_agg_tables_share(GpuAggGrouping *g)
{
	GpuAggGroupingTables *t = g->tables;
	bool		strings = false;

	for (int i = 0; i < t->nprograms; i++)
		strings |= has_strings(t->programs[i]);
	t->shared = !strings || g->info.est_groups >= MANY_GROUPS ||
		t->rows < (double) FEW_ROWS * t->filled;
	if (t->sampled)
		t->shared = g->info.repeatable;
}

bool
gpuagg_agg_tables_one_task(const GpuAggGrouping *g)
{
	const GpuAggGroupingTables *t = g->tables;

	return t->nprograms == 1 && (t->shared || list_length(t->rels) == 1);
}

/* Of each table alone, all together */
static double
groups_of_tables(const GpuAggGrouping *g)
{
	double		sum = 0;
	ListCell   *lc;

	if (g->tables->shared)
		return g->info.est_groups * g->tables->nprograms;
	if (g->info.est_groups < MANY_GROUPS)
		return g->info.est_groups * g->tables->filled;
	foreach(lc, g->tables->rels)
	{
		RelOptInfo *rel = lfirst(lc);
		List	   *keys = g->info.regroup != NULL ? gpuagg_agg_tables_keys(g) :
			get_sortgrouplist_exprs(g->clause, g->root->processed_tlist);
		double		groups;

		keys = (List *) gpuagg_before_grouping(g->root, (Node *) keys);
		keys = (List *) gpuagg_adjust_appendrel_attrs(g->root, (Node *) keys, rel,
													  g->fact);
		groups = estimate_num_groups(g->root, keys, rel->rows, NULL, NULL);
		sum += Min(groups, g->info.est_groups);
	}
	return sum;
}

void
gpuagg_agg_tables_cost_input(const GpuAggGrouping *g, GpuAggCostInput *input)
{
	const GpuAggGroupingTables *t = g->tables;
	double		pages = Max(t->pages, 1);

	input->pages = t->pages;
	input->cached = t->cached_pages / pages;
	input->page_cost = t->page_cost / pages;
	input->drawn = t->drawn_pages;
	input->lines = t->lines;
	input->rows = t->rows;
	input->gaps = t->gaps / pages;
	input->checked = t->checked_pages / pages;
	input->compared = t->compared_pages / pages;
	input->recent = Min(t->recent_pages, NBuffers) / pages;
	input->tasks = Max(t->shared ? t->nprograms : t->filled, 1);
	if (input->tasks > 1)
		input->merged = groups_of_tables(g);
}

/* PostgreSQL has given that target to members of partitioned tables alone. */
Path *
gpuagg_agg_tables_member_path(const GpuAggGrouping *g, RelOptInfo *rel, Path *path)
{
	PathTarget *target = copy_pathtarget(g->fact->reltarget);

	target->exprs = (List *) gpuagg_adjust_appendrel_attrs(g->root, (Node *) target->exprs, rel,
														   g->fact);
	return equal(path->pathtarget->exprs, target->exprs) ? path :
		(Path *) create_projection_path(g->root, rel, path, target);
}

/*
 * Of the tables that devices read; of a sample without others' paths for them, which would
 * draw by dice of their own.
 */
static Path *
append_path(const GpuAggGrouping *g)
{
	List	   *paths = NIL;
	ListCell   *lc;

	foreach(lc, g->tables->rels)
		paths = lappend(paths,
						gpuagg_agg_tables_member_path(
							g, lfirst(lc), gpuagg_sample_scan_path(g->root, lfirst(lc))));
	return (Path *) gpuagg_append_path(g->root, g->fact, paths, NIL, 0, false);
}

Path *
gpuagg_agg_tables_scan_path(const GpuAggGrouping *g)
{
	Path	   *cheapest = NULL;
	ListCell   *lc;

	if (g->tables->sampled || g->tables->others != NIL)
		return append_path(g);
	foreach(lc, g->fact->pathlist)
	{
		Path	   *path = lfirst(lc);
		Path	   *bare = path;

		while (IsA(bare, ProjectionPath))
			bare = ((ProjectionPath *) bare)->subpath;
		if (path->param_info != NULL || IsA(bare, GatherPath) || IsA(bare, GatherMergePath))
			continue;
		if (cheapest == NULL || path->total_cost < cheapest->total_cost)
			cheapest = path;
	}
	return cheapest;
}

/* The Append's own target is only looked at for its types. */
Path *
gpuagg_agg_tables_row_path(GpuAggGrouping *g)
{
	GpuAggGroupingTables *t = g->tables;
	List	   *paths = NIL;
	ListCell   *rel;
	ListCell   *exprs;
	AppendPath *append;

	forboth(rel, t->rels, exprs, t->row_exprs)
		paths = lappend(paths,
						create_projection_path(g->root, lfirst(rel),
											   create_seqscan_path(g->root, lfirst(rel), NULL, 0),
											   gpuagg_grouping_target(g->root, lfirst(exprs))));
	if (list_length(paths) == 1)
		return linitial(paths);
	append = gpuagg_append_path(g->root, g->fact, paths, NIL, 0, false);
	append->path.pathtarget = gpuagg_grouping_target(g->root, linitial(t->row_exprs));
	return &append->path;
}

List *
gpuagg_agg_tables_pack(const GpuAggGrouping *g)
{
	const GpuAggGroupingTables *t = g->tables;
	List	   *programs = NIL;

	for (int i = 0; i < t->nprograms; i++)
	{
		GpuAggPlanInfo info = g->info;

		info.program = t->programs[i];
		info.runtime = t->lowers[i]->runtime;
		info.nruntime = t->lowers[i]->nruntime;
		info.gate = t->lowers[i]->gate;
		info.lookups = t->lookups[i];
		programs = lappend(programs, gpuagg_plan_pack(&info));
	}
	return gpuagg_plan_pack_tables(programs, t->program_of, t->pruned, t->shared);
}

List *
gpuagg_agg_tables_runtime(const GpuAggGrouping *g)
{
	List	   *exprs = NIL;

	for (int i = 0; i < g->tables->nprograms; i++)
		exprs = list_concat(exprs, g->tables->lowers[i]->runtime_exprs);
	return list_concat(exprs, gpuagg_join_runtime(g->lw));
}
