/*
 * path_cost.h
 *		What GpuAgg and GpuSample cost, in PostgreSQL's units.
 */
#ifndef GPUAGG_PLANNER_PATH_COST_H
#define GPUAGG_PLANNER_PATH_COST_H

#include "postgres.h"

#include "cost/predict.h"
#include "nodes/nodes.h"
#include "planner/plan/plan.h"

/* Sorted values, as GpuAggWork has them (cost/predict.h) */
typedef struct GpuAggCostSorts
{
	double		words;
	double		values;
	double		longs;
} GpuAggCostSorts;

typedef struct GpuAggCostInput
{
	double		pages;			/* of the table, or of a sample of them */
	double		cached;			/* part of them that the device has, 0 to 1 */
	double		gaps;			/* of those that it has not, behind one that it has; part of all */
	int			feeders;		/* parallel workers that may hand over pages beside the backend */
	double		page_cost;		/* of reading one */
	double		drawn;			/* pages of which a sample of them draws */
	double		lines;			/* that a sample decides one by one */
	double		rows;			/* of the table, or its sample */
	double		passed;			/* that pass the filter */
	double		groups;
	double		returned;		/* of these, if the device can choose */
	double		made;			/* groups that regrouping makes of them; 0: none */
	bool		regrouped;		/* the device makes the made groups; else the backend does */
	bool		counted;		/* sorted rows tell it all that it makes */
	bool		ordered;		/* the device sorts the groups, of which `returned` come back */
	double		entries;		/* of the tables in which the backend makes groups */
	int			computed;		/* values that the backend computes of each group */
	GpuAggCostSorts sorts;		/* the backend's, of all groups */
	GpuAggCostSorts few_sorts;	/* the backend's, of those that `ordered` leaves */
	double		string_bytes;	/* of the keys of a group of the device's */
	double		reads;			/* all groups are read so often */
	Cost		postgres_cost;	/* of its plan in one process */
	double		checked;		/* part of the pages that are fed and not all-visible */
	double		compared;		/* part of the pages whose LSNs are compared with kept ones */
	double		recent;			/* part of the pages that have changed since they were kept, so that
								 * shared_buffers have them */
	Cost		lookup_cost;	/* of the plans that look-up tables are made of */
	double		lookup_ns;		/* of making them, and of looking rows up */
	double		speed;			/* of PostgreSQL's plan (path_speed.h) */
	double		beside_ns;		/* what rows that one process reads for look-up tables cost more by
								 * that speed */
	Cost		plan_cost;		/* of the plan whose rows are grouped, if it is one */
	int			plan_values;	/* values of a row of that plan */
	double		scale;			/* gpuagg.cost_scale */
	int			tasks;			/* tasks that do it: one for each of several tables */
	double		merged;			/* groups of several tasks, which are merged */
	bool		ring;			/* pages pass through a ring of buffers and are
								 * gone when rows are read from them */
} GpuAggCostInput;

typedef struct GpuAggCost
{
	Cost		startup;		/* until the first group or row can be returned */
	double		returned;		/* groups */
	Cost		total;			/* with all of them, before HAVING or further
								 * conditions, and targets */
} GpuAggCost;

/* Also notes in *info what was predicted, and by which profile. */
extern GpuAggCost gpuagg_cost_agg(const GpuAggCostInput *input,
								  GpuAggPlanInfo *info);

/* gpuagg_cost_agg of a scan that returns rows; groups do not matter. */
extern GpuAggCost gpuagg_cost_sample(const GpuAggCostInput *input,
									 GpuAggPlanInfo *info);

/* No path on the device costs less. */
extern Cost gpuagg_cost_floor(void);

/*
 * When the library is loaded: counts the server's CPUs, before any backend binds
 * itself to one, as calibrate() does.
 */
extern void gpuagg_cost_init(void);

/* The profile's rates, as the planner predicts by them */
extern void gpuagg_cost_rates(GpuAggRates *rates);

/* Threads of the device that the settings describe; at least 1. */
extern int	gpuagg_cost_threads(void);

#endif							/* GPUAGG_PLANNER_PATH_COST_H */
