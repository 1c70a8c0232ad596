/*
 * datum_bytes.h
 *		Datums as they lie in groups, where no device has a form of them.
 */
#ifndef GPUAGG_NODE_DATUM_BYTES_H
#define GPUAGG_NODE_DATUM_BYTES_H

#include "postgres.h"

#include "node/result/results.h"

/*
 * A Datum as it lies in its group, and back; what these point to is in *value or
 * CurrentMemoryContext.
 */
extern GpuAggBytes gpuagg_datum_bytes(Datum *value, int16 typlen, bool typbyval);
extern Datum gpuagg_bytes_datum(GpuAggBytes b, int16 typlen, bool typbyval);

/* A sum's bytes divided by a count, as PostgreSQL's avg() of numerics and of intervals does */
extern Datum gpuagg_datum_average(GpuAggBytes sum, int64 count);
extern Datum gpuagg_datum_average_interval(GpuAggBytes sum, int64 count);

#endif							/* GPUAGG_NODE_DATUM_BYTES_H */
