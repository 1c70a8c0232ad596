/*
 * lower_interval_agg.c
 *		sum, avg, min and max of intervals.
 *
 * PostgreSQL adds months, days and microseconds, each with a check of its range after every
 * row.  The device adds their absolute values, too: where these sums are in range, no sum on
 * the way was out of it, in any order.  Else the query is left to PostgreSQL
 * (node/result/intervals.c), as it is where a group is out of range.
 *
 * A minimum is that of codes, which show an interval as it was.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_interval.h"
#include "planner/value/args.h"

static Expr *
absolute_expr(Expr *value)
{
	return gpuagg_call(GPUAGG_F_ABS_INT8, list_make1(value));
}

static bool
absolute(GpuAggLower *lw, const GpuAggLowered *value, GpuAggLowered *out)
{
	return gpuagg_lower_op(lw, GPUAGG_OP_INT8_ABS, GPUAGG_T_INT8, value, NULL, NULL, 0, out);
}

/* A time as an interval: not negative, and of one part */
static bool
add_time_sum(GpuAggLower *lw, Expr *cast, const GpuAggLoweredFilter *filter,
			 GpuAggLowered *value, GpuAggOutput *output)
{
	output->scale = 1;
	return gpuagg_lower_expr(lw, gpuagg_arg(((FuncExpr *) cast)->args, 0), value) &&
		gpuagg_lower_transition(lw, GPUAGG_TRANS_SUM_I128, value,
								gpuagg_interval_part_expr(cast, GPUAGG_PART_TIME), filter,
								&output->index);
}

/* In the order of GPUAGG_INTERVAL_SUM_...; spans have no months. */
static bool
add_sums(GpuAggLower *lw, Expr *interval, const GpuAggLoweredFilter *filter,
		 GpuAggLowered *value, GpuAggOutput *output)
{
	static const uint16 ops[GPUAGG_INTERVAL_SUMS] = {
		GPUAGG_TRANS_SUM_I128, GPUAGG_TRANS_SUM_I128, GPUAGG_TRANS_SUM_I64,
		GPUAGG_TRANS_SUM_I64, GPUAGG_TRANS_SUM_I64
	};
	GpuAggLowered parts[GPUAGG_INTERVAL_PARTS];
	GpuAggLowered sums[GPUAGG_INTERVAL_SUMS];
	GpuAggLowered months;
	Expr	   *exprs[GPUAGG_INTERVAL_SUMS];
	Expr	   *part[GPUAGG_INTERVAL_PARTS];

	if (!gpuagg_lower_expr(lw, interval, value) ||
		!gpuagg_lower_interval_parts(lw, interval, parts) ||
		!absolute(lw, &parts[GPUAGG_PART_TIME], &sums[GPUAGG_INTERVAL_SUM_TIME_GUARD]) ||
		!absolute(lw, &parts[GPUAGG_PART_DAYS], &sums[GPUAGG_INTERVAL_SUM_DAYS_GUARD]) ||
		!absolute(lw, &parts[GPUAGG_PART_MONTHS], &months) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_INT8_ADD, GPUAGG_T_INT8,
						 &sums[GPUAGG_INTERVAL_SUM_DAYS_GUARD], &months, NULL, 0,
						 &sums[GPUAGG_INTERVAL_SUM_DAYS_GUARD]))
		return false;
	sums[GPUAGG_INTERVAL_SUM_TIME] = parts[GPUAGG_PART_TIME];
	sums[GPUAGG_INTERVAL_SUM_DAYS] = parts[GPUAGG_PART_DAYS];
	sums[GPUAGG_INTERVAL_SUM_MONTHS] = parts[GPUAGG_PART_MONTHS];
	for (int i = 0; i < GPUAGG_INTERVAL_PARTS; i++)
		part[i] = gpuagg_interval_part_expr(interval, i);
	exprs[GPUAGG_INTERVAL_SUM_TIME] = part[GPUAGG_PART_TIME];
	exprs[GPUAGG_INTERVAL_SUM_TIME_GUARD] = absolute_expr(part[GPUAGG_PART_TIME]);
	exprs[GPUAGG_INTERVAL_SUM_DAYS] = part[GPUAGG_PART_DAYS];
	exprs[GPUAGG_INTERVAL_SUM_DAYS_GUARD] =
		gpuagg_call(GPUAGG_F_INT8PL, list_make2(absolute_expr(part[GPUAGG_PART_DAYS]),
												absolute_expr(part[GPUAGG_PART_MONTHS])));
	exprs[GPUAGG_INTERVAL_SUM_MONTHS] = part[GPUAGG_PART_MONTHS];
	output->scale = value->type == GPUAGG_T_SPAN ? GPUAGG_INTERVAL_SUMS - 1 : GPUAGG_INTERVAL_SUMS;
	return gpuagg_lower_transitions(lw, output->scale, ops, sums, exprs, filter, &output->index);
}

static bool
lower_interval_sum(GpuAggLower *lw, Expr *arg, uint8 final, const GpuAggLoweredFilter *filter,
				   GpuAggOutput *output)
{
	GpuAggLowered value;

	output->final = final;
	output->type = GPUAGG_T_INTERVAL;
	if (gpuagg_is_call(arg, GPUAGG_F_INTERVAL_TIME) ?
		!add_time_sum(lw, arg, filter, &value, output) :
		!add_sums(lw, arg, filter, &value, output))
		return false;
	return gpuagg_lower_count_beside(lw, &value, arg, filter, final, &output->count_index);
}

static bool
lower_interval_extreme(GpuAggLower *lw, Expr *arg, uint16 op, const GpuAggLoweredFilter *filter,
					   GpuAggOutput *output)
{
	GpuAggLowered value;

	if (!gpuagg_lower_expr(lw, arg, &value) ||
		(value.type != GPUAGG_T_SPAN &&
		 !gpuagg_lower_op(lw, GPUAGG_OP_INTERVAL_CODE, GPUAGG_T_INTERVAL_CODE, &value, NULL, NULL,
						  0, &value)))
		return false;
	output->final = GPUAGG_FINAL_I64;
	output->type = value.type;
	return gpuagg_lower_transition(lw, op, &value, arg, filter, &output->index) &&
		gpuagg_lower_count_beside(lw, &value, arg, filter, GPUAGG_FINAL_I64,
								  &output->count_index);
}

bool
gpuagg_lower_interval_aggregate(GpuAggLower *lw, const Aggref *agg,
								const GpuAggLoweredFilter *filter, bool *handled,
								GpuAggOutput *output)
{
	const GpuAggAggregate *aggregate = gpuagg_aggregate(agg->aggfnoid);
	Expr	   *arg = agg->args == NIL ? NULL :
		gpuagg_agg_arg(agg, 0);

	*handled = aggregate->args[0] == INTERVALOID;
	switch (*handled ? aggregate->kind : GPUAGG_KIND_OTHER)
	{
		case GPUAGG_KIND_SUM:
			return lower_interval_sum(lw, arg, GPUAGG_FINAL_SUM_INTERVAL, filter, output);
		case GPUAGG_KIND_AVG:
			return lower_interval_sum(lw, arg, GPUAGG_FINAL_AVG_INTERVAL, filter, output);
		case GPUAGG_KIND_MIN:
			return lower_interval_extreme(lw, arg, GPUAGG_TRANS_MIN_I64, filter, output);
		case GPUAGG_KIND_MAX:
			return lower_interval_extreme(lw, arg, GPUAGG_TRANS_MAX_I64, filter, output);
		default:
			*handled = false;
			return false;
	}
}
