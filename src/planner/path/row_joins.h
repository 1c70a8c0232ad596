/*
 * row_joins.h
 *		What execution needs to join single rows of the table that is read by PostgreSQL's own plan.
 */
#ifndef GPUAGG_PLANNER_ROW_JOINS_H
#define GPUAGG_PLANNER_ROW_JOINS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * Outputs of a program (gpuagg_lower_row_exprs) over the rows of the joins (gpuagg_plan_joins),
 * which are its outer tuple; count(*) alone has none.  False: not all can be had so, or the plan
 * reads the table otherwise than once from start to end.
 */
extern bool gpuagg_joined_outputs(PlannerInfo *root, Plan *fallback, Index table, List *exprs,
								  List **outputs);

#endif							/* GPUAGG_PLANNER_ROW_JOINS_H */
