/*
 * join_tree.c
 *		The joins below a grouping as a chain (join_tree.h).
 *
 * PostgreSQL's own join path is translated, node by node, so what is joined with what,
 * and which clause is tested where, is what PostgreSQL has decided: outer-join clauses
 * of ON and WHERE, clauses derived from others, levels of security.  Of a path only its
 * type of join, its sides and its clauses matter; how it joins (nested loop, merge,
 * hash, in parallel) does not.  The way down leads to the largest table whose rows are all
 * kept by outer joins and tested by EXISTS, on whichever side of a node it is; the other
 * side is an input, of which any plan may be run, and is not looked into.  But for inner joins of
 * inner joins: these are taken apart, since a single table's unique key is proven more often than
 * that of a join.
 *
 * A parameterised scan of a nested loop tests the clauses that it was given; they are
 * taken from there.
 *
 * The table may be several: partitions, child tables, a UNION ALL.  Then the chain is the
 * same for each of them, with clauses over its own columns.
 *
 * Does not handle: outer joins that keep the rows of an input, full joins, semijoins on
 * the table's side, joins that PostgreSQL makes partition by partition, parameterised joins.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "planner/plan/join_tree.h"
#include "planner/plan/refuse.h"
#include "planner/value/args.h"
#include "planner/value/harmless.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* ----------------------------------------------------------------- paths --- */

/* Without the nodes that neither join nor filter */
static Path *
bare_path(Path *path)
{
	Path	   *below;

	while ((below = gpuagg_path_below(path)) != NULL)
		path = below;
	return path;
}

static bool
is_join(const Path *path)
{
	return IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath);
}

/*
 * A side of a join: adds the clauses that a parameterised scan tests to *clauses, and
 * returns a path of the same rows that is not parameterised.
 */
static Path *
free_side(Path *path, List **clauses)
{
	path = bare_path(path);
	if (path->param_info == NULL)
		return path;
	if (path->parent->reloptkind != RELOPT_BASEREL)
	{
		(void) GPUAGG_REFUSE("a join is planned for each row of another input");
		return NULL;
	}
	*clauses = list_concat_unique_ptr(*clauses, path->param_info->ppi_clauses);
	path = path->parent->cheapest_total_path;
	if (path == NULL || path->param_info != NULL)
	{
		(void) GPUAGG_REFUSE("an input of the join depends on another one by LATERAL");
		return NULL;
	}
	return bare_path(path);
}

/* ----------------------------------------------------------------- joins --- */

/* A join seen from the side that leads to the table */
typedef struct Side
{
	JoinType	type;
	Path	   *probe;
	Path	   *build;
	List	   *on;
	List	   *filter;
} Side;

static bool
side_type(const JoinPath *join, bool right, bool unique, JoinType *type)
{
	bool		reversed;

	*type = gpuagg_join_type(join->jointype, &reversed);
	switch (*type)
	{
		case JOIN_INNER:
			/* a semijoin whose other side was made distinct first */
			if (unique)
				*type = JOIN_SEMI;
			return true;
		case JOIN_LEFT:
			if (right == reversed)
				return true;
			return GPUAGG_REFUSE(
				"an outer join keeps rows of an input that is not the largest table");
		case JOIN_SEMI:
		case JOIN_ANTI:
			if (right == reversed)
				return true;
			return GPUAGG_REFUSE("EXISTS, IN or NOT EXISTS asks for the largest table, which is the one that is read");
		case JOIN_FULL:
			return GPUAGG_REFUSE("full joins are not supported");
		default:
			return GPUAGG_REFUSE("a kind of join that is not supported");
	}
}

static bool
side_of(const JoinPath *join, Index fact, Side *side)
{
	const bool	right = bms_is_member(fact, join->innerjoinpath->parent->relids);
	Path	   *build = bare_path(right ? join->outerjoinpath : join->innerjoinpath);
	Path	   *probe = bare_path(right ? join->innerjoinpath : join->outerjoinpath);
	Path	   *many = gpuagg_made_distinct(build);
	List	   *moved = NIL;
	ListCell   *lc;

	memset(side, 0, sizeof(*side));
	if (gpuagg_made_distinct(probe) != NULL)
		return GPUAGG_REFUSE("EXISTS, IN or NOT EXISTS asks for rows of the largest table, which is the one that is read");
	if (!side_type(join, right, many != NULL, &side->type) ||
		(side->probe = free_side(probe, &moved)) == NULL ||
		(side->build = free_side(many != NULL ? many : build, &moved)) == NULL)
		return false;
	foreach(lc, join->joinrestrictinfo)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (IS_OUTER_JOIN(join->jointype) &&
			RINFO_IS_PUSHED_DOWN(clause, join->path.parent->relids))
			side->filter = lappend(side->filter, clause);
		else
			side->on = lappend(side->on, clause);
	}
	side->on = list_concat_unique_ptr(side->on, moved);
	foreach(lc, list_concat_copy(side->on, side->filter))
	{
		if (lfirst_node(RestrictInfo, lc)->pseudoconstant)
			return GPUAGG_REFUSE("a condition without columns above a join");
	}
	return true;
}

