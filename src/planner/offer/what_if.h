/*
 * what_if.h
 *		What would have a path on the device chosen that lost by its cost.
 */
#ifndef GPUAGG_PLANNER_WHAT_IF_H
#define GPUAGG_PLANNER_WHAT_IF_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "planner/offer/path_cost.h"

typedef struct GpuAggWhatIf
{
	GpuAggCostInput input;		/* what the path's cost comes from */
	GpuAggPlanInfo info;
	double		postgres_groups;	/* that PostgreSQL expects; 0: no grouping */
	Cost		device;			/* whole cost of the path */
	Cost		postgres;		/* whole cost of the one that was cheaper */
	const char *table;
} GpuAggWhatIf;

/* Both costs, and each change that is known to turn them round; palloc'd */
extern char *gpuagg_what_if(const GpuAggWhatIf *what);

#endif							/* GPUAGG_PLANNER_WHAT_IF_H */
