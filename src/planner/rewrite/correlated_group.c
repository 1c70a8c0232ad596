/*
 * correlated_group.c
 *		A correlated scalar subquery as a grouping (correlated_group.h).
 *
 *		(SELECT e FROM ... WHERE i = outer AND ...)
 *		SELECT i, e FROM ... WHERE ... GROUP BY i
 *
 * For a row outside the subquery reads just the rows of one group, or none.  So
 *
 * - all that depends on the row outside are equalities of WHERE, and GROUP BY finds equal
 *   what these do: the operators belong to one family, the collations agree;
 * - of no rows e is NULL, where the grouping has no row;
 * - of groups that no row outside asks for nothing may raise an error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "planner/plan/refuse.h"
#include "planner/rewrite/correlated_group.h"
#include "planner/value/args.h"
#include "planner/value/constant.h"
#include "planner/value/fold.h"
#include "planner/value/harmless.h"
#include "planner/value/harmless_query.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

/* The query identifier of a subquery means nothing to PostgreSQL, and is copied with it. */
#define MADE_MARK 0x67707561

bool
gpuagg_correlated_is_made(const Query *query)
{
	return query->queryId == MADE_MARK;
}

bool
gpuagg_correlated_depends(Node *node, int depth)
{
	for (int level = 1; level <= depth; level++)
	{
		if (contain_vars_of_level(node, level))
			return true;
	}
	return false;
}

List *
gpuagg_correlated_conjuncts(Node *quals)
{
	List	   *conjuncts = NIL;
	ListCell   *lc;

	if (quals == NULL)
		return NIL;
	if (!is_andclause(quals))
		return list_make1(quals);
	foreach(lc, ((BoolExpr *) quals)->args)
		conjuncts = list_concat(conjuncts, gpuagg_correlated_conjuncts(lfirst(lc)));
	return conjuncts;
}

Node *
gpuagg_correlated_and(List *conjuncts)
{
	return conjuncts == NIL ? NULL : (Node *) make_ands_explicit(conjuncts);
}

List *
gpuagg_correlated_strict_args(Node *expr)
{
	switch (nodeTag(expr))
	{
		case T_RelabelType:
			return list_make1(((RelabelType *) expr)->arg);
		case T_FuncExpr:
			return func_strict(((FuncExpr *) expr)->funcid) ? ((FuncExpr *) expr)->args : NIL;
		case T_OpExpr:
			return op_strict(((OpExpr *) expr)->opno) ? ((OpExpr *) expr)->args : NIL;
		default:
			return NIL;
	}
}

/* ------------------------------------------------------------- harmless --- */

bool
gpuagg_correlated_is_harmless(Node *expr, List *aggregates)
{
	Node	   *folded;
	Node	   *of;

	return gpuagg_fold_constants(expr, &folded) &&
		gpuagg_fold_constants((Node *) aggregates, &of) &&
		gpuagg_is_harmless_above(folded, (List *) of);
}

bool
gpuagg_correlated_is_harmless_aggregate(const Aggref *agg)
{
	Node	   *folded;

	return gpuagg_fold_constants((Node *) agg, &folded) &&
		gpuagg_is_harmless_aggregate((Aggref *) folded);
}

bool
gpuagg_correlated_reads_harmless(const Query *query)
{
	Node	   *folded;

	return !contain_volatile_functions((Node *) query) &&
		gpuagg_fold_constants((Node *) query, &folded) &&
		gpuagg_is_harmless_input((Query *) folded);
}

/* --------------------------------------------------------------- value --- */

/* NULL of no rows, where its aggregates are */
static bool
is_null_of_none(Node *expr)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(expr, Aggref))
		return true;
	foreach(lc, gpuagg_correlated_strict_args(expr))
	{
		if (is_null_of_none(lfirst(lc)))
			return true;
	}
	return false;
}

/* Columns whose bounds are looked for, at most: each may be made of several. */
#define MOST_BOUNDED 1000

typedef struct Bounding
{
	const Query *query;
	int		   *left;
} Bounding;

/* What a column of a subquery, or of groups, is made of; *query: where.  NULL: not known */
static Node *
column_source(const Query **query, const Var *var)
{
	const RangeTblEntry *rte = rt_fetch(var->varno, (*query)->rtable);
	List	   *groups;

	if (gpuagg_group_entry(rte, &groups))
		return list_nth(groups, var->varattno - 1);
	/* a column of several queries is made of the first one's alone, to the eye */
	if (rte->rtekind != RTE_SUBQUERY || rte->subquery == NULL ||
		rte->subquery->setOperations != NULL)
		return NULL;
	*query = rte->subquery;
	return (Node *) get_tle_by_resno(rte->subquery->targetList, var->varattno)->expr;
}

