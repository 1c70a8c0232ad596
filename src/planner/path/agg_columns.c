/*
 * agg_columns.c
 *		What a grouping computes: the columns of its node, and the program that a device
 *		makes them by (agg_grouping.h).
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "device/ops/places.h"
#include "heap/cache_request.h"
#include "ipc/cache_shared.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/join/join_path.h"
#include "planner/lower/lower_called.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_key.h"
#include "planner/lower/lower_string.h"
#include "planner/path/agg_grouping.h"
#include "planner/path/sample_clause.h"
#include "planner/regroup/regroup_values.h"
#include "rewrite/rewriteManip.h"
#include "utils/snapmgr.h"

static bool
member_expr(List *exprs, Node *node)
{
	return list_member(exprs, node);
}

PathTarget *
gpuagg_grouping_target(PlannerInfo *root, const List *exprs)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *lc;

	foreach(lc, exprs)
		add_column_to_pathtarget(target, (Expr *) lfirst(lc), 0);
	return set_pathtarget_cost_width(root, target);
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
			/* without sets it is 0, which PostgreSQL's aggregation knows */
			if (g->root->parse->groupingSets == NIL)
			{
				(void) GPUAGG_REFUSE("GROUPING() of a single grouping set");
				return true;
			}
			if (!member_expr(g->groupings, node))
				g->groupings = lappend(g->groupings, node);
			return false;
		case T_PlaceHolderVar:
			(void) GPUAGG_REFUSE(
				"the target list needs something that only PostgreSQL's plan provides");
			return true;
		default:
			return expression_tree_walker(node, collect_walker, context);
	}
}

