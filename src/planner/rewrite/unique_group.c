/*
 * unique_group.c
 *		A subquery that groups by a primary key, without that grouping (unique_group.h).
 *
 *		SELECT a.k, count(b.v), sum(b.w) FROM a LEFT JOIN b ON a.x = b.y AND ... GROUP BY a.k
 *		SELECT a.k, coalesce(agg1, 0), agg2
 *		FROM a LEFT JOIN
 *		(SELECT y AS key1, count(v) AS agg1, sum(w) AS agg2 FROM b WHERE ... GROUP BY y) ON x = key1
 *
 * With k the primary key, each row of a is one group.  Its rows of b are those of one group by
 * y, or none: GROUP BY finds equal what the join does.  What groups the subquery's rows then
 * reads a, and PostgreSQL makes one query of both.
 *
 * - Rows of b that no row of a asks for are aggregated, so nothing of the subquery may raise an
 *   error that depends on rows.
 * - Aggregates do not depend on the order of rows.
 * - Of an outer join's row without one of b a count is 0, that of rows 1; what else there is of
 *   NULLs is NULL.
 *
 * A plan is made again when a constraint of the table is dropped, for that changes its indexes.
 *
 * Does not handle: more than two tables, aggregates of a's columns, WITH queries.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/rewrite/correlated_group.h"
#include "planner/rewrite/unique_group.h"
#include "planner/value/args.h"
#include "rewrite/rewriteManip.h"

/* As that of a subquery's grouping (correlated_group.c) */
#define MADE_MARK 0x67707562

typedef struct Rewriting
{
	Query	   *query;			/* that is changed */
	Query	   *grouping;		/* of table b, which it takes the place of */
	int			a;
	int			b;
	int			join;			/* of the outer join; 0: it is an inner join */
	List	   *on;				/* the join's conditions; an inner join's of WHERE, too */
	List	   *where;			/* an outer join's query's own */
	List	   *moved;			/* conditions of b alone */
	bool		failed;
} Rewriting;

/* ------------------------------------------------------------ looked for --- */

static bool
groups(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL || query->distinctClause != NIL;
}

static bool
is_candidate(const Query *level, const RangeTblEntry *rte)
{
	return groups(level) && rte->rtekind == RTE_SUBQUERY && rte->subquery->groupClause != NIL &&
		!rte->lateral && !rte->security_barrier;
}

static bool
any_walker(Node *node, void *context)
{
	ListCell   *lc;

	if (node == NULL || !IsA(node, Query))
		return node != NULL && expression_tree_walker(node, any_walker, context);
	foreach(lc, ((Query *) node)->rtable)
	{
		if (is_candidate((Query *) node, lfirst_node(RangeTblEntry, lc)))
			return true;
	}
	return query_tree_walker((Query *) node, any_walker, context, 0);
}

bool
gpuagg_unique_group_any(const Query *query)
{
	return (query->commandType == CMD_SELECT || query->commandType == CMD_INSERT) &&
		any_walker((Node *) query, NULL);
}

bool
gpuagg_unique_group_is_joined(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		/* NULL: it has been pulled up */
		if (rte->rtekind == RTE_SUBQUERY && rte->subquery != NULL &&
			rte->subquery->queryId == MADE_MARK)
			return true;
	}
	return false;
}

static bool
is_plain_grouping(const Query *query)
{
	return query->commandType == CMD_SELECT && query->groupClause != NIL &&
		query->groupingSets == NIL && query->distinctClause == NIL && query->sortClause == NIL &&
		query->setOperations == NULL && query->cteList == NIL && !query->hasSubLinks &&
		!query->hasTargetSRFs && !query->hasWindowFuncs && query->limitCount == NULL &&
		query->limitOffset == NULL && query->rowMarks == NIL;
}

/* ---------------------------------------------------------------- tables --- */

static bool
is_plain_table(const Query *query, int rti)
{
	const RangeTblEntry *rte = rt_fetch(rti, query->rtable);

	return rte->rtekind == RTE_RELATION && rte->relkind == RELKIND_RELATION &&
		rte->tablesample == NULL && !(rte->inh && has_subclass(rte->relid));
}

static bool
is_table(Node *node, int *rti)
{
	*rti = IsA(node, RangeTblRef) ? ((RangeTblRef *) node)->rtindex : 0;
	return *rti > 0;
}

