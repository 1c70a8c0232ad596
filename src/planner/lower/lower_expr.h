/*
 * lower_expr.h
 *		Expressions, conditions, and the operations that they are made of.
 */
#ifndef GPUAGG_PLANNER_LOWER_EXPR_H
#define GPUAGG_PLANNER_LOWER_EXPR_H

#include "postgres.h"

#include "planner/lower/lower.h"

extern bool gpuagg_lower_expr(GpuAggLower *lw, Expr *expr, GpuAggLowered *out);

/* A plain column of our table?  Else a reason why it cannot be used. */
extern bool gpuagg_lower_check_var(const GpuAggLower *lw, const Var *var);

/* A column of any type, of which only matters whether it is NULL, or what is stored */
extern bool gpuagg_lower_nullness_column(GpuAggLower *lw, Var *var, GpuAggLowered *out);

/* In the order in which PostgreSQL would evaluate them. */
extern List *gpuagg_order_quals(PlannerInfo *root, List *clauses);

/* acc AND next, for WHERE */
extern bool gpuagg_lower_and_qual(GpuAggLower *lw, GpuAggLowered *acc,
								  const GpuAggLowered *next);

/* WHERE: a List of RestrictInfo.  To be called before keys and aggregates. */
extern bool gpuagg_lower_filter(GpuAggLower *lw, List *clauses);

/* x IS [NOT] NULL; x may be a column of any type. */
extern bool gpuagg_lower_nulltest(GpuAggLower *lw, Expr *arg, bool is_null,
								  GpuAggLowered *out);

/* building blocks.  Arguments that an operation does not have are NULL. */
extern bool gpuagg_lower_op(GpuAggLower *lw, GpuAggOp op, uint8 type,
							const GpuAggLowered *a, const GpuAggLowered *b,
							const GpuAggLowered *c, int32 imm,
							GpuAggLowered *out);
extern bool gpuagg_lower_bool(GpuAggLower *lw, bool value, GpuAggLowered *out);
extern bool gpuagg_lower_null_bool(GpuAggLower *lw, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_EXPR_H */
