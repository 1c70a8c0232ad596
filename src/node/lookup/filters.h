/*
 * filters.h
 *		Which look-up tables of a run have a filter before their slots.
 */
#ifndef GPUAGG_NODE_FILTERS_H
#define GPUAGG_NODE_FILTERS_H

#include "postgres.h"

#include "planner/plan/plan.h"

/*
 * Numbers of slots (device/ops/lookup_make.h) with which, where a device looks rows up, the
 * plan's table has one: by what earlier runs over that table, of so many pages, have found, else
 * by what the planner estimates.
 * made: by the device, of columns that it keeps
 */
extern uint64 gpuagg_lookup_filters(int device, const GpuAggLookupPlan *plan, Oid relid,
									double pages, bool made);

#endif							/* GPUAGG_NODE_FILTERS_H */