/* --------------------------------------------- inner joins of inner joins --- */

/* Inputs of inner joins, and all clauses of these */
typedef struct Pile
{
	List	   *rels;
	List	   *clauses;
} Pile;

static bool
pile_up(Path *path, Pile *pile)
{
	JoinPath   *join = (JoinPath *) path;
	Path	   *outer;
	Path	   *inner;

	if (!is_join(path) || join->jointype != JOIN_INNER ||
		gpuagg_made_distinct(bare_path(join->outerjoinpath)) != NULL ||
		gpuagg_made_distinct(bare_path(join->innerjoinpath)) != NULL)
	{
		pile->rels = lappend(pile->rels, path->parent);
		return true;
	}
	pile->clauses = list_concat_unique_ptr(pile->clauses, join->joinrestrictinfo);
	outer = free_side(join->outerjoinpath, &pile->clauses);
	inner = free_side(join->innerjoinpath, &pile->clauses);
	return outer != NULL && inner != NULL && pile_up(outer, pile) && pile_up(inner, pile);
}

/* Takes the clauses from the pile that the input and those before it have columns for. */
static List *
take_clauses(Pile *pile, Relids before, const RelOptInfo *rel)
{
	Relids		relids = bms_union(before, rel->relids);
	List	   *taken = NIL;
	ListCell   *lc;

	foreach(lc, pile->clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (bms_is_subset(clause->clause_relids, relids))
		{
			taken = lappend(taken, clause);
			pile->clauses = foreach_delete_current(pile->clauses, lc);
		}
	}
	return taken;
}

/* Can the input be looked up by what is known before? */
static bool
is_reached(const Pile *pile, Relids before, const RelOptInfo *rel)
{
	ListCell   *lc;

	foreach(lc, pile->clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (clause->can_join &&
			((bms_is_subset(clause->left_relids, before) &&
			  bms_is_subset(clause->right_relids, rel->relids)) ||
			 (bms_is_subset(clause->right_relids, before) &&
			  bms_is_subset(clause->left_relids, rel->relids))))
			return true;
	}
	return false;
}

static void
add_join(GpuAggJoinTree *tree, JoinType type, RelOptInfo *rel, List *on, List *filter)
{
	GpuAggJoin *join = palloc(sizeof(GpuAggJoin));

	join->type = type;
	join->rel = rel;
	join->on = on;
	join->filter = filter;
	tree->joins = lappend(tree->joins, join);
}

static bool
add_pile(GpuAggJoinTree *tree, Pile *pile, Relids before)
{
	while (pile->rels != NIL)
	{
		RelOptInfo *next = NULL;
		ListCell   *lc;

		foreach(lc, pile->rels)
		{
			if (is_reached(pile, before, lfirst(lc)))
			{
				next = lfirst(lc);
				pile->rels = foreach_delete_current(pile->rels, lc);
				break;
			}
		}
		if (next == NULL)
			return GPUAGG_REFUSE("an input is joined by no equality with the others");
		add_join(tree, JOIN_INNER, next, take_clauses(pile, before, next), NIL);
		before = bms_union(before, next->relids);
	}
	return pile->clauses == NIL ||
		GPUAGG_REFUSE("a condition names tables that no single step of the join has together");
}

/* ------------------------------------------------------------------ tree --- */

static bool
walk(GpuAggJoinTree *tree, Path *path)
{
	Side		side;
	Pile		pile = {0};

	check_stack_depth();
	if (path->parent == tree->fact)
		return true;
	if (IsA(path, AppendPath) && path->parent->reloptkind == RELOPT_JOINREL)
		return GPUAGG_REFUSE("PostgreSQL joins partition by partition (enable_partitionwise_join)");
	if (!is_join(path))
		return GPUAGG_REFUSE("the inputs of the grouping are not only joined");
	if (!side_of((JoinPath *) path, tree->fact->relid, &side) || !walk(tree, side.probe))
		return false;
	if (side.type != JOIN_INNER)
	{
		add_join(tree, side.type, side.build->parent, side.on, side.filter);
		return true;
	}
	pile.clauses = side.on;
	return pile_up(side.build, &pile) && add_pile(tree, &pile, side.probe->parent->relids);
}