static void
add_column(GpuAggGrouping *g, Node *expr, Index ref, Oid eqop)
{
	g->exprs = lappend(g->exprs, expr);
	g->refs = lappend_int(g->refs, ref);
	g->eqops = lappend_oid(g->eqops, eqop);
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

/* Of grouping sets a key may be NULL, and has to be told from others. */
static bool
check_set_key(const GpuAggGrouping *g, Node *expr)
{
	if (gpuagg_lower_is_constant((Expr *) expr))
		return GPUAGG_REFUSE("a key of grouping sets is without columns");
	if (member_expr(g->exprs, expr))
		return GPUAGG_REFUSE("a key of grouping sets is there twice");
	return true;
}

/* Lowers the next column of custom_scan_tlist. */
static bool
lower_column(GpuAggGrouping *g, Node *expr, Oid eqop)
{
	GpuAggOutput *output = &g->info.outputs[g->info.noutputs++];

	memset(output, 0, sizeof(*output));
	if (IsA(expr, Aggref))
		return gpuagg_regroup_aggregate(g->regroup, (Aggref *) expr, output);
	if (IsA(expr, GroupingFunc))
		return gpuagg_regroup_grouping(g->regroup, g->root->parse->groupingSets,
									   (GroupingFunc *) expr, output);
	return gpuagg_regroup_key(g->regroup, (Expr *) expr, eqop, output);
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
collect_keys(GpuAggGrouping *g)
{
	bool		ok = true;
	ListCell   *lc;

	foreach(lc, g->clause)
	{
		SortGroupClause *sgc = lfirst_node(SortGroupClause, lc);
		Node	   *expr = get_sortgroupclause_expr(sgc,
													g->root->processed_tlist);

		if (g->root->parse->groupingSets != NIL && !check_set_key(g, expr))
			ok = false;
		else if (gpuagg_lower_is_constant((Expr *) expr))
			ok &= check_constant_key((Expr *) expr);
		else
			add_column(g, expr, sgc->tleSortGroupRef, sgc->eqop);
		if (!may_go_on(ok))
			return false;
	}
	return ok;
}

bool
gpuagg_grouping_collect(GpuAggGrouping *g)
{
	bool		ok = collect_keys(g);
	ListCell   *lc;

	if (!may_go_on(ok))
		return false;
	ok &= !collect_walker((Node *) g->target->exprs, g) &&
		!collect_walker((Node *) g->having, g);
	foreach(lc, g->dependent)
		add_column(g, lfirst(lc), 0, InvalidOid);
	foreach(lc, g->aggs)
		add_column(g, lfirst(lc), 0, InvalidOid);
	foreach(lc, g->groupings)
		add_column(g, lfirst(lc), 0, InvalidOid);
	if (g->clause == NIL && g->aggs == NIL)
		return GPUAGG_REFUSE("there is no aggregate left to compute");
	return ok;
}

/* As columns of one of the tables below */
static Node *
translate_column(const GpuAggGrouping *g, Node *expr, RelOptInfo *rel)
{
	if (g->info.of_plan)
		return gpuagg_before_grouping(g->root, expr);
	return g->tables == NULL ? expr :
		gpuagg_adjust_appendrel_attrs(g->root, gpuagg_before_grouping(g->root, expr), rel,
									  g->fact);
}

/* When all keys are there: what they are parts of, or one for a group without any */
static bool
finish_keys(GpuAggGrouping *g, int nkeys)
{
	if (g->root->parse->groupingSets != NIL)
		return gpuagg_regroup_sets(g->regroup, g->root->parse->groupingSets,
								   list_copy_head(g->refs, nkeys));
	return g->clause == NIL || g->lw->nkeys > 0 || gpuagg_lower_unit_key(g->lw);
}

/* The column that is the primary key of an ordinary table by itself; 0: there is none. */
static AttrNumber
primary_key(const RangeTblEntry *rte)
{
	Oid			constraint;
	Bitmapset  *columns;

	if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION || rte->inh)
		return 0;
	columns = get_primary_key_attnos(rte->relid, false, &constraint);
	return bms_membership(columns) == BMS_SINGLETON ?
		bms_singleton_member(columns) + FirstLowInvalidHeapAttributeNumber : 0;
}

/* Of the outputs before so many the one that is this column as a key; NULL: none is */
static const GpuAggOutput *
key_output(const GpuAggGrouping *g, int n, Index varno, AttrNumber attno)
{
	for (int i = 0; i < n; i++)
	{
		const Var  *key = list_nth(g->exprs, i);
		const GpuAggOutput *output = &g->info.outputs[i];

		if (IsA(key, Var) && key->varno == varno && key->varattno == attno &&
			key->varlevelsup == 0 && output->final == GPUAGG_FINAL_KEY &&
			(key->vartype == INT2OID || key->vartype == INT4OID || key->vartype == INT8OID))
			return output;
	}
	return NULL;
}

/* Strings that nearly all differ, and what is no key of a device at all */
static bool
is_read_with_row(const GpuAggGrouping *g, const Var *var)
{
	uint8		type;
	GpuAggScale scale;

	if (!gpuagg_constant_column(var->vartype, var->vartypmod, &type, &scale) ||
		type == GPUAGG_T_INTERVAL || gpuagg_scale_is_word(scale))
		return true;
	return gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES &&
		gpuagg_lower_has_many_strings(g->root, var);
}

/*
 * Output i, a column of an input that follows from a primary key among the keys: it is read with
 * its row (node/result/key_rows.h).  False: it is none such.
 */
static bool
lower_key_row(GpuAggGrouping *g, int i)
{
	const Var  *var = list_nth(g->exprs, i);
	const GpuAggOutput *key;
	AttrNumber	attno;

	if (!g->key_rows || !list_member_ptr(g->dependent, var) || var->varlevelsup != 0 ||
		var->varattno <= 0 || var->varno == g->fact->relid || !is_read_with_row(g, var) ||
		(attno = primary_key(planner_rt_fetch(var->varno, g->root))) == 0 ||
		(key = key_output(g, i, var->varno, attno)) == NULL)
		return false;
	(void) gpuagg_regroup_add_output(g->regroup);
	g->info.outputs[g->info.noutputs++] = (GpuAggOutput) {
		.final = GPUAGG_FINAL_KEY_ROW,
		.index = key->index,
		.count_index = -1,
		.type = key->type,
		.column = var->varattno
	};
	return true;
}

static bool
lower_columns(GpuAggGrouping *g, RelOptInfo *rel)
{
	int			nkeys = list_length(g->exprs) - list_length(g->aggs) - list_length(g->groupings);
	bool		ok = true;

	List	   *exprs = NIL;

	g->info.noutputs = 0;
	g->info.outputs = palloc((list_length(g->exprs) + 1) * sizeof(GpuAggOutput));
	for (int i = 0; i < list_length(g->exprs); i++)
	{
		exprs = lappend(exprs, translate_column(g, list_nth(g->exprs, i), rel));
		if (IsA(llast(exprs), Aggref))
			g->lw->aggs = lappend(g->lw->aggs, llast(exprs));
	}
	for (int i = 0; i < list_length(g->exprs); i++)
	{
		if (i == nkeys)
			ok &= finish_keys(g, nkeys);
		ok &= (i < nkeys && lower_key_row(g, i)) ||
			lower_column(g, list_nth(exprs, i), list_nth_oid(g->eqops, i));
		if (!may_go_on(ok))
			return false;
	}
	if (nkeys == list_length(g->exprs))
		ok &= finish_keys(g, nkeys);
	return ok;
}

/* May IN of a subquery become a look-up? */
static bool
subqueries_possible(const GpuAggGrouping *g)
{
	bool		listening;
	bool		possible;

	if (!g->root->parse->hasSubLinks || gpuagg_grouping_is_partial(g))
		return false;
	listening = gpuagg_refuse_pause();
	possible = gpuagg_join_possible();
	gpuagg_refuse_resume(listening);
	return possible;
}

/* What is joined with each of several tables is the same. */
static bool
find_joins(GpuAggGrouping *g)
{
	if (g->joins == NULL)
		g->joins = gpuagg_join_tree(g->root, g->input_rel, g->fact);
	return g->joins != NULL;
}

/* A value that another process does not have */
static bool
has_param(Node *node, void *context)
{
	return node != NULL &&
		(IsA(node, Param) || IsA(node, SubPlan) ||
		 expression_tree_walker(node, has_param, context));
}

/*
 * May PostgreSQL compute of strings that are kept?  Rows of one table, all of which one task reads
 * by codes.
 */
static bool
calls_possible(const GpuAggGrouping *g, Relation relation)
{
	return relation != NULL && g->tables == NULL && !g->info.of_plan &&
		gpuagg_sample_method(g->root, g->fact) == GPUAGG_SAMPLE_NONE;
}

/* Less of its columns is not kept on one device, on which strings are codes */
#define MOSTLY_KEPT 0.5

/*
 * Strings are codes where all columns of a program can be kept, without regard to single values,
 * and this transaction may use them.
 */
static bool
columns_are_kept(const GpuAggProgram *program, Relation relation, BlockNumber nblocks)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);
	AttrNumber	columns[GPUAGG_MAX_REGS];
	GpuAggCacheRequest request;
	int			n = 0;

	if (!ActiveSnapshotSet() ||
		!gpuagg_cache_request(relation, GetActiveSnapshot(), program, nblocks, &request))
		return false;

	for (int i = 0; i < program->nattrs; i++)
	{
		if (gpuagg_scale_is_word(attrs[i].scale))
			return false;
		if (attrs[i].reg != GPUAGG_NO_REG)
			columns[n++] = i + 1;
	}
	return gpuagg_cache_fraction(RelationGetRelid(relation), GPUAGG_FILES_NUMBER(relation), columns,
								 n, nblocks) >= MOSTLY_KEPT;
}