/* An expression over columns that have bounds where any are known */
static Node *
bound_mutator(Node *node, void *context)
{
	Bounding	inner = *(Bounding *) context;
	Node	   *source;
	Var		   *var;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, bound_mutator, context);
	var = copyObjectImpl(node);
	if (var->varlevelsup > 0 || var->vartype != NUMERICOID || var->vartypmod >= 0 ||
		var->varattno <= 0 || (*inner.left)-- <= 0)
		return (Node *) var;
	source = column_source(&inner.query, var);
	if (source != NULL)
		var->vartypmod = gpuagg_typmod_of_digits(
			gpuagg_whole_digits(bound_mutator(source, &inner)));
	return (Node *) var;
}

static bool
check_value(Node *value)
{
	List	   *aggregates = pull_var_clause(value, PVC_INCLUDE_AGGREGATES);
	ListCell   *lc;

	foreach(lc, aggregates)
	{
		Aggref	   *agg = lfirst(lc);

		if (!IsA(agg, Aggref) || !gpuagg_correlated_is_harmless_aggregate(agg))
			return GPUAGG_REFUSE("a subquery is run for each row: its aggregate counts, or may raise an error for rows that no row outside asks for");
	}
	if (!gpuagg_correlated_is_harmless(value, aggregates))
		return GPUAGG_REFUSE("a subquery is run for each row: what it makes of its aggregate may raise an error for rows that no row outside asks for");
	return is_null_of_none(value) ||
		GPUAGG_REFUSE(
			   "a subquery is run for each row: without rows its value may be other than NULL");
}

/* ---------------------------------------------------------------- keys --- */

bool
gpuagg_correlated_is_same_if_equal(const Node *expr)
{
	const Oid	collation = exprCollation(expr);

	switch (exprType(expr))
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
			return true;
		case TEXTOID:
		case VARCHAROID:
			return gpuagg_collation_is_bytewise(collation);
		default:
			return false;
	}
}

static bool
collations_agree(Oid a, Oid b)
{
	return a == b || (gpuagg_collation_is_bytewise(a) && gpuagg_collation_is_bytewise(b));
}

bool
gpuagg_correlated_groups_alike(const OpExpr *op, Node *inner, SortGroupClause *clause)
{
	get_sort_group_operators(exprType(inner), false, false, false, &clause->sortop, &clause->eqop,
							 NULL, &clause->hashable);
	return OidIsValid(clause->eqop) && (OidIsValid(clause->sortop) || clause->hashable) &&
		(op_mergejoinable(op->opno, exprType(gpuagg_arg(op->args, 0))) ||
		 op_hashjoinable(op->opno, exprType(gpuagg_arg(op->args, 0)))) &&
		op_strict(op->opno) && equality_ops_are_compatible(op->opno, clause->eqop) &&
		(!type_is_collatable(exprType(inner)) ||
		 collations_agree(op->inputcollid, exprCollation(inner)));
}

/* A column of the grouping; keys that are asked for twice are one. */
static Var *
key_column(GpuAggCorrelatedGroup *out, List **columns, Node *inner, SortGroupClause *clause)
{
	TargetEntry *column = tlist_member((Expr *) inner, *columns);

	if (column == NULL)
	{
		int			number = list_length(*columns) + 1;

		column = makeTargetEntry((Expr *) inner, number, psprintf("key%d", number), false);
		column->ressortgroupref = clause->tleSortGroupRef = number;
		*columns = lappend(*columns, column);
		out->query->groupClause = lappend(out->query->groupClause, clause);
	}
	return makeVar(out->rti, column->resno, exprType(inner), exprTypmod(inner),
				   exprCollation(inner), 0);
}

/* inner = outer, or the other way round: a key, and the condition of a join */
static bool
take_key(GpuAggCorrelatedGroup *out, List **columns, Node *conjunct, int depth)
{
	OpExpr	   *op = (OpExpr *) conjunct;
	SortGroupClause *clause = makeNode(SortGroupClause);
	GpuAggCorrelatedKey *key = palloc(sizeof(GpuAggCorrelatedKey));
	ListCell   *inner;
	ListCell   *outer;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2 || contain_subplans(conjunct))
		return false;
	inner = list_head(op->args);
	outer = list_second_cell(op->args);
	if (contain_vars_of_level(lfirst(inner), 1))
	{
		inner = outer;
		outer = list_head(op->args);
	}
	if (!contain_vars_of_level(lfirst(inner), 0) ||
		gpuagg_correlated_depends(lfirst(inner), depth) ||
		!contain_vars_of_level(lfirst(outer), 1) || contain_vars_of_level(lfirst(outer), 0) ||
		!gpuagg_correlated_groups_alike(op, lfirst(inner), clause) ||
		contain_volatile_functions(conjunct) || !gpuagg_correlated_is_harmless(conjunct, NIL))
		return false;
	key->inner = copyObjectImpl(lfirst(inner));
	key->same = exprType(lfirst(inner)) == exprType(lfirst(outer)) &&
		gpuagg_correlated_is_same_if_equal(key->inner) &&
		(!OidIsValid(op->inputcollid) || get_collation_isdeterministic(op->inputcollid));
	lfirst(inner) = key_column(out, columns, key->inner, clause);
	IncrementVarSublevelsUp(lfirst(outer), -1, 1);
	key->outer = lfirst(outer);
	out->keys = lappend(out->keys, key);
	out->joins = lappend(out->joins, op);
	return true;
}