/* The tables of a join, in the order in which an outer join keeps the first one's rows */
static bool
find_join(Rewriting *rw)
{
	FromExpr   *from = rw->query->jointree;
	JoinExpr   *join = from->fromlist == NIL ? NULL : linitial(from->fromlist);
	bool		right;
	bool		ok = false;

	rw->where = gpuagg_correlated_conjuncts(from->quals);
	if (list_length(from->fromlist) == 2)
		ok = is_table(linitial(from->fromlist), &rw->a) &&
			is_table(lsecond(from->fromlist), &rw->b);
	else if (list_length(from->fromlist) == 1 && IsA(join, JoinExpr))
	{
		right = join->jointype == JOIN_RIGHT;
		ok = (right || join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT) &&
			is_table(right ? join->rarg : join->larg, &rw->a) &&
			is_table(right ? join->larg : join->rarg, &rw->b);
		rw->on = gpuagg_correlated_conjuncts(join->quals);
		rw->join = join->jointype == JOIN_INNER ? 0 : join->rtindex;
	}
	if (rw->join == 0)
	{
		rw->on = list_concat(rw->on, rw->where);
		rw->where = NIL;
	}
	return ok;
}

/*
 * Do the keys hold the primary key of table a, and nothing but columns of it?  An inner join's
 * tables change places.
 */
static bool
groups_by_primary_key(Rewriting *rw)
{
	List	   *keys = get_sortgrouplist_exprs(rw->query->groupClause, rw->query->targetList);
	const Var  *first = linitial(keys);
	Bitmapset  *grouped = NULL;
	Bitmapset  *primary;
	Oid			constraint;
	ListCell   *lc;

	if (rw->join == 0 && IsA(first, Var) && first->varno == rw->b)
	{
		rw->b = rw->a;
		rw->a = first->varno;
	}
	foreach(lc, keys)
	{
		const Var  *var = lfirst(lc);

		if (!IsA(var, Var) || var->varno != rw->a || var->varlevelsup != 0)
			return false;
		grouped = bms_add_member(grouped, var->varattno - FirstLowInvalidHeapAttributeNumber);
	}
	if (!is_plain_table(rw->query, rw->a) || !is_plain_table(rw->query, rw->b))
		return false;
	primary = get_primary_key_attnos(rt_fetch(rw->a, rw->query->rtable)->relid, false, &constraint);
	return primary != NULL && bms_is_subset(primary, grouped);
}

/* ------------------------------------------------------------ conditions --- */

/* What is moved into the grouping, where b is table 1 and no outer join's */
static Node *
inside(const Rewriting *rw, Node *expr)
{
	Node	   *moved = gpuagg_without_outer_join(copyObject(expr), rw->join);

	ChangeVarNodes(moved, rw->b, 1, 0);
	return moved;
}

/* A column of the grouping, which takes the place of table b */
static Var *
column_of(const Rewriting *rw, const TargetEntry *column)
{
	Node	   *expr = (Node *) column->expr;

	return makeVar(rw->b, column->resno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);
}

static TargetEntry *
add_column(Rewriting *rw, Expr *expr, const char *name)
{
	int			number = list_length(rw->grouping->targetList) + 1;
	TargetEntry *column = makeTargetEntry(expr, number, psprintf("%s%d", name, number), false);

	rw->grouping->targetList = lappend(rw->grouping->targetList, column);
	return column;
}

/* The tables whose columns are there; since 16 those of an outer join name it, too */
static Relids
tables_of(const Rewriting *rw, Node *expr)
{
	return pull_varnos_of_level(NULL, gpuagg_without_outer_join(copyObject(expr), rw->join), 0);
}

static bool
is_of(const Rewriting *rw, Node *expr, int table)
{
	int			only;

	return bms_get_singleton_member(tables_of(rw, expr), &only) && only == table;
}

/* Of a row of a and one of b: x = y, by which b is grouped */
static bool
take_key(Rewriting *rw, const Node *conjunct)
{
	OpExpr	   *op = copyObjectImpl(conjunct);
	SortGroupClause *clause = makeNode(SortGroupClause);
	TargetEntry *key;
	ListCell   *side;
	ListCell   *other;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2)
		return false;
	side = list_head(op->args);
	other = list_second_cell(op->args);
	if (!is_of(rw, lfirst(side), rw->b))
	{
		side = other;
		other = list_head(op->args);
	}
	if (!is_of(rw, lfirst(side), rw->b) || !is_of(rw, lfirst(other), rw->a) ||
		!gpuagg_correlated_groups_alike(op, lfirst(side), clause))
		return false;
	key = tlist_member((Expr *) inside(rw, lfirst(side)), rw->grouping->targetList);
	if (key == NULL)
	{
		key = add_column(rw, (Expr *) inside(rw, lfirst(side)), "key");
		key->ressortgroupref = clause->tleSortGroupRef = key->resno;
		rw->grouping->groupClause = lappend(rw->grouping->groupClause, clause);
	}
	lfirst(side) = column_of(rw, key);
	rw->on = lappend(rw->on, op);
	return true;
}

