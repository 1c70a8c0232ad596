/*
 * row_eval.h
 *		Outputs of a program, evaluated by PostgreSQL's executor into a block of rows.
 */
#ifndef GPUAGG_NODE_ROW_EVAL_H
#define GPUAGG_NODE_ROW_EVAL_H

#include "postgres.h"

#include "access/htup.h"
#include "node/lookup/numbered.h"
#include "node/result/long_values.h"
#include "node/row/row_block.h"
#include "nodes/execnodes.h"

typedef struct GpuAggRowEval GpuAggRowEval;

/* Keys of these are the numbers of strings (numbered.h); by key, NULL: it is none. */
typedef const GpuAggNumbered *GpuAggKeyStrings[GPUAGG_MAX_KEYS];

/*
 * Of expressions, one for each output of the program (gpuagg_program_noutputs), which are
 * the plan's or, if that is NULL, contain no subplan.  In the current memory context
 */
extern GpuAggRowEval *gpuagg_row_eval_create(List *exprs, PlanState *parent,
											 const GpuAggProgram *program,
											 const GpuAggKeyStrings strings);

/* As gpuagg_rows_bind(); table: whose rows may be kept as a whole */
extern void gpuagg_row_eval_bind(GpuAggRowEval *eval, const GpuAggProgram *program,
								 GpuAggLongValues *longs, bool keep, int table, uint32 long_keys);

extern GpuAggRowBlock *gpuagg_row_eval_block(GpuAggRowEval *eval);

/*
 * The row in the context, another one of the block; row: the same, or NULL if none is kept as a
 * whole.  PostgreSQL's own errors are raised.  A status other than GPUAGG_OK: a value that does not
 * fit a device.
 */
extern GpuAggStatus gpuagg_row_eval_row(GpuAggRowEval *eval, ExprContext *econtext, HeapTuple row,
										GpuAggError *error);

#endif							/* GPUAGG_NODE_ROW_EVAL_H */
