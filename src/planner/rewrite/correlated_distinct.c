/*
 * correlated_distinct.c
 *		IN of a subquery that has a grouping joined (correlated_distinct.h).
 *
 *		x IN (SELECT c FROM t, (SELECT ... GROUP BY i) correlated WHERE ...)
 *		x IN (SELECT DISTINCT c FROM ...)
 *
 * IN asks which values there are, not how often.  Without DISTINCT PostgreSQL makes one join of
 * the query and its subquery, whose rows no device returns; with it the subquery is a grouping,
 * which a device makes with the joins below.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "planner/rewrite/correlated_distinct.h"
#include "planner/rewrite/correlated_group.h"

static bool
joins_grouping(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY && gpuagg_correlated_is_made(rte->subquery))
			return true;
	}
	return false;
}

/* One column of joined rows, of which equal values are one */
static bool
is_plain_column(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs &&
		!query->hasTargetSRFs && query->groupClause == NIL && query->groupingSets == NIL &&
		query->havingQual == NULL && query->distinctClause == NIL && query->sortClause == NIL &&
		query->limitCount == NULL && query->limitOffset == NULL && query->setOperations == NULL &&
		list_length(query->targetList) == 1 &&
		gpuagg_correlated_is_same_if_equal(
			   (Node *) linitial_node(TargetEntry, query->targetList)->expr);
}

static void
make_distinct(Query *query)
{
	TargetEntry *column = linitial(query->targetList);
	SortGroupClause *clause = makeNode(SortGroupClause);

	column->ressortgroupref = clause->tleSortGroupRef = 1;
	get_sort_group_operators(exprType((Node *) column->expr), true, true, false, &clause->sortop,
							 &clause->eqop, NULL, &clause->hashable);
	query->distinctClause = list_make1(clause);
}

bool
gpuagg_correlated_distinct(List *conjuncts)
{
	bool		made = false;
	ListCell   *lc;

	foreach(lc, conjuncts)
	{
		const SubLink *sublink = lfirst(lc);

		if (!IsA(sublink, SubLink) || sublink->subLinkType != ANY_SUBLINK ||
			!joins_grouping((Query *) sublink->subselect) ||
			!is_plain_column((Query *) sublink->subselect))
			continue;
		make_distinct((Query *) sublink->subselect);
		made = true;
	}
	return made;
}
