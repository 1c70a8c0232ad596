/*
 * join_build.c
 *		Programs that make look-up tables on a device (join_build.h).
 *
 * An input that is one ordinary table, with conditions of its own at most, is lowered as a
 * table that is grouped is: its conditions, row security's among them, are the filter; the
 * table's keys and other columns are the program's keys, folded where the input is (lower_fold.c):
 * of PostgreSQL's aggregates those that a table can have.  So are a subquery that groups one table,
 * and that of IN.  Whether its columns are kept, and current, is found out when the query runs
 * (node/lookup/lookup_made.c); until then, and for all other inputs, the backend runs PostgreSQL's
 * plan of it.
 */
#include "postgres.h"

#include "access/table.h"
#include "compat.h"
#include "heap/written.h"
#include "ipc/cache_shared.h"
#include "ipc/made_shared.h"
#include "ipc/shmem.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/join/join_build.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_join.h"
#include "planner/lower/lower_numeric.h"
#include "planner/offer/table_check.h"
#include "planner/value/args.h"
#include "planner/value/harmless.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/* The input whose rows a table has, a helper those of the table that it helps */
static const GpuAggLookupLower *
input_of(const GpuAggLower *lw, const GpuAggLookupLower *lookup)
{
	return lookup->helps > 0 ? &lw->lookups[lookup->helps - 1] : lookup;
}

/* A string is in the table as its number, or is a key; a key of char(n) has lost its blanks. */
static bool
column_fits(const GpuAggLookupLower *lookup, int column)
{
	return gpuagg_constant_class(lookup->types[column]) != GPUAGG_CLASS_BYTES ||
		lookup->scales[column].form == GPUAGG_SCALE_NUMBERED ||
		(column < lookup->nkeys && lookup->types[column] != GPUAGG_T_BPCHAR);
}

/* The next key is that column of the table, as the device keeps it. */
static bool
add_column(GpuAggLower *build, int column, Expr *expr, GpuAggFold fold, GpuAggLowered *value)
{
	GpuAggKey  *key = &build->keys[column];

	if (!IsA(expr, Var) || !gpuagg_lower_expr(build, expr, value) ||
		(value->reg & GPUAGG_VREG_KIND) != GPUAGG_VREG_COLUMN)
		return false;
	key->reg = value->reg;
	key->type = value->type;
	key->notnull = value->notnull;
	key->scale = gpuagg_lower_numeric_scale(value);
	key->fold = fold;
	build->key_exprs[column] = expr;
	build->nkeys = column + 1;
	return true;
}

static bool
lower_column(GpuAggLower *build, const GpuAggLookupLower *lookup, int column, Expr *expr)
{
	GpuAggLowered value;

	return column_fits(lookup, column) &&
		add_column(build, column, expr, GPUAGG_FOLD_NONE, &value) &&
		value.type == lookup->types[column] &&
		(value.type != GPUAGG_T_NUMERIC || gpuagg_scale_same(value.scale, lookup->scales[column]));
}

/*
 * What the aggregate makes of the rows of a key, if a table can have it: its result is the state's
 * integer.
 */
static GpuAggFold
fold_of(const GpuAggAggregateRow *row)
{
	switch (row->final)
	{
		case GPUAGG_FINAL_SUM_INT8:
		case GPUAGG_FINAL_SUM_NUMERIC:
			return GPUAGG_FOLD_SUM;
		case GPUAGG_FINAL_I64:
			return row->op == GPUAGG_TRANS_MIN_I64 ? GPUAGG_FOLD_LEAST :
				row->op == GPUAGG_TRANS_MAX_I64 ? GPUAGG_FOLD_GREATEST : GPUAGG_FOLD_NONE;
		default:
			return GPUAGG_FOLD_NONE;
	}
}

