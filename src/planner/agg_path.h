/*
 * agg_path.h
 *		Adds GpuAgg paths to grouping steps.
 */
#ifndef GPUAGG_PLANNER_AGG_PATH_H
#define GPUAGG_PLANNER_AGG_PATH_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* The name of path, plan node and methods */
#define GPUAGG_NODE_NAME "GpuAgg"

/* A grouping step that the device can run, as a survey saw it. */
typedef struct GpuAggStep
{
	char	   *table;
	Cost		device_cost;
	Cost		postgres_cost;	/* of PostgreSQL's cheapest path */
} GpuAggStep;

/*
 * What gpuagg.why_not() wants to know of a planning.  While one is active,
 * paths are added regardless of gpuagg.enable and debug_require.
 */
typedef struct GpuAggSurvey
{
	int			groupings;		/* grouping steps seen */
	List	   *reasons;		/* char *: obstacles */
	List	   *steps;			/* GpuAggStep *: those without */
} GpuAggSurvey;

extern GpuAggSurvey *gpuagg_active_survey;

/* Hangs on create_upper_paths_hook; called from _PG_init. */
extern void gpuagg_planner_init(void);

#endif							/* GPUAGG_PLANNER_AGG_PATH_H */
