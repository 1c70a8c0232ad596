/*
 * variances.h
 *		Variances and standard deviations of exact sums.
 */
#ifndef GPUAGG_NODE_VARIANCES_H
#define GPUAGG_NODE_VARIANCES_H

#include "postgres.h"

#include "planner/catalogue/aggregates.h"
#include "planner/plan/plan.h"

/* A sum of 128 bits, two's complement */
typedef struct GpuAggWide
{
	uint64		low;
	int64		high;
} GpuAggWide;

/* What PostgreSQL keeps of a group's values; they are times 10^scale */
typedef struct GpuAggSums
{
	int64		count;
	GpuAggWide	sum;
	GpuAggWide	squares[GPUAGG_SQUARE_PARTS];	/* Parts that there are not are zero. */
	int			scale;
	int			shown;			/* The most decimals that a value shows. */
} GpuAggSums;

/* Is it NULL of so many values? */
extern bool gpuagg_statistic_is_null(GpuAggStatistic statistic, int64 count);

/* The numeric that PostgreSQL's own function makes, in the current memory context */
extern Datum gpuagg_variance(GpuAggStatistic statistic, const GpuAggSums *sums);

/* The sum and that of squares as numerics, in the current memory context */
extern void gpuagg_variance_sums(const GpuAggSums *sums, Datum *sum, Datum *squares);

/* What it makes of sums that are numerics: of the values, and of their squares */
extern Datum gpuagg_variance_of(GpuAggStatistic statistic, int64 count, Datum sum, Datum squares);

/*
 * The state that combine and deserialise functions take: of int8 and numeric, as
 * numeric_serialize() writes it; of int2 and int4, as numeric_poly_serialize() does
 */
extern Datum gpuagg_variance_state(const GpuAggSums *sums);
extern Datum gpuagg_variance_squares(const GpuAggSums *sums);

#endif							/* GPUAGG_NODE_VARIANCES_H */
