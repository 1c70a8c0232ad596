/*
 * lower_zone.h
 *		Moments in time zones.
 */
#ifndef GPUAGG_PLANNER_LOWER_ZONE_H
#define GPUAGG_PLANNER_LOWER_ZONE_H

#include "postgres.h"

#include "planner/lower/lower.h"

/* The local day of date_trunc(unit of days, timestamptz) */
extern bool gpuagg_lower_zoned_day(GpuAggLower *lw, Expr *unit, Expr *moment,
								   GpuAggLowered *out);

/* A timestamptz as a local timestamp of the session's zone, and the inverse */
extern bool gpuagg_lower_session_local(GpuAggLower *lw, const GpuAggLowered *utc,
									   GpuAggLowered *out);
extern bool gpuagg_lower_session_utc(GpuAggLower *lw, const GpuAggLowered *local,
									 GpuAggLowered *out);

/* The local day of a timestamptz in the session's zone, cut to a unit of days */
extern bool gpuagg_lower_session_day(GpuAggLower *lw, const GpuAggLowered *utc, GpuAggField field,
									 GpuAggLowered *out);

/*
 * The first day of the month of a local time; handled tells whether the field follows from the
 * month, and the local time is one of a timestamptz, so that it is known without it.
 */
extern bool gpuagg_lower_local_month(GpuAggLower *lw, Expr *local, GpuAggField field,
									 bool *handled, GpuAggLowered *out);

#endif							/* GPUAGG_PLANNER_LOWER_ZONE_H */
