/*
 * partials.h
 *		States of aggregates, as PostgreSQL's combine and deserialise functions take them,
 *		of a sum and a count above 0.
 */
#ifndef GPUAGG_NODE_PARTIALS_H
#define GPUAGG_NODE_PARTIALS_H

#include "postgres.h"

#include "node/result/variances.h"

/* avg of int2 and int4 */
extern Datum gpuagg_partial_pair(int64 count, int64 sum);

/* sum and avg of int8: the sum as it is, and as a numeric, for versions that send that */
extern Datum gpuagg_partial_int8(int64 count, GpuAggWide wide, Datum sum);

/* sum and avg of numeric, of which so many decimals are shown */
extern Datum gpuagg_partial_numeric(int64 count, Datum sum, int shown);

/* sum and avg of numeric, where the sum may be any, with the most decimals of its values */
extern Datum gpuagg_partial_numeric_any(int64 count, Datum sum);

#endif							/* GPUAGG_NODE_PARTIALS_H */
