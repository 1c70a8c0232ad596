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

#endif							/* GPUAGG_PLANNER_LOWER_ZONE_H */
