/*
 * join_tree.h
 *		The joins below a grouping as a chain: one table's rows, and what each is
 *		joined with, one input after the other.
 */
#ifndef GPUAGG_PLANNER_JOIN_TREE_H
#define GPUAGG_PLANNER_JOIN_TREE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef struct GpuAggJoin
{
	JoinType	type;			/* INNER, LEFT, SEMI or ANTI; the chain so far is on
								 * the left */
	RelOptInfo *rel;			/* the input on the right */
	List	   *on;				/* RestrictInfos that decide which of its rows match */
	List	   *filter;			/* of an outer join: those tested afterwards */
} GpuAggJoin;

typedef struct GpuAggJoinTree
{
	RelOptInfo *fact;			/* the table whose rows a device reads, or what several
								 * tables are (agg_tables.h) */
	List	   *joins;			/* GpuAggJoin, in the order of the chain */
} GpuAggJoinTree;

/*
 * The table with most pages among the inputs that are left and that the others can be looked
 * up for; it and larger ones are left no longer.  If all were left and there is none, the
 * largest of all, whose joins tell why.  Partitions, child tables and parts of a UNION ALL
 * count as one.  NULL: none is a table
 */
extern RelOptInfo *gpuagg_join_fact(PlannerInfo *root, RelOptInfo *input_rel, Relids *left);

/* NULL: refused */
extern GpuAggJoinTree *gpuagg_join_tree(PlannerInfo *root, RelOptInfo *input_rel,
										RelOptInfo *fact);

/* The join as one of a partition or child table, or of a part of a UNION ALL, below the fact */
extern GpuAggJoin *gpuagg_join_translate(PlannerInfo *root, const GpuAggJoin *join, RelOptInfo *rel,
										 RelOptInfo *fact);

/* Has the input at most one row for each value of the columns that these clauses compare? */
extern bool gpuagg_join_is_unique(PlannerInfo *root, RelOptInfo *rel, List *clauses);

#endif							/* GPUAGG_PLANNER_JOIN_TREE_H */
