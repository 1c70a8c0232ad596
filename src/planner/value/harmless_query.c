/*
 * harmless_query.c
 *		Can a query raise an error that depends on rows (harmless_query.h)?
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "optimizer/optimizer.h"
#include "planner/value/harmless.h"
#include "planner/value/harmless_query.h"

/* Tables, and subqueries that are as harmless */
static bool
is_harmless_entry(const RangeTblEntry *rte)
{
	if (!gpuagg_is_harmless((Node *) rte->securityQuals))
		return false;
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return rte->tablesample == NULL;
		case RTE_SUBQUERY:
			/* NULL: it has been pulled up */
			return rte->subquery == NULL || gpuagg_is_harmless_query(rte->subquery);
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
is_harmless_aggregate(const Node *node)
{
	const Aggref *agg = (const Aggref *) node;

	return IsA(node, Aggref) &&
		(agg->aggstar ? gpuagg_is_harmless((Node *) agg->aggfilter) :
						gpuagg_is_harmless_aggregate(agg));
}

/* Servers of others fail as they like. */
static bool
is_at_home(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		if (lfirst_node(RangeTblEntry, lc)->relkind == RELKIND_FOREIGN_TABLE)
			return false;
	}
	return true;
}

bool
gpuagg_is_harmless_total(const Query *query)
{
	List	   *aggregates;
	ListCell   *lc;

	if (!query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
		!gpuagg_is_harmless_input(query) || !is_at_home(query) ||
		contain_volatile_functions((Node *) query))
		return false;
	aggregates = pull_var_clause((Node *) list_make2(query->targetList, query->havingQual),
								 PVC_INCLUDE_AGGREGATES | PVC_RECURSE_PLACEHOLDERS);
	foreach(lc, aggregates)
	{
		if (!is_harmless_aggregate(lfirst(lc)))
			return false;
	}
	foreach(lc, query->targetList)
	{
		if (!gpuagg_is_harmless_above((Node *) lfirst_node(TargetEntry, lc)->expr, aggregates))
			return false;
	}
	return gpuagg_is_harmless_above(query->havingQual, aggregates);
}
