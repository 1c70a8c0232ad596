/*
 * regroup_parts.h
 *		Regrouping in parts (planner/plan/regroup.h): what several aggregates need is grouped by
 *		the device one after the other, instead of all of it at once.
 *
 * Values of two arguments of DISTINCT come in up to as many pairs as there are rows, while
 * each of them alone has few.  So for each a program is made of the one for all: with fewer
 * keys, transitions, and what these need.
 */
#ifndef GPUAGG_PLANNER_REGROUP_PARTS_H
#define GPUAGG_PLANNER_REGROUP_PARTS_H

#include "postgres.h"

#include "planner/plan/plan.h"

/* Finds the parts, none or at least two, and which state is made by which of them. */
extern void gpuagg_regroup_find_parts(GpuAggRegroup *plan);

/*
 * One part of the plan as a plan of its own, palloc'd: its program, and what is made of its
 * groups.  *outputs: bits of the whole program's outputs that are those of its own, in
 * their order; may be NULL.
 */
extern GpuAggPlanInfo *gpuagg_regroup_part(const GpuAggPlanInfo *info, int part,
										   Bitmapset **outputs);

#endif							/* GPUAGG_PLANNER_REGROUP_PARTS_H */
