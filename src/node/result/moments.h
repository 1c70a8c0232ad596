/*
 * moments.h
 *		Variances, correlations and the like of moments.
 */
#ifndef GPUAGG_NODE_MOMENTS_H
#define GPUAGG_NODE_MOMENTS_H

#include "postgres.h"

#include "planner/catalogue/aggregates.h"

/*
 * The result of a state of MOMENTS_F64 or COMOMENTS_F64, as PostgreSQL's own function
 * makes it of the same numbers.  False: NULL.
 */
extern bool gpuagg_moments_datum(GpuAggStatistic statistic, const double *state,
								 Datum *result);

/* The state itself, an array: what PostgreSQL's combine functions take */
extern Datum gpuagg_moments_state(GpuAggStatistic statistic, const double *state);

/* Is a sum infinite or NaN, of which only PostgreSQL knows what it is? */
extern bool gpuagg_moments_finite(GpuAggStatistic statistic, const double *state);

/* Is it known whether all values are the same, where PostgreSQL asks that (since 19)? */
extern bool gpuagg_moments_sure(GpuAggStatistic statistic, const double *state);

#endif							/* GPUAGG_NODE_MOMENTS_H */
