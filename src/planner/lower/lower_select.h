/*
 * lower_select.h
 *		The filter of a scan that returns rows.
 */
#ifndef GPUAGG_PLANNER_LOWER_SELECT_H
#define GPUAGG_PLANNER_LOWER_SELECT_H

#include "postgres.h"

#include "planner/lower/lower.h"

/*
 * The conditions among a List of RestrictInfo that a device may evaluate
 * before PostgreSQL evaluates the others; they become the filter of a program
 * that selects rows, and are returned.
 */
extern List *gpuagg_lower_selection(GpuAggLower *lw, List *clauses);

#endif							/* GPUAGG_PLANNER_LOWER_SELECT_H */
