/*
 * row_eval.c
 *		Outputs of a program, evaluated by PostgreSQL's executor (row_eval.h).
 *
 * Expressions are compiled one by one instead of as a projection, because an aggregate's
 * argument must not be evaluated where its FILTER is not true.
 *
 * Memory: values in the making live in the context's per-tuple memory.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "node/row/row_aside.h"
#include "node/row/row_eval.h"
#include "nodes/nodeFuncs.h"
#include "planner/value/constant.h"

#define ROWS_MAX 1024
#define ROWS_STRING_BYTES (256 * 1024)

struct GpuAggRowEval
{
	int			noutputs;
	ExprState **outputs;
	int		   *order;			/* filters before what they guard */
	Oid		   *types;
	GpuAggKeyStrings strings;
	GpuAggRowBlock *block;
	GpuAggRowAside *aside;
};

/* Each argument behind its filter */
static void
order_outputs(GpuAggRowEval *eval)
{
	int			place = 0;

	for (int i = 0; i < eval->noutputs; i++)
	{
		const int	filter = gpuagg_row_block_output(eval->block, i)->filter;

		if (filter < 0)
			eval->order[place++] = i;
		else
		{
			eval->order[place++] = filter;
			eval->order[place++] = i;
			i = filter;
		}
	}
	Assert(place == eval->noutputs);
}

GpuAggRowEval *
gpuagg_row_eval_create(List *exprs, PlanState *parent, const GpuAggProgram *program,
					   const GpuAggKeyStrings strings)
{
	GpuAggRowEval *eval = palloc0(sizeof(GpuAggRowEval));
	Oid		   *sent;
	ListCell   *lc;

	eval->noutputs = gpuagg_program_noutputs(program);
	if (list_length(exprs) != eval->noutputs)
		elog(ERROR, "gpuagg: rows have %d outputs, program has %d", list_length(exprs),
			 eval->noutputs);
	eval->outputs = palloc(Max(1, eval->noutputs) * sizeof(ExprState *));
	eval->order = palloc(Max(1, eval->noutputs) * sizeof(int));
	eval->types = palloc(Max(1, eval->noutputs) * sizeof(Oid));
	sent = palloc(Max(1, eval->noutputs) * sizeof(Oid));
	if (strings != NULL)
		memcpy(eval->strings, strings, sizeof(eval->strings));
	foreach(lc, exprs)
	{
		const int	i = foreach_current_index(lc);

		eval->outputs[i] = ExecInitExpr(lfirst(lc), parent);
		eval->types[i] = sent[i] = exprType(lfirst(lc));
		if (i < program->nkeys && eval->strings[i] != NULL)
			sent[i] = INT4OID;
	}
	eval->block = gpuagg_row_block_create(program, sent, ROWS_MAX, ROWS_STRING_BYTES);
	eval->aside = gpuagg_row_aside_create(eval->block);
	order_outputs(eval);
	pfree(sent);
	return eval;
}

void
gpuagg_row_eval_bind(GpuAggRowEval *eval, const GpuAggProgram *program, GpuAggLongValues *longs,
					 bool keep, int table, uint32 long_keys)
{
	gpuagg_row_aside_bind(eval->aside, longs, keep);
	gpuagg_row_aside_take_rows(eval->aside, table, long_keys);
	gpuagg_row_block_bind(eval->block, program);
}

GpuAggRowBlock *
gpuagg_row_eval_block(GpuAggRowEval *eval)
{
	return eval->block;
}

/* A string by its number; false: it has none. */
static bool
string_number(const GpuAggRowEval *eval, int n, Datum *datum)
{
	uint8		type;
	GpuAggConstant value;
	int32		number;

	if (!gpuagg_constant_type(eval->types[n], &type) ||
		gpuagg_constant_class(type) != GPUAGG_CLASS_BYTES)
		return false;
	value = gpuagg_constant_make(type, *datum, false);
	number = gpuagg_numbered_find(eval->strings[n], value.bytes, value.value.len);
	*datum = Int32GetDatum(number);
	return number >= 0;
}

static bool
output_evaluate(GpuAggRowEval *eval, int n, ExprContext *econtext)
{
	const GpuAggRowOutput *output = gpuagg_row_block_output(eval->block, n);
	const bool	numbered = n < gpuagg_row_block_nkeys(eval->block) && eval->strings[n] != NULL;
	bool		isnull = true;
	Datum		datum = (Datum) 0;
	MemoryContext old;
	bool		fits;

	if (output->filter < 0 || gpuagg_row_block_is_true(eval->block, output->filter))
		datum = ExecEvalExprSwitchContext(eval->outputs[n], econtext, &isnull);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	fits = (!numbered || isnull || string_number(eval, n, &datum)) &&
		(gpuagg_row_block_put(eval->block, n, datum, isnull) ||
		 gpuagg_row_aside_put(eval->aside, n, datum));
	MemoryContextSwitchTo(old);
	return fits;
}

GpuAggStatus
gpuagg_row_eval_row(GpuAggRowEval *eval, ExprContext *econtext, HeapTuple row, GpuAggError *error)
{
	bool		fits = true;

	for (int i = 0; i < eval->noutputs && fits; i++)
		fits = output_evaluate(eval, eval->order[i], econtext);
	if (fits)
		return gpuagg_row_aside_next(eval->aside, row, error);
	gpuagg_row_aside_drop(eval->aside);
	return gpuagg_row_block_unfit(error);
}
