/*
 * correlated_group.h
 *		A correlated scalar subquery as a grouping by what it depends on.
 */
#ifndef GPUAGG_PLANNER_CORRELATED_GROUP_H
#define GPUAGG_PLANNER_CORRELATED_GROUP_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* What a subquery compares with an expression over the row outside */
typedef struct GpuAggCorrelatedKey
{
	Node	   *inner;			/* over the subquery's tables */
	Node	   *outer;			/* over the tables of the query around it, as this has it */
	bool		same;			/* equal values of the two are the same in every respect */
} GpuAggCorrelatedKey;

typedef struct GpuAggCorrelatedGroup
{
	Query	   *query;			/* SELECT keys, value FROM ... GROUP BY keys */
	List	   *keys;			/* GpuAggCorrelatedKey * */
	List	   *joins;			/* key = outer: conditions of the query around it, in which
								 * the grouping is table number rti */
	Expr	   *value;			/* what the subquery returns: the last column */
	Node	   *judged;			/* the same, of columns with the bounds that are known */
	int			rti;
} GpuAggCorrelatedGroup;

/*
 * Makes the grouping that is to be table number rti.  The subquery has so many queries
 * around it, which may have a WITH, the innermost first.  Refuses one whose rows could not be
 * grouped, or whose grouping could raise an error that the subquery would not.
 */
extern bool gpuagg_correlated_group(const Query *subquery, int depth, List *around, int rti,
									GpuAggCorrelatedGroup *out);

/* Does the query, or an expression, depend on one of so many queries around it? */
extern bool gpuagg_correlated_depends(Node *node, int depth);

/* The conditions that AND combines, nested ones, too */
extern List *gpuagg_correlated_conjuncts(Node *quals);

/* What an expression is made of, any NULL of which makes it NULL; NIL: not known */
extern List *gpuagg_correlated_strict_args(Node *expr);

/* The opposite of conjuncts; NULL: none */
extern Node *gpuagg_correlated_and(List *conjuncts);

/* Can this raise an error that depends on rows, once its constants are computed? */
extern bool gpuagg_correlated_is_harmless(Node *expr, List *aggregates);

/* Can the aggregate raise no error that depends on rows? */
extern bool gpuagg_correlated_is_harmless_aggregate(const Aggref *agg);

/*
 * Can what the query selects from, and its WHERE, raise no error that depends on rows, and is
 * nothing in it volatile?
 */
extern bool gpuagg_correlated_reads_harmless(const Query *query);

/*
 * Can the operator's left or right side be a group key that finds equal what it does?  Fills in the
 * clause.
 */
extern bool gpuagg_correlated_groups_alike(const OpExpr *op, Node *inner, SortGroupClause *clause);

extern bool gpuagg_correlated_is_made(const Query *query);

/*
 * Of a type whose equal values do not differ in anything; strings do not under collations that say
 * so.
 */
extern bool gpuagg_correlated_is_same_if_equal(const Node *expr);

#endif							/* GPUAGG_PLANNER_CORRELATED_GROUP_H */
