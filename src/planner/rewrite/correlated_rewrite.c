/*
 * correlated_rewrite.c
 *		Correlated scalar subqueries become groupings that are joined (correlated_rewrite.h).
 *
 *		FROM t WHERE x < (SELECT e FROM s WHERE i = t.o)
 *		FROM t, (SELECT i AS key1, e AS value FROM s GROUP BY i) correlated
 *		WHERE key1 = t.o AND x < value
 *
 * The condition that has the subquery is strict in it, so a row without a group, for which the
 * subquery is NULL, passes neither; and a row has one group at most.  It stands in WHERE of
 * its query, above all outer joins.
 *
 * Joins with the groupings may be made in another order than subqueries are run, and tables be
 * read behind others.  So no condition of the whole query may raise an error that depends on
 * rows, or be volatile.
 *
 * Row security and security barriers are conditions of tables, which go with these; PostgreSQL
 * tests the new conditions as the one before, at the level of WHERE.
 *
 * Does not handle: subqueries elsewhere than in WHERE (target list, HAVING, ON, UPDATE, DELETE).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "planner/plan/refuse.h"
#include "planner/rewrite/correlated_distinct.h"
#include "planner/rewrite/correlated_group.h"
#include "planner/rewrite/correlated_narrow.h"
#include "planner/rewrite/correlated_rewrite.h"
#include "planner/rewrite/unique_group.h"
#include "planner/value/fold.h"
#include "planner/value/harmless.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

typedef struct Levels
{
	bool		semijoins;		/* groups may be left out by tables outside */
	bool		distinct;		/* IN may be of a grouping */
	bool		unique;			/* nothing but groupings by primary keys is looked for */
	int			depth;			/* queries around the one that is looked at */
	bool		changed;
	bool		joined;			/* groups are left out by semijoins */
	bool		grouped;		/* there is a grouping for IN */
	bool		unsteady;		/* the query must stay as it is */
	List	   *conditions;		/* those that stay, of all queries */
	List	   *depths;			/* their queries' */
	List	   *around;			/* Query *: the one that is looked at, and those around it */
} Levels;

bool
gpuagg_correlated_any(const Query *query)
{
	ListCell   *lc;

	check_stack_depth();
	if (query->commandType != CMD_SELECT && query->commandType != CMD_INSERT)
		return false;
	if (query->hasSubLinks)
		return true;
	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst(lc);

		if (rte->rtekind == RTE_SUBQUERY && gpuagg_correlated_any(rte->subquery))
			return true;
	}
	foreach(lc, query->cteList)
	{
		if (gpuagg_correlated_any((Query *) lfirst_node(CommonTableExpr, lc)->ctequery))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------- conditions --- */

/* The scalar subquery of which NULL makes all NULL; NULL: none */
static SubLink *
strict_sublink(Node *expr)
{
	ListCell   *lc;

	check_stack_depth();
	if (IsA(expr, SubLink))
		return ((SubLink *) expr)->subLinkType == EXPR_SUBLINK ? (SubLink *) expr : NULL;
	foreach(lc, gpuagg_correlated_strict_args(expr))
	{
		SubLink    *sublink = strict_sublink(lfirst(lc));

		if (sublink != NULL)
			return sublink;
	}
	return NULL;
}

static bool
correlated_walker(Node *node, void *context)
{
	SubLink    *sublink = (SubLink *) node;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, SubLink) && sublink->subLinkType == EXPR_SUBLINK &&
		gpuagg_correlated_depends(sublink->subselect, *(int *) context + 1))
		return true;
	return expression_tree_walker(node, correlated_walker, context);
}

typedef struct Replacement
{
	SubLink    *sublink;
	Node	   *by;
} Replacement;

static Node *
replace_mutator(Node *node, void *context)
{
	Replacement *replacement = context;

	if (node == (Node *) replacement->sublink)
		return copyObject(replacement->by);
	return node == NULL ? NULL : expression_tree_mutator(node, replace_mutator, context);
}

static Node *
replace_sublink(Node *conjunct, SubLink *sublink, Node *by)
{
	return replace_mutator(conjunct, &(Replacement) {sublink, by});
}

/*
 * Others are parts of expressions (a CASE's branch, what JSON is returned as), or judged by their
 * kind alone.
 */