/* Of nothing else; a join's own columns are another table's */
static bool
is_at_most_of(const Rewriting *rw, Node *expr, int table)
{
	return bms_is_subset(tables_of(rw, expr), bms_make_singleton(table));
}

/* Takes the join's conditions apart. */
static bool
take_conditions(Rewriting *rw)
{
	List	   *conditions = rw->on;
	ListCell   *lc;

	rw->on = NIL;
	foreach(lc, conditions)
	{
		if (is_of(rw, lfirst(lc), rw->b))
			rw->moved = lappend(rw->moved, inside(rw, lfirst(lc)));
		else if (is_at_most_of(rw, lfirst(lc), rw->a))
			rw->on = lappend(rw->on, lfirst(lc));
		else if (!take_key(rw, lfirst(lc)))
			return false;
	}
	return rw->grouping->groupClause != NIL && is_at_most_of(rw, (Node *) rw->where, rw->a);
}

/* ------------------------------------------------------------ aggregates --- */

static bool
is_count(const Aggref *agg)
{
	return gpuagg_is_count(agg->aggfnoid);
}

static bool
is_kind(const Aggref *agg, GpuAggAggregateKind kind)
{
	return gpuagg_aggregate(agg->aggfnoid)->kind == kind;
}

/* NULL where an outer join has no row of b, all of whose columns are */
static bool
is_null_without_row(Node *expr, int b)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(expr, Var))
		return ((Var *) expr)->varno == b;
	foreach(lc, gpuagg_correlated_strict_args(expr))
	{
		if (is_null_without_row(lfirst(lc), b))
			return true;
	}
	return false;
}

/* What equal values look like does not depend on which comes first. */
static bool
is_steady_value(const Aggref *agg, const Node *arg)
{
	return gpuagg_correlated_is_same_if_equal(arg) || exprType(arg) == BOOLOID ||
		(exprType(arg) == NUMERICOID &&
		 (is_kind(agg, GPUAGG_KIND_SUM) || is_kind(agg, GPUAGG_KIND_AVG) ||
		  exprTypmod(arg) >= (int32) VARHDRSZ));
}

/*
 * Of rows of b, in any order, without an error for any, and as it should be where there is no row
 */
static bool
can_move(const Rewriting *rw, const Aggref *agg)
{
	Node	   *arg = agg->args == NIL ? NULL : gpuagg_agg_arg(agg, 0);

	if (agg->agglevelsup != 0 || agg->aggdistinct != NIL || agg->aggorder != NIL ||
		!is_at_most_of(rw, (Node *) list_make2(agg->args, agg->aggfilter), rw->b))
		return false;
	if (arg == NULL)
		return is_kind(agg, GPUAGG_KIND_COUNT_ROWS) &&
			gpuagg_correlated_is_harmless((Node *) agg->aggfilter, NIL) &&
			(rw->join == 0 || agg->aggfilter == NULL);
	if (rw->join != 0 && !is_null_without_row(arg, rw->b))
		return false;
	if (is_count(agg))
		return gpuagg_correlated_is_harmless((Node *) list_make2(arg, agg->aggfilter), NIL);
	return gpuagg_correlated_is_harmless_aggregate(agg) && is_steady_value(agg, arg);
}

/* The aggregate as a column of the grouping, which an outer join's rows may lack */
static Node *
moved_aggregate(Rewriting *rw, const Aggref *agg)
{
	Expr	   *moved = (Expr *) inside(rw, (Node *) agg);
	TargetEntry *column = tlist_member(moved, rw->grouping->targetList);
	CoalesceExpr *count = makeNode(CoalesceExpr);
	Var		   *value;

	if (column == NULL)
		column = add_column(rw, moved, "agg");
	value = column_of(rw, column);
	gpuagg_set_outer_join(value, rw->join);
	if (rw->join == 0 || !is_count(agg))
		return (Node *) value;
	count->coalescetype = INT8OID;
	count->args = list_make2(value,
							 makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
									   Int64GetDatum(agg->args == NIL ? 1 : 0), false,
									   FLOAT8PASSBYVAL));
	count->location = -1;
	return (Node *) count;
}

static Node *
output_mutator(Node *node, void *context)
{
	Rewriting  *rw = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref) && can_move(rw, (Aggref *) node))
		return moved_aggregate(rw, (Aggref *) node);
	if (IsA(node, Aggref) || IsA(node, GroupingFunc) ||
		(IsA(node, Var) && ((Var *) node)->varno != rw->a))
		rw->failed = true;
	return rw->failed ? node : expression_tree_mutator(node, output_mutator, context);
}

