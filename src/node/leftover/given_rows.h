/*
 * given_rows.h
 *		Rows that a plan of PostgreSQL's is given in the place of those of a table: its
 *		sequential scan of that table is made to return these instead.
 */
#ifndef GPUAGG_NODE_GIVEN_ROWS_H
#define GPUAGG_NODE_GIVEN_ROWS_H

#include "postgres.h"

#include "access/htup.h"
#include "nodes/execnodes.h"

typedef struct GpuAggGiver
{
	/* The next row for this scan; NULL: no more */
	HeapTuple	(*next) (void *of, const PlanState *scan);
	void	   *of;
} GpuAggGiver;

/*
 * A copy of a plan of this state's statement, which runs in this process alone and has memory of
 * its own
 */
extern PlanState *gpuagg_given_rows_begin(Plan *plan, EState *estate, int eflags);
extern void gpuagg_given_rows_end(PlanState *plan);

/* Lets a sequential scan of it return rows of whoever gives them when the plan is run. */
extern void gpuagg_given_rows_take(PlanState *scan);

/* The plan's next row, its scans being given rows by this one. */
extern TupleTableSlot *gpuagg_given_rows_exec(PlanState *plan, const GpuAggGiver *giver);

#endif							/* GPUAGG_NODE_GIVEN_ROWS_H */
