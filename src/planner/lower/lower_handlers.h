/*
 * lower_handlers.h
 *		Who lowers which call: a function for each handler that rows of the catalogue name.
 *
 * Each is in the unit of its types, and lowers a call that has as many arguments as the row,
 * or refuses.
 */
#ifndef GPUAGG_PLANNER_LOWER_HANDLERS_H
#define GPUAGG_PLANNER_LOWER_HANDLERS_H

#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"

typedef struct GpuAggCall
{
	const GpuAggFunction *function;
	List	   *args;
	Oid			collation;
} GpuAggCall;

#define X(name, function) \
	extern bool gpuagg_lower_by_##function(GpuAggLower *lw, const GpuAggCall *call, \
										   GpuAggLowered *out);
GPUAGG_HANDLER_LIST(X)
#undef X

/* All arguments, in their order */
extern bool gpuagg_lower_args(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *values);

/* lower_epoch.c: extract() of seconds, if handled is set, and of what is less */
extern bool gpuagg_lower_fine_extract(GpuAggLower *lw, const GpuAggCall *call, bool *handled,
									  GpuAggLowered *out);

/* lower_datetime.c: date_trunc(unit of days, a date as timestamptz) as a date, if handled is set */
extern bool gpuagg_lower_day_of_trunc(GpuAggLower *lw, Expr *expr, bool *handled,
									  GpuAggLowered *out);

/* lower_datetime.c: the cast of a type of time to one that has more; GPUAGG_F_NONE: it has not */
extern GpuAggFunctionId gpuagg_lower_wider_time(Oid from, Oid to);

#endif							/* GPUAGG_PLANNER_LOWER_HANDLERS_H */