static bool
take_outputs(Rewriting *rw)
{
	Query	   *query = rw->query;
	List	   *outputs = NIL;
	List *aggregates = pull_var_clause((Node *) list_make2(query->targetList, query->havingQual),
									   PVC_INCLUDE_AGGREGATES);
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *output = lfirst(lc);

		if (!gpuagg_correlated_is_harmless((Node *) output->expr, aggregates))
			return false;
		output->ressortgroupref = 0;
		if (!output->resjunk)
			outputs = lappend(outputs, output);
	}
	if (!gpuagg_correlated_is_harmless(query->havingQual, aggregates))
		return false;
	query->targetList = (List *) output_mutator((Node *) outputs, rw);
	rw->where = list_concat(rw->where,
							gpuagg_correlated_conjuncts(output_mutator(query->havingQual, rw)));
	return !rw->failed;
}

/* ------------------------------------------------------------------ both --- */

static Node *
table_ref(int rti)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = rti;
	return (Node *) ref;
}

static FromExpr *
joined(const Rewriting *rw)
{
	JoinExpr   *join = makeNode(JoinExpr);

	if (rw->join == 0)
		return makeFromExpr(list_make2(table_ref(rw->a), table_ref(rw->b)),
							gpuagg_correlated_and(list_concat_copy(rw->on, rw->where)));
	join->jointype = JOIN_LEFT;
	join->larg = table_ref(rw->a);
	join->rarg = table_ref(rw->b);
	join->quals = gpuagg_correlated_and(rw->on);
	join->rtindex = rw->join;
	return makeFromExpr(list_make1(join), gpuagg_correlated_and(rw->where));
}

/* Table b, with its policies, as the grouping's only one */
static void
copy_table(Rewriting *rw)
{
	gpuagg_copy_table_entry(rw->query, rw->b, rw->grouping);
	ChangeVarNodes((Node *) rt_fetch(1, rw->grouping->rtable)->securityQuals, rw->b, 1, 0);
}

/*
 * The grouping takes the place of table b among the query's tables; a join has no columns of its
 * own now.
 */
static void
replace_table(Rewriting *rw)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	ListCell   *lc;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = rw->grouping;
	rte->inFromCl = true;
	rte->eref = makeAlias("grouped", NIL);
	foreach(lc, rw->grouping->targetList)
		rte->eref->colnames = lappend(rte->eref->colnames,
									  makeString(pstrdup(lfirst_node(TargetEntry, lc)->resname)));
	lfirst(list_nth_cell(rw->query->rtable, rw->b - 1)) = rte;
	foreach(lc, rw->query->rtable)
	{
		rte = lfirst(lc);
		if (rte->rtekind == RTE_JOIN)
		{
			rte->joinaliasvars = NIL;
			rte->eref->colnames = NIL;
		}
	}
}

static void
finish(Rewriting *rw)
{
	Query	   *query = rw->query;
	Query	   *grouping = rw->grouping;

	grouping->commandType = CMD_SELECT;
	grouping->canSetTag = true;
	grouping->hasAggs = true;
	grouping->hasRowSecurity = query->hasRowSecurity;
	grouping->queryId = MADE_MARK;
	grouping->jointree = makeFromExpr(list_make1(table_ref(1)), gpuagg_correlated_and(rw->moved));
	replace_table(rw);
	query->jointree = joined(rw);
	query->groupClause = NIL;
	query->havingQual = NULL;
	query->hasAggs = false;
}

/* NULL: it is not of that kind */
static Query *
rewritten(const Query *subquery, int depth)
{
	Rewriting	rw = {0};

	if (!is_plain_grouping(subquery) || gpuagg_correlated_depends((Node *) subquery, depth))
		return NULL;
	rw.query = copyObjectImpl(subquery);
	rw.grouping = makeNode(Query);
	if (!gpuagg_flatten_groups(rw.query) || !gpuagg_correlated_reads_harmless(rw.query) ||
		!find_join(&rw) || !groups_by_primary_key(&rw))
		return NULL;
	if (!take_conditions(&rw) || !take_outputs(&rw))
		return NULL;
	copy_table(&rw);
	finish(&rw);
	return rw.query;
}

bool
gpuagg_unique_group(Query *level, int depth)
{
	bool		found = false;
	ListCell   *lc;

	foreach(lc, level->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		Query	   *query = is_candidate(level, rte) ? rewritten(rte->subquery, depth + 1) : NULL;

		if (query == NULL)
			continue;
		rte->subquery = query;
		found = true;
	}
	return found;
}
