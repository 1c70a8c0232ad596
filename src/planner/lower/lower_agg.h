/*
 * lower_agg.h
 *		What the lowering of aggregates shares: transitions, FILTER, decimals.
 */
#ifndef GPUAGG_PLANNER_LOWER_AGG_H
#define GPUAGG_PLANNER_LOWER_AGG_H

#include "planner/lower/lower.h"

/* The FILTER of an aggregate, lowered */
typedef struct GpuAggLoweredFilter
{
	uint16		reg;			/* GPUAGG_NO_REG: none */
	Expr	   *expr;
	GpuAggLowered value;			/* if there is one */
} GpuAggLoweredFilter;

/*
 * An argument where the filter is true, else NULL, which aggregates ignore: for PostgreSQL to
 * compute
 */
extern Expr *gpuagg_lower_filtered(Expr *arg, Expr *filter);

/*
 * Finds or adds a transition, and some that follow each other; arg NULL: none, filter NULL:
 * none.
 */
extern bool gpuagg_lower_transition(GpuAggLower *lw, uint16 op, const GpuAggLowered *arg,
									Expr *arg_expr, const GpuAggLoweredFilter *filter,
									int *number);
extern bool gpuagg_lower_transitions(GpuAggLower *lw, int n, const uint16 *ops,
									 const GpuAggLowered *args, Expr *const *arg_exprs,
									 const GpuAggLoweredFilter *filter, int *first);

/*
 * The transition of a decimal, and how it is shown.  A minimum is shown as the row
 * that it comes from, a sum as its row with the most decimals.
 */
extern bool gpuagg_lower_decimals(GpuAggLower *lw, uint8 op, const GpuAggLowered *value,
								  Expr *arg, const GpuAggLoweredFilter *filter,
								  GpuAggOutput *output);

/* The COUNT beside a transition of this argument; -1: not needed. */
extern bool gpuagg_lower_count_beside(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
									  const GpuAggLoweredFilter *filter, uint8 final,
									  int *number);

/* Of a variance, correlation or the like */
typedef struct GpuAggStatisticRow
{
	uint8		type;			/* of the arguments */
	uint8		statistic;		/* GpuAggStatistic */
	uint8		final;			/* GpuAggFinal: VARIANCE or MOMENTS */
} GpuAggStatisticRow;

/*
 * lower_statistic.c; false: the aggregate is no such statistic.  As it is lowered: averages
 * of floating point may be, too.
 */
extern bool gpuagg_lower_find_statistic(Oid aggfnoid, GpuAggStatisticRow *row);
extern bool gpuagg_lower_statistic_of(const GpuAggLower *lw, Oid aggfnoid,
									  GpuAggStatisticRow *row);

/* The transition with the sum of an exact variance's argument of this type */
extern uint16 gpuagg_lower_variance_sum(uint8 type);

/* The aggregate is one of theirs if handled is set. */
extern bool gpuagg_lower_statistic(GpuAggLower *lw, const Aggref *agg,
								   const GpuAggLoweredFilter *filter, bool *handled,
								   GpuAggOutput *output);

/*
 * lower_share.c: the transition of another aggregate of the same values whose state has all
 * that one of `wanted` has; GPUAGG_NTRANSITIONS: there is none.  Of a COUNT this is any that
 * evaluates them, and holds where they are never NULL.
 */
extern uint16 gpuagg_lower_transition_beside(const GpuAggLower *lw, const Aggref *agg,
											 uint16 wanted);

/* That one, of sums, or op itself */
extern uint16 gpuagg_lower_shared_transition(const GpuAggLower *lw, const Aggref *agg,
											 uint16 op);

/* Rows in which a value is not NULL; arg: as PostgreSQL computes it */
extern bool gpuagg_lower_count_value(GpuAggLower *lw, const Aggref *agg, GpuAggMark before,
									 const GpuAggLowered *value, Expr *arg,
									 const GpuAggLoweredFilter *filter, int *number);

/* lower_interval_agg.c; likewise */
extern bool gpuagg_lower_interval_aggregate(GpuAggLower *lw, const Aggref *agg,
											const GpuAggLoweredFilter *filter, bool *handled,
											GpuAggOutput *output);

/* lower_fold.c; handled: a joined row may count several times, and for this that matters. */
extern bool gpuagg_lower_folded_aggregate(GpuAggLower *lw, const Aggref *agg, bool *handled,
										  GpuAggOutput *output);

/* How a key is shown where equal numerics show different decimals */
extern bool gpuagg_lower_most_shown(GpuAggLower *lw, const GpuAggLowered *value, Expr *arg,
									GpuAggOutput *output);
extern bool gpuagg_lower_aggregate(GpuAggLower *lw, Aggref *agg,
								   GpuAggOutput *output);

/* What the catalogue has of an aggregate with one transition */
typedef struct GpuAggAggregateRow
{
	uint8		type;			/* GpuAggType of the argument */
	uint8		op;				/* GpuAggTransOp */
	uint8		final;			/* GpuAggFinal */
} GpuAggAggregateRow;

extern bool gpuagg_lower_find_aggregate(Oid aggfnoid, GpuAggAggregateRow *row);

#endif							/* GPUAGG_PLANNER_LOWER_AGG_H */