static bool
has_value(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_Param:
		case T_Var:
		case T_SubLink:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_ArrayExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_SQLValueFunction:
		case T_NullTest:
		case T_BooleanTest:
			return true;
		default:
			return false;
	}
}

/*
 * What no row decides, in the place of what it is made of, as an error is raised for every row or
 * for none; and a subquery's answer, whose own conditions are looked at for themselves
 */
static Node *
mask_mutator(Node *node, void *context)
{
	Param	   *param;

	if (node == NULL || IsA(node, Const))
		return node;
	if (IsA(node, SubLink) && ((SubLink *) node)->testexpr != NULL)
		return mask_mutator(((SubLink *) node)->testexpr, context);
	if (!IsA(node, SubLink) &&
		(!has_value(node) || contain_vars_of_level(node, 0) ||
		 gpuagg_correlated_depends(node, *(int *) context)))
		return expression_tree_mutator(node, mask_mutator, context);
	param = makeNode(Param);
	param->paramkind = PARAM_EXTERN;
	param->paramtype = exprType(node);
	param->paramtypmod = exprTypmod(node);
	param->paramcollid = exprCollation(node);
	return (Node *) param;
}

/* Tested for more rows or for fewer it is the same. */
static bool
is_steady(Node *condition, int depth)
{
	Node	   *folded;

	return !contain_volatile_functions(condition) && gpuagg_fold_constants(condition, &folded) &&
		gpuagg_is_harmless(mask_mutator(folded, &depth));
}

static bool
are_steady(const Levels *levels)
{
	ListCell   *condition;
	ListCell   *depth;

	forboth(condition, levels->conditions, depth, levels->depths)
	{
		if (!is_steady(lfirst(condition), lfirst_int(depth)))
			return false;
	}
	return true;
}

static void
keep_condition(Levels *levels, Node *condition)
{
	levels->conditions = lappend(levels->conditions, condition);
	levels->depths = lappend_int(levels->depths, levels->depth);
}

/* Those of joins */
static void
keep_from(Levels *levels, Node *node)
{
	JoinExpr   *join = (JoinExpr *) node;

	if (!IsA(node, JoinExpr))
		return;
	if (join->quals != NULL)
		keep_condition(levels, join->quals);
	keep_from(levels, join->larg);
	keep_from(levels, join->rarg);
}

/* Those of row security */
static void
keep_policies(Levels *levels, const Query *level)
{
	ListCell   *rte;
	ListCell   *qual;

	foreach(rte, level->rtable)
	{
		foreach(qual, lfirst_node(RangeTblEntry, rte)->securityQuals)
			keep_condition(levels, lfirst(qual));
	}
}

/* --------------------------------------------------------------- levels --- */

static void
add_table(Query *level, GpuAggCorrelatedGroup *group)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	ListCell   *lc;

	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = group->query;
	rte->inFromCl = true;
	rte->eref = makeAlias("correlated", NIL);
	foreach(lc, group->query->targetList)
		rte->eref->colnames = lappend(rte->eref->colnames,
									  makeString(pstrdup(lfirst_node(TargetEntry, lc)->resname)));
	level->rtable = lappend(level->rtable, rte);
	ref->rtindex = group->rti;
	level->jointree->fromlist = lappend(level->jointree->fromlist, ref);
}

/* All but one, and but those that depend on queries further out */
static List *
own_conditions(List *conjuncts, Node *but, int depth)
{
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, conjuncts)
	{
		if (lfirst(lc) != but && !gpuagg_correlated_depends(lfirst(lc), depth))
			own = lappend(own, lfirst(lc));
	}
	return own;
}