/* What PostgreSQL computes of strings, with the program's instructions for it */
static bool
finish_called(GpuAggGrouping *g)
{
	const GpuAggProgram *program = g->info.program;
	GpuAggProgram *placed;
	GpuAggProgram *room;
	bool		all;

	g->info.ncalled = g->lw->ncalled;
	for (int i = 0; i < g->lw->ncalled; i++)
		g->info.called[i] = g->lw->called[i].name.reg & GPUAGG_VREG_NUMBER;
	if (g->lw->ncalled == 0)
		return true;
	if (!columns_are_kept(program, g->lw->relation, g->lw->rel->pages))
		return false;
	g->info.called_hidden = g->root->qual_security_level > 0;
	g->info.called_safe = is_parallel_safe(g->root, (Node *) gpuagg_lower_called_exprs(g->lw));
	placed = palloc(gpuagg_places_room(program));
	room = palloc(gpuagg_places_tables_room(program));
	/* groups that the device makes of others have no places */
	all = gpuagg_called_have_tables(g->info.regroup == NULL &&
									gpuagg_places_use(program, placed, room) ? placed : program,
									room);
	pfree(room);
	pfree(placed);
	return all;
}

/* key_rows: as GpuAggGrouping's; calls: as GpuAggLower's */
static bool
lower_over(GpuAggGrouping *g, RelOptInfo *rel, Relation relation, bool key_rows, bool calls)
{
	const bool	joined = g->fact != g->input_rel;
	bool		ok;

	/* else what the device counts may be known without counting; of partial groups it counts */
	g->lw = gpuagg_lower_create(g->root, rel, relation,
								g->clause != NIL && g->root->parse->groupingSets == NIL &&
								!gpuagg_grouping_is_partial(g));
	g->lw->nullable = g->nullable;
	g->lw->of_plan = g->info.of_plan;
	g->lw->partial = gpuagg_grouping_is_partial(g);
	g->key_rows = key_rows;
	g->lw->subqueries = subqueries_possible(g);
	g->lw->calls = calls;
	g->lw->siblings = g->tables != NULL ? &g->tables->siblings : NULL;
	g->regroup = gpuagg_regroup_begin(g->lw, joined);
	/* a plan gives the rows that pass */
	ok = g->info.of_plan || gpuagg_regroup_filter(g->regroup, rel->baserestrictinfo);
	if (joined && (!ok || !find_joins(g) || !gpuagg_join_lower(g->lw, g->joins)))
		return false;
	if (!may_go_on(ok))
		return false;
	ok &= lower_columns(g, rel);
	if (!ok)
		return false;
	g->info.regroup = gpuagg_regroup_finish(g->regroup, g->info.outputs);
	if (g->info.regroup != NULL)
		g->info.regroup->safe = !has_param((Node *) g->regroup->exprs, NULL) &&
			is_parallel_safe(g->root, (Node *) g->regroup->exprs);
	g->info.program = gpuagg_lower_finish(g->lw);
	g->info.runtime = g->lw->runtime;
	g->info.nruntime = g->lw->nruntime;
	g->info.nlookups = g->lw->nlookups;
	g->info.gate = g->lw->gate;
	return g->info.program != NULL && finish_called(g);
}

/* Strings of which PostgreSQL computes are codes on the device, or it computes otherwise. */
static bool
lower_calling(GpuAggGrouping *g, RelOptInfo *rel, Relation relation, bool key_rows)
{
	const bool	calls = calls_possible(g, relation);
	const bool	listening = calls && gpuagg_refuse_pause();
	bool		ok = calls && lower_over(g, rel, relation, key_rows, true);

	if (calls)
		gpuagg_refuse_resume(listening);
	/* without it nothing would come of what was refused for other reasons, but these */
	if (ok || (calls && !g->lw->called_any && !listening))
		return ok;
	return lower_over(g, rel, relation, key_rows, false);
}

/* What groups are made of has all columns by itself. */
bool
gpuagg_grouping_lower(GpuAggGrouping *g, RelOptInfo *rel, Relation relation)
{
	const bool	key_rows = g->fact != g->input_rel && g->dependent != NIL && g->tables == NULL &&
		!g->info.of_plan && !gpuagg_grouping_is_partial(g);

	return lower_calling(g, rel, relation, key_rows) &&
		(!key_rows || g->info.regroup == NULL || lower_calling(g, rel, relation, false));
}
