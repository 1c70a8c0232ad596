/*
 * joined_rows.h
 *		What execution needs to join single rows of the table that is read by PostgreSQL's own plan.
 */
#ifndef GPUAGG_PLANNER_JOINED_ROWS_H
#define GPUAGG_PLANNER_JOINED_ROWS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* The joins below the aggregation of a fallback plan; NULL: there is no aggregation */
extern Plan *gpuagg_joined_plan(Plan *fallback);

/*
 * Outputs of a program (gpuagg_lower_row_exprs) over the rows of that plan, which are its outer
 * tuple.  NIL: not all can be had so, or the plan reads the table otherwise than once from start to end.
 */
extern List *gpuagg_joined_outputs(PlannerInfo *root, Plan *fallback, Index table, List *exprs);

#endif							/* GPUAGG_PLANNER_JOINED_ROWS_H */