/* ----------------------------------------------- outer joins for NOT EXISTS --- */

/*
 * Has no row of the input NULL there?  Child tables may have what their parent must not,
 * partitions may not.
 */
static bool
is_never_null(PlannerInfo *root, const RelOptInfo *rel, const Var *column)
{
	const RangeTblEntry *rte;
	Relation	relation;
	bool		notnull;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION || !IsA(column, Var) ||
		column->varno != rel->relid || column->varlevelsup != 0 || column->varattno <= 0)
		return false;
	rte = planner_rt_fetch(rel->relid, root);
	if (rte->inh && rte->relkind != RELKIND_PARTITIONED_TABLE)
		return false;
	relation = table_open(rte->relid, NoLock);
	notnull = gpuagg_attr_notnull(RelationGetDescr(relation), column->varattno - 1);
	table_close(relation, NoLock);
	return notnull;
}

/*
 * LEFT JOIN ... WHERE column IS NULL is NOT EXISTS if the column is NULL only where no row
 * matches.  PostgreSQL sees that of columns that the join compares.  A column of rows IS NULL where
 * all fields of its row are, too.
 */
static void
find_antijoin(PlannerInfo *root, GpuAggJoin *join)
{
	ListCell   *lc;

	foreach(lc, join->filter)
	{
		const NullTest *test = (const NullTest *) lfirst_node(RestrictInfo, lc)->clause;

		if (!IsA(test, NullTest) || test->nulltesttype != IS_NULL || test->argisrow ||
			!is_never_null(root, join->rel, (const Var *) test->arg))
			continue;
		join->type = JOIN_ANTI;
		join->filter = list_delete_nth_cell(list_copy(join->filter), foreach_current_index(lc));
		return;
	}
}

static GpuAggJoinTree *
tree_of(Path *path, RelOptInfo *fact)
{
	GpuAggJoinTree *tree = palloc0(sizeof(GpuAggJoinTree));

	tree->fact = fact;
	path = bare_path(path);
	return path->param_info == NULL && walk(tree, path) ? tree : NULL;
}

GpuAggJoinTree *
gpuagg_join_tree(PlannerInfo *root, RelOptInfo *input_rel, RelOptInfo *fact)
{
	GpuAggJoinTree *tree = NULL;
	bool		listening = gpuagg_refuse_pause();
	ListCell   *lc;

	foreach(lc, input_rel->pathlist)
	{
		if ((tree = tree_of(lfirst(lc), fact)) != NULL)
			break;
	}
	gpuagg_refuse_resume(listening);
	if (tree == NULL)
	{
		(void) tree_of(input_rel->cheapest_total_path, fact);
		return NULL;
	}
	foreach(lc, tree->joins)
	{
		GpuAggJoin *join = lfirst(lc);

		if (join->type == JOIN_LEFT)
			find_antijoin(root, join);
	}
	return tree;
}

GpuAggJoin *
gpuagg_join_translate(PlannerInfo *root, const GpuAggJoin *join, RelOptInfo *rel, RelOptInfo *fact)
{
	GpuAggJoin *own = palloc(sizeof(GpuAggJoin));

	*own = *join;
	own->on = (List *) gpuagg_adjust_appendrel_attrs(root, (Node *) join->on, rel, fact);
	own->filter = (List *) gpuagg_adjust_appendrel_attrs(root, (Node *) join->filter, rel, fact);
	return own;
}

/* ------------------------------------------------------------------ fact --- */

/* Of all tables that it is; those that pruning leaves out have none. */
static double
pages_of(PlannerInfo *root, RelOptInfo *rel)
{
	double		pages = 0;
	ListCell   *lc;

	check_stack_depth();
	if (IS_DUMMY_REL(rel))
		return 0;
	if (!planner_rt_fetch(rel->relid, root)->inh)
		return rel->pages;
	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *child = lfirst_node(AppendRelInfo, lc);

		if (child->parent_relid == rel->relid && root->simple_rel_array[child->child_relid] != NULL)
			pages += pages_of(root, root->simple_rel_array[child->child_relid]);
	}
	return pages;
}

static bool
is_readable(PlannerInfo *root, RelOptInfo *rel)
{
	return rel != NULL && rel->reloptkind == RELOPT_BASEREL &&
		(rel->rtekind == RTE_RELATION || planner_rt_fetch(rel->relid, root)->inh);
}

