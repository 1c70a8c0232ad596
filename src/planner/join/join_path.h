/*
 * join_path.h
 *		Inputs of joins that become look-up tables, and what they cost.
 */
#ifndef GPUAGG_PLANNER_JOIN_PATH_H
#define GPUAGG_PLANNER_JOIN_PATH_H

#include "postgres.h"

#include "planner/lower/lower.h"
#include "planner/offer/path_cost.h"

/* Can the device look rows up at all?  Else a reason. */
extern bool gpuagg_join_possible(void);

/* May the joins below this grouping be looked at at all?  fact: what is to be read, NULL: none */
extern bool gpuagg_join_check(PlannerInfo *root, const RelOptInfo *fact);

/* Lowers the joins, behind the filter of the table, which is the tree's or one of it. */
extern bool gpuagg_join_lower(GpuAggLower *lw, const GpuAggJoinTree *tree);

/* Do both programs look rows up in the same tables?  Else a reason. */
extern bool gpuagg_join_same_tables(const GpuAggLower *a, const GpuAggLower *b);

/*
 * Is there memory for so many tables, as far as is known: the device's for those that it makes,
 * gpuagg.lookup_memory for others, the largest in windows if need be?
 */
extern bool gpuagg_join_fits(const GpuAggLookupPlan *plans, int n);

/* GpuAggLookupPlans, for when the program is finished */
extern GpuAggLookupPlan *gpuagg_join_plans(GpuAggLower *lw, const GpuAggProgram *program);

/* Expressions of the runtime constants of all programs that make tables */
extern List *gpuagg_join_runtime(const GpuAggLower *lw);

/* How many rows come of each that the device groups, because inputs have several of a key */
extern double gpuagg_join_repeats(const GpuAggLower *lw);

/* Is a plan of the input a child of the node? */
extern bool gpuagg_join_is_child(const GpuAggLookupLower *lookup);

/*
 * What making the tables and looking things up adds to a cost; of each table, into its plan,
 * what making it takes
 */
extern void gpuagg_join_cost(const GpuAggLower *lw, const List *paths, GpuAggCostInput *input,
							 GpuAggLookupPlan *plans);

#endif							/* GPUAGG_PLANNER_JOIN_PATH_H */
