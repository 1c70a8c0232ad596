/*
 * regroup_values.h
 *		Values and states of groups that are made of a device's, while regroup_plan.c
 *		and regroup_agg.c plan them.
 *
 * Functions that return false have refused, and may leave keys of the device behind.  Who tries
 * something else then goes back to a mark: a key must not outlive the registers that it is made of.
 */
#ifndef GPUAGG_PLANNER_REGROUP_VALUES_H
#define GPUAGG_PLANNER_REGROUP_VALUES_H

#include "postgres.h"

#include "planner/regroup/regroup_plan.h"

/* All that an attempt may add, but for outputs */
typedef struct GpuAggRegroupMark
{
	GpuAggMark	lower;
	GpuAggRegroupPlan plan;
	int			ntransitions;
	int			lower_keys;
	int			keys;
	int			exprs;
} GpuAggRegroupMark;

extern void gpuagg_regroup_mark(const GpuAggRegroupPlan *plan, GpuAggRegroupMark *mark);
extern void gpuagg_regroup_go_back(GpuAggRegroupPlan *plan, const GpuAggRegroupMark *mark);

/* The twin of an output of the device, of the query's groups */
extern GpuAggOutput *gpuagg_regroup_add_output(GpuAggRegroupPlan *plan);

/*
 * How values of an expression that PostgreSQL computes are told apart: type and form; false: in
 * no way that is known (regroup_form.c)
 */
extern bool gpuagg_regroup_form(Expr *expr, GpuAggRegroupValue *value);

/* An expression that PostgreSQL computes; false leaves all as it was, or is final. */
extern bool gpuagg_regroup_computed_value(GpuAggRegroupPlan *plan, Expr *expr, int16 *number);

/*
 * As a key of the device, or else computed; reasons are those against the former.  finer: not a key
 * of all the query's groups, so that a row with a numeric that devices have no form of must have
 * one
 */
extern bool gpuagg_regroup_any_value(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop, bool finer,
									 GpuAggOutput *output, int16 *number);

extern GpuAggRegroupState gpuagg_regroup_new_state(uint8 op, uint8 type);

/* A state that is a Datum of this value */
extern GpuAggRegroupState gpuagg_regroup_datum_state(const GpuAggRegroupPlan *plan,
													 GpuAggRegroupDatumOp op, int16 value);

/* Adds a state, or finds the same one. */
extern bool gpuagg_regroup_add_state(GpuAggRegroupPlan *plan, GpuAggRegroupState state,
									 int *number);

/* A transition of the device, merged where the filter is true */
extern bool gpuagg_regroup_add_merge(GpuAggRegroupPlan *plan, int transition, int16 filter,
									 int *number);

/* What decides on how an output is shown, if that is a transition */
extern bool gpuagg_regroup_merge_shown(GpuAggRegroupPlan *plan, const GpuAggOutput *output,
									   int16 filter, GpuAggOutput *own);

#endif							/* GPUAGG_PLANNER_REGROUP_VALUES_H */
