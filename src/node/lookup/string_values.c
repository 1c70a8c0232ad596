/*
 * string_values.c
 *		Values of an input's strings as a look-up table (string_values.h).
 *
 * The device, or the backend as it read the input, has numbered the strings; of each one
 * PostgreSQL evaluates the expressions, in which the string is what CASE tests
 * (planner/lower/lower_string.c).
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "node/lookup/lookup_table.h"
#include "node/lookup/string_values.h"
#include "planner/value/constant.h"
#include "utils/memutils.h"

/* Interrupts are checked as often, and what values took is freed. */
#define STRINGS_AT_ONCE 1024

/* Columns of so many rows: the number, and values; false: too much */
static bool
columns_make(GpuAggLookupColumns *columns, int n, Size limit)
{
	if ((Size) n * columns->plan->ncolumns * (sizeof(int64) + 1) > limit)
		return false;
	columns->nrows = n;
	for (int i = 0; i < columns->plan->ncolumns; i++)
	{
		columns->values[i] = MemoryContextAllocHuge(CurrentMemoryContext,
													Max(1, n) * sizeof(int64));
		columns->nulls[i] = MemoryContextAllocExtended(CurrentMemoryContext, Max(1, n),
													   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
	return true;
}

/* One value, as devices hold it */
static GpuAggStatus
value_fill(GpuAggLookupColumns *columns, int column, int row, ExprState *expr,
		   ExprContext *econtext, GpuAggError *error)
{
	const uint8 type = columns->plan->types[column];
	bool		null;
	Datum		datum = ExecEvalExpr(expr, econtext, &null);

	columns->nulls[column][row] = null;
	((int64 *) columns->values[column])[row] = 0;
	if (null)
		return GPUAGG_OK;
	if (!gpuagg_constant_fits(type, datum))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a value of a join's input has no form that devices know");
	((int64 *) columns->values[column])[row] = gpuagg_constant_make(type, datum, false).value.v.i;
	return GPUAGG_OK;
}

/* All values of a string */
static GpuAggStatus
row_fill(GpuAggLookupColumns *columns, int row, List *exprs, ExprContext *econtext,
		 GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;
	ListCell   *lc;

	((int64 *) columns->values[0])[row] = row;
	foreach(lc, exprs)
	{
		if (status == GPUAGG_OK)
			status = value_fill(columns, columns->plan->nkeys + foreach_current_index(lc), row,
								lfirst(lc), econtext, error);
	}
	return status;
}

static GpuAggStatus
columns_fill(GpuAggLookupColumns *columns, List *exprs, ExprContext *econtext,
			 const GpuAggNumbered *numbers, GpuAggError *error)
{
	const Datum outer = econtext->caseValue_datum;
	const bool	outer_null = econtext->caseValue_isNull;
	/* the node's own has constants of the program, which is bound later */
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpuagg string value",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	GpuAggStatus status = GPUAGG_OK;

	for (uint64 i = 0; i < columns->nrows && status == GPUAGG_OK; i++)
	{
		if (i % STRINGS_AT_ONCE == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(scratch);
		}
		econtext->caseValue_datum = gpuagg_numbered_datum(numbers, i);
		econtext->caseValue_isNull = false;
		status = row_fill(columns, i, exprs, econtext, error);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	econtext->caseValue_datum = outer;
	econtext->caseValue_isNull = outer_null;
	return status;
}

const GpuAggLookup *
gpuagg_string_values(const GpuAggLookupPlan *plan, List *exprs, ExprContext *econtext,
					 const GpuAggNumbered *numbers, Size limit, GpuAggError *error)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext filling = AllocSetContextCreate(context, "gpuagg string values",
												  ALLOCSET_DEFAULT_SIZES);
	GpuAggLookupColumns columns = {.plan = plan};
	const GpuAggLookup *block = NULL;

	MemoryContextSwitchTo(filling);
	if (!columns_make(&columns, gpuagg_numbered_count(numbers), limit))
		(void) gpuagg_lookup_too_large(error);
	else if (columns_fill(&columns, exprs, econtext, numbers, error) == GPUAGG_OK)
		block = gpuagg_lookup_table(&columns, context, limit, error);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(filling);
	return block;
}
