/*
 * regroup_plan.h
 *		Plans groupings that a device does by a finer key, whose groups the backend
 *		regroups (planner/plan/regroup.h).
 *
 * Stands between agg_columns.c and lower/: keys, aggregates and WHERE are lowered as they
 * are where a device can compute them; what it cannot is made of a finer key.
 */
#ifndef GPUAGG_PLANNER_REGROUP_PLAN_H
#define GPUAGG_PLANNER_REGROUP_PLAN_H

#include "postgres.h"

#include "planner/lower/lower.h"

typedef struct GpuAggRegroupPlan
{
	GpuAggLower *lw;
	GpuAggRegroup regroup;
	bool		joined;			/* conditions go behind joins, and strings of inputs may be
								 * numbers */
	bool		needed;
	GpuAggOutput *outputs;		/* of the query's groups */
	int			noutputs;
	List	   *keys;			/* expressions that are keys of the device */
	Var		   *columns[GPUAGG_MAX_KEYS];	/* of a key of the device: the column that it is,
											 * if an expression reads it */
	List	   *exprs;			/* those that values are computed by */
	List	   *device_clauses; /* of WHERE, where nfilters are not the device's */
} GpuAggRegroupPlan;

extern GpuAggRegroupPlan *gpuagg_regroup_begin(GpuAggLower *lw, bool joined);

extern void gpuagg_regroup_free(GpuAggRegroupPlan *plan);

/* As their namesakes in lower.h; noutputs counts outputs in the order of the calls. */
extern bool gpuagg_regroup_filter(GpuAggRegroupPlan *plan, List *clauses);
extern bool gpuagg_regroup_key(GpuAggRegroupPlan *plan, Expr *expr, Oid eqop,
							   GpuAggOutput *output);
extern bool gpuagg_regroup_aggregate(GpuAggRegroupPlan *plan, Aggref *agg,
									 GpuAggOutput *output);

/*
 * GROUPING SETS: lists of sortgrouprefs, of which the n-th key has refs[n], 0: it is in
 * all sets.  The keys come before; GROUPING() calls after, each an output.
 */
extern bool gpuagg_regroup_sets(GpuAggRegroupPlan *plan, List *sets, List *refs);
extern bool gpuagg_regroup_grouping(GpuAggRegroupPlan *plan, const List *sets,
									const GroupingFunc *call, GpuAggOutput *output);

/*
 * What is to be made of the device's groups, whose outputs replace these; NULL: they are
 * the query's.
 */
extern GpuAggRegroup *gpuagg_regroup_finish(GpuAggRegroupPlan *plan, GpuAggOutput *outputs);

/*
 * After finish: computed expressions over the device's keys, by which they can be compared
 * with those of another table; and what the plan GPUAGG_PLAN_REGROUP shows (plan.h).
 */
extern List *gpuagg_regroup_of_keys(GpuAggRegroupPlan *plan);
extern List *gpuagg_regroup_shown(const GpuAggRegroupPlan *plan);

/* How many times as many rows pass the device's conditions as pass all of WHERE? */
extern double gpuagg_regroup_passing(const GpuAggRegroupPlan *plan, const RelOptInfo *rel);

/* Values of DISTINCT of which a table each has to tell whether they are new to their group */
extern Bitmapset *gpuagg_regroup_repeated(const GpuAggRegroup *r);

#endif							/* GPUAGG_PLANNER_REGROUP_PLAN_H */