/* What takes the place of a condition; NIL: it stays */
static List *
rewrite_conjunct(Query *level, List *conjuncts, Node *conjunct, Levels *levels)
{
	int			depth = levels->depth;
	SubLink    *sublink = strict_sublink(conjunct);
	GpuAggCorrelatedGroup group;
	Node	   *value;
	Node	   *judged;

	if (!correlated_walker(conjunct, &depth))
		return NIL;
	if (sublink == NULL)
	{
		(void) GPUAGG_REFUSE("a subquery is run for each row: the condition that it stands in may be true where it is NULL");
		return NIL;
	}
	if (!gpuagg_correlated_depends(sublink->subselect, depth + 1) ||
		!gpuagg_correlated_group((Query *) sublink->subselect, depth + 1, levels->around,
								 list_length(level->rtable) + 1, &group))
		return NIL;
	judged = replace_sublink(conjunct, sublink, group.judged);
	if (checkExprHasSubLink(judged) || contain_volatile_functions(judged) ||
		!gpuagg_correlated_is_harmless(judged,
									   pull_var_clause(group.judged, PVC_INCLUDE_AGGREGATES)))
	{
		(void) GPUAGG_REFUSE(
			"a subquery is run for each row: the condition that it stands in may raise an error");
		return NIL;
	}
	levels->joined |= gpuagg_correlated_narrow(level, own_conditions(conjuncts, conjunct, depth),
											   &group, levels->semijoins);
	add_table(level, &group);
	value = (Node *) makeVar(group.rti, list_length(group.query->targetList),
							 exprType((Node *) group.value), exprTypmod((Node *) group.value),
							 exprCollation((Node *) group.value), 0);
	return lappend(group.joins, replace_sublink(conjunct, sublink, value));
}

static void
rewrite_level(Query *level, Levels *levels)
{
	List	   *conjuncts = gpuagg_correlated_conjuncts(level->jointree->quals);
	List	   *result = NIL;
	ListCell   *lc;

	keep_policies(levels, level);
	foreach(lc, level->jointree->fromlist)
		keep_from(levels, lfirst(lc));
	foreach(lc, conjuncts)
	{
		List	   *rewritten = NIL;

		if (level->hasSubLinks && level->commandType == CMD_SELECT && !levels->unique)
			rewritten = rewrite_conjunct(level, conjuncts, lfirst(lc), levels);
		if (rewritten == NIL)
		{
			keep_condition(levels, lfirst(lc));
			rewritten = list_make1(lfirst(lc));
		}
		else
			levels->changed = true;
		result = list_concat(result, rewritten);
	}
	if (levels->unique && gpuagg_unique_group(level, levels->depth))
		levels->changed = true;
	if (levels->distinct && gpuagg_correlated_distinct(result))
		levels->grouped = true;
	level->jointree->quals = gpuagg_correlated_and(result);
}

/* The innermost queries first */
static bool
levels_walker(Node *node, void *context)
{
	Levels	   *levels = context;
	Query	   *query = (Query *) node;

	if (node == NULL || !IsA(node, Query))
		return node != NULL && expression_tree_walker(node, levels_walker, context);
	levels->depth++;
	levels->around = lcons(query, levels->around);
	(void) query_tree_walker(query, levels_walker, context, 0);
	levels->depth--;
	levels->unsteady |= query->hasRecursive || query->hasModifyingCTE || query->rowMarks != NIL;
	rewrite_level(query, levels);
	levels->around = list_delete_first(levels->around);
	return false;
}

static Query *
rewritten_copy(const Query *query, Levels *levels)
{
	Query	   *copy = copyObjectImpl(query);

	(void) levels_walker((Node *) copy, levels);
	if (levels->changed && (levels->unsteady || !are_steady(levels)))
	{
		(void) GPUAGG_REFUSE("a subquery is %s: the query is recursive, changes or locks rows, or another condition of it is volatile or may raise an error for some rows",
							 levels->unique ? "grouped though each row of a table is a group" : "run for each row");
		return NULL;
	}
	return levels->changed ? copy : NULL;
}

/* Such a copy, and if it has groupings for IN one without; *joined: by semijoins */
static List *
copies(const Query *query, bool semijoins, bool *joined)
{
	Levels		levels = {.semijoins = semijoins,.distinct = true};
	Levels		plain = {.semijoins = semijoins};
	Query	   *copy = rewritten_copy(query, &levels);

	*joined = levels.joined;
	if (copy == NULL)
		return NIL;
	return levels.grouped ? list_make2(copy, rewritten_copy(query, &plain)) : list_make1(copy);
}

List *
gpuagg_correlated_rewrite(const Query *query)
{
	bool		joined;
	List	   *narrowed = copies(query, true, &joined);

	return joined ? list_concat(narrowed, copies(query, false, &joined)) : narrowed;
}

Query *
gpuagg_correlated_rewrite_unique(const Query *query)
{
	Levels		levels = {.unique = true};

	return rewritten_copy(query, &levels);
}
