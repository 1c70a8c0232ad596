/*
 * wanted_groups.c
 *		The groups that a query wants, in this execution.
 *
 * LIMIT and OFFSET are those of the Limit node above, which evaluates them before
 * it asks for the first row, and complains of negative ones.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "device/ops/answer_row.h"
#include "executor/executor.h"
#include "node/scan/wanted_groups.h"
#include "nodes/nodeFuncs.h"
#include "planner/value/constant.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

static bool
collect_params(Node *node, void *context)
{
	Bitmapset **params = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		*params = bms_add_member(*params, ((Param *) node)->paramid);
	return expression_tree_walker(node, collect_params, context);
}

void
gpuagg_wanted_init(GpuAggWantedState *state, const GpuAggWanted *wanted, List *exprs,
				   PlanState *ps)
{
	int			n = gpuagg_plan_wanted_exprs(wanted);

	state->wanted = wanted;
	exprs = list_copy_tail(exprs, list_length(exprs) - n);
	(void) collect_params((Node *) exprs, &state->params);
	state->exprs = ExecInitExprList(exprs, ps);
}

/* --------------------------------------------------------------- HAVING --- */

/*
 * A constant with more decimals than the value: what is less than it is what is not greater than
 * the next decimal below it, and so on.  False: it cannot be told.
 */
static bool
term_between(GpuAggHavingTerm *term, Datum value, int64 *below)
{
	const Datum cut = DirectFunctionCall2(numeric_trunc, value, Int32GetDatum(term->scale));

	if (term->comparison == GPUAGG_COMPARE_EQ || term->comparison == GPUAGG_COMPARE_NE ||
		!gpuagg_numeric_scaled(cut, true, term->scale, below))
		return false;
	term->comparison = term->comparison == GPUAGG_COMPARE_LT ||
			term->comparison == GPUAGG_COMPARE_LE ?
		GPUAGG_COMPARE_LE :
		GPUAGG_COMPARE_GT;
	return !DatumGetBool(DirectFunctionCall2(numeric_gt, cut, value)) ||
		!pg_sub_s64_overflow(*below, 1, below);
}

/* The constant as gpuagg_answer_number() makes the value; false: it cannot be. */
static bool
term_constant(GpuAggHavingTerm *term, Oid type, Datum value)
{
	int64		i;

	switch (type)
	{
		case INT2OID:
			i = DatumGetInt16(value);
			break;
		case INT4OID:
			i = DatumGetInt32(value);
			break;
		case INT8OID:
			i = DatumGetInt64(value);
			break;
		case DATEOID:
			i = DatumGetDateADT(value);
			break;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			i = DatumGetTimestamp(value);
			break;
		case FLOAT4OID:
			i = gpuagg_answer_f64(DatumGetFloat4(value));
			break;
		case FLOAT8OID:
			i = gpuagg_answer_f64(DatumGetFloat8(value));
			break;
		case NUMERICOID:
			if (!gpuagg_numeric_scaled(value, true, term->scale, &i) &&
				!term_between(term, value, &i))
				return false;
			break;
		default:
			return false;
	}
	term->low = (uint64) i;
	term->high = i < 0 ? -1 : 0;
	return true;
}

/* ---------------------------------------------------------------- LIMIT --- */

/* LIMIT and OFFSET together; 0: no limit */
static uint64
limit_sum(bool has_count, int64 count, int64 offset)
{
	int64		sum;

	if (!has_count || count < 0 || offset < 0 || pg_add_s64_overflow(count, offset, &sum))
		return 0;
	/* the Limit node asks for no row, or only skips some */
	return Max(sum, 1);
}

static Datum
value_of(const GpuAggWantedState *state, int n, ExprContext *econtext, bool *isnull)
{
	return ExecEvalExprSwitchContext(list_nth(state->exprs, n), econtext, isnull);
}

void
gpuagg_wanted_evaluate(const GpuAggWantedState *state, ExprContext *econtext,
					   GpuAggAnswer *answer)
{
	const GpuAggWanted *wanted = state->wanted;
	bool		isnull = true;
	bool		no_offset = true;
	int64		count = 0;
	int64		offset = 0;
	int			n = 0;

	*answer = wanted->answer;
	if (wanted->limited)
		count = DatumGetInt64(value_of(state, n++, econtext, &isnull));
	if (wanted->offset)
		offset = DatumGetInt64(value_of(state, n++, econtext, &no_offset));
	answer->first = limit_sum(!isnull, count, no_offset ? 0 : offset);
	for (int i = 0; i < answer->nterms; i++)
	{
		GpuAggHavingTerm *term = &answer->terms[i];
		Datum		value = value_of(state, n, econtext, &isnull);
		Oid			type = exprType((Node *) ((ExprState *) list_nth(state->exprs, n++))->expr);

		term->never = isnull;
		if (!isnull && !term_constant(term, type, value))
		{
			memset(answer, 0, sizeof(*answer));
			return;
		}
	}
}
