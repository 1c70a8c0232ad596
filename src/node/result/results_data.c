/*
 * results_data.c
 *		Values that regrouping has made as a Datum's bytes (result_kinds.h).
 */
#include "postgres.h"

#include "node/result/datum_bytes.h"
#include "node/result/result_kinds.h"
#include "node/result/variances.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

void
gpuagg_init_datum(GPUAGG_INIT_ARGS)
{
	get_typlenbyval(exprType((const Node *) expr), &emitter->typlen, &emitter->typbyval);
}

void
gpuagg_init_datum_variance(GPUAGG_INIT_ARGS)
{
	gpuagg_init_variance(results, program, output, expr, emitter);
	gpuagg_init_datum(results, program, output, expr, emitter);
}

/* The bytes and the count; false: NULL */
static bool
take(const GpuAggResults *results, const GpuAggEmitter *emitter, const char *row,
	 GpuAggBytes *bytes, int64 *count)
{
	*bytes = gpuagg_emitter_string(results, row, emitter->off);
	*count = emitter->count_off != 0 ? gpuagg_emitter_count(emitter, row) : 0;
	return bytes->len != GPUAGG_STRING_NONE;
}

Datum
gpuagg_emit_datum(GPUAGG_EMIT_ARGS)
{
	GpuAggBytes bytes;
	int64		count;

	*isnull = !take(results, emitter, row, &bytes, &count);
	return *isnull ? (Datum) 0 : gpuagg_bytes_datum(bytes, emitter->typlen, emitter->typbyval);
}

Datum
gpuagg_emit_datum_avg(GPUAGG_EMIT_ARGS)
{
	GpuAggBytes bytes;
	int64		count;

	*isnull = !take(results, emitter, row, &bytes, &count);
	return *isnull ? (Datum) 0 : gpuagg_datum_average(bytes, count);
}

Datum
gpuagg_emit_datum_avg_interval(GPUAGG_EMIT_ARGS)
{
	GpuAggBytes bytes;
	int64		count;

	*isnull = !take(results, emitter, row, &bytes, &count);
	return *isnull ? (Datum) 0 : gpuagg_datum_average_interval(bytes, count);
}

Datum
gpuagg_emit_datum_variance(GPUAGG_EMIT_ARGS)
{
	GpuAggBytes bytes;
	GpuAggBytes squares;
	int64		count;

	*isnull = !take(results, emitter, row, &bytes, &count) ||
		gpuagg_statistic_is_null(emitter->statistic, count);
	if (*isnull)
		return (Datum) 0;
	squares = gpuagg_emitter_string(results, row, emitter->square_off[0]);
	return gpuagg_variance_of(emitter->statistic, count, gpuagg_bytes_datum(bytes, -1, false),
							  gpuagg_bytes_datum(squares, -1, false));
}
