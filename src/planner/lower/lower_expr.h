/*
 * lower_expr.h
 *		Expressions, conditions, and the operations that they are made of.
 */
#ifndef GPUAGG_PLANNER_LOWER_EXPR_H
#define GPUAGG_PLANNER_LOWER_EXPR_H

#include "postgres.h"

#include "planner/lower/lower.h"

extern bool gpuagg_lower_expr(GpuAggLower *lw, Expr *expr, GpuAggValue *out);

/* A plain column of our table?  Else a reason why it cannot be used. */
extern bool gpuagg_lower_check_var(const GpuAggLower *lw, const Var *var);

/* A column of any type, of which only matters whether it is NULL, or what is stored */
extern bool gpuagg_lower_nullness_column(GpuAggLower *lw, Var *var, GpuAggValue *out);

/* In the order in which PostgreSQL would evaluate them. */
extern List *gpuagg_order_quals(PlannerInfo *root, List *clauses);

/* acc AND next, for WHERE */
extern bool gpuagg_lower_and_qual(GpuAggLower *lw, GpuAggValue *acc,
								  const GpuAggValue *next);

/* WHERE: a List of RestrictInfo.  To be called before keys and aggregates. */
extern bool gpuagg_lower_filter(GpuAggLower *lw, List *clauses);

/* x IS [NOT] NULL; x may be a column of any type. */
extern bool gpuagg_lower_nulltest(GpuAggLower *lw, Expr *arg, bool is_null,
								  GpuAggValue *out);

/* building blocks.  Arguments that an operation does not have are NULL. */
extern bool gpuagg_lower_op(GpuAggLower *lw, GpuAggOp op, uint8 type,
							const GpuAggValue *a, const GpuAggValue *b,
							const GpuAggValue *c, int32 imm,
							GpuAggValue *out);
extern bool gpuagg_lower_bool(GpuAggLower *lw, bool value, GpuAggValue *out);
extern bool gpuagg_lower_null_bool(GpuAggLower *lw, GpuAggValue *out);

#endif							/* GPUAGG_PLANNER_LOWER_EXPR_H */
