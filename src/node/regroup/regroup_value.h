/*
 * regroup_value.h
 *		Values of one of a device's groups, from which others are made.
 */
#ifndef GPUAGG_NODE_REGROUP_VALUE_H
#define GPUAGG_NODE_REGROUP_VALUE_H

#include "postgres.h"

#include "node/regroup/regroup_work.h"

/*
 * Begins with one of the device's groups: does it pass what is left of WHERE?  Nothing else
 * is computed before.
 */
extern bool gpuagg_regroup_passes(GpuAggRegroupWork *r, const char *row);

/* The plan's n-th value of this group, which has not been asked for yet */
extern const GpuAggRegroupDatum *gpuagg_regroup_compute(GpuAggRegroupWork *r, int n,
														const char *row);

/*
 * The plan's n-th value of this group, computed when it is first asked for: an argument need not
 * be, where FILTER leaves no rows.
 */
static inline const GpuAggRegroupDatum *
gpuagg_regroup_value(GpuAggRegroupWork *r, int n, const char *row)
{
	return (r->loaded >> n & 1) != 0 ? &r->values[n] : gpuagg_regroup_compute(r, n, row);
}

static inline bool
gpuagg_regroup_is_true(GpuAggRegroupWork *r, int n, const char *row)
{
	const GpuAggRegroupDatum *d = gpuagg_regroup_value(r, n, row);

	return !d->isnull && d->v.i != 0;
}

/* Groups that were made before have passed it. */
static inline bool
gpuagg_regroup_passes_filter(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const char *row)
{
	return r->parent >= 0 || s->filter == GPUAGG_REGROUP_NONE ||
		gpuagg_regroup_is_true(r, s->filter, row);
}

/* Does a set have this state? */
extern bool gpuagg_regroup_is_shown(const GpuAggRegroup *plan, const GpuAggRegroupState *s,
									int set);

/* Has the set at work this state, and does one of the device's groups pass its filter? */
extern bool gpuagg_regroup_has_state(GpuAggRegroupWork *r, const GpuAggRegroupState *s,
									 const char *row);

#endif							/* GPUAGG_NODE_REGROUP_VALUE_H */
