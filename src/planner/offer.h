/*
 * offer.h
 *		A step of a query that the device could take: what becomes of its path
 *		under the settings and under gpuagg.why_not().
 */
#ifndef GPUAGG_PLANNER_OFFER_H
#define GPUAGG_PLANNER_OFFER_H

#include "postgres.h"

#include "nodes/pathnodes.h"

typedef enum GpuAggStepKind
{
	GPUAGG_STEP_GROUPING,		/* GpuAgg */
	GPUAGG_STEP_SAMPLE,			/* GpuSample */
	GPUAGG_NSTEPS
} GpuAggStepKind;

/* A step that the device can run, as a survey saw it. */
typedef struct GpuAggStep
{
	GpuAggStepKind kind;
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
	int			seen;			/* steps of either kind */
	List	   *reasons;		/* char *: obstacles */
	List	   *steps;			/* GpuAggStep *: those without */
} GpuAggSurvey;

extern GpuAggSurvey *gpuagg_active_survey;

typedef struct GpuAggOffer
{
	GpuAggStepKind kind;
	RelOptInfo *rel;			/* whose paths there are */
	bool		silent;			/* part of a larger step, which speaks for both */

	/* what has become of it */
	CustomPath *path;			/* NULL: refused */
	Oid			table;			/* that the path reads */
	bool		excused;		/* debug_require does not mind the refusal */
} GpuAggOffer;

/* Is anything to be done at all?  Asked first, by the hooks. */
extern bool gpuagg_offer_wanted(void);

/*
 * Around the look at one step.  begin returns false if the step is too small
 * to look at it.  end adds the path, tells the survey, or raises what
 * debug_require asks for.
 */
extern bool gpuagg_offer_begin(const GpuAggOffer *offer);
extern void gpuagg_offer_end(const GpuAggOffer *offer);

#endif							/* GPUAGG_PLANNER_OFFER_H */
