/*
 * harmless_query.c
 *		Can a query raise an error that depends on rows (harmless_query.h)?
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/value/harmless.h"
#include "planner/value/harmless_query.h"

static bool is_harmless_grouping(const Query *query);

static bool
is_grouping(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL;
}

/* Tables, and subqueries that are as harmless */
static bool
is_harmless_entry(const RangeTblEntry *rte)
{
	List	   *groups;

	if (!gpuagg_is_harmless((Node *) rte->securityQuals))
		return false;
	if (gpuagg_group_entry(rte, &groups))
		return gpuagg_is_harmless((Node *) groups);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return rte->tablesample == NULL;
		case RTE_SUBQUERY:
			/* NULL: it has been pulled up */
			return rte->subquery == NULL ||
				(is_grouping(rte->subquery) ? is_harmless_grouping(rte->subquery) :
				 gpuagg_is_harmless_query(rte->subquery));
		case RTE_JOIN:
		case RTE_RESULT:
			return true;
		case RTE_VALUES:
			return gpuagg_is_harmless((Node *) rte->values_lists);
		default:
			return false;
	}
}

static bool
is_harmless_jointree(Node *node)
{
	ListCell   *lc;

	if (node == NULL || IsA(node, RangeTblRef))
		return true;
	if (IsA(node, JoinExpr))
		return is_harmless_jointree(((JoinExpr *) node)->larg) &&
			is_harmless_jointree(((JoinExpr *) node)->rarg) &&
			gpuagg_is_harmless(((JoinExpr *) node)->quals);
	if (!IsA(node, FromExpr))
		return false;
	foreach(lc, ((FromExpr *) node)->fromlist)
	{
		if (!is_harmless_jointree(lfirst(lc)))
			return false;
	}
	return gpuagg_is_harmless(((FromExpr *) node)->quals);
}

bool
gpuagg_is_harmless_input(const Query *query)
{
	ListCell   *lc;

	if (query->cteList != NIL || query->hasTargetSRFs || query->hasWindowFuncs ||
		query->limitCount != NULL || query->limitOffset != NULL || query->rowMarks != NIL ||
		!is_harmless_jointree((Node *) query->jointree))
		return false;
	foreach(lc, query->rtable)
	{
		if (!is_harmless_entry(lfirst_node(RangeTblEntry, lc)))
			return false;
	}
	return true;
}

bool
gpuagg_is_harmless_query(const Query *query)
{
	ListCell   *lc;

	if (query->hasAggs || !gpuagg_is_harmless(query->havingQual) ||
		!gpuagg_is_harmless_input(query))
		return false;
	foreach(lc, query->targetList)
	{
		if (!gpuagg_is_harmless((Node *) lfirst_node(TargetEntry, lc)->expr))
			return false;
	}
	return true;
}

/* A count, or what is harmless of rows that are */
static bool
is_harmless_aggregate(const Aggref *agg)
{
	ListCell   *lc;

	if (agg->aggstar)
		return gpuagg_is_count(agg->aggfnoid) && gpuagg_is_harmless((Node *) agg->aggfilter);
	foreach(lc, agg->aggdistinct == NIL ? NIL : agg->args)
	{
		if (!gpuagg_is_comparable((Node *) lfirst_node(TargetEntry, lc)->expr))
			return false;
	}
	return gpuagg_is_harmless_aggregate(agg);
}

/*
 * Lists what outputs are made of: aggregates and, of groups, columns.  True: something else, or of
 * a query further out.
 */
static bool
parts_walker(Node *node, void *context)
{
	List	  **parts = context;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		*parts = lappend(*parts, node);
		return ((Aggref *) node)->agglevelsup > 0;
	}
	if (IsA(node, Var))
	{
		*parts = lappend(*parts, node);
		return ((Var *) node)->varlevelsup > 0;
	}
	return IsA(node, GroupingFunc) || expression_tree_walker(node, parts_walker, context);
}

/* Of groups, whose keys are as they are, or of all rows */
static bool
are_harmless_outputs(const Query *query)
{
	List	   *parts = NIL;
	ListCell   *lc;

	if (parts_walker((Node *) query->targetList, &parts) || parts_walker(query->havingQual, &parts))
		return false;
	foreach(lc, parts)
	{
		if (IsA(lfirst(lc), Aggref) ? !is_harmless_aggregate(lfirst(lc)) :
			query->groupClause == NIL)
			return false;
	}
	foreach(lc, query->targetList)
	{
		if (!gpuagg_is_harmless_above((Node *) lfirst_node(TargetEntry, lc)->expr, parts))
			return false;
	}
	return gpuagg_is_harmless_above(query->havingQual, parts);
}

/* Are values of all that the clauses name compared without an error? */
static bool
are_comparable(const List *clauses, const Query *query)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const TargetEntry *key = get_sortgroupclause_tle(lfirst(lc), query->targetList);

		if (!gpuagg_is_comparable((Node *) key->expr))
			return false;
	}
	return true;
}

static bool
is_harmless_grouping(const Query *query)
{
	return query->groupingSets == NIL && gpuagg_is_harmless_input(query) &&
		are_comparable(query->groupClause, query) &&
		are_comparable(query->distinctClause, query) && are_harmless_outputs(query);
}

/* Servers of others fail as they like. */
static bool
is_at_home(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst(lc);

		if (rte->relkind == RELKIND_FOREIGN_TABLE ||
			(rte->rtekind == RTE_SUBQUERY && rte->subquery != NULL && !is_at_home(rte->subquery)))
			return false;
	}
	return true;
}

bool
gpuagg_is_harmless_total(const Query *query)
{
	return query->hasAggs && query->groupClause == NIL && query->groupingSets == NIL &&
		gpuagg_is_harmless_input(query) && is_at_home(query) &&
		!contain_volatile_functions((Node *) query) && are_harmless_outputs(query);
}
