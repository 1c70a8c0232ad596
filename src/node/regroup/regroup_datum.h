/*
 * regroup_datum.h
 *		Values of regrouping that no device has a form of: how they lie in groups, what
 *		equal ones share, and how numerics are added.
 */
#ifndef GPUAGG_NODE_REGROUP_DATUM_H
#define GPUAGG_NODE_REGROUP_DATUM_H

#include "postgres.h"

#include "node/regroup/row_table.h"
#include "planner/plan/regroup.h"

/* Bytes that equal values of this form have in common and no others have */
extern GpuAggBytes gpuagg_datum_form(const GpuAggRegroupValue *as, Datum value);

/*
 * A value of so many rows enters a state that is a Datum.  False: the result, or an error, is
 * PostgreSQL's to find.
 */
extern bool gpuagg_datum_enter(GpuAggRowTable *table, const GpuAggRegroupState *s,
							   const GpuAggRegroupValue *as, char *state, Datum value,
							   int64 rows);

#endif							/* GPUAGG_NODE_REGROUP_DATUM_H */
