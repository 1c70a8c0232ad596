/*
 * runtime.c
 *		Values of runtime constants (runtime.h).
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/lookup/runtime.h"
#include "nodes/nodeFuncs.h"
#include "planner/value/constant.h"
#include "planner/value/list_table.h"

/* Adds the parameters in an expression to the list at context. */
static bool
runtime_params(Node *node, void *context)
{
	List	  **params = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
		*params = list_append_unique(*params, node);
	return expression_tree_walker(node, runtime_params, context);
}

void
gpuagg_runtime_init(PlanState *ps, List *exprs, List **runtime, List **params)
{
	List	   *found = NIL;

	(void) runtime_params((Node *) exprs, &found);
	*runtime = ExecInitExprList(exprs, ps);
	*params = ExecInitExprList(found, ps);
}

/* Subqueries among them run now, so that no error of theirs is taken for a value's. */
void
gpuagg_runtime_params(List *params, ExprContext *econtext)
{
	ListCell   *lc;

	foreach(lc, params)
	{
		bool		ignored;

		(void) ExecEvalExprSwitchContext(lfirst(lc), econtext, &ignored);
	}
}

/*
 * Evaluates a constant that may raise an error.  PostgreSQL would raise it
 * only at the first row that needs the value, so an error in the data ends
 * nothing here but the device's turn.  Parameters were evaluated before and
 * the rest is made of PostgreSQL's own functions of numbers, times and
 * strings, which hold nothing that a subtransaction would have to release.
 */
static GpuAggStatus
runtime_try(ExprState *expr, ExprContext *econtext, Datum *value,
			bool *isnull, GpuAggError *error)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData  *volatile caught = NULL;

	PG_TRY();
	{
		*value = ExecEvalExprSwitchContext(expr, econtext, isnull);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		caught = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	if (caught == NULL)
		return GPUAGG_OK;
	if (!gpuagg_error_is_of_values(caught->sqlerrcode))
		ReThrowError(caught);
	gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG, "%s",
					 caught->message);
	FreeErrorData(caught);
	return error->status;
}

GpuAggStatus
gpuagg_runtime_values(List *exprs, const GpuAggRuntimeConst *runtime, const GpuAggProgram *program,
					  ExprContext *econtext, Datum *values, bool *isnull, GpuAggError *error)
{
	ListCell   *lc;

	foreach(lc, exprs)
	{
		const int	i = foreach_current_index(lc);
		const GpuAggConst *slot = gpuagg_program_consts(program) + runtime[i].const_no;

		if (!runtime[i].may_fail)
			values[i] = ExecEvalExprSwitchContext(lfirst(lc), econtext, &isnull[i]);
		else if (runtime_try(lfirst(lc), econtext, &values[i], &isnull[i], error) != GPUAGG_OK)
			return error->status;
		if (!isnull[i] && !(runtime[i].zone >= GPUAGG_ZONE_LIST ? gpuagg_list_fits(values[i]) :
							gpuagg_constant_fits(slot->type, values[i])))
			return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
									"a constant has no form that devices know");
	}
	return GPUAGG_OK;
}