/* ----------------------------------------------------------------- WITH --- */

static CommonTableExpr *
with_named(const Query *query, const char *name)
{
	ListCell   *lc;

	foreach(lc, query->cteList)
	{
		CommonTableExpr *with = lfirst(lc);

		if (strcmp(with->ctename, name) == 0)
			return with;
	}
	return NULL;
}

/* Names that queries are put in the place of, at most: each may have names of others twice. */
#define MOST_INLINED 64

/*
 * A copy to be judged, in which queries of WITH stand where their names do.  depth: as many queries
 * are around it.
 */
static Query *
with_inlined(const Query *query, List *around, int depth, int *left)
{
	Query	   *copy = copyObjectImpl(query);
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, copy->rtable)
	{
		RangeTblEntry *rte = lfirst(lc);
		const int	up = (int) rte->ctelevelsup;
		const CommonTableExpr *with;

		if (rte->rtekind != RTE_CTE || rte->self_reference || up < 1 || up > list_length(around))
			continue;
		with = with_named(list_nth(around, up - 1), rte->ctename);
		if (with == NULL || with->cterecursive || !IsA(with->ctequery, Query) ||
			((Query *) with->ctequery)->commandType != CMD_SELECT ||
			gpuagg_correlated_depends(with->ctequery, depth) || (*left)-- <= 0)
			continue;
		rte->rtekind = RTE_SUBQUERY;
		rte->subquery = with_inlined((Query *) with->ctequery,
									 list_copy_tail(around, up - 1), depth, left);
	}
	return copy;
}

/* ------------------------------------------------------------- subquery --- */

static bool
is_plain_aggregate(const Query *query)
{
	return query->commandType == CMD_SELECT && query->hasAggs && query->groupClause == NIL &&
		query->groupingSets == NIL && query->havingQual == NULL && query->distinctClause == NIL &&
		query->sortClause == NIL && query->setOperations == NULL && !query->hasSubLinks &&
		list_length(query->targetList) == 1;
}

bool
gpuagg_correlated_group(const Query *subquery, int depth, List *around, int rti,
						GpuAggCorrelatedGroup *out)
{
	Query	   *query = copyObjectImpl(subquery);
	int			left = MOST_INLINED;
	int			bounded = MOST_BOUNDED;
	Query	   *judged;
	List	   *columns = NIL;
	List	   *rest = NIL;
	TargetEntry *value;
	ListCell   *lc;

	if (!is_plain_aggregate(query))
		return GPUAGG_REFUSE("a subquery is run for each row: it is no single aggregate without GROUP BY, HAVING, ORDER BY and LIMIT, or has a subquery inside");
	*out = (GpuAggCorrelatedGroup) {.query = query,.rti = rti};
	foreach(lc, gpuagg_correlated_conjuncts(query->jointree->quals))
	{
		if (!take_key(out, &columns, lfirst(lc), depth))
			rest = lappend(rest, lfirst(lc));
	}
	query->jointree->quals = gpuagg_correlated_and(rest);
	if (out->keys == NIL || gpuagg_correlated_depends((Node *) query, depth))
		return GPUAGG_REFUSE("a subquery is run for each row: it depends on it by more than equalities that tell groups");
	judged = with_inlined(query, around, depth, &left);
	if (!gpuagg_correlated_reads_harmless(judged))
		return GPUAGG_REFUSE("a subquery is run for each row: its conditions may raise an error for rows that no row outside asks for");
	value = linitial_node(TargetEntry, query->targetList);
	out->judged = bound_mutator((Node *) value->expr, &(Bounding) {judged, &bounded});
	if (!check_value(out->judged))
		return false;
	out->value = value->expr;
	value->resno = list_length(columns) + 1;
	value->resname = pstrdup("value");
	query->targetList = lappend(columns, value);
	query->queryId = MADE_MARK;
	return true;
}
