/*
 * lower_datetime.h
 *		Dates, timestamps and their units.
 */
#ifndef GPUAGG_PLANNER_LOWER_DATETIME_H
#define GPUAGG_PLANNER_LOWER_DATETIME_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* What a field is asked for */
#define GPUAGG_USE_TRUNC 0x01	/* date_trunc knows it */
#define GPUAGG_USE_DATE 0x02	/* extract from date, as an integer */
#define GPUAGG_USE_TIMESTAMP 0x04	/* extract from timestamp, as an integer */
#define GPUAGG_USE_DAYS 0x08	/* date_trunc to it gives whole days */

/* The field that this constant names, if it may be used so: GPUAGG_FIELD_... */
extern bool gpuagg_lower_field(Expr *unit, int use, GpuAggField *field);

/* Is it date_trunc(whole days, a timestamptz)? */
extern bool gpuagg_lower_truncates_days(Expr *expr);

/* Leaves the value to PostgreSQL where a day is missing in the session's zone. */
extern bool gpuagg_lower_guard_days(GpuAggLower *lw, GpuAggLowered *value);

/* The day to which a timestamp is cut by a unit of days; is it sure to be in the type's range? */
extern bool gpuagg_lower_cut_day(GpuAggLower *lw, const GpuAggLowered *local, bool sure,
								 GpuAggField field, GpuAggLowered *out);

/* The first day of a month, cut to a unit of months */
extern bool gpuagg_lower_cut_month(GpuAggLower *lw, const GpuAggLowered *month, GpuAggField field,
								   GpuAggLowered *out);

/* expr is one of theirs if handled is set. */
extern bool gpuagg_lower_date_tz_key(GpuAggLower *lw, Expr *expr,
									 bool *handled, Expr **row_expr,
									 GpuAggLowered *out);
extern bool gpuagg_lower_day_key(GpuAggLower *lw, Expr *expr, bool *handled, Expr **row_expr,
								 GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_DATETIME_H */