/* The table with most pages among those that are left, which it is taken from */
static RelOptInfo *
take_largest(PlannerInfo *root, Relids *left)
{
	RelOptInfo *largest = NULL;
	double		most = -1;
	int			relid = -1;

	while ((relid = bms_next_member(*left, relid)) >= 0)
	{
		RelOptInfo *rel = root->simple_rel_array[relid];
		double		pages;

		if (!is_readable(root, rel) || (pages = pages_of(root, rel)) <= most)
			continue;
		largest = rel;
		most = pages;
	}
	if (largest != NULL)
		*left = bms_del_member(*left, largest->relid);
	return largest;
}

RelOptInfo *
gpuagg_join_fact(PlannerInfo *root, RelOptInfo *input_rel, Relids *left)
{
	const bool	first = bms_equal(*left, input_rel->relids);
	RelOptInfo *largest = take_largest(root, left);
	bool		listening = gpuagg_refuse_pause();
	RelOptInfo *fact = largest;

	while (fact != NULL && gpuagg_join_tree(root, input_rel, fact) == NULL)
		fact = take_largest(root, left);
	gpuagg_refuse_resume(listening);
	return fact != NULL || !first ? fact : largest;
}

/* ---------------------------------------------------------------- unique --- */

/*
 * The clauses, which side is whose told as PostgreSQL's proofs want it.  Where a clause has
 * an integer of the input as a numeric it is one about the integer: what is unique so is
 * unique.  Its other side, which no proof looks at, is of another type then.
 */
static List *
proof_clauses(const RelOptInfo *rel, List *clauses)
{
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		OpExpr	   *op = castNode(OpExpr, clause->clause);
		const int	side = bms_is_subset(clause->right_relids, rel->relids) ? 1 : 0;
		FuncExpr   *cast = gpuagg_arg(op->args, side);

		clause->outer_is_left = side == 1;
		if (IsA(cast, FuncExpr) && gpuagg_is_integer_cast(cast->funcid))
		{
			Node	   *integer = gpuagg_arg(cast->args, 0);

			op = copyObject(op);
			op->opno = lookup_type_cache(exprType(integer), TYPECACHE_EQ_OPR)->eq_opr;
			op->opfuncid = InvalidOid;
			lfirst(list_nth_cell(op->args, side)) = integer;
			clause = memcpy(makeNode(RestrictInfo), clause, sizeof(RestrictInfo));
			clause->clause = (Expr *) op;
			clause->mergeopfamilies = get_mergejoin_opfamilies(op->opno);
		}
		own = lappend(own, clause);
	}
	return own;
}

static bool
subquery_is_unique(PlannerInfo *root, RelOptInfo *rel, List *clauses)
{
	Query	   *subquery = planner_rt_fetch(rel->relid, root)->subquery;
	GpuAggDistinctColumns columns = GPUAGG_NO_COLUMNS;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		OpExpr	   *op = castNode(OpExpr, clause->clause);
		Node *column = clause->outer_is_left ? gpuagg_arg(op->args, 1) : gpuagg_arg(op->args, 0);

		if (IsA(column, Var))
			gpuagg_distinct_column(&columns, ((Var *) column)->varattno, op);
	}
	return gpuagg_any_columns(columns) && query_supports_distinctness(subquery) &&
		gpuagg_query_is_distinct(subquery, columns);
}

static bool
base_is_unique(PlannerInfo *root, RelOptInfo *rel, List *clauses)
{
	clauses = proof_clauses(rel, clauses);
	if (rel->rtekind == RTE_RELATION)
		return gpuagg_has_unique_index(root, rel, clauses);
	return rel->rtekind == RTE_SUBQUERY && subquery_is_unique(root, rel, clauses);
}

/* Does the join leave rows of its outer side as they are, or fewer, and are all columns of it? */
static bool
keeps_outer_unique(const JoinPath *join, List *clauses)
{
	Relids		outer = join->outerjoinpath->parent->relids;
	ListCell   *lc;

	if (join->jointype != JOIN_SEMI && join->jointype != JOIN_ANTI &&
		!(join->inner_unique && (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT)))
		return false;
	foreach(lc, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);

		if (!bms_is_subset(clause->left_relids, outer) &&
			!bms_is_subset(clause->right_relids, outer))
			return false;
	}
	return true;
}

bool
gpuagg_join_is_unique(PlannerInfo *root, RelOptInfo *rel, List *clauses)
{
	Path	   *path = bare_path(rel->cheapest_total_path);

	while (path->parent->reloptkind != RELOPT_BASEREL)
	{
		if (!is_join(path) || !keeps_outer_unique((JoinPath *) path, clauses))
			return false;
		path = bare_path(((JoinPath *) path)->outerjoinpath);
	}
	return base_is_unique(root, path->parent, clauses);
}
