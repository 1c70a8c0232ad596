/*
 * probe_order.h
 *		In which order a filter asks for joined rows: for the cost, and for the run.
 */
#ifndef GPUAGG_PLANNER_PROBE_ORDER_H
#define GPUAGG_PLANNER_PROBE_ORDER_H

#include "postgres.h"

#include "planner/plan/plan.h"

/* ns for each row that is dropped, of a look-up that leaves this share */
extern double gpuagg_probe_rank(const GpuAggLookupPlan *plan, double share);

/* The register of the row that is looked up in the table; GPUAGG_NO_REG: none is */
extern uint16 gpuagg_probe_row(const GpuAggProgram *p, const GpuAggLookupPlan *plan);

/* Notes which rows the look-ups of a finished program are looked up by. */
extern void gpuagg_probe_needs(const GpuAggProgram *p, GpuAggLookupPlan *plans, int n);

/*
 * Numbers of all look-ups, in the order in which rows are looked up: by their ranks, as far
 * as tests may change places.
 */
extern void gpuagg_probe_order(const GpuAggLookupPlan *plans, int n, const double *rank,
							   int *order);

#endif							/* GPUAGG_PLANNER_PROBE_ORDER_H */
