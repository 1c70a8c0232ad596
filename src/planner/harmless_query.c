/*
 * harmless_query.c
 *		Can a query raise an error that depends on rows (harmless_query.h)?
 */
#include "postgres.h"

#include "planner/harmless.h"
#include "planner/harmless_query.h"

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

	if (query->hasAggs || !gpuagg_is_harmless(query->havingQual) || !gpuagg_is_harmless_input(query))
		return false;
	foreach(lc, query->targetList)
	{
		if (!gpuagg_is_harmless((Node *) lfirst_node(TargetEntry, lc)->expr))
			return false;
	}
	return true;
}
