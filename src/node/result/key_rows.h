/*
 * key_rows.h
 *		Columns of groups that follow from a primary key among their keys.
 *
 * Strings of an input that are all different, of customers say, are on no device a key: the row
 * that has them is found by its primary key as a group is returned, in the query's snapshot.
 */
#ifndef GPUAGG_NODE_KEY_ROWS_H
#define GPUAGG_NODE_KEY_ROWS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "planner/plan/plan.h"

typedef struct GpuAggKeyRows GpuAggKeyRows;

/* NULL: no output is such a column.  In the current memory context; tlist: of the outputs */
extern GpuAggKeyRows *gpuagg_key_rows_begin(EState *estate, const GpuAggPlanInfo *info,
											List *tlist);

/* Puts the columns where their rows' keys are, by output; values stay until the next call. */
extern void gpuagg_key_rows_fill(GpuAggKeyRows *rows, Datum *values, bool *isnull);

#endif							/* GPUAGG_NODE_KEY_ROWS_H */
