/*
 * offer.h
 *		A step of a query that the device could take: what becomes of its path
 *		under the settings and under gpuagg.why_not().
 */
#ifndef GPUAGG_PLANNER_OFFER_H
#define GPUAGG_PLANNER_OFFER_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "planner/offer/what_if.h"
#include "utils/snapshot.h"

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
	char	   *dearer;			/* why the device's path lost by its cost, and what
								 * would change that; NULL: it did not */
} GpuAggStep;

/* An obstacle, of which part of the query */
typedef struct GpuAggObstacle
{
	char	   *part;			/* NULL: the obstacle tells */
	char	   *reason;
} GpuAggObstacle;

/*
 * What gpuagg.why_not() or EXPLAIN (GPUAGG) wants to know of a planning.  While one is
 * active, paths are added regardless of gpuagg.enable and debug_require; but a bystander
 * leaves the plan as it is without it.
 */
typedef struct GpuAggSurvey
{
	bool		bystander;
	Snapshot	snapshot;		/* of a bystander: looks on only while this is the active
								 * one, which it is not in queries that run */
	int			seen;			/* steps of either kind */
	List	   *obstacles;		/* GpuAggObstacle * */
	List	   *steps;			/* GpuAggStep *: those without any */
} GpuAggSurvey;

extern GpuAggSurvey *gpuagg_active_survey;

typedef struct GpuAggOffer
{
	GpuAggStepKind kind;
	RelOptInfo *rel;			/* whose paths there are */
	bool		silent;			/* part of a larger step, which speaks for both */
	RelOptInfo *input_rel;		/* what a grouping groups */
	PlannerInfo *root;

	/* what has become of it */
	Path	   *path;			/* NULL: refused */
	GpuAggWhatIf *what_if;		/* of the path, for a survey; else NULL */
	Oid			table;			/* that the path reads */
	bool		of_plan;		/* its rows are those of a plan, for no device can read what is
								 * grouped: the reasons tell why */
	bool		excused;		/* debug_require does not mind the refusal */
} GpuAggOffer;

/*
 * Tells a survey, if there is one, of a step that is never one for the device.
 */
extern void gpuagg_offer_refuse(const char *reason);

/* Does a survey see this planning? */
extern bool gpuagg_offer_surveyed(void);

/* Tells it of obstacles, a List of char *, of no step in particular. */
extern void gpuagg_offer_note(List *reasons);

/* What it has seen so far; and back to that, where the plan since then is not taken */
extern GpuAggSurvey gpuagg_offer_seen(void);
extern void gpuagg_offer_forget(const GpuAggSurvey *seen);

/* The value of debug_require that counts; who asks what would be knows none. */
extern int	gpuagg_offer_require(void);

/* For the survey, if there is one, what the path's cost comes from; else NULL */
extern GpuAggWhatIf *gpuagg_offer_what_if(const GpuAggCostInput *input,
										  const GpuAggPlanInfo *info,
										  double postgres_groups);

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