static bool
may_be_null(const GpuAggLower *build, const Expr *arg)
{
	const Var  *var = (const Var *) arg;

	return var != NULL &&
		(!IsA(var, Var) || var->varattno <= 0 ||
		 !gpuagg_attr_notnull(RelationGetDescr(build->relation), var->varattno - 1));
}

/* Counted are values of a column that has NULLs, or else rows: those that have the first key. */
static bool
lower_count(GpuAggLower *build, int column, Expr *arg)
{
	GpuAggLowered value;

	return add_column(build, column, may_be_null(build, arg) ? arg : build->key_exprs[0],
					  GPUAGG_FOLD_COUNT, &value);
}

/* The next key is that aggregate of the rows of a key. */
static bool
lower_folded(GpuAggLower *build, const GpuAggLookupLower *lookup, int column, const Aggref *agg)
{
	Expr	   *arg = agg->args == NIL ? NULL : gpuagg_agg_arg(agg, 0);
	GpuAggAggregateRow row;
	GpuAggLowered value;

	if (agg->aggfilter != NULL || agg->aggdistinct != NIL || agg->aggorder != NIL ||
		agg->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	if (gpuagg_is_count(agg->aggfnoid))
		return lower_count(build, column, arg);
	return gpuagg_lower_find_aggregate(agg->aggfnoid, &row) && fold_of(&row) != GPUAGG_FOLD_NONE &&
		add_column(build, column, arg, fold_of(&row), &value) && value.type == row.type &&
		gpuagg_scale_same(lookup->scales[column], value.type == GPUAGG_T_NUMERIC ? value.scale :
						  gpuagg_scale(0));
}

static bool
lower_input(GpuAggLower *build, const GpuAggLookupLower *lookup, const List *columns)
{
	const int	n = list_length(columns);

	if (n > GPUAGG_MAX_KEYS || !gpuagg_lower_filter(build, build->rel->baserestrictinfo) ||
		build->gate >= 0)
		return false;
	for (int i = 0; i < n; i++)
	{
		Expr	   *expr = list_nth(columns, i);

		if (!(IsA(expr, Aggref) ? lower_folded(build, lookup, i, (Aggref *) expr) :
			  lower_column(build, lookup, i, expr)))
			return false;
	}
	return true;
}

/*
 * Is all of the table all-visible, but for pages that nobody has written to?  How many there are
 * besides.
 */
static bool
is_visible(const GpuAggLower *build, Relation relation, BlockNumber *written)
{
	*written = 0;
	/* of an empty table the planner takes more */
	return gpuagg_written_visible(relation, RelationGetNumberOfBlocks(relation), written) &&
		*written > 0;
}

/* Does the device have all columns of the whole table, as far as is known? */
static bool
is_kept(const GpuAggLower *build, Relation relation, BlockNumber written)
{
	AttrNumber	columns[GPUAGG_MAX_REGS];

	for (int i = 0; i < build->ncolumns; i++)
		columns[i] = build->columns[i].attno;
	return gpuagg_cache_fraction(RelationGetRelid(relation), GPUAGG_FILES_NUMBER(relation), columns,
								 build->ncolumns, written) >= 1;
}

/* A value that stays, with what tells NULLs */
#define KEPT_VALUE_BYTES 9.0

/* Could it have them?  A run keeps what is missing of a table whose pages are all-visible. */
static bool
is_keepable(const GpuAggLower *build)
{
	uint64		limit;
	uint64		used;

	gpuagg_cache_memory(gpuagg_shmem_plan_device(), &limit, &used);
	return build->rel->tuples * build->ncolumns * KEPT_VALUE_BYTES <=
		(double) (limit - Min(limit, used));
}

static void
finish(GpuAggLower *build, Relation relation, GpuAggLookupLower *lookup, GpuAggLookupPlan *plan)
{
	BlockNumber written;

	plan->program = gpuagg_lower_finish(build);
	if (plan->program == NULL)
		return;
	plan->runtime = build->runtime;
	plan->nruntime = build->nruntime;
	plan->relid = RelationGetRelid(relation);
	lookup->scanned = build->rel;
	if (gpuagg_cache && is_visible(build, relation, &written))
	{
		lookup->kept = is_kept(build, relation, written);
		lookup->keepable = lookup->kept || is_keepable(build);
	}
	lookup->known = lookup->kept &&
		gpuagg_made_is_known(gpuagg_shmem_plan_device(), plan->relid, plan->program);
}

/* The table whose rows, with conditions at most, a subquery has, or groups; NULL: it has others */
static RelOptInfo *
subquery_scan(PlannerInfo *root)
{
	const Query *parse = root->parse;
	RelOptInfo *rel;

	if (parse->groupingSets != NIL || parse->havingQual != NULL || parse->hasDistinctOn ||
		parse->hasWindowFuncs || parse->hasTargetSRFs || parse->limitCount != NULL ||
		parse->limitOffset != NULL || parse->setOperations != NULL || parse->rowMarks != NIL ||
		bms_membership(root->all_baserels) != BMS_SINGLETON)
		return NULL;
	rel = find_base_rel(root, bms_singleton_member(root->all_baserels));
	return IS_DUMMY_REL(rel) || !gpuagg_lower_is_plain_scan(root, rel) ? NULL : rel;
}

static bool
groups(const Query *parse)
{
	return parse->groupClause != NIL || parse->hasAggs || parse->distinctClause != NIL;
}

/*
 * The program over a table of a subquery, whose expressions these are.  The node has none of them:
 * there may be no constants that are known later.
 */
static bool
build_inside(PlannerInfo *root, RelOptInfo *rel, List *columns, bool notnull,
			 GpuAggLookupLower *lookup, GpuAggLookupPlan *plan)
{
	Relation	relation = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	GpuAggLower *build = gpuagg_lower_create(root, rel, relation, true);

	if (gpuagg_table_check(relation) && lower_input(build, lookup, columns) &&
		(build->keys[0].notnull || !notnull) && build->nruntime == 0)
		finish(build, relation, lookup, plan);
	table_close(relation, NoLock);
	return plan->program != NULL;
}

/*
 * Whether there was a NULL is not known of a table that a device has made, so the column has none.
 */
void
gpuagg_join_build_subquery(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggLookupPlan *plan)
{
	PlannerInfo *root = list_nth_node(PlannerInfo, lw->root->glob->subroots,
									  lookup->subplan->plan_id - 1);
	RelOptInfo *rel = groups(root->parse) ? NULL : subquery_scan(root);
	bool		listening = gpuagg_refuse_pause();

	if (rel != NULL)
		(void) build_inside(root, rel,
							list_make1(linitial_node(TargetEntry, root->processed_tlist)->expr),
							true, lookup, plan);
	gpuagg_refuse_resume(listening);
}

/* What columns of a subquery are there; NIL: some are no columns of it */
static List *
columns_inside(const Query *subquery, const List *columns)
{
	List	   *inside = NIL;
	ListCell   *lc;

	foreach(lc, columns)
	{
		const Var  *var = lfirst(lc);

		if (!IsA(var, Var) || var->varattno <= 0 || var->varlevelsup != 0)
			return NIL;
		inside = lappend(inside,
						 list_nth_node(TargetEntry, subquery->targetList, var->varattno - 1)->expr);
	}
	return inside;
}

/* Are these the columns that it groups by, all of them? */
static bool
are_group_keys(Query *subquery, const List *keys)
{
	const List *grouped = get_sortgrouplist_exprs(
		subquery->groupClause != NIL ? subquery->groupClause : subquery->distinctClause,
		subquery->targetList);
	ListCell   *lc;

	foreach(lc, keys)
	{
		if (!list_member(grouped, lfirst(lc)))
			return false;
	}
	foreach(lc, grouped)
	{
		if (!list_member(keys, lfirst(lc)))
			return false;
	}
	return grouped != NIL;
}

/* What else it computes, to sort by or because it is volatile, nobody would miss. */
static bool
is_rest_harmless(const Query *subquery, const List *columns)
{
	ListCell   *lc;

	foreach(lc, subquery->targetList)
	{
		Node	   *expr = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (!list_member(columns, expr) && !gpuagg_is_harmless(expr))
			return false;
	}
	return true;
}

/* DISTINCT of groups, or of the one group that there is without GROUP BY */
static bool
groups_twice(const Query *subquery)
{
	return subquery->distinctClause != NIL && (subquery->groupClause != NIL || subquery->hasAggs);
}

/*
 * A subquery that groups the rows of a table by what the input is looked up by: as one that is
 * folded
 */
static void
build_grouped(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggLookupLower *input,
			  GpuAggLookupPlan *plan)
{
	PlannerInfo *root = input->rel->subroot;
	Query	   *subquery = root->parse;
	RelOptInfo *rel = groups(subquery) && input->rel->baserestrictinfo == NIL ?
		subquery_scan(root) :
		NULL;
	const List *keys = columns_inside(subquery, list_copy_head(input->columns, input->nkeys));
	List	   *columns = columns_inside(subquery, lookup->columns);

	if (rel == NULL || columns == NIL || groups_twice(subquery) ||
		!are_group_keys(subquery, keys) ||
		!is_rest_harmless(subquery, columns_inside(subquery, input->columns)))
		return;
	plan->folded = build_inside(root, rel, columns, false, lookup, plan);
}

void
gpuagg_join_build(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggLookupPlan *plan)
{
	const GpuAggLookupLower *input = input_of(lw, lookup);
	bool		listening = gpuagg_refuse_pause();

	if (gpuagg_lower_is_plain_scan(lw->root, input->rel))
	{
		Relation	relation = table_open(planner_rt_fetch(input->rel->relid, lw->root)->relid,
									   NoLock);
		GpuAggLower *build = gpuagg_lower_create(lw->root, input->rel, relation, true);

		if (gpuagg_table_check(relation) && lower_input(build, lookup, lookup->columns))
			finish(build, relation, lookup, plan);
		lookup->runtime_exprs = plan->program != NULL ? build->runtime_exprs : NIL;
		plan->folded = input->folded && plan->program != NULL;
		table_close(relation, NoLock);
	}
	/* a UNION ALL that is planned as its parts has no plan of its own */
	else if (input->rel->reloptkind == RELOPT_BASEREL && input->rel->subroot != NULL &&
			 !input->folded)
		build_grouped(lw, lookup, input, plan);
	lookup->folds = plan->folded;
	gpuagg_refuse_resume(listening);
}

static void
forget(GpuAggLookupLower *lookup, GpuAggLookupPlan *plan)
{
	plan->program = NULL;
	plan->nruntime = 0;
	lookup->runtime_exprs = NIL;
	lookup->keepable = lookup->kept = lookup->known = false;
}

void
gpuagg_join_build_helped(GpuAggLower *lw, GpuAggLookupPlan *plans)
{
	for (int k = 0; k < lw->nlookups; k++)
	{
		GpuAggLookupLower *helper = &lw->lookups[k];
		GpuAggLookupLower *helped = &lw->lookups[Max(helper->helps, 1) - 1];

		if (helper->helps == 0)
			continue;
		if (plans[k].program == NULL)
			forget(helped, &plans[helper->helps - 1]);
		helped->keepable = helped->keepable && helper->keepable;
		helped->kept = helped->kept && helper->kept;
		helped->known = helped->known && helper->known;
	}
	for (int k = 0; k < lw->nlookups; k++)
		if (lw->lookups[k].helps > 0 && plans[lw->lookups[k].helps - 1].program == NULL)
			forget(&lw->lookups[k], &plans[k]);
}
