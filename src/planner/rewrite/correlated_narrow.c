/*
 * correlated_narrow.c
 *		Leaves groups out that no row outside asks for (correlated_narrow.h).
 *
 * A group is joined with rows that equal its keys.  So of
 *
 *		FROM t, (SELECT i FROM s GROUP BY i) WHERE i = t.o AND t.o IN (...) AND t.c = 7
 *
 * only those groups matter for which
 *
 *		i IN (...) AND EXISTS (SELECT FROM t WHERE t.o = i AND t.c = 7)
 *
 * A condition over nothing but what is compared is one of the keys, if equal values are the same
 * in every respect.  Other conditions of one table make it a semijoin with that.
 */
#include "postgres.h"

#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/rewrite/correlated_narrow.h"
#include "planner/value/harmless_query.h"
#include "rewrite/rewriteManip.h"

/* ------------------------------------------------- conditions of the keys --- */

typedef struct Keys
{
	List	   *keys;			/* GpuAggCorrelatedKey * */
	bool		others;			/* there is something else of the query's */
} Keys;

static Node *
key_mutator(Node *node, void *context)
{
	Keys	   *keys = context;
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	foreach(lc, keys->keys)
	{
		GpuAggCorrelatedKey *key = lfirst(lc);

		if (key->same && equal(node, key->outer))
			return copyObject(key->inner);
	}
	if (IsA(node, Var))
		keys->others = true;
	/* a subquery's own tables; it depends on nothing outside */
	if (IsA(node, Query))
		return copyObject(node);
	return expression_tree_mutator(node, key_mutator, context);
}

/* Raises no error, and is nothing but comparisons and x IN (SELECT ...), whose rows raise none */
static bool
is_movable(Node *condition)
{
	SubLink    *sublink = (SubLink *) condition;

	if (contain_volatile_functions(condition))
		return false;
	if (!IsA(sublink, SubLink))
		return gpuagg_correlated_is_harmless(condition, NIL);
	return sublink->subLinkType == ANY_SUBLINK && IsA(sublink->subselect, Query) &&
		!checkExprHasSubLink(sublink->testexpr) &&
		gpuagg_correlated_is_harmless(sublink->testexpr, NIL) &&
		!contain_vars_of_level(sublink->subselect, 1) &&
		gpuagg_is_harmless_query((Query *) sublink->subselect);
}

/* NULL: it is of other things */
static Node *
condition_of_keys(Node *condition, List *group_keys)
{
	Keys		keys = {.keys = group_keys};
	Node	   *result;

	if (!is_movable(condition) || !contain_vars_of_level(condition, 0))
		return NULL;
	result = key_mutator(condition, &keys);
	return keys.others ? NULL : result;
}

/* -------------------------------------------------------------- semijoins --- */

/* A table that no outer join can leave without a row, and without conditions of row security */
static bool
is_joined_table(const Query *level, int rti)
{
	const RangeTblEntry *rte = rt_fetch(rti, level->rtable);
	ListCell   *lc;

	foreach(lc, level->jointree->fromlist)
	{
		RangeTblRef *ref = lfirst(lc);

		if (IsA(ref, RangeTblRef) && ref->rtindex == rti)
			return rte->rtekind == RTE_RELATION && rte->tablesample == NULL &&
				rte->securityQuals == NIL;
	}
	return false;
}

/* Conditions that name this table alone; NIL: none */
static List *
table_conditions(List *conditions, int rti)
{
	List	   *own = NIL;
	int			table;
	ListCell   *lc;

	foreach(lc, conditions)
	{
		if (bms_get_singleton_member(pull_varnos_of_level(NULL, lfirst(lc), 0), &table) &&
			table == rti && !IsA(lfirst(lc), SubLink) && is_movable(lfirst(lc)))
			own = lappend(own, lfirst(lc));
	}
	return own;
}

/*
 * The condition of a join, between the subquery's tables outside and the table, which is number 1
 */
static Node *
semijoin_condition(const GpuAggCorrelatedGroup *group, const GpuAggCorrelatedKey *key,
				   const OpExpr *join, int rti)
{
	OpExpr	   *op = copyObjectImpl(join);
	ListCell   *lc;

	foreach(lc, op->args)
	{
		Var		   *var = lfirst(lc);

		if (IsA(var, Var) && var->varno == group->rti)
		{
			lfirst(lc) = copyObject(key->inner);
			IncrementVarSublevelsUp(lfirst(lc), 1, 0);
		}
	}
	ChangeVarNodes((Node *) op, rti, 1, 0);
	return (Node *) op;
}

/* EXISTS (SELECT FROM table WHERE ...) */
static Node *
semijoin(const Query *level, const GpuAggCorrelatedGroup *group, int rti, List *own)
{
	SubLink    *sublink = makeNode(SubLink);
	Query	   *query = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List	   *conditions = copyObject(own);
	ListCell   *key;
	ListCell   *join;

	ChangeVarNodes((Node *) conditions, rti, 1, 0);
	forboth(key, group->keys, join, group->joins)
	{
		const GpuAggCorrelatedKey *k = lfirst(key);

		if (IsA(k->outer, Var) && ((Var *) k->outer)->varno == rti)
			conditions = lappend(conditions, semijoin_condition(group, k, lfirst(join), rti));
	}
	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	gpuagg_copy_table_entry(level, rti, query);
	query->jointree = makeFromExpr(list_make1(ref), gpuagg_correlated_and(conditions));
	sublink->subLinkType = EXISTS_SUBLINK;
	sublink->subselect = (Node *) query;
	sublink->location = -1;
	return (Node *) sublink;
}

/* ------------------------------------------------------------------ both --- */

static void
add_condition(Query *query, Node *condition)
{
	query->jointree->quals = gpuagg_correlated_and(
		lappend(gpuagg_correlated_conjuncts(query->jointree->quals), condition));
	query->hasSubLinks |= checkExprHasSubLink(condition);
}

/* Tables outside that have keys */
static Bitmapset *
key_tables(const GpuAggCorrelatedGroup *group)
{
	Bitmapset  *tables = NULL;
	ListCell   *lc;

	foreach(lc, group->keys)
	{
		const Node *outer = ((GpuAggCorrelatedKey *) lfirst(lc))->outer;

		if (IsA(outer, Var))
			tables = bms_add_member(tables, ((const Var *) outer)->varno);
	}
	return tables;
}

bool
gpuagg_correlated_narrow(const Query *level, List *conditions, GpuAggCorrelatedGroup *group,
						 bool semijoins)
{
	Bitmapset  *tables = semijoins ? key_tables(group) : NULL;
	bool		joined = false;
	int			rti = -1;
	ListCell   *lc;

	foreach(lc, conditions)
	{
		Node	   *condition = condition_of_keys(lfirst(lc), group->keys);

		if (condition != NULL)
			add_condition(group->query, condition);
	}
	while ((rti = bms_next_member(tables, rti)) > 0)
	{
		List	   *own = is_joined_table(level, rti) ? table_conditions(conditions, rti) : NIL;

		if (own == NIL)
			continue;
		add_condition(group->query, semijoin(level, group, rti, own));
		joined = true;
	}
	return joined;
}
